"""Numbers that reports derive from the summaries in a result, without the episodes themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mensura.statistics.interval import Estimate
from mensura.statistics.moments import Grouped, Histogram
from mensura.statistics.quantiles import student_t

PUBLISHED_SPREAD = 0.001
"""Footnote 3 of Chmait et al. (2016): "Usually a standard deviation of less than 0.001 is recorded between
identical experiments", which have 1000 episodes there."""
PUBLISHED_EPISODES = 1000


@dataclass(frozen=True)
class Trend:
    """A straight line through scores: y = intercept + slope x."""

    slope: Estimate
    """What a score gains per unit, with its interval."""
    intercept: float
    r: float
    """Pearson's correlation; nan where all scores are one."""

    def __call__(self, x: float) -> float:
        """The height of the line at x."""
        return self.intercept + self.slope.value * x


def trend(groups: Grouped, level: float = 0.95) -> Trend | None:
    """The line of least squares through all scores, by group; None where fewer than two groups have any.

    Moments by group hold all that least squares asks of the scores, so the line and its interval are those of
    :func:`~mensura.statistics.regression.linear_regression` over the single episodes: each group counts by its
    number of scores, and the scatter within groups is part of the noise.
    """
    parts = [(x, m) for x, m in groups.groups.items() if m.count]
    if len(parts) < 2:
        return None
    n = sum(m.count for _, m in parts)
    x_mean = math.fsum(m.count * x for x, m in parts) / n
    y_mean = math.fsum(m.count * m.mean for _, m in parts) / n
    xx = math.fsum(m.count * (x - x_mean) ** 2 for x, m in parts)
    xy = math.fsum(m.count * (x - x_mean) * (m.mean - y_mean) for x, m in parts)
    yy = math.fsum(m.squares + m.count * (m.mean - y_mean) ** 2 for _, m in parts)
    slope = xy / xx
    if n > 2:
        error = math.sqrt(max(yy - slope * xy, 0.0) / (n - 2) / xx)
        reach = student_t((1 + level) / 2, n - 2) * error
    else:
        error, reach = math.nan, math.inf
    return Trend(
        slope=Estimate(slope, slope - reach, slope + reach, level, n, error),
        intercept=y_mean - slope * x_mean,
        r=xy / math.sqrt(xx * yy) if yy > 0.0 else math.nan,
    )


def quantile(histogram: Histogram, p: float) -> float:
    """The score below which a share ``p`` of all lies, evenly spread within each bin."""
    total = histogram.total
    if not total:
        return math.nan
    wanted = p * total - histogram.under
    for low, high, count in zip(
        histogram.edges[:-1], histogram.edges[1:], histogram.counts, strict=True
    ):
        if count and wanted <= count:
            return low + (high - low) * max(wanted, 0.0) / count
        wanted -= count
    return histogram.edges[-1]
