"""Measures of transfer from a task X to a task Y, over learners.

They are those of section 4.2 of Evaluation of General-Purpose Artificial Intelligence: Why, What and How (Bieger,
Thorisson, Steunebrink, Thorarensen and Sigurdardottir, 2016).

P(Y, K) is how well a learner with the knowledge K does in Y, a mean reward in [-1, 1], and K(X, K0, n) what a newborn
knows after n interactions of training in X. Arrays of performance have shape (learners,): number i of all of them is
the same learner with the same draws, so differences are paired and intervals are over learners. The paper's formulas
and sentences disagree in places; each function says what it computes where the paper says something else.
"""

from __future__ import annotations

import lzma
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.statistics.interval import ROUNDING, Estimate, difference, finite, mean_interval
from mensura.statistics.survival import Survival, kaplan_meier

Floats = npt.NDArray[np.float64]

Bound: TypeAlias = Literal["", "at least", "at most", "undefined"]
"""What a difference of times says where some learners did not reach the level: itself, a bound, or nothing."""


def raw_transfer(y_from_x: ArrayLike, level: float = 0.95) -> Estimate:
    """P(Y, K(X, K0, n)), in [-1, 1]: how well learners do in Y who were trained in X."""
    return mean_interval(y_from_x, level).within(-1.0, 1.0)


def jump_start(y_from_x: ArrayLike, y_newborn: ArrayLike, level: float = 0.95) -> Estimate:
    """P(Y, K(X, K0, n)) - P(Y, K0), in [-2, 2]: what training in X is worth in Y at once."""
    return _difference(y_from_x, y_newborn, level)


def loss(x_from_x: ArrayLike, y_from_x: ArrayLike, level: float = 0.95) -> Estimate:
    """P(X, K(X, K0, n)) - P(Y, K(X, K0, n)), in [-2, 2]: how much worse than in X learners do in Y.

    The paper speaks of a difference and leaves its order open. It mixes how hard X and Y are.
    """
    return _difference(x_from_x, y_from_x, level)


def regret(y_from_y: ArrayLike, y_from_x: ArrayLike, level: float = 0.95) -> Estimate:
    """P(Y, K(Y, K0, n)) - P(Y, K(X, K0, n)), in [-2, 2]: what it costs to have trained in the wrong task.

    This is what the words of the paper describe; its formula is that of the loss.
    """
    return _difference(y_from_y, y_from_x, level)


def gain(y_after_x: ArrayLike, y_alone: ArrayLike, level: float = 0.95) -> Estimate:
    """P(Y, K(Y, K(X, K0, k), n)) - P(Y, K(Y, K0, n)), in [-2, 2]: what X before Y adds, by k more interactions.

    The paper prints the first term only.
    """
    return _difference(y_after_x, y_alone, level)


def split_of_budget(y_split: ArrayLike, y_alone: ArrayLike, level: float = 0.95) -> Estimate:
    """B(m) = P(Y, K(Y, K(X, K0, m), n - m)) - P(Y, K(Y, K0, n)), in [-2, 2]: m of n interactions spent in X.

    B(0) is 0, and B(n) is the regret with the other sign.
    """
    return _difference(y_split, y_alone, level)


def forgetting(x_before: ArrayLike, x_after: ArrayLike, level: float = 0.95) -> Estimate:
    """P(X, K_X) - P(X, K(Y, K_X, m)), in [-2, 2]: what is lost of X by training in Y.

    Backward transfer is its negative. The control is the same with m more interactions in X in the place of Y.
    """
    return _difference(x_before, x_after, level)


def parallel_transfer(y_by_turns: ArrayLike, y_half: ArrayLike, level: float = 0.95) -> Estimate:
    """P(Y, K(X and Y by turns, n)) - P(Y, K(Y, K0, n / 2)), in [-2, 2]: what X beside Y adds."""
    return _difference(y_by_turns, y_half, level)


def _difference(one: ArrayLike, two: ArrayLike, level: float) -> Estimate:
    return difference(one, two, paired=True, level=level).within(-2.0, 2.0)


# Time until a level is reached --------------------------------------------------------


