"""What is drawn of a landscape: shades of fitness, and a frame around the global optimum."""

from __future__ import annotations

from collections.abc import Iterator

from mensura.pictures.picture import Line, Place, Sample, Shape
from mensura.worlds.lambda_star.games.landscape.parameters import Parameters
from mensura.worlds.lambda_star.torus.drawing import SQUARE, Grid, Look, patch
from mensura.worlds.lambda_star.torus.moment import Field, Moment


def _lasting(d: Parameters) -> bool:
    """Whether the landscape stands still."""
    return d.drift == 0 and d.landscape_reacts == "no"


def _marks(grid: Grid, environment: Moment, worth: Field) -> Iterator[Shape]:
    """The global optimum."""
    top = divmod(int(worth.argmax()), environment.description.cols)
    yield Line(_frame(grid, *top), "ink", 0.08 * grid.unit, label="the global optimum")


def _frame(grid: Grid, row: int, column: int) -> tuple[Place, ...]:
    """A line around the inside of a cell."""
    (x, y), (wide, high) = grid.at(row, column), grid.steps
    a, b = 0.44 * wide, 0.44 * high
    return (x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b), (x - a, y - b)


def _legend(_: Moment) -> Iterator[tuple[Sample, str]]:
    yield (patch("good", 0.8)[0], Line(SQUARE, "ink", 0.15)), "global optimum"


LOOK = Look(
    worth="fitness",
    spoken="with their fitness as shades",
    lasting=_lasting,
    marks=_marks,
    legend=_legend,
)
