"""Series of scores, and what is to be drawn of them: data that a study makes and a report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mensura.statistics.attempts import Attempts

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """The scores of one subject, or of one member of a collective, under one condition; one entry a sitting."""

    subject: str
    world: str
    levels: Mapping[str, str]
    """The level of each factor, by label."""
    score: Floats
    complexity: Floats
    repetition: npt.NDArray[np.int64]

    def of(self, repetition: int) -> Series:
        """The sittings of one repetition, in their order."""
        own = self.repetition == repetition
        return Series(
            self.subject,
            self.world,
            self.levels,
            self.score[own],
            self.complexity[own],
            self.repetition[own],
        )


@dataclass(frozen=True)
class Axis:
    """A factor as an axis."""

    factor: str
    label: str
    """What is written along it, with the unit."""
    at: Mapping[str, float]
    """Where each level stands, by label."""


@dataclass(frozen=True)
class Asked:
    """A figure that a study asks for, with what it shows."""

    kind: Literal["curve", "map", "complexity", "histogram", "boxes", "speed", "attempts"]
    title: str
    caption: str
    series: Sequence[Series]
    axes: Sequence[Axis] = ()
    """One for a curve and for learning speed, two for a map: x, then y."""
    together: bool = False
    """Whether a figure by complexity also has a panel of all its worlds together."""
    mark: tuple[float, float] | None = None
    """A point to mark in a map."""
    level: float | None = None
    """The reward that is to be reached, of learning speed; None is half of the best at the end of the axis."""
    attempts: Sequence[Attempts] = ()
    """Of a figure of attempts: those of each subject in each world."""
    published: str = ""
    """What was published of it, in words."""
