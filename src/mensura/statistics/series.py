"""Series of scores, and what is to be drawn of them: data that a study makes and a report shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.core.figure_kinds import FigureKind
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
    environment: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Which environment each sitting had; empty where nobody asks."""
    measures: Mapping[str, Floats] = field(default_factory=dict)
    """Further measures of sittings by name, nan where one has none; empty where nobody asks."""

    def of(self, repetition: int) -> Series:
        """The sittings of one repetition, in their order."""
        return self.where(self.repetition == repetition)

    def where(self, own: npt.NDArray[Any]) -> Series:
        """Some of the sittings."""
        return replace(
            self,
            score=self.score[own],
            complexity=self.complexity[own],
            repetition=self.repetition[own],
            environment=self.environment[own] if len(self.environment) else self.environment,
            measures={name: values[own] for name, values in self.measures.items()},
        )

    def minus(self, other: Series) -> Series:
        """What is above another's in the same environments of a repetition; sitting by sitting where none are."""
        theirs = dict(
            zip(zip(other.environment, other.repetition, strict=True), other.score, strict=True)
        )
        met = list(zip(self.environment, self.repetition, strict=True))
        if theirs.keys().isdisjoint(met) and len(self.score) == len(other.score):
            return replace(self, score=self.score - other.score)
        own = self.where(np.array([one in theirs for one in met], np.bool_))
        taken = np.array([theirs[one] for one in met if one in theirs], np.float64)
        return replace(own, score=own.score - taken)


@dataclass(frozen=True)
class Axis:
    """A factor as an axis."""

    factor: str
    label: str
    """What is written along it, with the unit."""
    at: Mapping[str, float]
    """Where each level stands, by label."""
    base: str = ""
    """The label of the level that holds while other factors vary."""
    named: bool = False
    """Whether the levels are names, which stand one after another, and not numbers."""


@dataclass(frozen=True)
class Asked:
    """A figure that a study asks for, with what it shows."""

    kind: FigureKind
    title: str
    caption: str
    series: Sequence[Series]
    axes: Sequence[Axis] = ()
    """One for a curve and for learning speed, two for a map: x, then y; for interactions all."""
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
    measure: str = ""
    """What the series hold in place of scores, in words; scores where it is empty."""
    untold: str = ""
    """Why there is nothing to show, where no sitting has what was asked for."""
