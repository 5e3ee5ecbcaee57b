"""Do two orders of the same subjects agree? Correlations of values and of ranks, with intervals."""

import math

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, Floats, check_level, finite
from mensura.statistics.quantiles import normal, normal_below

LEAST = 5
"""With fewer pairs the intervals here, which rest on Fisher's z, say nothing."""


def pearson(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Estimate:
    """Pearson's correlation of n pairs, with Fisher's (1921) interval; nan where either is constant."""
    a, b = _pairs(x, y)
    return _around(product_moment(a, b), 1.0, a.size, a.size - 3, level)


def spearman(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Estimate:
    """Spearman's correlation of ranks, ties at their mean rank; the interval is that of Bonett and Wright (2000)."""
    from scipy.stats import rankdata

    a, b = _pairs(x, y)
    r = product_moment(rankdata(a), rankdata(b))
    return _around(r, 1.0 + r * r / 2.0, a.size, a.size - 3, level)


def kendall(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Estimate:
    """Kendall's tau-b: pairs in the same order minus pairs in the other; the interval is Fieller's (1957)."""
    from scipy.stats import kendalltau

    a, b = _pairs(x, y)
    value = float(kendalltau(a, b).statistic)
    return _around(value, 0.437, a.size, a.size - 4, level)


def probability(estimate: Estimate) -> float:
    """How likely a correlation of ranks is at least as far from 0 where there is none; nan where n is too small.

    By Fisher's z with the variance that Spearman's correlation has at 0 (Fieller, Hartley and Pearson, 1957). It is
    smaller than that of the interval, which may therefore reach a little beyond 0 where the probability is just low.
    """
    if estimate.n < LEAST or math.isnan(estimate.value):
        return math.nan
    r = abs(estimate.value)
    z = math.atanh(r) * math.sqrt((estimate.n - 3) / 1.06) if r < 1.0 else math.inf
    return 2.0 * normal_below(-z)


def product_moment(a: Floats, b: Floats) -> float:
    """Pearson's correlation of n pairs, both of shape (n,); nan where either is constant."""
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def _pairs(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    a, b = finite(x), finite(y)
    if a.shape != b.shape:
        raise ValueError(f"pairs need as many x as y, not {a.size} and {b.size}")
    return a, b


def _around(r: float, share: float, n: int, df: int, level: float) -> Estimate:
    """The interval of Fisher's z, whose variance is share / df."""
    check_level(level)
    if n < LEAST or math.isnan(r):
        return Estimate(r, -1.0, 1.0, level, n, math.nan)
    if abs(r) == 1.0:
        return Estimate(r, r, r, level, n, 0.0)
    error = math.sqrt(share / df)
    z, reach = math.atanh(r), normal((1 + level) / 2) * error
    return Estimate(r, math.tanh(z - reach), math.tanh(z + reach), level, n, (1 - r * r) * error)
