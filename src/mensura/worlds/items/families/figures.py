"""Figures that several families draw: a form of some size and fill, turned, and read back from a drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from mensura.pictures.picture import Area, Disc, Place, Shape

FORMS = ("circle", "triangle", "square", "pentagon", "star", "cross")
SIZES = ("tiny", "small", "medium", "large", "huge")
FILLS = ("white", "light", "gray", "dark", "black")
LEAST, STEP = 0.1, 0.045
"""The radius of the smallest figure, and how much each size is larger, in units."""


class Figure(NamedTuple):
    """A figure as numbers."""

    form: int
    size: int
    fill: int


def _outline(form: int) -> list[Place]:
    """The corners of a form with the radius 1."""
    if form < 4:
        corners = form + 2
        return [_on_circle((i - 0.5 * (corners == 4)) / corners) for i in range(corners)]
    if form == 4:
        return [_on_circle(i / 10, 0.45 if i % 2 else 1.0) for i in range(10)]
    near = 0.25
    return [
        _on_circle((side + offset) / 4, radius)
        for side in range(4)
        for offset, radius in ((-near / math.tau * 4, 1.0), (near / math.tau * 4, 1.0), (0.5, 0.36))
    ]


def _on_circle(share: float, radius: float = 1.0) -> Place:
    """A place on a circle, from the top on with the clock."""
    return radius * math.sin(math.tau * share), -radius * math.cos(math.tau * share)


_OUTLINES = {form: _outline(form) for form in range(1, len(FORMS))}
_BY_CORNERS = {len(corners): form for form, corners in _OUTLINES.items()}


def drawn(figure: Figure, at: Place, scale: float = 1.0) -> Shape:
    """The shape of a figure around a place."""
    radius = scale * (LEAST + STEP * figure.size)
    strength = figure.fill / (len(FILLS) - 1)
    if figure.form == 0:
        return Disc(at, radius, "ink", strength, outline="ink")
    corners = tuple((at[0] + radius * x, at[1] + radius * y) for x, y in _OUTLINES[figure.form])
    return Area(corners, "ink", strength, outline="ink")


def read_drawn(shape: Shape, scale: float = 1.0) -> tuple[Figure, Place]:
    """The figure that a shape shows, and the place around which it was drawn."""
    assert isinstance(shape, (Area, Disc))
    fill = round(shape.strength * (len(FILLS) - 1))
    if isinstance(shape, Disc):
        return Figure(0, _size(shape.radius, scale), fill), shape.center
    form = _BY_CORNERS[len(shape.points)]
    (x0, y0), (x1, y1) = shape.points[:2]
    (a0, b0), (a1, b1) = _OUTLINES[form][:2]
    radius = math.hypot(x1 - x0, y1 - y0) / math.hypot(a1 - a0, b1 - b0)
    return Figure(form, _size(radius, scale), fill), (x0 - radius * a0, y0 - radius * b0)


def _size(radius: float, scale: float) -> int:
    return round((radius / scale - LEAST) / STEP)


def numbered(names: Sequence[str], name: str) -> int:
    """The number of a name; -1 where it is none."""
    return names.index(name) if name in names else -1
