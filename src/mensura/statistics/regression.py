"""A straight line through points, with intervals: does a score fall with complexity, how fast?"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, check_level, finite
from mensura.statistics.quantiles import student_t


@dataclass(frozen=True, slots=True)
class Regression:
    """The line y = intercept + slope x of least squares, and the correlation r of x and y."""

    slope: Estimate
    """What y gains per unit of x."""
    intercept: Estimate
    """What y is at x = 0."""
    r: Estimate
    """Pearson's correlation; nan where y is constant."""

    def __call__(self, x: float) -> float:
        """The height of the line at x."""
        return self.intercept.value + self.slope.value * x


def linear_regression(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Regression:
    """Ordinary least squares of y on x, both of shape (n,), n >= 2, x not constant.

    Intervals of the line are Student's with n - 2 degrees of freedom, infinite for two points; that
    of r is Fisher's (1921), the whole of [-1, 1] for three points or fewer.
    """
    check_level(level)
    a, b = finite(x), finite(y)
    if a.shape != b.shape:
        raise ValueError(f"points need as many x as y, not {a.size} and {b.size}")
    n, x_mean, y_mean = a.size, float(a.mean()), float(b.mean())
    dx, dy = a - x_mean, b - y_mean
    xx, xy, yy = float(dx @ dx), float(dx @ dy), float(dy @ dy)
    if xx == 0.0:
        raise ValueError("a line needs two different x at least")
    slope = xy / xx
    residual = dy - slope * dx
    noise = math.sqrt(float(residual @ residual) / (n - 2)) if n > 2 else math.nan

    def line(value: float, error: float) -> Estimate:
        if n == 2:
            return Estimate(value, -math.inf, math.inf, level, n, math.nan)
        reach = student_t((1 + level) / 2, n - 2) * error
        return Estimate(value, value - reach, value + reach, level, n, error)

    return Regression(
        slope=line(slope, noise / math.sqrt(xx)),
        intercept=line(y_mean - slope * x_mean, noise * math.sqrt(1 / n + x_mean**2 / xx)),
        r=_correlation(xy / math.sqrt(xx * yy) if yy > 0.0 else math.nan, n, level),
    )


def _correlation(r: float, n: int, level: float) -> Estimate:
    """Pearson's r with the interval of Fisher's z, which is nearly normal."""
    r = r if math.isnan(r) else float(np.clip(r, -1.0, 1.0))
    if n < 4 or math.isnan(r):
        return Estimate(r, -1.0, 1.0, level, n, math.nan)
    error = (1 - r * r) / math.sqrt(n - 3)
    if abs(r) == 1.0:
        return Estimate(r, r, r, level, n, error)
    reach = NormalDist().inv_cdf((1 + level) / 2) / math.sqrt(n - 3)
    z = math.atanh(r)
    return Estimate(r, math.tanh(z - reach), math.tanh(z + reach), level, n, error)
