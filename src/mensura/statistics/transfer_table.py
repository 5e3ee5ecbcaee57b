"""What was measured of transfer among the tasks of a family, by learner, and the measures that follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from mensura.statistics.interval import Estimate, mean_interval
from mensura.statistics.transfer import (
    Floats,
    Margins,
    TimesToLevel,
    TimeTransfer,
    composite_time_transfer,
    forgetting,
    gain,
    jump_start,
    knowledge_transfer,
    loss,
    margins,
    parallel_transfer,
    raw_transfer,
    regret,
    split_of_budget,
    times_to_level,
    training_time_transfer,
)


@dataclass(frozen=True)
class TransferTable:
    """Performances and sizes of memories: l learners, t tasks, c checkpoints; nan where nothing was measured.

    Of two axes of tasks the first is X, what was trained in before, and the second Y.
    """

    subject: str
    tasks: tuple[str, ...]
    interactions: int
    """n: how long each phase was."""
    checkpoints: tuple[int, ...]
    """Interactions of training, rising from 0 to n."""
    shares: tuple[float, ...]
    """Which shares of a budget of n interactions were spent in X."""
    newborn: Floats
    """(l, t): P(Y, K0)."""
    raw: Floats
    """(l, t, t): P(Y, K(X, K0, n))."""
    curves: Floats
    """(l, t, c): P(X, K(X, K0, i))."""
    after: Floats
    """(l, t, t, c): P(Y, K(Y, K(X, K0, n), i))."""
    back: Floats
    """(l, t, t): P(X, K(Y, K(X, K0, n), n))."""
    more: Floats
    """(l, t): P(X, K(X, K0, 2 n)), the control of forgetting."""
    splits: Floats
    """(l, t, t, s): P(Y, K(Y, K(X, K0, m), n - m)), m being a share of n."""
    turns: Floats
    """(l, t, t): P(Y, K(X and Y by turns, n))."""
    half: Floats
    """(l, t): P(Y, K(Y, K0, n / 2))."""
    bits: Floats
    """(l, t): the memory after n interactions in X, compressed."""
    added_alone: Floats
    """(l, t, c): what training in Y from birth on added to the memory, in bits."""
    added_after: Floats
    """(l, t, t, c): what training in Y after X added to it."""
    apart: Floats
    """(t, t): the distances between tasks; nan where they are not known."""

    @classmethod
    def empty(
        cls,
        subject: str,
        tasks: tuple[str, ...],
        interactions: int,
        checkpoints: tuple[int, ...],
        shares: tuple[float, ...],
        learners: int,
    ) -> TransferTable:
        """A table in which nothing was measured yet."""
        sizes = {"l": learners, "t": len(tasks), "c": len(checkpoints), "s": len(shares)}
        shapes = {
            "newborn": "lt",
            "raw": "ltt",
            "curves": "ltc",
            "after": "lttc",
            "back": "ltt",
            "more": "lt",
            "splits": "ltts",
            "turns": "ltt",
            "half": "lt",
            "bits": "lt",
            "added_alone": "ltc",
            "added_after": "lttc",
            "apart": "tt",
        }
        arrays: dict[str, Any] = {
            name: np.full([sizes[axis] for axis in shape], np.nan) for name, shape in shapes.items()
        }
        return cls(subject, tasks, interactions, checkpoints, shares, **arrays)

    @property
    def learners(self) -> int:
        """How many learners there were."""
        return len(self.newborn)

    def matrix(self) -> list[list[Estimate]]:
        """Raw transfer: rows are what was trained in, columns what was tested."""
        tasks = range(len(self.tasks))
        return [[raw_transfer(self.raw[:, x, y]) for y in tasks] for x in tasks]

    def sure(self, x: int, y: int) -> int:
        """Whether training in X surely helps in Y at once (1), surely harms (-1), or neither (0)."""
        found = jump_start(self.raw[:, x, y], self.newborn[:, y])
        if self.learners < 2:
            return 0
        return 1 if found.low > 0.0 else -1 if found.high < 0.0 else 0

    def margins(self) -> Margins:
        """What each task teaches the others, and what of each is learned elsewhere."""
        return margins(self.raw)

    def level_of(self, y: int) -> float:
        """The level of Y where nobody names one: halfway from newborns to those who trained in Y. It is ours."""
        return float((self.newborn[:, y].mean() + self.raw[:, y, y].mean()) / 2)

    def times_alone(self, y: int, level: float) -> TimesToLevel:
        """When newborns reach a level in Y."""
        return times_to_level(self.checkpoints, self.curves[:, y], level)

    def has_pair(self, x: int, y: int) -> bool:
        """Whether Y was trained in after X."""
        return bool(np.isfinite(self.after[:, x, y]).all())

    def pair(self, x: int, y: int, level: float | None = None) -> Pair:
        """All measures of X and Y that what was measured allows."""
        raw, newborn, own = self.raw[:, x, y], self.newborn[:, y], self.raw[:, y, y]
        found: dict[str, Estimate | None] = {
            "raw transfer": raw_transfer(raw),
            "jump-start": jump_start(raw, newborn),
            "loss": loss(self.raw[:, x, x], raw),
            "regret": regret(own, raw),
        }
        times: dict[str, TimeTransfer] = {}
        reached = self.level_of(y) if level is None else level
        if self.has_pair(x, y):
            found["gain"] = gain(self.after[:, x, y, -1], own)
            found["forgetting"] = forgetting(self.raw[:, x, x], self.back[:, x, y])
            found["forgetting, control"] = forgetting(self.raw[:, x, x], self.more[:, x])
            alone = self.times_alone(y, reached)
            after = times_to_level(self.checkpoints, self.after[:, x, y], reached)
            times["training-time transfer"] = training_time_transfer(alone, after)
            times["composite time transfer"] = composite_time_transfer(
                alone, after, self.interactions
            )
            if np.isfinite(self.turns[:, x, y]).all():
                found |= self._spread(x, y)
                found["knowledge transfer [bits]"] = knowledge_transfer(
                    self.added_alone[:, y], alone, self.added_after[:, x, y], after
                )
        return Pair(
            self.tasks[x], self.tasks[y], reached, found, times, self._best_share(x, y, found)
        )

    def _best_share(self, x: int, y: int, found: Mapping[str, Estimate | None]) -> float | None:
        """The share of a budget in X with which learners do best in Y, of those that were tried, 0 and 1 included."""
        if not self.shares or not np.isfinite(self.splits[:, x, y]).all():
            return None
        regret_of = found["regret"]
        assert regret_of is not None
        tried = {0.0: 0.0, 1.0: -regret_of.value}
        for i, share in enumerate(self.shares):
            tried[share] = split_of_budget(self.splits[:, x, y, i], self.raw[:, y, y]).value
        return max(sorted(tried), key=lambda share: tried[share])

    def _spread(self, x: int, y: int) -> Mapping[str, Estimate | None]:
        """The measures of a budget that X and Y share."""
        own = self.raw[:, y, y]
        found: dict[str, Estimate | None] = {
            f"split, {share:.0%} in X": split_of_budget(self.splits[:, x, y, i], own)
            for i, share in enumerate(self.shares)
        }
        turns = self.turns[:, x, y]
        found["parallel"] = parallel_transfer(turns, self.half[:, y])
        if 0.5 in self.shares:
            in_a_row = self.splits[:, x, y, self.shares.index(0.5)]
            found["parallel, against X then Y"] = parallel_transfer(turns, in_a_row)
        return found

    def curve(self, x: int) -> list[Estimate]:
        """Performance in X after each checkpoint of training in it."""
        return [mean_interval(self.curves[:, x, i]) for i in range(len(self.checkpoints))]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            one.name: value.tolist()
            if isinstance(value := getattr(self, one.name), np.ndarray)
            else value
            for one in fields(self)
        }


@dataclass(frozen=True)
class Pair:
    """The measures of transfer from one task to another."""

    x: str
    y: str
    level: float
    """The performance in Y at which times and knowledge are told."""
    measures: Mapping[str, Estimate | None]
    """By name; None where one is not defined."""
    times: Mapping[str, TimeTransfer]
    """In interactions."""
    best_share: float | None = None
    """m / n: the share of a budget in X with which learners do best in Y; None where that was not measured."""

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "x": self.x,
            "y": self.y,
            "level": self.level,
            "best_share": self.best_share,
            "measures": {name: _plain(one) for name, one in self.measures.items()},
            "times": {
                name: {"estimate": _plain(one.estimate), "bound": one.bound}
                for name, one in self.times.items()
            },
        }


def _plain(one: Estimate | None) -> dict[str, Any] | None:
    return None if one is None else asdict(one)
