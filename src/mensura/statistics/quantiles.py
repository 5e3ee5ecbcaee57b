"""Quantiles and tails of Student's t, chi-square, Fisher's F and the normal: what intervals need, without SciPy.

Quantiles are found by Newton's method on the distribution function, which is the regularized incomplete
beta or gamma function (Press et al., Numerical Recipes, chapter 6), kept inside a bracket that
shrinks. They agree with SciPy to ten digits and more.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

import numpy as np

_TINY = 1e-300
_EPSILON = 1e-16
_LARGE = 2_000.0
"""Degrees of freedom from which an expansion about the normal distribution has all digits."""
_HUGE = 1e6
"""Degrees of freedom from which a noncentral t is as good as normal."""


@lru_cache(maxsize=1024)
def student_t(p: float, df: float) -> float:
    """The value that a Student's t of `df` > 0 degrees of freedom stays below with probability p.

    0 < p < 1; `df` need not be whole (Welch) and may be infinite (the normal distribution).
    """
    _check(p, df)
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -_upper_t(p, df)
    return _upper_t(1.0 - p, df)


def normal(p: float) -> float:
    """The value that a standard normal stays below with probability p, 0 < p < 1."""
    _check(p, 1.0)
    return NormalDist().inv_cdf(p)


def normal_below(x: float) -> float:
    """The probability that a standard normal stays below x, to all digits in either tail."""
    return math.erfc(-x / math.sqrt(2.0)) / 2


def student_t_above(t: float, df: float) -> float:
    """The probability that a Student's t of `df` > 0 degrees of freedom exceeds t, to all digits in the upper tail.

    `df` may be infinite (the normal distribution).
    """
    _check(0.5, df)
    if math.isinf(df):
        return normal_below(-t)
    beyond = _incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2
    return beyond if t > 0.0 else 1.0 - beyond


def fisher_f_above(f: float, df: float, error_df: float) -> float:
    """The probability that Fisher's F of `df` and `error_df` > 0 degrees of freedom exceeds f; nan for nan."""
    _check(0.5, df)
    _check(0.5, error_df)
    if math.isnan(f):
        return math.nan
    if f <= 0.0:
        return 1.0
    below = df * f / (df * f + error_df)
    return _incomplete_beta(error_df / 2, df / 2, 1.0 - below, below)


def fisher_f(p: float, df: float, error_df: float) -> float:
    """The value that Fisher's F of `df` and `error_df` > 0 degrees of freedom stays below with probability p."""
    _check(p, df)
    low, high = 0.0, 1.0
    while fisher_f_above(high, df, error_df) > 1.0 - p:
        low, high = high, 2.0 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (
            (middle, high) if fisher_f_above(middle, df, error_df) > 1.0 - p else (low, middle)
        )
    return (low + high) / 2


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def noncentral_t_below(t: float, df: float, shift: float) -> float:
    """The probability that (Z + shift) / S stays below t: a noncentral t of `df` >= 1 degrees of freedom.

    Z is standard normal and S the root of an independent chi-square over `df`, over whose density the probability
    is integrated. It is what effect sizes and the power of a t test follow; absolute error below 1e-6.
    """
    _check(0.5, df)
    if df > _HUGE:
        return normal_below((t * (1 - 1 / (4 * df)) - shift) / math.sqrt(1 + t * t / (2 * df)))
    reach = 12.0 / math.sqrt(2.0 * df)
    low, high = max(0.0, 1.0 - reach), 1.0 + reach
    # The integrand is smooth but for one steep step, which panels are cut around.
    cuts = [low, high, 1.0]
    if t != 0.0:
        cuts += [shift / t + k / abs(t) for k in (-8.0, 0.0, 8.0)]
    edges = np.unique(np.clip(cuts, low, high))
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    s = (middle[:, None] + half[:, None] * _NODES).ravel()
    weight = (half[:, None] * _WEIGHTS).ravel()
    log_front = math.log(2.0) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
    density = np.exp(log_front + (df - 1) * np.log(s) - df / 2 * s * s)
    below = np.array([normal_below(x) for x in (t * s - shift).tolist()])
    # The density's own integral takes out what is left of rounding.
    return float((weight * density * below).sum() / (weight * density).sum())


def _upper_t(tail: float, df: float) -> float:
    """The positive t that is exceeded with probability `tail` < 1/2."""
    z = -NormalDist().inv_cdf(tail)
    if df >= _LARGE:
        return _t_near_normal(z, df)
    log_density = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2

    def step(t: float) -> tuple[float, float]:
        excess = _incomplete_beta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2
        density = math.exp(log_density - (df + 1) / 2 * math.log1p(t * t / df))
        return excess, density

    return _solve(step, tail, start=max(z, 1e-3))


