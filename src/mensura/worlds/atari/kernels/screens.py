"""Screens made small: 210 x 160 pixels to 84 x 84, by area and in whole numbers, so that all machines agree.

A column of the small screen covers 40/21 columns of the large one, a row 5/2 rows. In units of 1/21 of a column and 1/2
of a row each pixel counts by what of it is covered: a small pixel is 40 x 5 = 200 units, and is rounded to the nearest.
"""

from numba import uint32

from mensura.core.compiled import door

SIDE = 84
HEIGHT, WIDTH = 210, 160
ROOM = WIDTH + 1
"""The columns that :func:`shrink` needs to count in: the last pixel looks at one more, which counts nothing."""
COLUMN, ACROSS, DOWN = 21, 40, 5


@door
def shrink(before, now, counts, old, out):
    """The brighter of two screens at each pixel, made small, and put last after three of four old ones.

    Four pixels of successive screens are one number of 32 bits in ``old`` and ``out``, the newest in its highest bits.
    """
    for y in range(SIDE):
        row = y * DOWN // 2
        first = uint32(2 - (y & 1))
        last = uint32(1 + (y & 1))
        for x in range(WIDTH):
            top = max(before[row, x], now[row, x])
            middle = max(before[row + 1, x], now[row + 1, x])
            bottom = max(before[row + 2, x], now[row + 2, x])
            counts[x] = uint32(top) * first + uint32(middle) * uint32(2) + uint32(bottom) * last
        for x in range(SIDE):
            column = x * ACROSS // COLUMN
            left = uint32((column + 1) * COLUMN - x * ACROSS)
            center = min(uint32(COLUMN), uint32(ACROSS) - left)
            units = counts[column] * left + counts[column + 1] * center
            units += counts[column + 2] * (uint32(ACROSS) - left - center)
            bright = uint32(units + uint32(ACROSS * DOWN // 2)) // uint32(ACROSS * DOWN)
            out[y, x] = (old[y, x] >> uint32(8)) | (bright << uint32(24))
