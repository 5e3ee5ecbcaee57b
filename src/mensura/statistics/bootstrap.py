"""The bootstrap for scores that are not independent: in strata, and by clusters of environments and runs.

Two questions have two answers. Over a fixed set of tasks, each played in several runs, runs are drawn anew within
each task (:func:`stratified_bootstrap`, after Agarwal et al., 2021): the interval speaks of other runs on the same
tasks. Over environments that were themselves drawn, whole environments or whole runs are drawn anew
(:func:`cluster_bootstrap`): the interval speaks of other environments.

Percentiles of few units are too close together, so percentile intervals are read further out, by as much as makes
them Student's for a mean of normal scores (Hesterberg, 2015). Clusters may be as few as two, where percentiles say
nothing at all; there the bootstrap gives the standard error and Student's t the reach. BCa intervals were left
out: they correct skewness, which is slight in means of bounded scores, and not the want of units, which is what
makes intervals too short.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mensura.agent.keys import Key, key
from mensura.statistics.clusters import Codes, Error, RunShare, design_of
from mensura.statistics.interval import Estimate, Floats, check_level, finite
from mensura.statistics.quantiles import normal_below, student_t
from mensura.statistics.robust import Weighted, weighted_interquartile_mean
from mensura.statistics.sample import Sample

RESAMPLES = 2000

EXACT = 20_000
"""A sample of more scores is resampled in random blocks of clusters, its scores in bins of equal weight."""
BLOCKS = 2048
BINS = 2048

_ROOM = 4_000_000
"""So many numbers are drawn or weighed at a time."""


def stratified_draws(
    tables: Sequence[ArrayLike],
    statistic: Callable[..., Floats],
    key: Key,
    resamples: int = RESAMPLES,
) -> Floats:
    """What `statistic` is of resampled tables, shape (resamples, ...): runs drawn anew within each task.

    Each table has shape (runs, tasks), and is resampled by itself. `statistic` takes as many arrays of shape
    (b, runs, tasks) and gives one of shape (b, ...).
    """
    arrays = [_table(table) for table in tables]
    rng = np.random.default_rng(key)
    step = max(1, _ROOM // max(array.size * array.shape[0] for array in arrays))
    parts = []
    for at in range(0, resamples, step):
        size = min(step, resamples - at)
        drawn = [
            np.take_along_axis(array[None], rng.integers(0, len(array), (size, *array.shape)), 1)
            for array in arrays
        ]
        parts.append(np.asarray(statistic(*drawn), np.float64))
    return np.concatenate(parts)


def stratified_bootstrap(
    tables: Sequence[ArrayLike],
    statistic: Callable[..., Floats],
    key: Key,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    expanded: bool = True,
) -> Estimate:
    """A statistic of tables of scores, shape (runs, tasks) each, with its percentile interval over other runs.

    `statistic` takes as many arrays of shape (b, runs, tasks) and gives shape (b,): see
    :func:`interquartile_mean_of_tables`. `expanded` reads the percentiles further out, for few runs. The
    same key gives the same interval to the last bit. A single run tells no interval.
    """
    check_level(level)
    arrays = [_table(table) for table in tables]
    value = float(np.asarray(statistic(*(array[None] for array in arrays)))[0])
    n = sum(array.size for array in arrays)
    runs = min(len(array) for array in arrays)
    if runs == 1:
        return Estimate(value, -math.inf, math.inf, level, n, math.nan)
    draws = stratified_draws(arrays, statistic, key, resamples)
    low, high = percentiles(draws, tails(level, arrays) if expanded else (1 - level) / 2)
    return Estimate(value, float(low), float(high), level, n, float(draws.std(ddof=1)))


def tails(level: float, tables: Sequence[Floats]) -> float:
    """How far out to read percentiles of a stratified bootstrap, as a share of draws left out at either end."""
    runs = min(len(table) for table in tables)
    df = sum((len(table) - 1) * table.shape[1] for table in tables)
    return normal_below(-math.sqrt(runs / (runs - 1)) * student_t((1 + level) / 2, df))


def percentiles(draws: Floats, tail: float) -> tuple[Floats, Floats]:
    """The ends of the middle of draws, shape (resamples, ...), with a share `tail` left out on either side.

    Weibull's positions, in resamples + 1, do not narrow the interval when resamples are few.
    """
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0, method="weibull")
    return low, high


def interquartile_mean_of_tables(table: Floats) -> Floats:
    """The interquartile mean of all scores of each of b tables, shape (b, runs, tasks)."""
    flat = np.sort(table.reshape(len(table), -1), axis=1)
    cut = flat.shape[1] // 4
    mean: Floats = flat[:, cut : flat.shape[1] - cut].mean(axis=1)
    return mean


def _table(table: ArrayLike) -> Floats:
    array = finite(table, flat=False)
    if array.ndim != 2:
        raise ValueError(f"a table of scores has runs and tasks, not {array.ndim} dimensions")
    return array


def cluster_bootstrap(
    sample: Sample,
    key: Key,
    statistic: Weighted = weighted_interquartile_mean,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Estimate:
    """A statistic of a sample's n scores, with an interval over other environments and runs.

    Whole environments, and whole runs where there are several, are drawn with replacement; how their errors join
    is said in :mod:`mensura.statistics.clusters`. The same key gives the same interval to the last bit. A million
    scores take a few seconds at most.
    """
    value, error = bootstrap_error(sample, key, statistic, resamples)
    return error.around(value, len(sample), level)


def bootstrap_error(
    sample: Sample,
    seed: Key,
    statistic: Weighted = weighted_interquartile_mean,
    resamples: int = RESAMPLES,
    share: RunShare | None = None,
) -> tuple[float, Error]:
    """The statistic itself, and its error as whole clusters drawn anew tell it.

    `share` is what the study of the sample says of its repetitions; without it the sample is a study of its own.
    """
    score = finite(sample.score)
    order = np.argsort(score, kind="stable")
    values = score[order]
    value = float(statistic(values, np.ones((1, values.size)))[0])

    def variance(codes: Codes, count: int) -> float:
        rng = np.random.default_rng(key(seed, "clusters", count))
        counts = _counts(values, codes[order], count, rng)
        draws = _cluster_draws(*counts, statistic, rng, resamples)
        return float(draws.var(ddof=1)) * count / (count - 1)

    return value, design_of(sample).error(variance, share)


def _counts(
    values: Floats, codes: Codes, count: int, rng: np.random.Generator
) -> tuple[Floats, Codes, Floats | None, int]:
    """What is resampled: rising values, the cluster of each, and the number of clusters.

    Of many scores, clusters are dealt at random into blocks, which are as exchangeable as clusters are, and values
    into bins of equal weight. Then a table of counts, shape (blocks, bins), stands for the cluster of each value.
    """
    if values.size <= EXACT:
        return values, codes, None, count
    blocks = min(count, BLOCKS)
    if count > BLOCKS:
        deal = rng.permutation(np.arange(count) % BLOCKS)
        codes = deal[codes]
    bins = np.arange(values.size) * BINS // values.size
    sizes = np.bincount(bins, minlength=BINS)
    table = np.bincount(codes * BINS + bins, minlength=blocks * BINS).reshape(blocks, BINS)
    return np.bincount(bins, values, BINS) / sizes, codes, table.astype(np.float32), blocks


def _cluster_draws(
    values: Floats,
    codes: Codes,
    table: Floats | None,
    count: int,
    statistic: Weighted,
    rng: np.random.Generator,
    resamples: int,
) -> Floats:
    """The statistic of samples in which each of `count` clusters comes as often as it was drawn."""
    step = max(1, _ROOM // max(values.size, count))
    parts = []
    for at in range(0, resamples, step):
        size = min(step, resamples - at)
        drawn = rng.integers(0, count, (size, count)) + np.arange(size)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count)
        if table is None:
            weights = times[:, codes].astype(np.float64)
        else:
            weights = (times.astype(np.float32) @ table).astype(np.float64)
        parts.append(statistic(values, weights))
    return np.concatenate(parts)
