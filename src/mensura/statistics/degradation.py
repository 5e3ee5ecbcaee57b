"""Robustness: what is left of a subject's performance as a perturbation grows, and where it breaks.

After section 4.3 of Bieger, Thórisson and others: Evaluation of General-Purpose Artificial Intelligence: Why, What &
How, which asks how performance degrades under perturbations, gracefully or abruptly, and names no measure. The measures
are ours. With P(s) the mean score at strength s and P_random(s) that of acting at random under the same perturbation:

- retention rho(s) = (P(s) - P_random(s)) / (P(0) - P_random(0)), not defined where the interval of the denominator
  holds 0;
- the area under rho over [0, 1], by trapezoids;
- the breaking point, the least s with rho(s) < 1/2 along a falling isotonic fit (pool adjacent violators; Ayer et al.,
  1955) that is linear between strengths;
- the width, from rho < 0.9 to rho < 0.1 along the same fit: abrupt below 0.2, else graceful;
- recovery after more training at s, (P_n(s) - P_0(s)) / (P(0) - P_0(s)), likewise not defined where the interval of
  the denominator holds 0;
- noticing, the area under the ROC curve of the subject's own alarm for perturbed against clean episodes.

The same environments are met at all strengths, so that whole environments are drawn anew, with all that happened in
them. Percentiles are read further out where environments are few (Hesterberg, 2015), as in
:mod:`mensura.statistics.bootstrap`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from mensura.agent.keys import Key
from mensura.core.account import FEWEST
from mensura.statistics.bootstrap import RESAMPLES, percentiles, tails
from mensura.statistics.interval import ROUNDING, Estimate, Floats, check_level, difference, finite

BROKEN = 0.5
"""Below this retention a subject has broken down."""
BEGUN, ENDED = 0.9, 0.1
"""The retentions between which the width of a breakdown is told."""
ABRUPT = 0.2
"""A breakdown of a smaller width is abrupt."""
_ROOM = 4_000_000
"""So many numbers are drawn at a time."""


@dataclass(frozen=True)
class Degradation:
    """How a subject's performance falls as a perturbation grows; what is None is not defined."""

    strengths: tuple[float, ...]
    """Rising, the first 0."""
    advantage: tuple[Estimate, ...]
    """Score minus that of acting at random, at each strength."""
    retention: tuple[Estimate, ...] | None
    """The share of the advantage at 0 that is left; None where the interval of that advantage holds 0."""
    area: Estimate | None
    """Under retention over [0, 1]; None also where strengths end before 1."""
    breaking: Estimate | None
    """The breaking point; infinite where retention stays at a half or above, likewise each end of its interval."""
    width: float | None
    """From retention below 0.9 to retention below 0.1; None also where these are not reached."""

    @property
    def manner(self) -> Literal["abrupt", "graceful"] | None:
        """How it breaks down; None where the width is not defined."""
        if self.width is None:
            return None
        return "abrupt" if self.width < ABRUPT - ROUNDING else "graceful"

    def at(self, strength: float) -> Estimate | None:
        """The retention at one of the strengths; None where it is not defined or not measured."""
        if self.retention is None or strength not in self.strengths:
            return None
        return self.retention[self.strengths.index(strength)]


@dataclass(frozen=True)
class Withdrawal:
    """How often a subject withdrew at a strength, and how it did where it stayed: whether it left or collapsed."""

    share: float
    """Of environments."""
    stayed: float
    """The mean score in those from which it did not withdraw; nan where there are none."""


