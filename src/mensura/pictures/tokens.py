"""Who stands on cells, drawn in the same way by all worlds, and told apart without colors by form and sign.

Good is a disc with a plus, Evil a square with a minus, guides and other objects are triangles, subjects are rings with
their seats. To subjects, who have to find out what they are, Good is a star and Evil a diamond.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mensura.pictures.picture import Area, Disc, Line, Place, Shape, Words

PI = "π"
"""A subject that is alone. It is drawn by lines, since not every font has it."""
SMALLEST = 0.11
"""Smaller tokens, in units, have no room for signs."""
_STAR = [
    (radius * math.sin(i * math.pi / 5), -radius * math.cos(i * math.pi / 5))
    for i, radius in enumerate((1.0, 0.42) * 5)
]
_PI = (
    ((-0.5, -0.32), (0.5, -0.32)),
    ((-0.2, -0.32), (-0.2, 0.46)),
    ((0.22, -0.32), (0.22, 0.46)),
)


def good(at: Place, size: float, label: str = "Good") -> Iterator[Shape]:
    """A disc with a plus, so large from its middle."""
    yield Disc(at, size, "good", outline="paper", width=0.08 * size, label=label)
    yield from _sign(at, size, ((-0.52, 0.0), (0.52, 0.0)), ((0.0, -0.52), (0.0, 0.52)))


def evil(at: Place, size: float, label: str = "Evil") -> Iterator[Shape]:
    """A square with a minus."""
    corners = _around(at, 0.88 * size, ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    yield Area(corners, "evil", outline="paper", width=0.08 * size, label=label)
    yield from _sign(at, size, ((-0.52, 0.0), (0.52, 0.0)))


def star(at: Place, size: float, label: str = "the star") -> Iterator[Shape]:
    """Good, to subjects."""
    yield Area(_around(at, 1.1 * size, _STAR), "series-4", outline="ink", label=label)


def diamond(at: Place, size: float, label: str = "the diamond") -> Iterator[Shape]:
    """Evil, to subjects."""
    corners = _around(at, 1.1 * size, ((0, -1), (1, 0), (0, 1), (-1, 0)))
    yield Area(corners, "series-5", outline="ink", label=label)


def triangle(at: Place, size: float, sign: str = "", label: str = "guide") -> Iterator[Shape]:
    """A guide, or another object."""
    corners = _around(at, size, ((0.0, -1.12), (1.12, 0.8), (-1.12, 0.8)))
    yield Area(corners, "guide", outline="ink", width=0.06 * size, label=label)
    if sign and size > SMALLEST:
        yield Words(sign, (at[0], at[1] + 0.22 * size), 0.9 * size)


def subject(
    at: Place, size: float, sign: str = "", label: str = "subject", role: str = "paper"
) -> Iterator[Shape]:
    """A ring with a seat or another sign; one that did something is filled with a color and has a thicker rim."""
    width = max(0.02, (0.1 if role == "paper" else 0.22) * size)
    yield Disc(at, 0.88 * size, role, outline="ink", width=width, label=label)
    if sign == PI:
        yield from _sign(at, size, *_PI, role="ink", width=0.14)
    elif sign and size > SMALLEST:
        yield Words(sign, at, size * (1.1, 1.1, 0.9, 0.66)[min(len(sign), 3)])


def _around(at: Place, size: float, corners: Sequence[Place]) -> tuple[Place, ...]:
    return tuple((at[0] + size * x, at[1] + size * y) for x, y in corners)


def _sign(
    at: Place,
    size: float,
    *strokes: tuple[Place, Place],
    role: str = "paper",
    width: float = 0.26,
) -> Iterator[Shape]:
    """A sign of a few lines, where there is room."""
    if size > SMALLEST:
        for stroke in strokes:
            yield Line(_around(at, size, stroke), role, width * size)
