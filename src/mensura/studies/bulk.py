"""Sittings by the second door: whole blocks of a compiled subject at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter, thread_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import fold_array, numbers
from mensura.core.abilities import (
    tallies,
)
from mensura.core.mixed import members_of, reward_of, seat_names
from mensura.records.batch import Batch, Episodes, MeasureRow
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

    The training of sittings that keep it comes back with them, so the block may go through the door in two parts.
    """
    cell = place.cell
    kept = min(max(0, cell.keep_training - first), count) if cell.training else 0
    parts = [
        _through(place, items, patterns, shelf, first + start, stop - start, keep)
        for start, stop, keep in ((0, kept, True), (kept, count, False))
        if start < stop
    ]
    measures = [row for part in parts for row in part.measures()]
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
        asked=np.zeros(count),
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
            defaults=np.zeros(len(item)),
        ),
        measures=tuple(measures),
    )


class _Part(NamedTuple):
    """Sittings that went through the door together."""

    first: int
    training: int
    rewards: npt.NDArray[np.float64]
    """The mean reward (Definition 2 of Chmait et al., 2016): (sittings, kept episodes)."""
    members: Mapping[str, npt.NDArray[np.float64]]
    """The same of each member of a mixed collective, by name."""
    told: Mapping[str, npt.NDArray[np.float64]]
    """What the world tells of each episode, by name."""
    keys: npt.NDArray[np.uint64]
    complexity: npt.NDArray[np.float64]
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
            np.repeat(self.complexity, kept),
            self.rewards.ravel(),
            np.full(count * kept, self.wall / episodes),
            np.full(count * kept, self.cpu / episodes),
        )

    def measures(self) -> Iterator[MeasureRow]:
        """What the world tells of each kept episode, and what each member of a mixed collective got in it."""
        count, kept = self.rewards.shape
        named = {**self.told, **{reward_of(name): got for name, got in self.members.items()}}
        for i in range(count):
            for e in range(kept):
                for name, values in named.items():
                    sequence = self.training + 1 - kept + e
                    value = float(values[i, e])
                    if value == value:  # nan: not told of this episode
                        yield MeasureRow(self.first + i, sequence, name, value)


def _through(
    place: Place, items: Any, patterns: Any, shelf: int, first: int, count: int, keep: bool
) -> _Part:
    world: Any = place.world
    cut = slice(first - shelf, first - shelf + count)
    part = replace(patterns, rows=patterns.rows[cut], complexity=patterns.complexity[cut])
    seeds = fold_array(place.stream, numbers(first, count))
    training = place.cell.training
    names = tallies(world)
    told = np.zeros((count, training + 1 if keep else 1, len(names)))
    wall, cpu = perf_counter(), thread_time()
    further = {"told": told} if names else {}
    sums = world.rollout(place.subject, part, items.resets[cut], seeds, training, keep, **further)
    wall, cpu = perf_counter() - wall, thread_time() - cpu
    rewards, members = _means(sums, world.horizon, seat_names(place.subject, place.seats))
    return _Part(
        first,
        training,
        rewards,
        members,
        {name: told[:, :, i] for i, name in enumerate(names)},
        items.keys[cut],
        part.complexity,
        wall / count,
        cpu / count,
    )


def _means(
    sums: npt.NDArray[np.float64], horizon: int, names: Sequence[str]
) -> tuple[npt.NDArray[np.float64], dict[str, npt.NDArray[np.float64]]]:
    """The mean rewards of all seats together and of each member, added up seat by seat as the step door does."""

    def mean(seats: Sequence[int]) -> npt.NDArray[np.float64]:
        total = np.zeros(sums.shape[:2])
        for seat in seats:
            total += sums[:, :, seat]
        return total / (len(seats) * horizon)

    return mean(range(len(names))), {
        name: mean([seat for seat, other in enumerate(names) if other == name])
        for name in members_of(names)
    }
