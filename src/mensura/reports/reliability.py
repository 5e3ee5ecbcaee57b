"""What a report says about reliability: is the score settled, and would it come out the same again?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from mensura.agent.keys import Key
from mensura.reports import sitting_figures, units
from mensura.reports.drawing import score_range
from mensura.reports.number_words import interval, listed, number, percent, plain, short, signed
from mensura.reports.protocols import SITTING, Unit
from mensura.statistics.clusters import RunShare
from mensura.statistics.interval import Estimate
from mensura.statistics.reliability import coverage, retest, settling, split_half
from mensura.statistics.replication import Replication
from mensura.statistics.sample import Sample

DRIFTS = 0.01
"""A drift that is less likely than this by chance is told."""

FEW = 30
"""With fewer sittings nothing is said about coverage: they do not stand for a population."""

MANY = 1000
"""With more the mean is as good as normal, so that intervals hold what they promise, and trying would take long."""

HALVED = 20_000
"""With more environments halves differ by nothing that could be read, and drawing them would take long."""

COVERAGE_STUDIES = 400
LEVEL = 0.95


def panels(
    samples: Sequence[Sample],
    unit: Unit = SITTING,
    replication: Replication | None = None,
    prefix: str = "",
) -> list[dict[str, Any]]:
    """How the mean of each subject under one condition came to rest, all on the same axes."""
    found = [
        (sample.label, settling(sample, share=_share(replication, sample)))
        for sample in samples
        if len(sample) > 2
    ]
    if not found:
        return []
    # The first intervals, of two or three sittings, are too wide to be drawn whole.
    y_range = score_range([point for _, one in found for point in one.path])
    longest = max(one.path[-1].n for _, one in found)
    return [
        {
            "name": label,
            "svg": sitting_figures.settling(
                one.path,
                (1.9, 1.05 * longest),
                y_range,
                unit.many,
                f"{prefix}settling-{i}",
                f"The score of {short(label)} after so many {unit.many}",
            ),
            "caption": f"After {unit.count(one.path[-1].n)}: {signed(one.path[-1].value)}"
            + (
                f" {_around(one.path[-1].half_width)}; twice as many {_more(unit, replication)} are expected to move "
                f"it by {plain(one.change, 3)}."
                if math.isfinite(one.change)
                else "."
            ),
        }
        for i, (label, one) in enumerate(found)
    ]


def sentences(
    samples: Sequence[Sample],
    key: Key,
    unit: Unit = SITTING,
    replication: Replication | None = None,
) -> Iterator[str]:
    """Everything that can be said about the samples of one condition, one of each subject."""
    yield from settled(samples, unit, replication)
    yield from retested(samples)
    yield from halved(samples, key)
    yield from covered(samples, key)


def settled(
    samples: Sequence[Sample],
    unit: Unit = SITTING,
    replication: Replication | None = None,
    several: bool = False,
) -> Iterator[str]:
    """How far each estimate is from settled; of ``several`` conditions, each is named with its own."""
    found = [
        (
            f"{sample.label} ({sample.condition})" if several else sample.label,
            settling(sample, share=_share(replication, sample)),
        )
        for sample in samples
        if len(sample) > 1
    ]
    more = _more(unit, replication)
    if replication is not None and replication.unit == "run" and not replication.estimable:
        yield f"How far scores are from settled is {units.not_estimable(replication.repetitions)}."
    elif not found:
        yield f"A single {unit.one} does not tell how far its score is from settled."
        return
    else:
        name, widest = max(found, key=lambda pair: pair[1].change)
        yield (
            f"Twice as many {more} are expected to move a score by {plain(widest.change, 3)} at most, that of {name}, "
            f"and to narrow its interval from {_around(widest.path[-1].half_width)} to {_around(widest.narrower)}."
            if len(found) > 1
            else f"Twice as many {more} are expected to move the score of {name} by {plain(widest.change, 3)} and to "
            f"narrow its interval from {_around(widest.path[-1].half_width)} to {_around(widest.narrower)}."
        )
    drifting = [
        f"{label} ({signed(one.drift)} from the first {unit.one} to the last)"
        for label, one in found
        if one.p < DRIFTS / len(found)
    ]
    if drifting:
        yield (
            f"Not settled, since scores still drift: {listed(drifting)}. The mean is that of a subject on the move."
        )


def _share(replication: Replication | None, sample: Sample) -> RunShare | None:
    return None if replication is None else replication.of(sample.label)


def _more(unit: Unit, replication: Replication | None) -> str:
    """What there would have to be more of."""
    return "repetitions" if replication is not None and replication.unit == "run" else unit.many


def retested(samples: Sequence[Sample]) -> Iterator[str]:
    """Whether other seeds give the same scores."""
    try:
        correlation = retest(samples)
    except ValueError:
        return
    yield (
        f"On fresh seeds, {percent(max(correlation.value, 0.0))} of the variance of a score is the subjects' own: "
        f"ICC(2,1) {_coefficient(correlation)}, over {correlation.n} subjects."
    )


def halved(samples: Sequence[Sample], key: Key) -> Iterator[str]:
    """Whether two halves of the environments agree."""
    if max(map(len, samples), default=0) > HALVED:
        return
    try:
        reliability = split_half(samples, key)
    except ValueError:
        return
    if math.isfinite(reliability.value):
        yield (
            f"Two halves of the environments agree on the subjects: split-half reliability {_coefficient(reliability)}"
            ", corrected to full length by Spearman and Brown."
            if reliability.low > 0.5
            else "Two halves of the environments do not clearly agree on the subjects: split-half reliability "
            f"{_coefficient(reliability)}, corrected to full length by Spearman and Brown."
        )


def covered(samples: Sequence[Sample], key: Key) -> Iterator[str]:
    """Whether intervals hold what they promise in scores like these."""
    worst: tuple[Estimate, str] | None = None
    for sample in samples:
        if not FEW <= len(sample) <= MANY:
            continue
        share = coverage(sample, len(sample), key, studies=COVERAGE_STUDIES, level=LEVEL)
        if worst is None or share.value < worst[0].value:
            worst = share, sample.label
    if worst is None:
        return
    share, name = worst
    good = share.high >= LEVEL - 0.02
    yield (
        f"In {COVERAGE_STUDIES} studies drawn anew from these scores, intervals at {percent(LEVEL)} held the mean "
        f"{percent(share.value)} of the time or more ({name} least often)"
        + (
            "."
            if good
            else ": those of this subject are too short, as few rare scores decide its mean."
        )
    )


def _coefficient(estimate: Estimate) -> str:
    ends = interval(estimate.low, estimate.high, 2)
    return f"{number(estimate.value, 2)}, 95% interval {ends}"


def _around(half_width: float) -> str:
    return f"\N{PLUS-MINUS SIGN}{plain(half_width, 3)}"
