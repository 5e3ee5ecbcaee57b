"""Statistics: estimates with intervals, as pure functions over arrays of scores.

Every function states the shape it takes. An `Estimate` is what all of them give back; `Moments`,
`Histogram` and `Grouped` take in millions of scores, chunk by chunk, in constant memory; a `Sample`
holds single scores with the environment and the run of each, which are what was replicated.
"""

from mensura.statistics.bootstrap import cluster_bootstrap, stratified_bootstrap
from mensura.statistics.clusters import sample_mean
from mensura.statistics.compare import Comparison, compare_all
from mensura.statistics.effect import cohen_d, hedges_g, paired_d
from mensura.statistics.improvement import probability_of_improvement
from mensura.statistics.interval import (
    Estimate,
    bootstrap_interval,
    difference,
    mean_interval,
)
from mensura.statistics.moments import Grouped, Histogram, Moments
from mensura.statistics.profiles import Profile, profile_of_samples, profile_of_table
from mensura.statistics.regression import Regression, linear_regression
from mensura.statistics.robust import interquartile_mean
from mensura.statistics.sample import Sample
from mensura.statistics.spread import observed_spread, predicted_spread

__all__ = [
    "Comparison",
    "Estimate",
    "Grouped",
    "Histogram",
    "Moments",
    "Profile",
    "Regression",
    "Sample",
    "bootstrap_interval",
    "cluster_bootstrap",
    "cohen_d",
    "compare_all",
    "difference",
    "hedges_g",
    "interquartile_mean",
    "linear_regression",
    "mean_interval",
    "observed_spread",
    "paired_d",
    "predicted_spread",
    "probability_of_improvement",
    "profile_of_samples",
    "profile_of_table",
    "sample_mean",
    "stratified_bootstrap",
]
