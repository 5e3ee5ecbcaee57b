"""A logistic model with random judges: a constant for each machine, and judges who differ by a normal distribution.

The likelihood is computed by Gauss and Hermite's quadrature over judges and maximized; errors come from its curvature.
It stands beside intervals that assume no model, and tells how far judges differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mensura.statistics.interval import Estimate
from mensura.statistics.quantiles import normal

Floats = npt.NDArray[np.float64]

NODES = 25
FEWEST_JUDGES = 3
LARGEST = 6.0
"""Log-odds and spreads beyond this are on their way to infinity: judges are always right, or always wrong."""
STEP = 1e-4


@dataclass(frozen=True)
class MixedLogistic:
    """What was fitted."""

    right: dict[Hashable, Estimate]
    """Of each machine: the share of right identifications by a judge drawn at random, with a 95% interval."""
    spread: float
    """The standard deviation of judges, in log-odds."""


def mixed_logistic(
    right: Sequence[float], machines: Sequence[Hashable], judges: Sequence[Hashable]
) -> MixedLogistic | None:
    """The fit for games, shape (games,); None where there are too few judges, or no maximum exists.

    A game that cannot be told counts as half right and half wrong.
    """
    names, machine = codes_of(machines)
    people, judge = codes_of(judges)
    if len(people) < FEWEST_JUDGES or len(right) <= len(people):
        return None
    from scipy.optimize import minimize

    y = np.asarray(right, np.float64)
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    log_weights = np.log(weights / weights.sum())

    def loss(values: Floats) -> float:
        return -_likelihood(values, y, machine, judge, len(people), nodes, log_weights)

    start = np.zeros(len(names) + 1)
    start[-1] = 0.5  # at 0 the likelihood is flat in it
    found = minimize(loss, start, method="BFGS")
    values = np.asarray(found.x, np.float64)
    spread = abs(float(values[-1]))
    if not np.isfinite(found.fun) or np.abs(values).max() > LARGEST:
        return None
    covariance = covariance_of(loss, values)
    if covariance is None:
        return None
    shares = {
        name: _share(values, at, covariance, nodes, np.exp(log_weights), len(y))
        for at, name in enumerate(names)
    }
    return MixedLogistic(shares, spread)


def codes_of(labels: Sequence[Hashable]) -> tuple[list[Hashable], npt.NDArray[np.int64]]:
    """Labels in the order in which they come, and the number of each."""
    known: dict[Hashable, int] = {}
    codes = np.array([known.setdefault(one, len(known)) for one in labels], np.int64)
    return list(known), codes


def _likelihood(
    values: Floats,
    y: Floats,
    machine: npt.NDArray[np.int64],
    judge: npt.NDArray[np.int64],
    judges: int,
    nodes: Floats,
    log_weights: Floats,
) -> float:
    odds = values[machine][:, None] + values[-1] * nodes[None, :]
    log_right = -np.logaddexp(0.0, -odds)
    terms = y[:, None] * log_right + (1.0 - y)[:, None] * (log_right - odds)
    sums = np.zeros((judges, len(nodes)))
    np.add.at(sums, judge, terms)
    return float(np.logaddexp.reduce(sums + log_weights, axis=1).sum())


def covariance_of(loss: object, values: Floats, spreads: int = 1) -> Floats | None:
    """The inverse of the curvature, by differences; None where it is none. The last values are so many spreads."""
    assert callable(loss)
    size = len(values)
    curve = np.zeros((size, size))
    steps = np.eye(size) * STEP
    for i in range(size):
        for j in range(i, size):
            four = (
                loss(values + steps[i] + steps[j])
                - loss(values + steps[i] - steps[j])
                - loss(values - steps[i] + steps[j])
                + loss(values - steps[i] - steps[j])
            )
            curve[i, j] = curve[j, i] = four / (4 * STEP * STEP)
    # A spread of 0 has no curvature of its own; then it is held there.
    for at in range(size - spreads, size):
        if curve[at, at] <= 1e-6 or (spreads > 1 and values[at] < 10 * STEP):
            curve[at, :] = curve[:, at] = 0.0
            curve[at, at] = 1e12
    try:
        inverse = np.asarray(np.linalg.inv(curve), np.float64)
    except np.linalg.LinAlgError:
        return None
    return inverse if (np.diag(inverse) > 0).all() else None


def _share(
    values: Floats, at: int, covariance: Floats, nodes: Floats, weights: Floats, n: int
) -> Estimate:
    """The share of a judge drawn at random, its interval on the scale of log-odds (delta method)."""
    chance = 1.0 / (1.0 + np.exp(-(values[at] + values[-1] * nodes)))
    share = float((weights * chance).sum())
    slope = weights * chance * (1.0 - chance)
    gradient = np.zeros(len(values))
    gradient[at] = slope.sum()
    gradient[-1] = (slope * nodes).sum()
    error = float(np.sqrt(gradient @ covariance @ gradient))
    odds, reach = np.log(share / (1.0 - share)), normal(0.975) * error / (share * (1.0 - share))
    low, high = (float(1.0 / (1.0 + np.exp(-one))) for one in (odds - reach, odds + reach))
    return Estimate(share, low, high, 0.95, n, error)
