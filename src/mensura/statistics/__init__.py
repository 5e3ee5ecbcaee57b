"""Statistics: estimates with intervals, as pure functions over arrays of scores.

Every function states the shape it takes. An `Estimate` is what all of them give back; `Moments`,
`Histogram` and `Grouped` take in millions of scores, chunk by chunk, in constant memory.
"""

from mensura.statistics.interval import (
    Estimate,
    bootstrap_interval,
    difference,
    mean_interval,
)
from mensura.statistics.moments import Grouped, Histogram, Moments
from mensura.statistics.regression import Regression, linear_regression
from mensura.statistics.spread import observed_spread, predicted_spread

__all__ = [
    "Estimate",
    "Grouped",
    "Histogram",
    "Moments",
    "Regression",
    "bootstrap_interval",
    "difference",
    "linear_regression",
    "mean_interval",
    "observed_spread",
    "predicted_spread",
]
