"""Where a score stands on a scale of reference scores: above whom, below whom, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mensura.statistics.moments import Moments
from mensura.statistics.quantiles import student_t_above

SURE = 0.95
"""A probability from which one counts as above; below 1 - SURE as below."""


@dataclass(frozen=True)
class Place:
    """A score beside those of references."""

    above: tuple[tuple[str, float], ...]
    """Whom it is above, with the probability, the best of them last."""
    beside: tuple[tuple[str, float], ...]
    """Whom it cannot be told from, with the probability that it is above."""
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
    told = [
        (name, probability_above(score, one))
        for name, one in sorted(references.items(), key=lambda item: item[1].mean)
    ]
    if not told or any(math.isnan(p) for _, p in told):
        return None
    return Place(
        above=tuple((name, p) for name, p in told if p >= SURE),
        beside=tuple((name, p) for name, p in told if 1 - SURE < p < SURE),
        below=tuple((name, 1 - p) for name, p in told if p <= 1 - SURE),
    )


def in_words(where: Place) -> str:
    """The place in one sentence without its subject: "above q-learning (probability 0.98), below oracle (...)"."""
    parts = []
    if where.above:
        parts.append(f"above {_named(*where.above[-1])}")
    if where.beside:
        parts.append(f"not to be told from {' and '.join(_named(*one) for one in where.beside)}")
    if where.below:
        parts.append(f"below {_named(*where.below[0])}")
    return ", ".join(parts)


def _named(name: str, p: float) -> str:
    rounded = "over 0.999" if p > 0.999 else f"{p:.3g}" if p >= 0.95 else f"{p:.2f}"
    return f"{name} (probability {rounded})"
