"""Performance profiles: the share of scores above each threshold, with bands (Agarwal et al., 2021).

One number hides whether a subject is good everywhere or splendid here and hopeless there; a profile shows it. Where
the profile of one subject lies above that of another at every threshold, it is the better one by any measure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mensura.core.keys import Key
from mensura.statistics.bootstrap import (
    RESAMPLES,
    percentiles,
    stratified_draws,
    tails,
)
from mensura.statistics.clusters import Error, design_of, weighted_error
from mensura.statistics.improvement import share_interval
from mensura.statistics.interval import Floats, check_level, finite
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
    counts = np.stack([np.searchsorted(row, thresholds, "right") for row in ranked])
    share: Floats = 1.0 - counts / ranked.shape[1]
    return share


def profile_of_samples(
    samples: Sequence[Sample], thresholds: ArrayLike, level: float = 0.95
) -> Profile:
    """The share of one subject's scores above each threshold, shape (k,), each condition counting the same.

    `samples` are its samples under c conditions. The band takes environments and runs as what was replicated.
    """
    check_level(level)
    marks = finite(thresholds)
    designs = [design_of(sample) for sample in samples]
    total = sum(len(sample) for sample in samples)
    rows = []
    for mark in marks.tolist():
        parts: list[tuple[float, Error]] = []
        share = 0.0
        for sample, design in zip(samples, designs, strict=True):
            beyond = (sample.score > mark).astype(np.float64)
            parts.append((1.0 / len(samples), design.error_of_mean(beyond)))
            share += float(beyond.mean()) / len(samples)
        estimate = share_interval(min(share, 1.0), weighted_error(parts), total, level)
        rows.append((estimate.value, estimate.low, estimate.high))
    columns = np.array(rows, np.float64).reshape(-1, 3).T
    return Profile(marks, columns[0], columns[1], columns[2], level)
