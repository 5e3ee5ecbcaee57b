"""The unit of replication: how far an average is off when scores share an environment or a run.

Scores from one environment, or from one run, resemble each other, so a thousand of them may say no more than a
handful of independent ones. The error of an average is therefore estimated from whole clusters. Where both matter, the
errors by environment and by run are added and what both counted is taken off again (Cameron, Gelbach and Miller,
2011). Where one run alone was made, nothing is known about other runs, and the unit is the environment. A few runs say
little about how far runs differ, so that all conditions of a study are asked together
(:mod:`mensura.statistics.replication`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, check_level, finite, zero_probability
from mensura.statistics.quantiles import fisher_f_above, student_t
from mensura.statistics.sample import Sample

Codes = npt.NDArray[np.int64]
"""The number of the cluster of each score, from 0."""

Variance: TypeAlias = Callable[[Codes, int], float]
"""The variance of a statistic for clusters, given as the code of each score and the number of clusters."""

LEAST_DF = 2.0
"""With fewer degrees of freedom nothing is told of how far repetitions differ: of two, there is a single difference."""

BEYOND_CHANCE = 0.05
"""Where so few repetitions differ by more than chance explains at this level, they are the unit all the same."""


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
    pooled: bool = False
    """Whether its degrees of freedom are of what the whole study says of runs: other errors of it are off likewise."""

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
    """Of a weighted sum of independent estimates; its degrees of freedom are Satterthwaite's (1946).

    Where variances rest on the same pooled ratio they are too large or too small together, so that many of them are no
    better known than one.
    """
    variances = [weight * weight * part.variance for weight, part in parts]
    total = sum(variances)
    if math.isnan(total):
        df = 0.0
    elif total == 0.0:
        df = max(
            1.0, min(part.df for _, part in parts)
        )  # constants: any reach gives the same point
    else:
        both = [(v, part) for v, (_, part) in zip(variances, parts, strict=True) if v]
        together = sum(v / math.sqrt(part.df) for v, part in both if part.pooled)
        df = total**2 / (together**2 + sum(v * v / part.df for v, part in both if not part.pooled))
    units = {part.unit for _, part in parts}
    limiting = "run" if "run" in units else "environment"
    pooled = any(part.pooled for _, part in parts)
    return Error(total, df, limiting, sum(part.units for _, part in parts), pooled)


@dataclass(frozen=True, slots=True)
class RunShare:
    """What repetitions add to the error of estimates: found once, for all conditions of a study."""

    unit: str
    """What the study takes as replicated: "environment" or "run"."""
    ratio: float
    """The variance that is seen between runs over that which there would be if runs were not different; nan where runs
    differ and are too few to tell how far."""
    df: float
    """The degrees of freedom of the ratio."""


ENVIRONMENTS_ALONE = RunShare("environment", 1.0, math.inf)
"""Nothing is added: of one run, or of runs that are too few to tell and differ no more than by chance."""

TOO_FEW_RUNS = RunShare("run", math.nan, 0.0)
"""Runs differ, and are too few to tell how far."""


@dataclass(frozen=True, slots=True)
class Variances:
    """The variance of an estimate as clusters of each kind tell it."""

    by_environment: float
    by_run: float
    both: float
    """By environment and run."""
    cells: int
    runs: int

    @property
    def own(self) -> float:
        """What environments add that were met in several runs."""
        return max(self.by_environment - self.both, 0.0)

    @property
    def ratio(self) -> float:
        """The variance between runs over that which there would be if they did not differ; nan where nothing varies."""
        return self.by_run / self.both if self.both > 0.0 else math.nan

    @property
    def chance(self) -> float:
        """How likely runs that do not differ are at least so far apart; 1 where nothing varies."""
        inside = self.cells - self.runs
        if not self.both > 0.0 or inside < 1:
            return 1.0
        within = (self.both * (self.cells - 1) - self.by_run * (self.runs - 1)) / inside
        f = self.by_run / within if within > 0.0 else math.inf
        return fisher_f_above(f, self.runs - 1, inside) if math.isfinite(f) else 0.0

    def share(self) -> RunShare:
        """What these runs alone say of how far runs differ."""
        if self.runs - 1 >= LEAST_DF:
            above = self.ratio > 1.0 and self.by_run >= self.own
            unit = "run" if above else "environment"
            return RunShare(unit, self.ratio, self.runs - 1)
        return TOO_FEW_RUNS if self.chance <= BEYOND_CHANCE else ENVIRONMENTS_ALONE


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

    def error(self, variance: Variance, share: RunShare | None = None) -> Error:
        """The error of a statistic of which `variance` tells the variance for clusters, given as codes and count.

        `share` is what the study of these scores says of its repetitions; without it these scores alone do. The error
        by environment is the least that is believed: few runs may agree by chance.
        """
        environments, runs = self.environments, self.runs
        if runs == 1:
            by_environment = (
                variance(self.environment, environments) if environments > 1 else math.nan
            )
            return Error(by_environment, environments - 1, "environment", environments)
        if environments == 1:
            known = runs - 1 >= LEAST_DF
            by_run = variance(self.run, runs) if known else math.nan
            return Error(by_run, runs - 1 if known else 0.0, "run", runs)
        pooled = share is not None
        if share is None:
            found = self.variances(variance)
            share, by_environment, both = found.share(), found.by_environment, found.both
        else:
            by_environment = variance(self.environment, environments)
            both = by_environment if self.nested else variance(self.cell, self.cells)
        if math.isnan(share.ratio) and both > 0.0:
            return Error(math.nan, 0.0, "run", runs)
        unit = ("run", runs) if share.unit == "run" else ("environment", environments)
        own = max(by_environment - both, 0.0)
        between = share.ratio * both
        total = own + between
        if not total > by_environment:
            return Error(by_environment, environments - 1, *unit)
        df = total**2 / (own**2 / (environments - 1) + between**2 / share.df)
        return Error(total, df, *unit, pooled)

    @property
    def nested(self) -> bool:
        """Whether no environment was met in two runs."""
        return self.cells == self.environments

    @property
    def repeated(self) -> bool:
        """Whether there are several runs in several environments, which may differ by more than these."""
        return self.runs > 1 and self.environments > 1

    def variances(self, variance: Variance) -> Variances:
        """The variance by environment, by run and by both, of several runs in several environments."""
        by_environment = variance(self.environment, self.environments)
        both = by_environment if self.nested else variance(self.cell, self.cells)
        return Variances(by_environment, variance(self.run, self.runs), both, self.cells, self.runs)

    def error_of_mean(self, values: ArrayLike, share: RunShare | None = None) -> Error:
        """The error of the mean of n scores, shape (n,); Student's own where every score has its own environment."""
        return self.error(variance_of_mean(values), share)


