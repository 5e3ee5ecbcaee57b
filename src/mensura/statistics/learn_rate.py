"""The learn rate of a subject in a class of tasks: how the time to a level depends on complexity and size.

Section 4.2 of Evaluation of General-Purpose Artificial Intelligence: Why, What and How (Bieger, Thorisson, Steunebrink,
Thorarensen and Sigurdardottir, 2016) asks for it and gives no formula. Ours is

    log T = -r + b c + d log s + noise

over tasks of complexity c and size s, T being the interactions until a level of performance is reached; r is the learn
rate. Times that were not seen to end are censored, and known to be longer than the training; who was at the level
before training needed one interaction or less. So it is Tobin's (1958) regression with normal noise, by the EM
algorithm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.statistics.interval import Estimate, finite
from mensura.statistics.transfer import Floats

RESAMPLES = 200
"""How often tasks are drawn anew for the intervals."""

FOLDS = 10
"""In so many parts tasks are held out, a part at a time."""

LEAST_TASKS = 6
_COVERED = 0.9
_STEPS = 500


@dataclass(frozen=True)
class Times:
    """When learners reached a level: t tasks, l learners."""

    times: Floats
    """(t, l): interactions; the length of the training where the level was not reached."""
    reached: npt.NDArray[np.bool_]
    """(t, l)"""
    complexity: Floats
    """(t,)"""
    size: Floats
    """(t,): states or cells; nan where nobody knows."""

    @property
    def columns(self) -> list[str]:
        """What the time can depend on here: whatever differs among tasks, and is known."""
        found = [("complexity", self.complexity), ("size", self.size)]
        return [name for name, values in found if _varies(values)]

    def design(self) -> Floats:
        """(t, p): what stands beside each coefficient, a column of ones first."""
        known = {"complexity": self.complexity, "size": np.log(np.maximum(self.size, 1.0))}
        rows = [np.ones(len(self.complexity)), *(known[name] for name in self.columns)]
        return np.column_stack(rows)


@dataclass(frozen=True)
class HeldOut:
    """How well times in tasks are told that were not fitted to."""

    error: float
    """The mean absolute error of log T; of times that were not seen to end, by how much they are told too short."""
    error_of_mean: float
    """The same where every time is told to be the mean of the others."""
    coverage: float
    """The share of times in their 90% interval."""
    tasks: int


@dataclass(frozen=True)
class LearnRate:
    """A learn rate with its coefficients."""

    rate: Estimate
    """r"""
    by_complexity: Estimate | None
    """b: what one more unit of complexity adds to log T; None where all tasks have the same."""
    by_size: Estimate | None
    """d: by which power of the size T grows."""
    noise: float
    """The standard deviation of log T that is left."""
    tasks: int
    learners: int
    censored: float
    """The share of times that were not seen to end."""
    held_out: HeldOut

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return asdict(self)


def learn_rate(times: Times, seed: int = 0) -> LearnRate | None:
    """The learn rate with 95% intervals, over tasks drawn anew with their learners.

    None where nobody reached the level. At least six tasks are needed.
    """
    tasks, learners = times.times.shape
    if tasks < LEAST_TASKS:
        raise ValueError(f"{tasks} tasks are too few for a learn rate; {LEAST_TASKS} is the least")
    if not times.reached.any():
        return None
    design = times.design()
    beta, noise = _fit(design, times)
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = []
    for _ in range(RESAMPLES):
        some = np.asarray(rng.integers(tasks, size=(tasks,)), np.int64)
        own = part(times, some)
        if own.reached.any() and np.linalg.matrix_rank(design[some]) == design.shape[1]:
            drawn.append(_fit(design[some], own)[0])
    spread = np.array(drawn)

    def estimate(at: int, sign: float = 1.0) -> Estimate:
        if len(spread) < RESAMPLES // 2:
            return Estimate(sign * beta[at], -math.inf, math.inf, 0.95, tasks, math.nan)
        values = sign * spread[:, at]
        low, high = np.quantile(values, [0.025, 0.975])
        return Estimate(
            float(sign * beta[at]), float(low), float(high), 0.95, tasks, float(values.std(ddof=1))
        )

    columns = times.columns
    found: Mapping[str, Estimate] = {name: estimate(1 + columns.index(name)) for name in columns}
    return LearnRate(
        estimate(0, -1.0),
        found.get("complexity"),
        found.get("size"),
        noise,
        tasks,
        learners,
        float(1.0 - times.reached.mean()),
        _held_out(times, rng),
    )


def predicted(times: Times) -> Floats:
    """(t,): the log of the time that the model tells for each task, fitted to all of them."""
    design = times.design()
    return np.asarray(design @ _fit(design, times)[0], np.float64)


def _held_out(times: Times, rng: np.random.Generator) -> HeldOut:
    """Leave out tasks, part by part, and tell their times from the others."""
    tasks = len(times.complexity)
    order = rng.permutation(tasks)
    errors: list[float] = []
    plain: list[float] = []
    covered: list[bool] = []
    for left_out in np.array_split(order, min(FOLDS, tasks)):
        rest = np.setdiff1d(order, left_out)
        known = part(times, rest)
        if not known.reached.any():
            continue
        design = times.design()
        if np.linalg.matrix_rank(design[rest]) < design.shape[1]:
            continue
        beta, noise = _fit(design[rest], known)
        (mean,), _ = _fit(np.ones((len(rest), 1)), known)
        inverse = np.linalg.inv(design[rest].T @ design[rest] * known.times.shape[1])
        for task in left_out:
            told = float(design[task] @ beta)
            width = _quantile() * noise * math.sqrt(1.0 + design[task] @ inverse @ design[task])
            for time, reached in zip(times.times[task], times.reached[task], strict=True):
                low, high = _bounds(float(time), bool(reached))
                errors.append(_miss(told, low, high))
                plain.append(_miss(float(mean), low, high))
                covered.append(told - width <= high and low <= told + width)
    if not errors:
        return HeldOut(math.nan, math.nan, math.nan, 0)
    return HeldOut(float(np.mean(errors)), float(np.mean(plain)), float(np.mean(covered)), tasks)


def _bounds(time: float, reached: bool) -> tuple[float, float]:
    """Between which values the log of a time lies."""
    if not reached:
        return math.log(max(time, 1.0)), math.inf
    if time <= 1.0:
        return -math.inf, 0.0
    return math.log(time), math.log(time)


def _miss(told: float, low: float, high: float) -> float:
    return max(low - told, told - high, 0.0)


def _quantile() -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + _COVERED) / 2))


def _fit(design: Floats, times: Times) -> tuple[Floats, float]:
    """Tobin's regression by EM: coefficients of shape (p,), and the standard deviation of the noise."""
    from scipy.special import log_ndtr

    learners = times.times.shape[1]
    x = np.repeat(design, learners, axis=0)
    flat, reached = times.times.ravel(), times.reached.ravel()
    y = np.log(np.maximum(flat, 1.0))
    late, early = ~reached, reached & (flat <= 1.0)
    inverse = np.linalg.pinv(x)
    beta = inverse @ y
    noise = max(float(np.std(y - x @ beta)), 1e-3)
    side = np.where(late, 1.0, -1.0)
    hidden = late | early
    for _ in range(_STEPS):
        mean = x @ beta
        z = (y - mean) / noise
        # The hazard of a normal variable beyond the bound, on the side where it lies.
        ratio = np.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - log_ndtr(-side * z))
        filled = np.where(hidden, mean + side * noise * ratio, y)
        variance = np.where(hidden, noise**2 * (1.0 + side * z * ratio - ratio**2), 0.0)
        new = inverse @ filled
        left = filled - x @ new
        scale = math.sqrt(max(float(np.mean(left**2 + variance)), 1e-12))
        done = np.abs(new - beta).max() < 1e-9 and abs(scale - noise) < 1e-9
        beta, noise = new, max(scale, 1e-6)
        if done:
            break
    return np.asarray(beta, np.float64), noise


def part(times: Times, tasks: Sequence[int] | npt.NDArray[np.int64]) -> Times:
    """The times of some tasks, by number."""
    return Times(
        times.times[tasks], times.reached[tasks], times.complexity[tasks], times.size[tasks]
    )


def _varies(values: ArrayLike) -> bool:
    found = np.asarray(values, np.float64)
    return bool(np.isfinite(found).all() and np.ptp(finite(found)) > 0.0)
