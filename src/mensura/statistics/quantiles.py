"""Quantiles and tails of Student's t, chi-square, Fisher's F and the normal: SciPy's, as plain numbers.

`scipy.special` is imported when it is first used: commands that need no interval start without it.
"""

import math
from collections.abc import Callable


def student_t(p: float, df: float) -> float:
    """The value that a Student's t of `df` > 0 degrees of freedom stays below with probability p.

    0 < p < 1; `df` need not be whole (Welch) and may be infinite (the normal distribution).
    """
    from scipy.special import stdtrit

    _check(p, df)
    return float(stdtrit(df, p))


def student_t_above(t: float, df: float) -> float:
    """The probability that a Student's t of `df` > 0 degrees of freedom exceeds t, to all digits in the upper tail.

    `df` may be infinite (the normal distribution).
    """
    from scipy.special import stdtr

    _check(0.5, df)
    return float(stdtr(df, -t))


def normal(p: float) -> float:
    """The value that a standard normal stays below with probability p, 0 < p < 1."""
    from scipy.special import ndtri

    _check(p, 1.0)
    return float(ndtri(p))


def normal_below(x: float) -> float:
    """The probability that a standard normal stays below x, to all digits in either tail."""
    from scipy.special import ndtr

    return float(ndtr(x))


def chi_square(p: float, df: float) -> float:
    """The value that a chi-square of `df` > 0 degrees of freedom stays below with probability p, 0 < p < 1."""
    from scipy.special import gammaincinv

    _check(p, df)
    return 2.0 * float(gammaincinv(df / 2, p))


def fisher_f(p: float, df: float, error_df: float) -> float:
    """The value that Fisher's F of `df` and `error_df` > 0 degrees of freedom stays below with probability p."""
    from scipy.special import fdtri

    _check(p, df)
    return float(fdtri(df, error_df, p))


def fisher_f_above(f: float, df: float, error_df: float) -> float:
    """The probability that Fisher's F of `df` and `error_df` > 0 degrees of freedom exceeds f; nan for nan."""
    from scipy.special import fdtrc

    _check(0.5, df)
    _check(0.5, error_df)
    return float(fdtrc(df, error_df, max(f, 0.0)))


def noncentral_t_below(t: float, df: float, shift: float) -> float:
    """The probability that (Z + shift) / S stays below t: a noncentral t of `df` >= 1 degrees of freedom.

    Z is standard normal and S the root of an independent chi-square over `df`. It is what effect sizes and the power
    of a t test follow.
    """
    from scipy.special import nctdtr

    _check(0.5, df)
    below = float(nctdtr(df, shift, t))
    # SciPy gives nan where nothing is left of the probability, or of what is missing to 1.
    return float(t > shift) if math.isnan(below) else below


def shift_where(
    probability: Callable[[float], float], wanted: float, low: float, high: float
) -> float:
    """The shift at which a falling or rising probability of a noncentral t is `wanted`, 0 < `wanted` < 1.

    It is above `low`; `high` is where to look first, and further on where it is not below that.
    """
    from scipy.optimize import brentq

    def gap(shift: float) -> float:
        return probability(shift) - wanted

    while gap(low) * gap(high) > 0.0 and math.isfinite(high):
        low, high = high, high + 2.0 * (high - low)
    return float(brentq(gap, low, high, xtol=1e-12, rtol=1e-14))


def _check(p: float, df: float) -> None:
    if not 0.0 < p < 1.0:
        raise ValueError(f"a probability between 0 and 1 has a quantile, {p} has none")
    if not df > 0.0:
        raise ValueError(f"degrees of freedom are positive, not {df}")
