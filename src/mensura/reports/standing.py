"""Where each subject of a study stands: its results joined over conditions, its score and its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mensura.agent.keys import key
from mensura.records.results import RunResult, SubjectResult, on_scale
from mensura.records.summary import pooled
from mensura.reports.number_words import FEWEST as FEWEST_SITTINGS
from mensura.statistics.bootstrap import bootstrap_error
from mensura.statistics.clusters import Error, RunShare, average, design_of, weighted_error
from mensura.statistics.interval import Estimate
from mensura.statistics.replication import Replication, replication_of
from mensura.statistics.sample import Sample

SEED = 2021
"""The draws of the bootstrap in reports: the same samples give the same page."""

RESAMPLES = 2000
FEWEST = 400
"""Of hundreds of cells fewer samples are drawn anew for each."""
ALL = 200_000
"""So many are drawn for all cells together."""

Known = tuple[Estimate, Error]


@dataclass(frozen=True)
class Part:
    """One subject under one condition."""

    result: SubjectResult
    score: Known
    """Its mean score, with the error by environments and runs where single scores are there, else by episodes."""
    middle: Known | None
    """Its interquartile mean; None where there are no single scores."""


Parts = Mapping[tuple[str, str], Part]
"""By condition and subject, in the order of the result."""


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
    error: Error
    """Of the score."""
    default_share: float
    """The share of its actions that were the environment's default; of several conditions, the largest."""
    valid: bool
    """Whether the score is its own, under every condition; otherwise it is neither placed, ranked nor compared."""

    @property
    def subject(self) -> str:
        return self.result.subject

    @property
    def label(self) -> str:
        """Its name where scores are shown, with a mark where its own is not valid."""
        return self.subject if self.valid else f"{self.subject} ({self.result.reason or 'invalid'})"

    @property
    def estimable(self) -> bool:
        """Whether there is an error: not where repetitions differ, and are too few to tell how far."""
        return not (self.unit == "run" and math.isnan(self.error.variance))

    @property
    def enough(self) -> bool:
        """Whether it had enough sittings for an interval, and so for a verdict."""
        return self.score.n >= FEWEST_SITTINGS


def measured(
    conditions: Sequence[RunResult],
    samples: Sequence[Sample],
    replication: Replication | None = None,
) -> Parts:
    """Every subject that played, under every condition.

    ``replication`` is what the study takes as replicated; without it the samples decide.
    """
    replication = replication or replication_of(samples)
    placed = {(one.condition, one.label): one for one in samples if len(one)}
    resamples = max(FEWEST, min(RESAMPLES, ALL // max(1, len(placed))))
    return {
        (condition.title, one.subject): _part(
            condition.title,
            one,
            placed.get((condition.title, one.subject)),
            resamples,
            replication.of(one.subject),
        )
        for condition in conditions
        for one in condition.subjects
        if one.moments.count
    }


def scored(
    conditions: Sequence[RunResult], samples: Sequence[Sample], replication: Replication
) -> Parts:
    """The same without interquartile means, which take long: for tables of scores alone."""
    placed = {(one.condition, one.label): one for one in samples if len(one)}
    return {
        at: Part(one, _known(one, placed.get(at), replication.of(one.subject)), None)
        for condition in conditions
        for one in condition.subjects
        if one.moments.count
        for at in [(condition.title, one.subject)]
    }


def _known(one: SubjectResult, sample: Sample | None, share: RunShare) -> Known:
    """The score of a subject and its error, by environments and runs where single scores are there."""
    count = one.moments.count
    if sample is None or len(sample) != count or not one.valid:
        variance = one.moments.variance / count if count > 1 else math.nan
        return one.score, one.with_shared(Error(variance, count - 1, "environment", count))
    error = one.with_shared(design_of(sample).error_of_mean(sample.score, share))
    return on_scale(error.around(one.moments.mean, count), one.moments), error


def _part(
    condition: str, one: SubjectResult, sample: Sample | None, resamples: int, share: RunShare
) -> Part:
    known = _known(one, sample, share)
    if sample is None or len(sample) != one.moments.count or not one.valid:
        return Part(one, known, None)
    seed = key(SEED, condition, one.subject)
    value, own = bootstrap_error(sample, seed, resamples=resamples, share=share)
    own = one.with_shared(own)
    return Part(
        one,
        known,
        (on_scale(own.around(value, len(sample)), one.moments), own),
    )


def standings(parts: Parts) -> list[Standing]:
    """Every subject, best first; those without a valid score come last."""
    names = dict.fromkeys(subject for _, subject in parts)
    found = [_standing([part for (_, one), part in parts.items() if one == name]) for name in names]
    return sorted(found, key=lambda one: (not one.valid, -one.score.value if one.valid else 0.0))


def _standing(parts: Sequence[Part]) -> Standing:
    scores = [part.score for part in parts]
    middles = [part.middle for part in parts if part.middle is not None]
    limiting = min((error for _, error in scores), key=lambda error: error.units)
    whole = parts[0].result
    if len(parts) > 1:
        longest = max(part.result.training for part in parts)
        whole = replace(pooled([part.result for part in parts]), repetitions=(), training=longest)
    return Standing(
        result=whole,
        score=scores[0][0] if len(parts) == 1 else on_scale(average(scores), whole.moments),
        middle=on_scale(average(middles), whole.moments) if len(middles) == len(parts) else None,
        unit=limiting.unit,
        units=limiting.units,
        conditions=len(parts),
        error=weighted_error([(1.0 / len(parts), error) for _, error in scores]),
        default_share=_largest([part.result.default_share for part in parts]),
        valid=all(part.result.valid for part in parts),
    )


def _largest(shares: Sequence[float]) -> float:
    """The largest share that is known; nan where none is."""
    return max((share for share in shares if not math.isnan(share)), default=math.nan)
