"""Where things are put in a picture: crowds that share one cell, titles and legends."""

from __future__ import annotations

import math
from dataclasses import replace

from mensura.pictures.picture import (
    LETTER,
    Area,
    Disc,
    Line,
    Picture,
    Place,
    Shape,
    Words,
    columns,
    samples,
)


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


LEGEND_SIZE = 0.036
"""The height of the letters of titles and legends, in lengths of the longer side of the picture."""


def with_legend(picture: Picture) -> Picture:
    """The picture with its title above and its legend below as shapes, so that every rendering shows both."""
    if not picture.legend and not picture.title:
        return picture
    left, top, right, bottom = picture.bounds
    size = max(right - left, bottom - top) * LEGEND_SIZE
    around = 0.4 * size
    ground = Area.box(
        *(left - around, top - around, right - left + 2 * around, bottom - top + 2 * around),
        *("paper", 0.0),
    )
    shapes: list[Shape] = [ground, *picture.shapes]
    longest = max((columns(line) for line in picture.title), default=1)
    letters = min(size, max(0.7 * size, (right - left) / (LETTER * longest)))
    for i, line in enumerate(picture.title):
        above = 1.5 * (len(picture.title) - i) - 0.2
        shapes.append(Words(line, (left, top - above * letters), letters, anchor="start"))
    x, y = left, bottom + size
    for sample, words in picture.legend:
        text = Words(words, (x + 1.5 * size, y), size, anchor="start")
        end = text.bounds[2]
        if end > right and x > left:  # the next line
            x, y = left, y + 1.6 * size
            text = Words(words, (x + 1.5 * size, y), size, anchor="start")
            end = text.bounds[2]
        shapes += [moved(shape, (x + 0.6 * size, y), size) for shape in samples(sample)]
        shapes.append(text)
        x = end + size
    height = max(picture.size[1], y + size) if picture.legend else picture.size[1]
    return Picture(shapes, (picture.size[0], height), picture.label)


def moved(shape: Shape, to: Place, scale: float = 1.0) -> Shape:
    """A shape that was made around (0, 0), somewhere else and in another size."""

    def there(place: Place) -> Place:
        return to[0] + scale * place[0], to[1] + scale * place[1]

    if isinstance(shape, Disc):
        center, radius = there(shape.center), scale * shape.radius
        return replace(shape, center=center, radius=radius, width=scale * shape.width)
    if isinstance(shape, (Line, Area)):
        return replace(shape, points=tuple(map(there, shape.points)), width=scale * shape.width)
    if isinstance(shape, Words):
        return replace(shape, at=there(shape.at), size=scale * shape.size)
    return replace(shape, at=there(shape.at), size=(scale * shape.size[0], scale * shape.size[1]))


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
