"""Sittings by the second door: whole stretches of a compiled subject at once."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter, thread_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.core.keys import fold_array, numbers
from mensura.records.batch import Batch, Episodes
from mensura.studies.place import Place


def roll_out(
    place: Place,
    items: Any,
    patterns: Any,
    shelf: int,
    first: int,
    count: int,
    attempt: int = 1,
) -> Batch:
    """Play so many sittings from ``first`` on; their environments are on a shelf that begins with item ``shelf``.

    The training of sittings that keep it comes back with them, so the stretch may go through the door in two parts.
    """
    cell = place.cell
    kept = min(max(0, cell.keep_training - first), count) if cell.training else 0
    parts = [
        _through(place, items, patterns, shelf, first + start, stop - start, keep)
        for start, stop, keep in ((0, kept, True), (kept, count, False))
        if start < stop
    ]
    item, sequence, environment, complexity, reward, wall, cpu = (
        np.concatenate(column) for column in zip(*(part.columns() for part in parts), strict=True)
    )
    return Batch(
        cell=cell.number,
        item=np.arange(first, first + count),
        score=np.concatenate([part.rewards[:, -1] for part in parts]),
        attempts=np.full(count, attempt, np.int64),
        lost=np.zeros(count, np.bool_),
        interactions=np.full(count, place.actions, np.int64),
        wall=np.concatenate([np.full(len(part.rewards), part.wall) for part in parts]),
        cpu=np.concatenate([np.full(len(part.rewards), part.cpu) for part in parts]),
        fault_count=np.zeros(count, np.int64),
        episodes=Episodes(
            item=item,
            sequence=sequence,
            learning=sequence < cell.training,
            environment=environment,
            complexity=complexity,
            reward=reward,
            interactions=np.full(len(item), place.actions // (cell.training + 1), np.int64),
            wall=wall,
            cpu=cpu,
            faults=np.zeros(len(item), np.int64),
        ),
    )


class _Part(NamedTuple):
    """Sittings that went through the door together."""

    first: int
    training: int
    rewards: npt.NDArray[np.float64]
    """(sittings, kept episodes)"""
    keys: npt.NDArray[np.uint64]
    complexity: npt.NDArray[np.int64]
    wall: float
    """Seconds of a sitting."""
    cpu: float

    def columns(self) -> tuple[npt.NDArray[Any], ...]:
        """Item, sequence, environment, complexity, reward and seconds of each kept episode."""
        count, kept = self.rewards.shape
        episodes = self.training + 1
        return (
            np.repeat(np.arange(self.first, self.first + count), kept),
            np.tile(np.arange(episodes - kept, episodes), count),
            np.repeat(self.keys, kept),
            np.repeat(self.complexity.astype(np.float64), kept),
            self.rewards.ravel(),
            np.full(count * kept, self.wall / episodes),
            np.full(count * kept, self.cpu / episodes),
        )


def _through(
    place: Place, items: Any, patterns: Any, shelf: int, first: int, count: int, keep: bool
) -> _Part:
    world: Any = place.world
    cut = slice(first - shelf, first - shelf + count)
    part = replace(patterns, rows=patterns.rows[cut], complexity=patterns.complexity[cut])
    seeds = fold_array(place.stream, numbers(first, count))
    training = place.cell.training
    wall, cpu = perf_counter(), thread_time()
    rewards = world.rollout(place.subject, part, items.resets[cut], seeds, training, keep)
    wall, cpu = perf_counter() - wall, thread_time() - cpu
    return _Part(
        first, training, rewards, items.keys[cut], part.complexity, wall / count, cpu / count
    )
