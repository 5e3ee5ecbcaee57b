"""Where each subject of a study stands: its results joined over conditions, its score and its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mensura.core.keys import key
from mensura.records.results import RunResult, SubjectResult
from mensura.records.summary import pooled
from mensura.statistics.bootstrap import bootstrap_error
from mensura.statistics.clusters import Error, average, design_of
from mensura.statistics.interval import Estimate
from mensura.statistics.sample import Sample

SEED = 2021
"""The draws of the bootstrap in reports: the same samples give the same page."""

Samples = Mapping[tuple[str, str], Sample]
"""By condition and subject."""


@dataclass(frozen=True)
class Standing:
    """One subject over the conditions that it was assessed under."""

    result: SubjectResult
    """All conditions joined, each episode counting the same."""
    score: Estimate
    """The mean score, each condition counting the same."""
    middle: Estimate | None
    """The interquartile mean, likewise; None where there are no samples."""
    unit: str
    """What the intervals take as replicated: "environment" or "run"."""
    units: int
    conditions: int

    @property
    def subject(self) -> str:
        return self.result.subject


def by_place(samples: Sequence[Sample]) -> Samples:
    """The samples that have scores, by condition and subject."""
    return {(one.condition, one.label): one for one in samples if len(one)}


def standings(conditions: Sequence[RunResult], samples: Samples) -> list[Standing]:
    """Every subject that played, best first."""
    names = dict.fromkeys(
        one.subject for condition in conditions for one in condition.subjects if one.moments.count
    )
    found = []
    for name in names:
        parts = [
            (condition, one)
            for condition in conditions
            for one in condition.subjects
            if one.subject == name and one.moments.count
        ]
        found.append(_standing(parts, samples))
    return sorted(found, key=lambda one: -one.score.value)


def _standing(parts: Sequence[tuple[RunResult, SubjectResult]], samples: Samples) -> Standing:
    scores, middles = [], []
    for condition, one in parts:
        sample = samples.get((condition.title, one.subject))
        scores.append(score_of(one, sample))
        if sample is not None:
            seed = key(SEED, condition.title, one.subject)
            value, error = bootstrap_error(sample, seed)
            middles.append((error.around(value, len(sample)), error))
    limiting = min((error for _, error in scores), key=lambda error: error.units)
    whole = parts[0][1]
    if len(parts) > 1:
        longest = max(one.training for _, one in parts)
        whole = replace(pooled([one for _, one in parts]), repetitions=(), training=longest)
    return Standing(
        result=whole,
        score=scores[0][0] if len(parts) == 1 else average(scores),
        middle=average(middles) if len(middles) == len(parts) else None,
        unit=limiting.unit,
        units=limiting.units,
        conditions=len(parts),
    )


def score_of(one: SubjectResult, sample: Sample | None) -> tuple[Estimate, Error]:
    """A score and its error: by environments and runs where the single scores are there, else by episodes."""
    if sample is not None and len(sample) == one.moments.count:
        error = design_of(sample).error_of_mean(sample.score)
        return error.around(one.moments.mean, len(sample)), error
    count = one.moments.count
    variance = one.moments.variance / count if count > 1 else math.nan
    return one.score, Error(variance, count - 1, "environment", count)