@dataclass(frozen=True)
class TimesToLevel:
    """When each learner reached a level in training."""

    times: Floats
    """(learners,): interactions; the budget where the level was not reached."""
    reached: npt.NDArray[np.bool_]
    """(learners,)"""
    checkpoints: npt.NDArray[np.int64]
    """(learners,): the checkpoint at which it was seen, from 0 on, where 0 is before training; -1 where it was not."""
    budget: float

    def survival(self) -> Survival:
        """Kaplan and Meier's estimate; who knew it before training counts with one interaction."""
        return kaplan_meier(np.maximum(self.times, 1.0), self.reached)


def times_to_level(interactions: ArrayLike, curves: ArrayLike, level: float) -> TimesToLevel:
    """T^(P=y): when each learner first reaches a level at two checkpoints in a row.

    ``interactions``, shape (c,), rise from 0, which is before training, to the budget; ``curves``, shape (learners, c),
    are performances then. Between two checkpoints time is interpolated linearly in its logarithm, before the first one
    linearly. Who reaches the level only at the last checkpoint has not been seen to keep it.
    """
    at = finite(interactions)
    table = finite(curves, flat=False)
    if at.size < 2 or at[0] != 0.0 or (np.diff(at) <= 0).any():
        raise ValueError("checkpoints rise from 0, and there are at least two")
    if table.ndim != 2 or table.shape[1] != at.size:
        raise ValueError(f"curves of shape {table.shape} do not match {at.size} checkpoints")
    above = table >= level - ROUNDING
    twice = above[:, :-1] & above[:, 1:]
    reached = np.asarray(twice.any(axis=1), np.bool_)
    first = np.where(reached, twice.argmax(axis=1), -1)
    times = np.array(
        [_crossing(at, row, int(i), level) for row, i in zip(table, first, strict=True)], np.float64
    )
    return TimesToLevel(times, reached, first.astype(np.int64), float(at[-1]))


def _crossing(at: Floats, row: Floats, i: int, level: float) -> float:
    """When a curve crosses a level on its way to checkpoint i; the budget where it does not."""
    if i < 0:
        return float(at[-1])
    if i == 0:
        return 0.0
    share = (level - row[i - 1]) / (row[i] - row[i - 1])
    share = min(max(float(share), 0.0), 1.0)
    if at[i - 1] == 0.0:
        return share * float(at[i])
    before, then = float(at[i - 1]), float(at[i])
    return before * math.pow(then / before, share)


@dataclass(frozen=True)
class TimeTransfer:
    """Interactions that are saved, and what the number is where some learners did not reach the level."""

    estimate: Estimate | None
    """None where it is not defined: nobody reached the level, either way."""
    bound: Bound


def training_time_transfer(
    alone: TimesToLevel, after_x: TimesToLevel, level: float = 0.95
) -> TimeTransfer:
    """T(Y, K0) - T(Y, K(X, K0, n)): the training in Y that is saved by X. The paper prints the second term.

    Who did not reach the level counts with the budget, at which all were watched for the last time: the difference of
    the means is that of Kaplan and Meier's restricted ones. Where that happened without X it is a lower bound, where it
    happened after X an upper one.
    """
    if not (alone.reached.any() or after_x.reached.any()):
        return TimeTransfer(None, "undefined")
    found = difference(alone.times, after_x.times, paired=True, level=level)
    short, late = not alone.reached.all(), not after_x.reached.all()
    if short and late:
        return TimeTransfer(found, "undefined")
    return TimeTransfer(found, "at least" if short else "at most" if late else "")


def composite_time_transfer(
    alone: TimesToLevel, after_x: TimesToLevel, spent_in_x: int, level: float = 0.95
) -> TimeTransfer:
    """The training-time transfer minus what the training in X took: above 0, to teach X first pays.

    The words of the paper add the time in X to the saving; its formula is the total T(Y, K_X) + n.
    """
    saved = training_time_transfer(alone, after_x, level)
    if saved.estimate is None:
        return saved
    one = saved.estimate
    moved = Estimate(
        one.value - spent_in_x,
        one.low - spent_in_x,
        one.high - spent_in_x,
        one.level,
        one.n,
        one.standard_error,
    )
    return TimeTransfer(moved, saved.bound)


# Knowledge -----------------------------------------------------------------------------


