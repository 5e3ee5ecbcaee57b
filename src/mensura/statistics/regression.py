"""A straight line through points, with intervals: does a score fall with complexity, how fast?"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, check_level, finite
from mensura.statistics.moments import Grouped
from mensura.statistics.quantiles import normal, student_t


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
    residual = dy - (xy / xx) * dx
    return _line(n, x_mean, y_mean, (xx, xy, yy), float(residual @ residual), level)


def grouped_regression(groups: Grouped, level: float = 0.95) -> Regression | None:
    """The same line over all scores behind moments by group, x the group; None for fewer than two groups.

    Moments hold all that least squares asks of the scores: each group counts by its number of scores, and the
    scatter within groups is part of the noise.
    """
    check_level(level)
    parts = [(x, m) for x, m in groups.groups.items() if m.count]
    if len(parts) < 2:
        return None
    n = sum(m.count for _, m in parts)
    x_mean = math.fsum(m.count * x for x, m in parts) / n
    y_mean = math.fsum(m.count * m.mean for _, m in parts) / n
    xx = math.fsum(m.count * (x - x_mean) ** 2 for x, m in parts)
    xy = math.fsum(m.count * (x - x_mean) * (m.mean - y_mean) for x, m in parts)
    yy = math.fsum(m.squares + m.count * (m.mean - y_mean) ** 2 for _, m in parts)
    return _line(n, x_mean, y_mean, (xx, xy, yy), max(yy - xy * xy / xx, 0.0), level)


def _line(
    n: int,
    x_mean: float,
    y_mean: float,
    sums: tuple[float, float, float],
    residual: float,
    level: float,
) -> Regression:
    """The line from its sums of squares and products, and the squares that it leaves over."""
    xx, xy, yy = sums
    slope = xy / xx
    noise = math.sqrt(residual / (n - 2)) if n > 2 else math.nan

    def within(value: float, error: float) -> Estimate:
        if n == 2:
            return Estimate(value, -math.inf, math.inf, level, n, math.nan)
        reach = student_t((1 + level) / 2, n - 2) * error
        return Estimate(value, value - reach, value + reach, level, n, error)

    return Regression(
        slope=within(slope, noise / math.sqrt(xx)),
        intercept=within(y_mean - slope * x_mean, noise * math.sqrt(1 / n + x_mean**2 / xx)),
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
    reach = normal((1 + level) / 2) / math.sqrt(n - 3)
    z = math.atanh(r)
    return Estimate(r, math.tanh(z - reach), math.tanh(z + reach), level, n, error)
