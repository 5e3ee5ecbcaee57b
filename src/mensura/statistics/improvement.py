"""The probability of improvement: how likely one subject does better than another; a tie counts half.

It asks how often, not by how much, so no wild score can carry it. Three designs have three functions: pairs on the
same environments, two independent samples, and tables of runs by tasks as in Agarwal et al. (2021).
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mensura.agent.keys import Key
from mensura.statistics.bootstrap import RESAMPLES, stratified_bootstrap
from mensura.statistics.clusters import Design, Error, RunShare
from mensura.statistics.interval import Estimate, Floats, check_level, finite
from mensura.statistics.quantiles import student_t


def paired_improvement(
    differences: ArrayLike, design: Design, level: float = 0.95, share: RunShare | None = None
) -> Estimate:
    """How likely the first is better in the same environment, from n differences, shape (n,), and their design."""
    array = finite(differences)
    better = (array > 0.0) + 0.5 * (array == 0.0)
    error = design.error_of_mean(better, share)
    return share_interval(float(better.mean()), error, array.size, level)


def unpaired_improvement(
    one: ArrayLike,
    two: ArrayLike,
    designs: tuple[Design, Design],
    level: float = 0.95,
    shares: tuple[RunShare | None, RunShare | None] = (None, None),
) -> Estimate:
    """How likely a score of `one`, shape (n,), is above an independent one of `two`, shape (m,).

    This is Mann and Whitney's U over nm. Its error is that of the mean share of the other sample that each score
    beats (DeLong, DeLong and Clarke-Pearson, 1988; for clusters, Obuchowski, 1997).
    """
    a, b = finite(one), finite(two)
    beats = _share_below(a, np.sort(b))
    loses = _share_below(-b, np.sort(-a))
    error = designs[0].error_of_mean(beats, shares[0]) + designs[1].error_of_mean(loses, shares[1])
    return share_interval(float(beats.mean()), error, a.size + b.size, level)


def _share_below(values: Floats, others: Floats) -> Floats:
    """The share of `others`, rising, that each value exceeds, ties half."""
    below = np.searchsorted(others, values, "left") + np.searchsorted(others, values, "right")
    share: Floats = below / (2.0 * others.size)
    return share


def improvement_of_tables(one: Floats, two: Floats) -> Floats:
    """The mean over tasks of how likely a run of `one` is above a run of `two`: b numbers.

    `one` has shape (b, runs, tasks), `two` shape (b, other runs, tasks).
    """
    above = np.zeros(len(one))
    for run in range(one.shape[1]):
        gaps = one[:, run : run + 1] - two
        above += ((gaps > 0.0) + 0.5 * (gaps == 0.0)).mean(axis=(1, 2))
    share: Floats = above / one.shape[1]
    return share


def probability_of_improvement(
    one: ArrayLike,
    two: ArrayLike,
    key: Key,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Estimate:
    """How likely a run of `one`, shape (runs, tasks), beats a run of `two`, shape (runs', tasks), on the same task.

    The mean over tasks, with an interval over other runs on the same tasks (Agarwal et al., 2021).
    """
    return stratified_bootstrap(
        (one, two), improvement_of_tables, key, level=level, resamples=resamples
    )


def share_interval(value: float, error: Error, n: int, level: float = 0.95) -> Estimate:
    """A share with Wilson's (1927) interval, which stays within 0 and 1, for as many units as its error is worth.

    A share of 0 or 1 has no scatter to tell its error by; there every unit counts as one observation, and so many
    units as its degrees of freedom tell of.
    """
    check_level(level)
    if not (error.df > 0.0 and math.isfinite(error.variance)):
        return Estimate(value, 0.0, 1.0, level, n, math.nan)
    scatter = value * (1.0 - value)
    worth = scatter / error.variance if error.variance > 0.0 else math.inf
    worth = min(worth, float(n)) if scatter > 0.0 else error.df + 1.0
    z = student_t((1 + level) / 2, error.df)
    middle = (value + z * z / (2 * worth)) / (1 + z * z / worth)
    reach = z / (1 + z * z / worth) * math.sqrt(scatter / worth + z * z / (4 * worth * worth))
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return Estimate(value, min(low, value), max(high, value), level, n, math.sqrt(error.variance))