@dataclass(frozen=True)
class Breakdown:
    """All that is told of a subject under an operator."""

    subject: str
    operator: str
    scores: tuple[Estimate, ...]
    """Of the subject, at each strength."""
    chance: tuple[Estimate, ...]
    """Of acting at random."""
    degradation: Degradation
    valid: bool = True
    """Whether all scores are the subjects' own: else nothing is told but the scores."""
    noticing: Estimate | None = None
    """The area under the ROC curve of its alarm; None where it has none, and this is not measured."""
    recovery: tuple[Estimate | None, ...] = ()
    """After more training, at each strength; None where that is not defined, and empty where nobody asked."""
    unreadable: tuple[int, ...] = ()
    """In how many environments its memory did not load after damage, so that a newborn was assessed, at each strength;
    empty where that never happened."""
    withdrawn: tuple[Withdrawal, ...] = ()
    """How often it withdrew, at each strength; empty where it could not."""

    @property
    def defined(self) -> bool:
        """Whether retention is defined, and what follows from it."""
        return self.valid and self.enough and self.degradation.retention is not None

    @property
    def enough(self) -> bool:
        """Whether there are environments enough for intervals."""
        return self.scores[0].n >= FEWEST


def degradation(
    strengths: Sequence[float],
    subject: ArrayLike,
    chance: ArrayLike,
    key: Key,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Degradation:
    """How a subject degrades, from its scores and those of acting at random, shape (environments, strengths) each.

    Row i of both is of the same environment. The first strength is 0. The same key gives the same to the last bit.
    """
    check_level(level)
    check_strengths(strengths)
    own, random = _table(subject, len(strengths)), _table(chance, len(strengths))
    advantage = tuple(
        difference(one, two, paired=True, level=level)
        for one, two in zip(own.T, random.T, strict=True)
    )
    if 0.0 in advantage[0]:
        return Degradation(tuple(strengths), advantage, None, None, None, None)
    gap = own - random
    rho = retention(gap.mean(axis=0))
    parts = [retention(means) for means in _means(gap, key, resamples)]
    drawn = np.concatenate(parts)
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    tail = tails(level, [gap[:, :1]])

    def estimate(value: float, draws: Floats) -> Estimate:
        low, high = percentiles(draws, tail)
        return Estimate(value, float(low), float(high), level, len(gap), float(draws.std(ddof=1)))

    whole = math.isclose(strengths[-1], 1.0)
    return Degradation(
        tuple(strengths),
        advantage,
        tuple(estimate(float(rho[i]), drawn[:, i]) for i in range(len(strengths))),
        estimate(area(strengths, rho), np.asarray(np.trapezoid(drawn, strengths)))
        if whole
        else None,
        _breaking(strengths, rho, drawn, tail, level, len(gap)),
        width(strengths, falling(rho)),
    )


def retention(advantage: Floats) -> Floats:
    """What is left of the first of advantages, shape (..., strengths), at each of them; nan where the first is 0."""
    first = advantage[..., :1]
    known = np.where(first == 0.0, np.nan, first)
    shares: Floats = advantage / known
    return shares


def area(strengths: Sequence[float], rho: Floats) -> float:
    """The area under retention, by trapezoids."""
    return float(np.trapezoid(rho, strengths))


def falling(rho: Floats) -> Floats:
    """The falling curve that is nearest to retention: pool adjacent violators."""
    from scipy.optimize import isotonic_regression

    fit: Floats = isotonic_regression(rho, increasing=False).x
    return fit


def crossing(strengths: Sequence[float], fit: Floats, level: float) -> float:
    """The least strength beyond which a falling curve, linear between strengths, is below a level; infinite if none.

    A curve that misses the level by rounding alone is not below it.
    """
    below = np.flatnonzero(fit < level - ROUNDING)
    if not below.size:
        return math.inf
    i = int(below[0])
    if i == 0:
        return float(strengths[0])
    before, after = float(fit[i - 1]), float(fit[i])
    share = min(1.0, max(0.0, (before - level) / (before - after)))
    return strengths[i - 1] + share * (strengths[i] - strengths[i - 1])


def width(strengths: Sequence[float], fit: Floats) -> float | None:
    """How far strength goes from retention below 0.9 to retention below 0.1; None where these are not reached."""
    ended = crossing(strengths, fit, ENDED)
    return None if math.isinf(ended) else ended - crossing(strengths, fit, BEGUN)


def _breaking(
    strengths: Sequence[float], rho: Floats, drawn: Floats, tail: float, level: float, n: int
) -> Estimate:
    """The breaking point with its interval; beyond all strengths it is infinite."""
    value = crossing(strengths, falling(rho), BROKEN)
    draws = np.array([crossing(strengths, falling(one), BROKEN) for one in drawn])
    # No quantile lies between a number and infinity: ends are draws, the outer ones.
    low = float(np.quantile(draws, tail, method="lower"))
    high = float(np.quantile(draws, 1 - tail, method="higher"))
    return Estimate(value, low, high, level, n, math.nan)


def recovery(
    clean: ArrayLike,
    before: ArrayLike,
    after: ArrayLike,
    key: Key,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Estimate | None:
    """The share of what a perturbation cost that more training under it brings back, by scores of shape (n,) each.

    ``clean``: without a perturbation; ``before``: under it, trained without it; ``after``: with more training under it.
    Item i of all three is of the same environment. None where the interval of what it cost holds 0.
    """
    full, first, then = finite(clean), finite(before), finite(after)
    if 0.0 in difference(full, first, paired=True, level=level):
        return None
    table = np.column_stack([full - first, then - first])
    value = float(retention(table.mean(axis=0))[1])
    drawn = np.concatenate([retention(one)[:, 1] for one in _means(table, key, resamples)])
    draws = drawn[np.isfinite(drawn)]
    low, high = percentiles(draws, tails(level, [table[:, :1]]))
    return Estimate(value, float(low), float(high), level, full.size, float(draws.std(ddof=1)))


def noticing(
    clean: ArrayLike,
    perturbed: ArrayLike,
    key: Key,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Estimate:
    """The area under the ROC curve of alarms: how often one in a perturbed episode is above one in a clean episode.

    Ties count half. ``clean`` has shape (n,) and ``perturbed`` shape (n, k), row i of both of the same environment.
    """
    calm, loud = finite(clean), _table(perturbed, None)
    if len(calm) != len(loud):
        raise ValueError(
            f"{len(calm)} clean episodes do not match {len(loud)} rows of perturbed ones"
        )
    n = len(calm)
    above = np.zeros((n, n))
    for column in loud.T:
        above += (column[None] > calm[:, None]) + 0.5 * (column[None] == calm[:, None])
    above /= loud.shape[1]
    value = float(above.mean())
    if n < 2:
        return Estimate(value, -math.inf, math.inf, level, n, math.nan)

    def areas(weights: Floats) -> Floats:
        found: Floats = ((weights @ above) * weights).sum(axis=1)
        return found

    draws = np.concatenate([*_weighted(n, key, resamples, areas)])
    low, high = percentiles(draws, tails(level, [calm[:, None]]))
    return Estimate(value, float(low), float(high), level, n, float(draws.std(ddof=1)))


def check_strengths(strengths: Sequence[float]) -> None:
    """Raise where strengths are not two or more that rise from 0 to at most 1."""
    rising = all(a < b for a, b in pairwise(strengths))
    if len(strengths) < 2 or strengths[0] != 0.0 or not rising or strengths[-1] > 1.0:
        raise ValueError(f"strengths rise from 0 to at most 1, {list(strengths)} do not")


def _means(table: Floats, key: Key, resamples: int) -> Iterator[Floats]:
    """The means of columns over environments drawn anew, shape (b, columns) at a time."""
    return _weighted(len(table), key, resamples, lambda weights: weights @ table)


def _weighted(
    n: int, key: Key, resamples: int, statistic: Callable[[Floats], Floats]
) -> Iterator[Floats]:
    """What a statistic is of the shares that n environments have when they are drawn anew, shape (b, n) at a time."""
    rng = np.random.default_rng(key)
    step = max(1, _ROOM // n)
    for at in range(0, resamples, step):
        size = min(step, resamples - at)
        yield statistic(rng.multinomial(n, np.full(n, 1.0 / n), size) / n)


def _table(values: ArrayLike, columns: int | None) -> Floats:
    table = finite(values, flat=False)
    if table.ndim != 2 or columns not in (None, table.shape[1]):
        raise ValueError(
            f"scores have environments and {columns or 'some'} strengths, not the shape {table.shape}"
        )
    return table
