"""The paths of sittings that go from one environment to the next: what each step was, as reports show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from mensura.core.contract import DIMINISHED
from mensura.core.steps import DOUBT, ERROR, RUNNING, SLOT, USED, WANTED
from mensura.records.batch import Batch

SITTINGS = 10
"""The paths of so many first sittings are kept."""

LENGTH = 200
"""So many first steps of each."""


class Step(NamedTuple):
    """One assessed episode of a sitting."""

    sequence: int
    """Its number in the sitting, from 0."""
    complexity: float | None
    """Of the environment; None where nobody measured it."""
    wanted: float | None
    """The complexity that followed from the rewards before, where the assessment goes by that."""
    used: float | None
    """The complexity that was asked of the world in its place."""
    slot: float | None
    """How long the time was, in interactions or in seconds; None where the environment ended by itself."""
    interactions: int
    seconds: float
    """That the subject took over its answers."""
    reward: float
    """What the assessment made of its rewards: their average, or that with diminishing history."""
    score: float | None
    """The running score, after this step."""
    error: float | None
    """The standard error of the running score, after this step, where the assessment told it."""

    @property
    def elsewhere(self) -> bool:
        """Whether the world had no environment of the complexity that was wanted, or none left."""
        return self.wanted is not None and self.used is not None and self.used != self.wanted


class SittingPath(NamedTuple):
    """One sitting, step by step."""

    item: int
    """Its number in the cell."""
    steps: tuple[Step, ...]
    """The first ones."""
    length: int
    """How many there were in all."""


def paths_of(batch: Batch, below: int | None = None) -> list[SittingPath]:
    """The paths of the first sittings of a batch, in their order; of items below a number only, where one is given.

    A sitting has a path where it goes from one environment to the next and tells its score on the way.
    """
    if not any(row.name == RUNNING for row in batch.measures):
        return []
    told: dict[tuple[int, int], dict[str, float]] = {}
    for row in batch.measures:
        told.setdefault((row.item, row.sequence), {})[row.name] = row.value
    telling = {item for (item, _), measures in told.items() if RUNNING in measures}
    found: list[SittingPath] = []
    for item, score in zip(batch.item.tolist(), batch.score.tolist(), strict=True):
        if len(found) == SITTINGS or (below is not None and item >= below):
            break
        if item in telling and (path := _path(batch, item, score, told)).length > 1:
            found.append(path)
    return found


def first(paths: Iterable[SittingPath]) -> tuple[SittingPath, ...]:
    """The paths of the sittings that come first."""
    return tuple(sorted(paths, key=lambda path: path.item)[:SITTINGS])


def _path(
    batch: Batch, item: int, score: float, told: Mapping[tuple[int, int], Mapping[str, float]]
) -> SittingPath:
    episodes = batch.episodes
    rows = np.flatnonzero((episodes.item == item) & ~episodes.learning)
    sequences = episodes.sequence[rows].tolist()
    measures = [told.get((item, sequence), {}) for sequence in sequences]
    # What is told of a step is what was known before it.
    at_last = {RUNNING: score, DOUBT: measures[-1].get(ERROR, math.nan)}
    known = [*measures[1:], at_last]
    steps = tuple(
        Step(
            sequence=sequence,
            complexity=_known(float(episodes.complexity[row])),
            wanted=_known(own.get(WANTED)),
            used=_known(own.get(USED)),
            slot=_known(own.get(SLOT)),
            interactions=int(episodes.interactions[row]),
            seconds=float(episodes.wall[row]),
            reward=own.get(DIMINISHED, float(episodes.reward[row])),
            score=_known(after.get(RUNNING)),
            error=_known(after.get(DOUBT)),
        )
        for row, sequence, own, after in zip(
            rows[:LENGTH], sequences[:LENGTH], measures, known, strict=False
        )
    )
    return SittingPath(item, steps, len(rows))


def _known(value: float | None) -> float | None:
    """A number, or None: nan is not equal to itself."""
    return None if value is None or math.isnan(value) else value
