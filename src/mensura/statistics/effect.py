"""Effect sizes: a difference in units of the scatter of scores, with its interval.

The interval is exact for normal scores: all noncentral t distributions that could have given the observed t
(Steiger and Fouladi, 1997). It holds 0 just where the t test at the same level does not tell the two apart.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, check_level, finite
from mensura.statistics.quantiles import chi_square, noncentral_t_below, shift_where

_STEEP = 1e4
"""From such a t on, the normal part of a noncentral t no longer counts beside its denominator."""
_FAR_BELOW = -40.0
"""No shift as low leaves a t of 0 or more too high."""


def cohen_d(one: ArrayLike, two: ArrayLike, level: float = 0.95) -> Estimate:
    """The difference of means over the pooled standard deviation, of samples of shape (n,) and (m,), n + m >= 3."""
    a, b = finite(one), finite(two)
    df = a.size + b.size - 2
    if df < 1:
        raise ValueError("an effect size needs three scores at least")
    deviation = math.sqrt((_squares(a) + _squares(b)) / df)
    return standardized(
        float(a.mean() - b.mean()),
        deviation,
        deviation * math.sqrt(1 / a.size + 1 / b.size),
        df,
        a.size + b.size,
        level,
    )


def hedges_g(one: ArrayLike, two: ArrayLike, level: float = 0.95) -> Estimate:
    """Cohen's d without its bias upwards in small samples (Hedges, 1981), of shape (n,) and (m,)."""
    d = cohen_d(one, two, level)
    return scaled(d, small_sample_factor(d.n - 2))


def paired_d(one: ArrayLike, two: ArrayLike, level: float = 0.95) -> Estimate:
    """d_z: the mean of n differences over their standard deviation, of paired samples, both of shape (n,), n >= 2."""
    a, b = finite(one), finite(two)
    if a.shape != b.shape or a.size < 2:
        raise ValueError(f"pairs need two samples of one size from 2 on, not {a.size} and {b.size}")
    gaps = a - b
    deviation = float(gaps.std(ddof=1))
    error = deviation / math.sqrt(gaps.size)
    return standardized(float(gaps.mean()), deviation, error, gaps.size - 1, gaps.size, level)


def small_sample_factor(df: float) -> float:
    """What takes the bias out of an effect size with `df` degrees of freedom: about 1 - 3 / (4 df - 1)."""
    if df <= 1.0:
        return math.nan
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)


def standardized(
    difference: float, deviation: float, error: float, df: float, n: int, level: float = 0.95
) -> Estimate:
    """A difference over a standard deviation; its interval is that of the noncentral t of difference over error.

    Where scores have no scatter at all, or none that is known, an effect has no size.
    """
    check_level(level)
    if not (deviation > 0.0 and error > 0.0 and df >= 1.0):
        same = difference == 0.0 and deviation == 0.0
        return Estimate(0.0 if same else math.nan, -math.inf, math.inf, level, n, math.nan)
    low, high = noncentrality(difference / error, df, level)
    unit = error / deviation
    return Estimate(
        difference / deviation, low * unit, high * unit, level, n, (high - low) * unit / 4
    )


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """An estimate and its interval times a factor above 0."""
    return Estimate(
        estimate.value * factor,
        estimate.low * factor,
        estimate.high * factor,
        estimate.level,
        estimate.n,
        estimate.standard_error * factor,
    )


def noncentrality(t: float, df: float, level: float = 0.95) -> tuple[float, float]:
    """The shifts of a noncentral t, of `df` >= 1, that leave an observed t neither too high nor too low."""
    if t < 0.0:
        low, high = noncentrality(-t, df, level)
        return -high, -low
    if t > _STEEP:
        low, high = (
            t * math.sqrt(chi_square(p, df) / df) for p in ((1 - level) / 2, (1 + level) / 2)
        )
        return low, high
    low, high = (
        shift_where(
            lambda shift: noncentral_t_below(t, df, shift),
            wanted,
            _FAR_BELOW,
            t + 4.0 * math.sqrt(1.0 + t * t / (2.0 * df)),
        )
        for wanted in ((1 + level) / 2, (1 - level) / 2)
    )
    return low, high


def _squares(array: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(np.square(array - array.mean()).sum())
