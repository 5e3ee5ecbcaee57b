"""The unit of replication: how far an average is off when scores share an environment or a run.

Scores from one environment, or from one run, resemble each other, so a thousand of them may say no more than a
handful of independent ones. The error of an average is therefore told from whole clusters. Where both matter, the
errors by environment and by run are added and what both counted is taken off again (Cameron, Gelbach and Miller,
2011). Where one run alone was made, nothing is known about other runs, and the unit is the environment.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, check_level, finite, zero_probability
from mensura.statistics.quantiles import student_t
from mensura.statistics.sample import Sample

Codes = npt.NDArray[np.int64]
"""The number of the cluster of each score, from 0."""


@dataclass(frozen=True, slots=True)
class Error:
    """The variance of an estimate, and how well that variance itself is known."""

    variance: float
    """Of the estimate; nan where the data do not tell."""
    df: float
    """Degrees of freedom, for Student's t."""
    unit: str
    """What was replicated: "environment" or "run", whichever limits how much the scores can tell."""
    units: int
    """How many of these there are."""

    def around(self, value: float, n: int, level: float = 0.95) -> Estimate:
        """The interval about `value`, which rests on n scores."""
        check_level(level)
        if not (self.df > 0.0 and math.isfinite(self.variance)):
            return Estimate(value, -math.inf, math.inf, level, n, math.nan)
        error = math.sqrt(self.variance)
        reach = student_t((1 + level) / 2, self.df) * error
        return Estimate(value, value - reach, value + reach, level, n, error)

    def probability(self, value: float) -> float:
        """How likely an estimate whose truth is 0 is at least as far from it as `value`; nan where nobody knows."""
        return zero_probability(self.around(value, self.units), self.df)

    def __add__(self, other: "Error") -> "Error":
        """Of the sum or the difference of two independent estimates, by Welch and Satterthwaite."""
        return weighted_error([(1.0, self), (1.0, other)])


def weighted_error(parts: Sequence[tuple[float, Error]]) -> Error:
    """Of a weighted sum of independent estimates; its degrees of freedom are Satterthwaite's (1946)."""
    variances = [weight * weight * part.variance for weight, part in parts]
    total = sum(variances)
    if math.isnan(total):
        df = 0.0
    elif total == 0.0:
        df = max(
            1.0, min(part.df for _, part in parts)
        )  # constants: any reach gives the same point
    else:
        df = total**2 / sum(v * v / p.df for v, (_, p) in zip(variances, parts, strict=True) if v)
    units = {part.unit for _, part in parts}
    limiting = "run" if "run" in units else "environment"
    return Error(total, df, limiting, sum(part.units for _, part in parts))


@dataclass(frozen=True)
class Design:
    """Which scores belong together: the clusters by environment, by run, and by both."""

    environment: Codes
    environments: int
    run: Codes
    runs: int
    cell: Codes
    """By environment and run."""
    cells: int

    @staticmethod
    def of(environment: npt.NDArray[np.uint64], run: npt.NDArray[np.int64]) -> "Design":
        """The clusters of n scores, from the environment and the run of each, both of shape (n,)."""
        if environment.shape != run.shape or environment.ndim != 1:
            raise ValueError(f"{environment.shape} environments do not match {run.shape} runs")
        by_environment, environments = _codes(environment)
        by_run, runs = _codes(run)
        if runs == 1 or environments == len(run):
            return Design(by_environment, environments, by_run, runs, by_environment, environments)
        cell, cells = _codes(by_environment * runs + by_run)
        return Design(by_environment, environments, by_run, runs, cell, cells)

    def error(self, variance: Callable[[Codes, int], float]) -> Error:
        """The error of a statistic of which `variance` tells the variance for clusters, given as codes and count.

        The larger of the errors by environment and by run is the least that is believed: with few runs, what they
        seem to say about themselves may by chance be too good.
        """
        environments, runs = self.environments, self.runs
        by_environment = variance(self.environment, environments) if environments > 1 else math.nan
        if runs == 1:
            return Error(by_environment, environments - 1, "environment", environments)
        by_run = variance(self.run, runs)
        if environments == 1:
            return Error(by_run, runs - 1, "run", runs)
        nested = self.cells == environments  # no environment was met in two runs
        both = by_environment if nested else variance(self.cell, self.cells)
        own = max(by_environment - both, 0.0)
        total = own + by_run
        if by_environment >= total:
            return Error(by_environment, environments - 1, "environment", environments)
        df = total**2 / (own**2 / (environments - 1) + by_run**2 / (runs - 1))
        unit = ("run", runs) if by_run >= own else ("environment", environments)
        return Error(total, df, *unit)

    def error_of_mean(self, values: ArrayLike) -> Error:
        """The error of the mean of n scores, shape (n,); Student's own where every score has its own environment."""
        array = finite(values)
        deviations = array - array.mean()

        def variance(codes: Codes, count: int) -> float:
            sums = np.bincount(codes, deviations, count)
            return float(sums @ sums) * count / (count - 1) / array.size**2

        return self.error(variance)


def _codes(labels: npt.NDArray[np.generic]) -> tuple[Codes, int]:
    if len(labels) and (labels == labels[0]).all():
        return np.zeros(len(labels), np.int64), 1
    names, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), len(names)


def design_of(sample: Sample) -> Design:
    """The clusters of a sample."""
    return Design.of(sample.environment, sample.run)


def sample_mean(sample: Sample, level: float = 0.95) -> Estimate:
    """The mean of a sample's scores; its interval takes environments and runs as what was replicated."""
    score = finite(sample.score)
    return design_of(sample).error_of_mean(score).around(float(score.mean()), score.size, level)


def average(parts: Sequence[tuple[Estimate, Error]], level: float = 0.95) -> Estimate:
    """The mean of independent estimates, each counting the same: of the conditions of a study."""
    share = 1.0 / len(parts)
    error = weighted_error([(share, part) for _, part in parts])
    value = math.fsum(estimate.value for estimate, _ in parts) * share
    return error.around(value, sum(estimate.n for estimate, _ in parts), level)
