"""How much data a difference needs: how many units would settle it, and what the present number can tell.

A unit is what was replicated, an environment or a run. The power is that of the two-sided t test, by the
noncentral t. A number needed for the difference that was observed is as uncertain as that difference itself: it is
a guide to planning, not a result.
"""

import math
from collections.abc import Callable

from mensura.statistics.quantiles import noncentral_t_below, normal, shift_where, student_t

POWER = 0.8
MOST = 10**12
"""Beyond so many units a difference is as good as none."""


def power_of(effect: float, units: float, df: float, level: float = 0.95) -> float:
    """How likely a t test tells a difference of `effect` / sqrt(`units`) standard errors apart from none.

    `effect` is the true difference over the standard deviation of one unit, so that `effect` * sqrt(`units`) is
    the shift of the noncentral t.
    """
    shift = abs(effect) * math.sqrt(units)
    limit = student_t((1 + level) / 2, df)
    return 1.0 - noncentral_t_below(limit, df, shift) + noncentral_t_below(-limit, df, shift)


def pairs_needed(effect: float, level: float = 0.95, power: float = POWER) -> int | None:
    """How many pairs tell a mean difference of `effect` standard deviations of differences (d_z) from none.

    None where the effect is so small that no number would do.
    """
    return _least(lambda n: power_of(effect, n, n - 1, level), effect, 1.0, level, power)


def scores_needed(effect: float, level: float = 0.95, power: float = POWER) -> int | None:
    """How many scores of each of two samples tell a difference of `effect` standard deviations (d) from none."""
    return _least(lambda n: power_of(effect, n / 2, 2 * n - 2, level), effect, 2.0, level, power)


def smallest_difference(
    error: float, df: float, level: float = 0.95, power: float = POWER
) -> float:
    """The difference that an experiment with this standard error would find with the wanted power.

    nan where the error is not known.
    """
    if not (df >= 1.0 and math.isfinite(error)):
        return math.nan
    if power_of(0.0, 1.0, df, level) >= power:
        return 0.0
    high = 2.0 * (student_t((1 + level) / 2, df) + 1.0)
    return error * shift_where(lambda shift: power_of(shift, 1.0, df, level), power, 0.0, high)


def _least(
    found: Callable[[int], float], effect: float, groups: float, level: float, power: float
) -> int | None:
    """The least n from 2 on with enough power, by bisection from what the normal distribution says."""
    if not (math.isfinite(effect) and effect):
        return None
    guess = groups * ((normal((1 + level) / 2) + normal(power)) / effect) ** 2
    if guess > MOST:
        return None
    low, high = 1, max(2, math.ceil(guess))
    while found(high) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if found(middle) < power else (low, middle)
    return high
