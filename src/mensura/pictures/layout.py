"""Where things are put in a picture: crowds that share one cell, and the legend below a picture."""

from __future__ import annotations

import math

from mensura.pictures.picture import Disc, Picture, Shape, Words


def abreast(count: int) -> list[tuple[tuple[float, float], float]]:
    """A place and a size for each of so many on one cell: (down, along) from its middle, in widths of the cell.

    They stand in a square, side by side, and are smaller the more there are.
    """
    side = max(math.ceil(math.sqrt(count)), 1)
    lines = math.ceil(count / side)
    apart, scale = {1: (0.0, 1.0), 2: (0.46, 0.9)}.get(side, (0.96 / side, 1.92 / side))
    return [
        (
            (
                (i // side - (lines - 1) / 2) * apart,
                (i % side - (side - 1) / 2) * apart,
            ),
            scale,
        )
        for i in range(count)
    ]


LEGEND_SIZE = 0.045
"""The height of the letters of a legend, in widths of the picture; at least as large as need be to be read."""


def with_legend(picture: Picture) -> Picture:
    """The picture with its legend as shapes below it, so that every rendering shows it in the same way."""
    if not picture.legend:
        return picture
    left, _, right, bottom = picture.bounds
    size = (right - left) * LEGEND_SIZE
    shapes: list[Shape] = [*picture.shapes]
    x, y = left, bottom + size
    for role, words in picture.legend:
        text = Words(words, (x + 1.4 * size, y), size, anchor="start")
        end = text.bounds[2]
        if end > right and x > left:  # the next line
            x, y = left, y + 1.6 * size
            text = Words(words, (x + 1.4 * size, y), size, anchor="start")
            end = text.bounds[2]
        shapes += [
            Disc((x + 0.6 * size, y), 0.4 * size, role, outline="ink", width=0.06 * size),
            text,
        ]
        x = end + size
    return Picture(shapes, (picture.size[0], max(picture.size[1], y + size)), picture.label)


def scale_of(picture: Picture, width: float | None = None) -> float:
    """Pixels of a unit: as many as make the picture ``width`` pixels wide, or a size that is easy to look at."""
    left, top, right, bottom = picture.bounds
    if width is not None:
        return min(width / (right - left), MOST_PIXELS / (bottom - top))
    longest = max(right - left, bottom - top)
    return min(max(USUAL_SCALE, LEAST_PIXELS / longest), MOST_PIXELS / longest)


USUAL_SCALE = 40.0
LEAST_PIXELS, MOST_PIXELS = 240.0, 1600.0
"""Of the longer side of a picture."""
