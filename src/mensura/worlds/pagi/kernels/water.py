"""How much of objects is under water."""

from mensura.core.compiled import door

COLUMNS = 4
"""Columns of an object in which the level of the water is looked for."""


@door
def soak(discs, radius, sizes, shares):
    """The share of each object that is under water.

    An object is a square around its middle. The level in a column of it is the top of the highest disc there that is
    not more than a disc above the object.
    """
    for n in range(sizes.shape[0]):
        x, y, side = sizes[n, 0], sizes[n, 1], sizes[n, 2]
        half = side / 2.0
        total = 0.0
        for column in range(COLUMNS):
            middle = x - half + (column + 0.5) * side / COLUMNS
            reach = radius + side / COLUMNS / 2.0
            level = -1e300
            for d in range(discs.shape[0]):
                dy = discs[d, 1] - y
                if abs(discs[d, 0] - middle) <= reach and dy <= half + 2.0 * radius:
                    level = max(level, dy + radius)
            total += min(max((level + half) / side, 0.0), 1.0)
        shares[n] = total / COLUMNS
