"""Where a score stands on a scale of reference scores: above whom, below whom, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mensura.statistics.moments import Moments
from mensura.statistics.multiple import corrected
from mensura.statistics.quantiles import student_t_above

SURE = 0.95
"""A probability from which one counts as above or below, once the doubt is corrected for the number of verdicts."""


@dataclass(frozen=True)
class Place:
    """A score beside those of references."""

    above: tuple[tuple[str, float], ...]
    """Whom it is above, with the probability, the best of them last."""
    beside: tuple[tuple[str, float], ...]
    """Those whom it is indistinguishable from, with the probability that it is above."""
    below: tuple[tuple[str, float], ...]
    """Whom it is below, with the probability of that, the least of them first."""


def probability_above(one: Moments, other: Moments) -> float:
    """How probable it is that the mean behind `one` is above that behind `other`.

    By Welch's (1947) t with a flat prior on both means; nan where neither tells how far it scatters.
    """
    if one.count < 2 or other.count < 2:
        return math.nan
    parts = one.variance / one.count, other.variance / other.count
    gap, square = one.mean - other.mean, sum(parts)
    if square == 0.0:
        return 0.5 if gap == 0.0 else float(gap > 0.0)
    df = square**2 / (parts[0] ** 2 / (one.count - 1) + parts[1] ** 2 / (other.count - 1))
    return student_t_above(-gap / math.sqrt(square), df)


def place(score: Moments, references: Mapping[str, Moments]) -> Place | None:
    """Where a score stands among references; None where it is too little to tell."""
    return places({"": score}, references)[""]


def places(
    scores: Mapping[str, Moments], references: Mapping[str, Moments]
) -> dict[str, Place | None]:
    """Where scores stand among references, all verdicts corrected together (Holm, 1979)."""
    ranked = sorted(references.items(), key=lambda item: item[1].mean)
    above = {
        name: [probability_above(score, one) for _, one in ranked] for name, score in scores.items()
    }
    doubts = iter(
        corrected([min(p, 1 - p) for row in above.values() for p in row]).tolist()
        if ranked and scores
        else ()
    )
    return {
        name: _place([(other, p, next(doubts)) for (other, _), p in zip(ranked, row, strict=True)])
        for name, row in above.items()
    }


def _place(told: Sequence[tuple[str, float, float]]) -> Place | None:
    """From whom, with which probability of being above, and how doubtful the likelier side is among all verdicts."""
    if not told or any(math.isnan(p) for _, p, _ in told):
        return None
    return Place(
        above=tuple((name, p) for name, p, doubt in told if p > 0.5 and doubt <= 1 - SURE),
        beside=tuple((name, p) for name, p, doubt in told if doubt > 1 - SURE),
        below=tuple((name, 1 - p) for name, p, doubt in told if p <= 0.5 and doubt <= 1 - SURE),
    )


def in_words(where: Place) -> str:
    """The place in one sentence without its subject: "above q-learning (probability 0.98), below oracle (...)"."""
    parts = []
    if where.above:
        parts.append(f"above {_named(*where.above[-1])}")
    if where.beside:
        parts.append(f"indistinguishable from {' and '.join(_named(*one) for one in where.beside)}")
    if where.below:
        parts.append(f"below {_named(*where.below[0])}")
    return ", ".join(parts)


def _named(name: str, p: float) -> str:
    rounded = "over 0.999" if p > 0.999 else f"{p:.3g}" if p >= 0.95 else f"{p:.2f}"
    return f"{name} (probability {rounded})"
