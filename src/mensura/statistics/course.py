"""The course of an episode: how rewards change from its beginning to its end, which is what is learned within it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mensura.statistics.clusters import Error, average
from mensura.statistics.interval import Estimate, mean_interval

PARTS = 10
"""An episode is cut into so many parts, or into its interactions where they are fewer."""

ENDS = 0.3
"""This share of the parts counts as the beginning, and as the end."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Course:
    """The rewards of one subject under one condition, interaction by interaction."""

    subject: str
    condition: str
    rewards: tuple[Floats, ...]
    """Of each sitting."""

    @property
    def shortest(self) -> int:
        """The interactions of the shortest sitting."""
        return min((len(one) for one in self.rewards), default=0)

    def table(self, parts: int) -> Floats:
        """The mean reward of each part of each sitting, shape (sittings, parts)."""
        return np.array(
            [[piece.mean() for piece in np.array_split(one, parts)] for one in self.rewards]
        )


def parts_of(courses: Sequence[Course]) -> int:
    """Into how many parts all episodes can be cut; fewer than 2 where there is nothing to see."""
    return min((PARTS, *(one.shortest for one in courses if one.rewards)))


def by_part(courses: Sequence[Course], parts: int) -> list[Estimate]:
    """The mean reward of one subject in each part of its episodes, each condition counting the same."""
    tables = [one.table(parts) for one in courses if one.rewards]
    return [_mean([table[:, at] for table in tables]) for at in range(parts)]


def improvement(courses: Sequence[Course], parts: int) -> Estimate:
    """How much more reward one subject has at the end of its episodes than at their beginning, likewise."""
    ends = max(1, round(ENDS * parts))
    tables = [one.table(parts) for one in courses if one.rewards]
    return _mean([table[:, -ends:].mean(axis=1) - table[:, :ends].mean(axis=1) for table in tables])


def _mean(columns: Sequence[Floats]) -> Estimate:
    """The mean over conditions of the means over their sittings."""
    found = []
    for column in columns:
        estimate = mean_interval(column)
        error = Error(estimate.standard_error**2, len(column) - 1, "environment", len(column))
        found.append((estimate, error))
    return average(found)
