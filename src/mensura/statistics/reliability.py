"""Reliability: is an estimate settled, and how well does a score tell subjects apart (7.3 of Insa-Cabrera, 2011)?

A score alone does not say whether it has come to rest. Four questions have an answer here:

- :func:`settling`: how did the interval shrink, what would twice the budget change, and does the score still drift?
- :func:`retest`: would other seeds order the subjects the same way? The intraclass correlation ICC(2,1) of
  Shrout and Fleiss (1979) with the interval of McGraw and Wong (1996).
- :func:`split_half`: do two halves of the environments agree on the subjects? Corrected to full length by
  Spearman and Brown (1910).
- :func:`coverage`: do 95% intervals hold the truth 95 times of 100, in scores like these?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.agent.keys import Key
from mensura.statistics.clusters import Error, RunShare, design_of, sample_mean
from mensura.statistics.correlation import product_moment
from mensura.statistics.improvement import share_interval
from mensura.statistics.interval import Estimate, check_level, finite
from mensura.statistics.quantiles import fisher_f, normal, student_t_above
from mensura.statistics.regression import linear_regression
from mensura.statistics.sample import Sample

Floats = npt.NDArray[np.float64]

SPLITS = 200
"""So many ways of halving are averaged."""


# Settled? -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settling:
    """How an estimate came to rest."""

    path: tuple[Estimate, ...]
    """The mean after 2, 4, 8 and so on sittings, at last after all."""
    change: float
    """By how much the mean is expected to move, either way, if as many sittings again are added."""
    narrower: float
    """The half width of the interval that is expected then."""
    drift: float
    """How much the score rises from the first sitting to the last, along a straight line."""
    p: float
    """How likely a drift as large is where there is none; nan where too few sittings tell."""


def settling(sample: Sample, level: float = 0.95, share: RunShare | None = None) -> Settling:
    """How the mean of a sample came to rest, in the order of its sittings.

    After n independent sittings with standard error e, n more move the mean by a normal amount with standard deviation
    e / sqrt(2), whose mean size is e / sqrt(pi). A drift tells that the subject still learned about the assessment
    while it was assessed (figure 7.2), so that no budget has settled it. `share` is what the study says of its
    repetitions.
    """
    n = len(sample)
    sizes = [2**power for power in range(1, max(n, 2).bit_length()) if 2**power < n]
    path = tuple(sample_mean(_first(sample, size), level, share) for size in (*sizes, n))
    error = path[-1].standard_error
    if n < 3 or (sample.score == sample.score[0]).all():
        drift, p = 0.0, math.nan
    else:
        line = linear_regression(np.arange(n), sample.score)
        drift = line.slope.value * (n - 1)
        t = (
            abs(line.slope.value / line.slope.standard_error)
            if line.slope.standard_error
            else math.inf
        )
        p = 2 * student_t_above(t, n - 2) if math.isfinite(t) else 0.0
    return Settling(path, error / math.sqrt(math.pi), path[-1].half_width / math.sqrt(2), drift, p)


def _first(sample: Sample, count: int) -> Sample:
    return _rows(sample, np.arange(count))


def _rows(sample: Sample, rows: npt.NDArray[np.int64]) -> Sample:
    return replace(
        sample,
        score=sample.score[rows],
        environment=sample.environment[rows],
        run=sample.run[rows],
        complexity=sample.complexity[rows],
        measures={name: values[rows] for name, values in sample.measures.items()},
    )


# Test and retest ---------------------------------------------------------------------------------


def intraclass_correlation(scores: ArrayLike, level: float = 0.95) -> Estimate:
    """ICC(2,1) of scores of shape (subjects, occasions), at least two of each: absolute agreement, random occasions.

    The share of the variance of a single score that is the subjects' own. Where subjects do not differ it is 0, and may
    come out below.
    """
    check_level(level)
    table = finite(scores, flat=False)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(f"scores of shape {table.shape} are not of two subjects on two occasions")
    n, k = table.shape
    mean = table.mean()
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    between = k * float(((rows - mean) ** 2).sum()) / (n - 1)
    occasions = n * float(((columns - mean) ** 2).sum()) / (k - 1)
    rest = table - rows[:, None] - columns + mean
    error = float((rest**2).sum()) / ((n - 1) * (k - 1))
    spread = between + (k - 1) * error + k * (occasions - error) / n
    if spread <= 0.0:
        return Estimate(math.nan, -1.0, 1.0, level, n, math.nan)
    value = (between - error) / spread
    if error <= 1e-15 * between:  # the occasions agree to the last digit, up to a shift
        low = value if occasions <= 1e-15 * between else -1.0
        return Estimate(value, low, max(value, 1.0 if low < value else value), level, n, math.nan)
    # McGraw and Wong (1996), with Satterthwaite's degrees of freedom.
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    df = (a * occasions + b * error) ** 2 / (
        (a * occasions) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1))
    )
    tail = (1 + level) / 2
    above, below = fisher_f(tail, n - 1, df), fisher_f(tail, df, n - 1)
    noise = k * occasions + (k * n - k - n) * error
    low = n * (between - above * error) / (above * noise + n * between)
    high = n * (below * between - error) / (noise + n * below * between)
    return Estimate(
        value, max(min(low, value), -1.0), min(max(high, value), 1.0), level, n, math.nan
    )


def retest(samples: Sequence[Sample], level: float = 0.95) -> Estimate:
    """ICC(2,1) of the mean scores of subjects over runs, which are repetitions with fresh seeds.

    One sample a subject; the runs that all of them have are the occasions.
    """
    labels = [sample.label for sample in samples]
    if len(set(labels)) != len(labels):
        raise ValueError("test and retest take one sample of each subject")
    runs = sorted(set.intersection(*(set(s.run.tolist()) for s in samples)) if samples else ())
    if len(samples) < 2 or len(runs) < 2:
        raise ValueError(
            f"test and retest need two subjects in two runs, not {len(samples)} in {len(runs)}"
        )
    table = [[sample.score[sample.run == run].mean() for run in runs] for sample in samples]
    return intraclass_correlation(table, level)


# Halves -----------------------------------------------------------------------------------------


def spearman_brown(r: float, times: float = 2.0) -> float:
    """The reliability of an assessment `times` as long as one with reliability r."""
    return times * r / (1 + (times - 1) * r) if r > -1.0 else -1.0


def split_half(
    samples: Sequence[Sample], key: Key, level: float = 0.95, splits: int = SPLITS
) -> Estimate:
    """How well two halves of the environments agree on the subjects, corrected to the full number of environments.

    One sample a subject, over environments that all of them met; the correlation is the mean over random halves. Its
    interval is Fisher's for that correlation between so many subjects, likewise corrected.
    """
    check_level(level)
    table = environments_table(samples)
    n, items = table.shape
    if n < 3 or items < 4:
        raise ValueError(
            f"halves need three subjects in four environments that all of them met, not {n} in {items}"
        )
    rng = np.random.default_rng(key)
    correlations = []
    for _ in range(splits):
        order = rng.permutation(items)
        one, two = table[:, order[: items // 2]], table[:, order[items // 2 :]]
        correlations.append(product_moment(one.mean(axis=1), two.mean(axis=1)))
    told = [r for r in correlations if math.isfinite(r)]
    if not told:
        return Estimate(math.nan, -1.0, 1.0, level, n, math.nan)
    r = float(np.mean(told))
    value = spearman_brown(r)
    if n < 4 or abs(r) >= 1.0:
        return Estimate(
            value, -1.0 if n < 4 else value, 1.0 if n < 4 else value, level, n, math.nan
        )
    reach = normal((1 + level) / 2) / math.sqrt(n - 3)
    low, high = (math.tanh(math.atanh(r) + sign * reach) for sign in (-1, 1))
    # A correction of what may be below nothing has no meaning beyond "no agreement".
    return Estimate(
        value, max(spearman_brown(max(low, -0.5)), -1.0), spearman_brown(high), level, n, math.nan
    )


def environments_table(samples: Sequence[Sample]) -> Floats:
    """The mean scores of subjects in the environments that all of them met: shape (subjects, environments)."""
    means = []
    for sample in samples:
        environments, at = np.unique(sample.environment, return_inverse=True)
        sums = np.bincount(at, weights=sample.score) / np.bincount(at)
        means.append(dict(zip(environments.tolist(), sums.tolist(), strict=True)))
    common = sorted(set.intersection(*(set(one) for one in means))) if means else []
    return np.array([[one[environment] for environment in common] for one in means]).reshape(
        len(means), len(common)
    )


# Coverage ----------------------------------------------------------------------------------------


def coverage(
    sample: Sample,
    episodes: int,
    key: Key,
    *,
    studies: int = 1000,
    level: float = 0.95,
    interval: Callable[[Sample, float], Estimate] = sample_mean,
) -> Estimate:
    """How often intervals of studies of so many sittings hold the mean of a large sample, which stands for the truth.

    Studies are drawn with replacement, whole environments at a time. The share comes with Wilson's interval at 95%.
    """
    check_level(level)
    if episodes < 2 or studies < 1:
        raise ValueError("coverage takes studies of two sittings or more, and at least one study")
    design = design_of(sample)
    clusters: list[npt.NDArray[np.int64]] = [
        np.flatnonzero(design.environment == one) for one in range(design.environments)
    ]
    truth = float(finite(sample.score).mean())
    rng = np.random.default_rng(key)
    hits = 0
    for _ in range(studies):
        drawn = rng.integers(0, len(clusters), episodes)
        rows = np.concatenate([clusters[one] for one in drawn])
        study = _rows(sample, rows)
        own = np.repeat(np.arange(episodes), [len(clusters[one]) for one in drawn])
        hits += truth in interval(replace(study, environment=own.astype(np.uint64)), level)
    share = hits / studies
    variance = share * (1 - share) / studies
    return share_interval(share, Error(variance, math.inf, "study", studies), studies)