def _t_near_normal(z: float, df: float) -> float:
    """Fisher and Cornish's expansion of t in 1 / df about the normal quantile z."""
    s = z * z
    terms = (
        z,
        z * (s + 1) / 4,
        z * ((5 * s + 16) * s + 3) / 96,
        z * (((3 * s + 19) * s + 17) * s - 15) / 384,
        z * ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160,
    )
    return math.fsum(term / df**power for power, term in enumerate(terms))


@lru_cache(maxsize=1024)
def chi_square(p: float, df: float) -> float:
    """The value that a chi-square of `df` > 0 degrees of freedom stays below with probability p.

    0 < p < 1. For many degrees of freedom Wilson and Hilferty's approximation takes over, good to
    eight digits there.
    """
    _check(p, df)
    z = NormalDist().inv_cdf(p)
    cube_root = 1 - 2 / (9 * df) + z * math.sqrt(2 / (9 * df))
    if df >= 1e6:
        return float(df * cube_root**3)
    a = df / 2
    # Left of the bulk the distribution is a power law, which the approximation does not know.
    power_law = 2 * math.exp((math.log(p) + math.lgamma(a + 1)) / a)
    start = df * cube_root**3 if cube_root > 0.3 else max(power_law, _TINY)

    def step(x: float) -> tuple[float, float]:
        below, above = _incomplete_gamma(a, x / 2)
        density = math.exp((a - 1) * math.log(x / 2) - x / 2 - math.lgamma(a)) / 2
        return (above if p > 0.5 else -below), density

    return _solve(step, 1.0 - p if p > 0.5 else -p, start)


def _solve(step: Callable[[float], tuple[float, float]], target: float, start: float) -> float:
    """The x > 0 where a falling function meets `target`; `step` gives its value and -slope."""
    low, high, x = 0.0, math.inf, start
    for _ in range(1000):
        value, slope = step(x)
        low, high = (x, high) if value > target else (low, x)
        better = x + (value - target) / slope if slope > 0.0 else math.nan
        if not low <= better <= high:
            better = (low + high) / 2 if high < math.inf else 2 * x
        if abs(better - x) <= 1e-13 * x:  # the next step would be its square
            return better
        x = better
    return x


def shift_where(probability: Callable[[float], float], wanted: float, start: float) -> float:
    """The shift at which a falling or rising probability of a noncentral t is `wanted`, 0 < `wanted` < 1.

    On the scale of normal quantiles such a probability is nearly a straight line, so that a secant from `start`
    gets there in a few steps; where that fails, bisection does it.
    """
    target = normal(wanted)

    def gap(shift: float) -> float:
        return normal(min(max(probability(shift), 1e-15), 1.0 - 1e-15)) - target

    one, two = start, start + 0.5
    at_one, at_two = gap(one), gap(two)
    for _ in range(40):
        if abs(at_two) < 1e-9 or at_one == at_two:
            break
        one, two, at_one = two, two - at_two * (two - one) / (at_two - at_one), at_two
        at_two = gap(two)
    if abs(at_two) < 1e-6:
        return two
    reach = 1.0 + abs(start)
    for _ in range(60):
        low, high = start - reach, start + reach
        if gap(low) * gap(high) <= 0.0:
            break
        reach *= 2.0
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(low) * gap(middle) > 0.0 else (low, middle)
    return (low + high) / 2


def _incomplete_beta(a: float, b: float, x: float, y: float) -> float:
    """The regularized incomplete beta function I_x(a, b); y is 1 - x, given to spare its digits."""
    if x <= 0.0 or y <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log_front + a * math.log(x) + b * math.log(y))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, y) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 / _nonzero(1.0 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 / _nonzero(1.0 + term * d)
            c = _nonzero(1.0 + term / c)
            value *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return value


def _incomplete_gamma(a: float, x: float) -> tuple[float, float]:
    """The regularized incomplete gamma functions P(a, x) and Q(a, x), each to its own digits."""
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1.0 / a
        n = 0
        while term > total * _EPSILON:
            n += 1
            term *= x / (a + n)
            total += term
        return front * total, 1.0 - front * total
    c, d = 1.0 / _TINY, 1.0 / (x + 1 - a)
    value = d
    for n in range(1, 100_000):
        term, shift = -n * (n - a), x + 1 - a + 2 * n
        d = 1.0 / _nonzero(term * d + shift)
        c = _nonzero(shift + term / c)
        value *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return 1.0 - front * value, front * value


def _nonzero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _check(p: float, df: float) -> None:
    if not 0.0 < p < 1.0:
        raise ValueError(f"a probability between 0 and 1 has a quantile, {p} has none")
    if not df > 0.0:
        raise ValueError(f"degrees of freedom are positive, not {df}")
