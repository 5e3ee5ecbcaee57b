"""The attempts of sittings that try one task again and again: which were solved, and what each took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mensura.core.steps import ATTEMPT
from mensura.records.batch import Batch

SOLVED, TIME, ENERGY = "solved", "time", "energy"
"""What an environment with a task tells of an episode: whether it was solved, and the seconds and joules it took."""

SITTINGS = 100
"""The attempts of so many first sittings are kept."""

LENGTH = 10_000
"""So many first attempts of each."""


class Attempted(NamedTuple):
    """The attempts of one sitting, one entry of each column an attempt, in their order."""

    item: int
    """Its number in the cell."""
    solved: tuple[bool, ...]
    time: tuple[float, ...]
    """Seconds of the task's own time."""
    energy: tuple[float, ...]
    """Joules."""
    reward: tuple[float, ...]
    """The mean reward."""


def attempted_in(batch: Batch) -> list[Attempted]:
    """The attempts of the sittings of a batch, in worlds that tell whether a task was solved; none elsewhere."""
    if not any(row.name == ATTEMPT for row in batch.measures):
        return []
    told: dict[tuple[int, int], dict[str, float]] = {}
    for row in batch.measures:
        told.setdefault((row.item, row.sequence), {})[row.name] = row.value
    episodes = batch.episodes
    rows: dict[int, list[tuple[bool, float, float, float]]] = {}
    columns = (episodes.item, episodes.sequence, episodes.learning, episodes.reward)
    for item, sequence, learning, reward in zip(*(c.tolist() for c in columns), strict=True):
        own = told.get((item, sequence), {})
        if not learning and ATTEMPT in own and SOLVED in own:
            rows.setdefault(item, []).append(
                (bool(own[SOLVED]), own.get(TIME, 0.0), own.get(ENERGY, 0.0), reward)
            )
    return [Attempted(item, *zip(*made[:LENGTH], strict=True)) for item, made in rows.items()]


def first_attempted(found: Iterable[Attempted]) -> tuple[Attempted, ...]:
    """Those of the sittings that come first."""
    return tuple(sorted(found, key=lambda one: one.item)[:SITTINGS])
