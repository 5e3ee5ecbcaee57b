"""A logistic model with random judges and random witnesses, crossed: a constant for each machine.

The likelihood is that of Laplace's approximation: random effects at their mode, which Newton's method finds, with the
curvature there. Errors come from the curvature of that likelihood in the constants and spreads. Where witnesses do not
repeat, :mod:`.mixed_logistic` has what can be told.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mensura.statistics.interval import Estimate
from mensura.statistics.mixed_logistic import FEWEST_JUDGES, LARGEST, codes_of, covariance_of
from mensura.statistics.quantiles import normal

Floats = npt.NDArray[np.float64]

NODES = 25
STEPS = 50


@dataclass(frozen=True)
class CrossedLogistic:
    """What was fitted."""

    right: dict[Hashable, Estimate]
    """Of each machine: the share of right identifications with a judge and a witness drawn at random."""
    judges: float
    """The standard deviation of judges, in log-odds."""
    witnesses: float


def crossed_logistic(
    right: Sequence[float],
    machines: Sequence[Hashable],
    judges: Sequence[Hashable],
    witnesses: Sequence[Hashable],
) -> CrossedLogistic | None:
    """The fit for games, shape (games,); None where judges or witnesses are too few or do not repeat, or no maximum is.

    A game that cannot be told counts as half right and half wrong.
    """
    names, machine = codes_of(machines)
    people, judge = codes_of(judges)
    others, witness = codes_of(witnesses)
    n = len(right)
    few = min(len(people), len(others)) < FEWEST_JUDGES
    if few or n <= len(people) or n <= len(others):
        return None
    from scipy.optimize import minimize

    y = np.asarray(right, np.float64)
    rows = np.arange(n)
    design = np.zeros((n, len(people) + len(others)))
    design[rows, judge] = 1.0
    design[rows, len(people) + witness] = 1.0
    split = len(people)

    def loss(values: Floats) -> float:
        scales = np.repeat(np.abs(values[-2:]), (split, design.shape[1] - split))
        return -_laplace(values[:-2][machine], design * scales, y)

    start = np.zeros(len(names) + 2)
    start[-2:] = 0.5
    found = minimize(loss, start, method="Nelder-Mead", options={"maxfev": 4000, "fatol": 1e-6})
    values = np.asarray(found.x, np.float64)
    values[-2:] = np.abs(values[-2:])
    if not np.isfinite(found.fun) or np.abs(values).max() > LARGEST:
        return None
    covariance = covariance_of(loss, values, spreads=2)
    if covariance is None:
        return None
    shares = {name: _share(values, at, covariance, n) for at, name in enumerate(names)}
    return CrossedLogistic(shares, float(values[-2]), float(values[-1]))


def _laplace(constants: Floats, design: Floats, y: Floats) -> float:
    """The logarithm of the likelihood, standard normal effects integrated out."""
    effects = np.zeros(design.shape[1])
    identity = np.eye(design.shape[1])
    curve = identity
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-(constants + design @ effects)))
        curve = identity + design.T @ (design * (chance * (1.0 - chance))[:, None])
        step = np.linalg.solve(curve, design.T @ (y - chance) - effects)
        effects = effects + step
        if np.abs(step).max() < 1e-8:
            break
    odds = constants + design @ effects
    log_right = -np.logaddexp(0.0, -odds)
    fit = float((y * log_right + (1.0 - y) * (log_right - odds)).sum())
    return fit - 0.5 * float(effects @ effects) - 0.5 * float(np.linalg.slogdet(curve)[1])


def _share(values: Floats, at: int, covariance: Floats, n: int) -> Estimate:
    """The share over judges and witnesses drawn at random, its interval on the scale of log-odds (delta method)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    spread = float(np.hypot(values[-2], values[-1]))
    chance = 1.0 / (1.0 + np.exp(-(values[at] + spread * nodes)))
    share = float((weights * chance).sum())
    slope = weights * chance * (1.0 - chance)
    gradient = np.zeros(len(values))
    gradient[at] = slope.sum()
    if spread > 0:
        gradient[-2:] = (slope * nodes).sum() * values[-2:] / spread
    error = float(np.sqrt(gradient @ covariance @ gradient))
    odds, reach = np.log(share / (1.0 - share)), normal(0.975) * error / (share * (1.0 - share))
    low, high = (float(1.0 / (1.0 + np.exp(-one))) for one in (odds - reach, odds + reach))
    return Estimate(share, low, high, 0.95, n, error)