def variance_of_mean(values: ArrayLike) -> Variance:
    """The variance of the mean of n scores, shape (n,), for clusters of them."""
    array = finite(values)
    deviations = array - array.mean()

    def variance(codes: Codes, count: int) -> float:
        sums = np.bincount(codes, deviations, count)
        return float(sums @ sums) * count / (count - 1) / array.size**2

    return variance


def _codes(labels: npt.NDArray[np.generic]) -> tuple[Codes, int]:
    if len(labels) and (labels == labels[0]).all():
        return np.zeros(len(labels), np.int64), 1
    names, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), len(names)


def design_of(sample: Sample) -> Design:
    """The clusters of a sample."""
    return Design.of(sample.environment, sample.run)


def sample_mean(sample: Sample, level: float = 0.95, share: RunShare | None = None) -> Estimate:
    """The mean of a sample's scores; its interval takes environments and runs as what was replicated.

    `share` is what its study says of repetitions; without it the sample is a study of its own.
    """
    score = finite(sample.score)
    error = design_of(sample).error_of_mean(score, share)
    return error.around(float(score.mean()), score.size, level)


def average(parts: Sequence[tuple[Estimate, Error]], level: float = 0.95) -> Estimate:
    """The mean of independent estimates, each counting the same: of the conditions of a study."""
    share = 1.0 / len(parts)
    error = weighted_error([(share, part) for _, part in parts])
    value = math.fsum(estimate.value for estimate, _ in parts) * share
    return error.around(value, sum(estimate.n for estimate, _ in parts), level)
