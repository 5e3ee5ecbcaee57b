"""Performance profiles: the share of scores above each threshold, with bands (Agarwal et al., 2021).

One number hides whether a subject is good everywhere or splendid here and hopeless there; a profile shows it. Where
the profile of one subject lies above that of another at every threshold, it is the better one by any measure.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from mensura.agent.keys import Key
from mensura.statistics.bootstrap import (
    RESAMPLES,
    percentiles,
    stratified_draws,
    tails,
)
from mensura.statistics.clusters import Design, Error, RunShare, design_of, weighted_error
from mensura.statistics.improvement import share_interval
from mensura.statistics.interval import ROUNDING, Floats, check_level, finite
from mensura.statistics.sample import Sample


@dataclass(frozen=True, slots=True)
class Profile:
    """The share of scores above each of k thresholds, all columns of shape (k,)."""

    thresholds: Floats
    share: Floats
    low: Floats
    """The lower end of the band, at each threshold by itself."""
    high: Floats
    level: float


def profile_of_table(
    table: ArrayLike,
    thresholds: ArrayLike,
    key: Key,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    expanded: bool = True,
) -> Profile:
    """The share of all runs above each threshold, shape (k,), from a table of scores, shape (runs, tasks).

    The band speaks of other runs on the same tasks. A single run tells none: it is [0, 1].
    """
    check_level(level)
    array, marks = finite(table, flat=False), finite(thresholds)
    share = above(array[None], marks)[0]
    if len(array) == 1:
        return Profile(marks, share, np.zeros_like(share), np.ones_like(share), level)
    draws = stratified_draws([array], lambda drawn: above(drawn, marks), key, resamples)
    tail = tails(level, [array]) if expanded else (1 - level) / 2
    return Profile(marks, share, *percentiles(draws, tail), level)


def above(tables: Floats, thresholds: Floats) -> Floats:
    """The share of scores of each of b tables, shape (b, runs, tasks), above each threshold: shape (b, k)."""
    ranked = np.sort(tables.reshape(len(tables), -1), axis=1)
    counts = np.stack([np.searchsorted(row, thresholds + ROUNDING, "right") for row in ranked])
    share: Floats = 1.0 - counts / ranked.shape[1]
    return share


def profile_of_samples(
    samples: Sequence[Sample],
    thresholds: ArrayLike,
    level: float = 0.95,
    share: RunShare | None = None,
) -> Profile:
    """The share of one subject's scores above each threshold, shape (k,), each condition counting the same.

    `samples` are its samples under c conditions. The band takes environments and runs as what was replicated; `share`
    is what their study says of repetitions, without which each condition speaks for itself.
    """
    check_level(level)
    marks = finite(thresholds)
    total = sum(len(sample) for sample in samples)
    clusters = [_Clusters.of(sample, share) for sample in samples]
    rows = []
    for mark in marks.tolist():
        parts = [(1.0 / len(samples), *one.above(mark)) for one in clusters]
        height = math.fsum(weight * value for weight, value, _ in parts)
        error = weighted_error([(weight, error) for weight, _, error in parts])
        estimate = share_interval(min(height, 1.0), error, total, level)
        rows.append((estimate.value, estimate.low, estimate.high))
    columns = np.array(rows, np.float64).reshape(-1, 3).T
    return Profile(marks, columns[0], columns[1], columns[2], level)


@dataclass(frozen=True)
class _Clusters:
    """A sample whose errors are told by environment, and stretched by what runs add to the error of its mean.

    The stretch is the same at every threshold, so that a band does not jump where runs happen to agree.
    """

    score: Floats
    environments: Design
    stretch: float
    error: Error

    @staticmethod
    def of(sample: Sample, share: RunShare | None) -> "_Clusters":
        score = finite(sample.score)
        alone = Design.of(sample.environment, np.zeros(len(sample), np.int64))
        whole, own = design_of(sample).error_of_mean(score, share), alone.error_of_mean(score)
        stretch = whole.variance / own.variance if own.variance > 0.0 else 1.0
        return _Clusters(score, alone, stretch, whole)

    def above(self, mark: float) -> tuple[float, Error]:
        """The share of scores above a threshold, and its error."""
        beyond = (self.score > mark + ROUNDING).astype(np.float64)
        variance = self.environments.error_of_mean(beyond).variance * self.stretch
        return float(beyond.mean()), replace(self.error, variance=variance)