def compressed_bits(data: bytes) -> int:
    """C(data): the length in bits that LZMA makes of it, without headers; an upper bound of its information."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
    return 8 * len(lzma.compress(data, format=lzma.FORMAT_RAW, filters=filters))


def added_bits(memory: bytes, before: bytes) -> int:
    """C(memory given before) = C(both) - C(before), at least 0."""
    return max(compressed_bits(before + memory) - compressed_bits(before), 0)


def knowledge_transfer(
    bits_alone: ArrayLike,
    alone: TimesToLevel,
    bits_after_x: ArrayLike,
    after_x: TimesToLevel,
    level: float = 0.95,
) -> Estimate | None:
    """C(K_Y given K0) - C(K_XY given K_X), bits: what had to be learned in Y for a level, without and with X.

    Both arrays have shape (learners, checkpoints) and hold what was added since training in Y began; a learner counts
    with the checkpoint at which it reached the level. None if any did not, or nothing was saved. The paper asks for the
    minimum amount of knowledge and gives no unit.
    """
    one, two = np.asarray(bits_alone, np.float64), np.asarray(bits_after_x, np.float64)
    if not (alone.reached.all() and after_x.reached.all()):
        return None
    learners = np.arange(len(one))
    needed = one[learners, alone.checkpoints], two[learners, after_x.checkpoints]
    if not all(np.isfinite(values).all() for values in needed):
        return None
    return difference(*needed, paired=True, level=level)


# Distance ------------------------------------------------------------------------------

Norm: TypeAlias = Literal["manhattan", "euclidean", "chebyshev"]
NORMS: tuple[Norm, ...] = get_args(Norm)
_ORDERS: Mapping[Norm, float] = {"manhattan": 1.0, "euclidean": 2.0, "chebyshev": math.inf}


def distances(properties: ArrayLike, norm: Norm = "manhattan") -> Floats:
    """The distances between tasks (section 2), shape (tasks, tasks), from properties of shape (tasks, p).

    Each property is divided by its spread over the family, from the least to the largest; one without any is left out.
    It is a pseudometric: different tasks may have the same properties. The paper's sums have one term too many.
    """
    table = finite(properties, flat=False)
    spread = np.ptp(table, axis=0)
    scaled = table[:, spread > 0.0] / spread[spread > 0.0]
    if not scaled.shape[1]:
        return np.zeros((len(table), len(table)))
    gaps = scaled[:, None, :] - scaled[None, :, :]
    return np.asarray(np.linalg.norm(gaps, ord=_ORDERS[norm], axis=2), np.float64)


def at_equal_distance(transfer: ArrayLike, apart: ArrayLike) -> Floats:
    """Transfer between different tasks as if all were equally far apart: what a straight line in D tells is taken out.

    Both have shape (tasks, tasks); what stands for a task itself, on the diagonal, is not a number. It is ours, not the
    paper's: a row with a high mean teaches more than its nearness to the others explains.
    """
    values, gap = finite(transfer, flat=False), finite(apart, flat=False)
    off = ~np.eye(len(values), dtype=np.bool_)
    x = gap[off] - gap[off].mean()
    squares = float((x * x).sum())
    slope = float((x * values[off]).sum()) / squares if squares > 0.0 else 0.0
    out = np.where(off, values - slope * (gap - gap[off].mean()), np.nan)
    return out.astype(np.float64)


# A matrix over a family ------------------------------------------------------------------


@dataclass(frozen=True)
class Margins:
    """Means over the rows and columns of a matrix, without its diagonal."""

    rows: tuple[Estimate, ...]
    """What a task teaches the others."""
    columns: tuple[Estimate, ...]
    """What of a task is learned elsewhere."""


def margins(matrix: ArrayLike, level: float = 0.95) -> Margins:
    """The means of a matrix of shape (learners, tasks, tasks), tasks >= 2, intervals over learners."""
    table = finite(matrix, flat=False)
    tasks = table.shape[1]
    off = ~np.eye(tasks, dtype=np.bool_)

    def means(of: Sequence[Floats]) -> tuple[Estimate, ...]:
        return tuple(raw_transfer(values.mean(axis=1), level) for values in of)

    return Margins(
        means([table[:, i, off[i]] for i in range(tasks)]),
        means([table[:, off[:, j], j] for j in range(tasks)]),
    )
