"""Logistic regression: on what the chance of a success depends, each influence with the others held."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, Floats, check_level
from mensura.statistics.quantiles import normal

ROUNDS = 50
CLOSE = 1e-9
STEEPEST = 15.0
"""A coefficient beyond this, for influences of about unit size, is on its way to infinity: successes are separated."""
INDISTINCT = 1e-8
"""An influence of which the others leave no more than this share over says nothing of its own."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """The log-odds of a success as a sum of influences."""

    effects: tuple[Estimate, ...]
    """What a unit of each influence adds to the log-odds while the others are held."""
    observations: int
    clusters: int
    """So many independent groups of observations there are."""


def logistic_regression(
    influences: ArrayLike,
    success: ArrayLike,
    groups: ArrayLike,
    clusters: ArrayLike,
    level: float = 0.95,
) -> Logistic | None:
    """Maximum likelihood, with a constant for each group and errors that allow for clusters.

    ``influences`` has shape (n, k), ``success`` shape (n,) of 0 and 1. ``groups`` and ``clusters``, shape (n,), say
    what constant an observation has, and with which others it depends on the same draw; errors are those of the
    sandwich (Liang and Zeger, 1986) with the usual factor for few clusters. Groups that are all successes or all
    failures tell nothing and are left out. None where nothing is left, where an influence follows from the others,
    or where successes are separated, so that no maximum exists.
    """
    check_level(level)
    x, y = np.asarray(influences, np.float64), np.asarray(success, np.float64)
    if x.ndim != 2 or y.shape != (len(x),):
        raise ValueError(
            f"influences of shape {x.shape} do not go with successes of shape {y.shape}"
        )
    _, code = np.unique(np.asarray(groups), return_inverse=True)
    _, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    count = np.bincount(code)
    won = np.bincount(code, y) if len(y) else np.zeros(0)
    own = ((won > 0) & (won < count))[code] if len(y) else np.zeros(0, np.bool_)
    x, y, cluster = x[own], y[own], cluster[own]
    if len(y) == 0:
        return None
    _, code = np.unique(code[own], return_inverse=True)
    constants = np.eye(code.max() + 1)[code]
    if not _distinct(x, constants):
        return None
    design = np.hstack([x, constants])
    fitted = _fit(design, y)
    if fitted is None or np.abs(fitted[0][: x.shape[1]]).max(initial=0.0) > STEEPEST:
        return None
    beta, bread, chance = fitted
    scores = design * (y - chance)[:, None]
    _, cluster = np.unique(cluster, return_inverse=True)
    many = int(cluster.max()) + 1
    sums = np.zeros((many, design.shape[1]))
    np.add.at(sums, cluster, scores)
    few = many / (many - 1) if many > 1 else math.nan
    covariance = few * bread @ (sums.T @ sums) @ bread
    errors = (
        np.sqrt(np.maximum(np.diag(covariance), 0.0))
        if math.isfinite(few)
        else np.full(len(beta), math.nan)
    )
    z = normal((1 + level) / 2)
    return Logistic(
        tuple(
            _effect(float(beta[i]), float(errors[i]), z, level, len(y)) for i in range(x.shape[1])
        ),
        len(y),
        many,
    )


def _effect(value: float, error: float, z: float, level: float, n: int) -> Estimate:
    if not math.isfinite(error):
        return Estimate(value, -math.inf, math.inf, level, n, math.nan)
    return Estimate(value, value - z * error, value + z * error, level, n, error)


def _distinct(x: Floats, constants: Floats) -> bool:
    """Whether every influence has something that neither the constants nor the others tell."""
    within = x - constants @ np.linalg.lstsq(constants, x, rcond=None)[0]
    scale = np.sqrt((within**2).sum(0))
    if np.any(scale < INDISTINCT * np.sqrt((x**2).sum(0)).clip(1e-300)):
        return False
    singular = np.linalg.svd(within / scale, compute_uv=False)
    return bool(singular[-1] > math.sqrt(INDISTINCT)) if len(singular) else True


def _fit(design: Floats, y: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Coefficients, the inverse of the information, and the fitted chances, by Newton's method; None: no maximum."""
    beta: Floats = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(design @ beta, -40.0, 40.0)))
        weight = chance * (1.0 - chance)
        information = design.T @ (design * weight[:, None])
        try:
            bread = np.asarray(np.linalg.inv(information), np.float64)
        except np.linalg.LinAlgError:
            return None
        step = bread @ (design.T @ (y - chance))
        if not np.all(np.isfinite(step)):
            return None
        beta = np.asarray(beta + step / max(1.0, float(np.abs(step).max())), np.float64)
        if float(np.abs(step).max()) < CLOSE:
            return beta, bread, chance
    return None


def standardized(columns: Sequence[Floats]) -> Floats:
    """Columns of shape (n,) side by side, each with mean 0 and deviation 1; constant ones are 0."""
    table = np.column_stack([np.asarray(one, np.float64) for one in columns])
    spread = table.std(0)
    return np.asarray((table - table.mean(0)) / np.where(spread > 0.0, spread, 1.0), np.float64)
