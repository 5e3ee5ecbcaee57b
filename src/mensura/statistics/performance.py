"""Performance: accuracy, time and energy in one number, how it stands between chance and the best, and a wanted level.

Section 4.1 of Evaluation of General-Purpose Artificial Intelligence: Why, What & How (Bieger and others, 2016), settled
as P = w_a a + w_t (2 tau - 1) + w_e (2 eps - 1) in [-1, 1]: a is the accuracy in [-1, 1], tau = t_min / t and
eps = e_min / e of a solved episode and 0 of an unsolved one. Across tasks P* = (P - P_random) / (P_best - P_random),
not clipped, and undefined where the interval of the denominator holds 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.statistics.bootstrap import RESAMPLES, percentiles, tails
from mensura.statistics.interval import ROUNDING, Estimate, Floats, difference, finite
from mensura.statistics.quantiles import student_t_above


class Weights(NamedTuple):
    """How much accuracy, time and energy count: w_a, w_t and w_e."""

    accuracy: float = 1.0
    time: float = 0.0
    energy: float = 0.0


def weights_from(given: Sequence[float]) -> Weights:
    """Three weights from 0 on whose sum is 1; a sentence where they are none."""
    if len(given) != 3 or not all(math.isfinite(one) and one >= 0.0 for one in given):
        shown = ", ".join(f"{one:g}" for one in given)
        raise MensuraError(
            f"The weights {shown} are none: accuracy, time and energy have one each, from 0 on, as 0.5, 0.25, 0.25."
        )
    if abs(sum(given) - 1.0) > ROUNDING:
        raise MensuraError(
            f"The weights of accuracy, time and energy sum to {sum(given):g}; their sum is 1."
        )
    return Weights(*map(float, given))


def efficiency(used: ArrayLike, least: ArrayLike, solved: ArrayLike) -> Floats:
    """Tau or eps: the least time (energy) by that which was used, in [0, 1], and 0 of unsolved episodes; shape (n,).

    Who uses less than what was the least so far is as good as can be told, 1.
    """
    spent, fewest = finite(used), finite(least)
    share = np.divide(fewest, spent, out=np.ones_like(spent), where=spent > 0.0)
    return np.where(np.asarray(solved, np.float64) > 0.0, np.clip(share, 0.0, 1.0), 0.0)


def performance(
    accuracy: ArrayLike,
    weights: Weights = Weights(),  # noqa: B008 - it is a tuple
    *,
    tau: ArrayLike | None = None,
    eps: ArrayLike | None = None,
) -> Floats:
    """P of each episode, shape (n,); refused where a weight is above 0 and the least time or energy is not known."""
    total = weights_from(weights).accuracy * finite(accuracy)
    for weight, share, what in ((weights.time, tau, "time"), (weights.energy, eps, "energy")):
        if weight == 0.0:
            continue
        if share is None:
            raise MensuraError(
                f"The least {what} of these episodes is not known, so {what} cannot count; its weight is 0 here."
            )
        total = total + weight * (2.0 * finite(share) - 1.0)
    return np.asarray(total, np.float64)


def normalized(
    own: ArrayLike,
    chance: ArrayLike,
    best: ArrayLike,
    key: Key,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Estimate | None:
    """P* of episodes, shape (n,) each, number i of all in the same environment; None where it is undefined.

    Whole environments are drawn anew for the interval.
    """
    p, low, high = finite(own), finite(chance), finite(best)
    if p.size < 2:
        return None
    room = difference(high, low, paired=True, level=level)
    if 0.0 in room:
        return None
    rng = np.random.default_rng(key)
    drawn = rng.integers(0, p.size, (resamples, p.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = (p - low)[drawn].mean(axis=1) / (high - low)[drawn].mean(axis=1)
    draws = draws[np.isfinite(draws)]
    ends = percentiles(draws, tails(level, [p[:, None]]))
    value = float((p - low).mean()) / room.value
    return Estimate(value, float(ends[0]), float(ends[1]), level, p.size, float(draws.std(ddof=1)))


def loss_in_p_star(
    x_from_x: tuple[ArrayLike, ArrayLike, ArrayLike],
    y_from_x: tuple[ArrayLike, ArrayLike, ArrayLike],
    key: Key,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Estimate | None:
    """The loss of transfer in P*: that of X minus that of Y, both after training in X.

    Each is performance, that of acting at random and that of the best reference, shape (learners,). The plain loss
    mixes how hard X and Y are; here each is measured by what can be had in it. None where either P* is undefined.
    """
    sides = [tuple(finite(one) for one in side) for side in (x_from_x, y_from_x)]
    learners = sides[0][0].size
    if learners < 2:
        return None
    if any(0.0 in difference(best, chance, paired=True) for _, chance, best in sides):
        return None

    def lost(rows: np.ndarray) -> Floats:
        shares = [
            (p - chance)[rows].mean(axis=-1) / (best - chance)[rows].mean(axis=-1)
            for p, chance, best in sides
        ]
        return np.asarray(shares[0] - shares[1], np.float64)

    rng = np.random.default_rng(key)
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = lost(rng.integers(0, learners, (resamples, learners)))
    draws = draws[np.isfinite(draws)]
    ends = percentiles(draws, tails(level, [sides[0][0][:, None]]))
    value = float(lost(np.arange(learners)))
    return Estimate(
        value, float(ends[0]), float(ends[1]), level, learners, float(draws.std(ddof=1))
    )


def probability_above(estimate: Estimate, level: float) -> float:
    """How likely the truth is above a level, by Student's t about the estimate; nan where the error is not known.

    It is the probability that goes with the interval: that of a flat prior.
    """
    error = estimate.standard_error
    if estimate.n < 2 or not math.isfinite(error):
        return math.nan
    gap = estimate.value - level
    if error == 0.0:
        return 0.5 if gap == 0.0 else float(gap > 0.0)
    above = student_t_above(abs(gap) / error, estimate.n - 1)
    return 1.0 - above if gap > 0.0 else above
