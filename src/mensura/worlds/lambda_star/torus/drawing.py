"""How a torus is drawn: its grid, a few signs, and what a game says of how it looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from mensura.pictures.picture import Area, Line, Place, Sample, Shape, Words
from mensura.worlds.lambda_star.torus.moment import Field, Moment

SIDE = 10.0
"""The longer side of the grid, in units."""
GRID_LINES = 60
"""Up to so many rows and columns there are lines between cells."""


@dataclass(frozen=True)
class Grid:
    """Where cells are: squares, unless the grid is a mere strip."""

    rows: int
    cols: int

    @property
    def size(self) -> Place:
        """Its width and height."""
        unit = SIDE / max(self.rows, self.cols)
        return max(unit * self.cols, 0.4 * SIDE), max(unit * self.rows, 0.1 * SIDE)

    @property
    def steps(self) -> Place:
        """The width and the height of a cell."""
        return self.size[0] / self.cols, self.size[1] / self.rows

    @property
    def unit(self) -> float:
        """How large whatever stands on a cell may be: the shorter side of it, within limits."""
        return min(1.6, max(0.15, min(self.steps)))

    def at(self, row: float, column: float) -> Place:
        """The middle of a cell, or a place beside it."""
        return (column + 0.5) * self.steps[0], (row + 0.5) * self.steps[1]

    def box(self, row: int, column: int, role: str, strength: float, **more: Any) -> Area:
        """A cell."""
        wide, high = self.steps
        return Area.box(column * wide, row * high, wide, high, role, strength, **more)

    def lines(self) -> Iterator[Shape]:
        """The border, and lines between cells unless they are too many."""
        width, height = self.size
        wide, high = self.steps
        if max(self.rows, self.cols) <= GRID_LINES:
            for i in range(1, self.cols):
                yield Line(((i * wide, 0.0), (i * wide, height)), "ground", 0.02)
            for i in range(1, self.rows):
                yield Line(((0.0, i * high), (width, i * high)), "ground", 0.02)
        corners = (0.0, 0.0), (width, 0.0), (width, height), (0.0, height), (0.0, 0.0)
        yield Line(corners, "ink", 0.025)

    def rulers(self) -> Iterator[Shape]:
        """The numbers of rows and columns, far enough apart."""
        width, height = self.size
        for column in range(0, self.cols, max(1, math.ceil(0.5 * self.cols / width))):
            yield Words(str(column), (self.at(0, column)[0], height + 0.2), 0.22)
        for row in range(0, self.rows, max(1, math.ceil(0.5 * self.rows / height))):
            yield Words(str(row), (-0.1, self.at(row, 0)[1]), 0.22, anchor="end")


def cross(at: Place, size: float) -> tuple[Shape, ...]:
    (x, y), s = at, size
    strokes = ((x - s, y - s), (x + s, y + s)), ((x - s, y + s), (x + s, y - s))
    return tuple(Line(stroke, "ink", 0.25 * s) for stroke in strokes)


SQUARE = (-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45), (-0.45, -0.45)


def patch(role: str, strength: float) -> tuple[Shape, ...]:
    return (Area(SQUARE[:4], role, strength, "ink", 0.04),)


@dataclass(frozen=True)
class Look:
    """How a game looks: what is drawn and said beyond what all games have in common."""

    worth: str = ""
    """What the worth of a cell is called, where every cell has one of its own."""
    lowest: float = -1.0
    """The least that a cell can be worth."""
    role: str = "good"
    """The role of what pays."""
    spoken: str = "with what they are worth"
    """What a screen reader says of the cells."""
    lasting: Callable[[Any], bool] = lambda _: True
    """A description: whether what cells are worth lasts long enough to be written on them in figures."""
    marks: Callable[[Grid, Moment, Field], Iterable[Shape]] = lambda *_: ()
    """The grid, the environment and what cells are worth: what else is drawn on the cells."""
    title: Callable[[Any], str] = lambda d: str(d.task)
    """A description: what stands in the title of a picture."""
    subtitles: Callable[[Moment], Iterable[str]] = lambda _: ()
    """Further lines of the title."""
    legend: Callable[[Moment], Iterable[tuple[Sample, str]]] = lambda _: ()
    """What the game's own signs mean."""
    seen_legend: Callable[[Any], Iterable[tuple[Sample, str]]] = lambda _: ()
    """The same in the picture of what a seat observes, of a description."""
    signal: Callable[[Place, float, float], Shape] | None = None
    """A place, a size and a private signal: how this is drawn beside its subject."""
    signals: tuple[tuple[float, str], ...] = ()
    """Private signals and what they mean, for the legend."""

    @property
    def costs(self) -> bool:
        """Whether cells can cost something."""
        return self.lowest < 0
