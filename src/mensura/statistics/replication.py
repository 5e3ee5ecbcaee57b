"""What a study takes as replicated, environments or repetitions: one decision for all its subjects and conditions.

Two repetitions of one condition differ by one number, which says next to nothing of how far repetitions differ in
general. Decided cell by cell, the unit would change from one condition to the next by luck. So the unit is chosen once,
and how far the repetitions of a subject differ is estimated from all its conditions together: their ratios of variances
are averaged and their degrees of freedom added. Where a subject has too few, those of all subjects stand in, each
condition counting once, since subjects meet the same environments there. Where the whole study has too few, intervals
speak of other environments only, unless repetitions differ beyond chance: then nothing can be said.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from mensura.statistics.clusters import (
    BEYOND_CHANCE,
    ENVIRONMENTS_ALONE,
    LEAST_DF,
    TOO_FEW_RUNS,
    Design,
    RunShare,
    Variances,
    design_of,
    variance_of_mean,
)
from mensura.statistics.sample import Sample


@dataclass(frozen=True)
class Replication:
    """What a study takes as replicated."""

    unit: str = "environment"
    """"environment" or "run", for all subjects and conditions."""
    repetitions: int = 1
    """Of each condition; where conditions differ, the most."""
    estimable: bool = True
    """Whether the study tells how far repetitions differ; also where there are none."""
    one_environment: bool = False
    """Whether repetitions are the unit for want of environments: each condition has one."""
    shares: Mapping[Hashable, RunShare] = field(default_factory=dict)
    """What repetitions add to the error, by subject."""

    def of(self, subject: Hashable) -> RunShare:
        """What repetitions add to the error of a subject, or of a pair of them."""
        return self.shares.get(subject, ENVIRONMENTS_ALONE)


@dataclass(frozen=True)
class _Told:
    """What one subject under one condition says of repetitions."""

    condition: str
    found: Variances


class Evidence:
    """What the scores of a study say of its repetitions, gathered cell by cell."""

    def __init__(self) -> None:
        self._told: dict[Hashable, list[_Told]] = {}
        self._repetitions = 1
        self._df_of_one_environment = 0

    def add(self, subject: Hashable, condition: str, design: Design, values: ArrayLike) -> None:
        """The scores, or the differences, of a subject or a pair under one condition, shape (n,), and their design."""
        self._repetitions = max(self._repetitions, design.runs)
        if design.environments == 1:
            self._df_of_one_environment = max(self._df_of_one_environment, design.runs - 1)
        if design.repeated:
            found = design.variances(variance_of_mean(values))
            self._told.setdefault(subject, []).append(_Told(condition, found))

    def decide(self) -> Replication:
        """One decision for all that was added."""
        if not self._told and self._df_of_one_environment:
            known = self._df_of_one_environment >= LEAST_DF
            return Replication("run", self._repetitions, known, one_environment=True)
        if not self._told:
            return Replication(repetitions=self._repetitions)
        everything = [one for told in self._told.values() for one in told]
        df = _df(everything)
        if df < LEAST_DF:
            chances = [min(one.found.chance for one in told) for told in self._told.values()]
            differ = min(chances) * len(everything) <= BEYOND_CHANCE
            share = TOO_FEW_RUNS if differ else ENVIRONMENTS_ALONE
            shares = dict.fromkeys(self._told, share)
            return Replication(share.unit, self._repetitions, False, shares=shares)
        pooled = {
            subject: (_ratio(told), own)
            if (own := _df(told)) >= LEAST_DF
            else (_ratio(everything), df)
            for subject, told in self._told.items()
        }
        above = any(
            pooled[subject][0] > 1.0 and _runs_weigh_more(told)
            for subject, told in self._told.items()
        )
        unit = "run" if above else "environment"
        shares = {subject: RunShare(unit, *both) for subject, both in pooled.items()}
        return Replication(unit, self._repetitions, shares=shares)


def _df(told: Iterable[_Told]) -> float:
    """The degrees of freedom between repetitions, each condition counting once."""
    of_condition: dict[str, int] = {}
    for one in told:
        of_condition[one.condition] = max(of_condition.get(one.condition, 0), one.found.runs - 1)
    return float(sum(of_condition.values()))


def _ratio(told: Iterable[_Told]) -> float:
    """The mean ratio of the variance between runs to that of runs that do not differ; 1 where nothing varies."""
    ratios = [one.found.ratio for one in told if not math.isnan(one.found.ratio)]
    return math.fsum(ratios) / len(ratios) if ratios else 1.0


def _runs_weigh_more(told: Sequence[_Told]) -> bool:
    """Whether runs add more to the error than environments do that were met in several of them."""
    return sum(one.found.by_run for one in told) >= sum(one.found.own for one in told)


def replication_of(samples: Iterable[Sample]) -> Replication:
    """What a study takes as replicated, from the scores of all its subjects under all its conditions."""
    evidence = Evidence()
    for sample in samples:
        if len(sample):
            evidence.add(sample.label, sample.condition, design_of(sample), sample.score)
    return evidence.decide()
