"""What families of tasks share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from numpy.random import Generator

from mensura.worlds.pagi.setup import Setup

Objects: TypeAlias = list[dict[str, Any]]


class Family(NamedTuple):
    """A family of tasks."""

    make: Callable[[Generator, int, int], Setup]
    """A task, drawn for a grade and a number of bodies."""
    grade: str
    """What grows with the grade."""
    steps: tuple[int, ...]
    """The causal steps of each grade, from 1 on."""
    reference: str
    """The subject that solves all of it."""
    bodies: int = 1
    """How many bodies there are, where nobody chooses."""
    several: tuple[int, int] | None = None
    """How many there may be."""

    @property
    def grades(self) -> int:
        """The highest grade."""
        return len(self.steps)


def thing(kind: str, name: str, x: float, y: float, **values: Any) -> dict[str, Any]:
    """An object of a task."""
    return {"kind": kind, "name": name, "x": round(x, 3), "y": round(y, 3), **values}


def ground(
    left: float = -40.0, right: float = 40.0, name: str = "ground", depth: float = 4.0
) -> dict[str, Any]:
    """Ground from one place to another; its top is at 0."""
    return thing("ground", name, (left + right) / 2, -depth / 2, width=right - left, height=depth)


def walls(left: float = -40.0, right: float = 40.0) -> Objects:
    """Walls at both ends, so that nobody leaves."""
    return [
        thing("ledge", "west", left - 1, 18, width=2, height=44),
        thing("ledge", "east", right + 1, 18, width=2, height=44),
    ]


def uniform(rng: Generator, low: float, high: float) -> float:
    """A number with two digits."""
    return round(float(rng.uniform(low, high)), 2)
