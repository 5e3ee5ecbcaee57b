"""The scores of a study as figures and statistics ask for them: whose, in which world, at which levels.

In a mixed collective each member is a series of its own, so that it can be held against itself alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mensura.core.players import reward_of
from mensura.statistics.sample import Sample
from mensura.studies.expand import conditions
from mensura.studies.study import Study

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


def series_of(study: Study, samples: Sequence[Sample]) -> list[Series]:
    """All series of a study, by condition and then in the order of subjects."""
    by_condition: dict[str, list[Sample]] = {}
    for sample in samples:
        by_condition.setdefault(sample.condition, []).append(sample)
    found = []
    for condition in conditions(study):
        for sample in by_condition.get(condition.text, ()):
            for name, score in _members(sample):
                found.append(
                    Series(
                        name,
                        condition.world_name,
                        condition.labels,
                        score,
                        sample.complexity,
                        sample.run,
                    )
                )
    return found


def _members(sample: Sample) -> Iterator[tuple[str, Floats]]:
    """The subject, or each member of a mixed collective."""
    start = reward_of("")
    members = {
        name.removeprefix(start): values
        for name, values in sample.measures.items()
        if name.startswith(start)
    }
    yield from members.items() if members else [(sample.label, sample.score)]


def chosen(
    study: Study,
    series: Sequence[Series],
    *,
    worlds: Sequence[str] = (),
    subjects: Sequence[str] = (),
    levels: Mapping[str, str] | None = None,
    free: Sequence[str] = (),
) -> list[Series]:
    """The series in these worlds of these subjects, all where none are named, in the order of the names.

    Factors stand at the levels given, or at their baseline, but for those that are free.
    """
    wanted = {
        factor.name: (levels or {}).get(factor.name, factor.levels[factor.base].label)
        for factor in study.factors
        if factor.name not in free
    }
    found = [
        one
        for one in series
        if (not worlds or one.world in worlds)
        and (not subjects or one.subject in subjects)
        and all(one.levels[factor] == label for factor, label in wanted.items())
    ]
    if subjects:
        found.sort(key=lambda one: subjects.index(one.subject))
    if worlds:
        found.sort(key=lambda one: worlds.index(one.world))
    return found
