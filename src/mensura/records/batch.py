"""What a stretch of sittings left behind, as columns: workers make it, the coordinator commits it.

It is plain data that any process can send to another. Nothing in it depends on where, when or beside whom the
sittings were played, except the seconds that they took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Episodes:
    """The episodes of a batch, one entry of each column an episode, in the order of sittings and episodes."""

    item: npt.NDArray[np.int64]
    """The number of the sitting in its cell."""
    sequence: npt.NDArray[np.int64]
    """The number of the episode in its sitting, training included, from 0."""
    learning: npt.NDArray[np.bool_]
    """Training, or assessed."""
    environment: npt.NDArray[np.uint64]
    """The key that the environment was sampled with."""
    complexity: npt.NDArray[np.float64]
    """By the assessment's measure; nan where nobody measured it."""
    reward: npt.NDArray[np.float64]
    """The average reward per subject and iteration."""
    interactions: npt.NDArray[np.int64]
    """Actions of all seats."""
    wall: npt.NDArray[np.float64]
    """Seconds that the subject took over its answers; of compiled subjects, over the whole episode."""
    cpu: npt.NDArray[np.float64]
    """Seconds of processor time of the subject; nan where it cannot be told."""
    faults: npt.NDArray[np.int64]
    """How many there were in the episode."""
    defaults: npt.NDArray[np.float64]
    """Actions that the environment's default was played for; nan in records of versions that did not count them."""

    def __len__(self) -> int:
        return len(self.item)


class FaultRow(NamedTuple):
    """One fault of one seat."""

    item: int
    sequence: int
    seat: int
    interaction: int
    kind: str
    detail: str


class MeasureRow(NamedTuple):
    """A further measure of an episode, by name: messages sent, tokens, coverage."""

    item: int
    sequence: int
    name: str
    value: float


class JournalRow(NamedTuple):
    """Every answer of one episode, compressed: see :mod:`mensura.records.journal`."""

    item: int
    sequence: int
    answers: bytes


class DescriptionRow(NamedTuple):
    """The environment of an episode that was made by hand, so that no key can give it back."""

    item: int
    sequence: int
    json: str


class StartRow(NamedTuple):
    """The checkpoint that an episode began in."""

    item: int
    sequence: int
    snapshot: str


class PrintedRow(NamedTuple):
    """What the subject printed in a sitting, shortened."""

    item: int
    text: str


class TraceFile(NamedTuple):
    """A compressed columnar file with every interaction of some sittings."""

    items: tuple[int, ...]
    content: bytes


@dataclass(frozen=True)
class Batch:
    """What a stretch of sittings of one cell left behind, one entry of each column a sitting."""

    cell: int
    """The number of the cell in its run."""
    item: npt.NDArray[np.int64]
    """The number of the sitting in its cell, rising."""
    score: npt.NDArray[np.float64]
    attempts: npt.NDArray[np.int64]
    """How often the sitting was begun, this time included."""
    lost: npt.NDArray[np.bool_]
    """The worker died each time: the subject was taken as absent."""
    interactions: npt.NDArray[np.int64]
    """Actions of all seats over all episodes of the sitting, training included, kept or not."""
    wall: npt.NDArray[np.float64]
    """Seconds that the subject took over the sitting, as for episodes."""
    cpu: npt.NDArray[np.float64]
    """Seconds of processor time of the subject over the sitting; nan where it cannot be told."""
    fault_count: npt.NDArray[np.int64]
    """Faults over all episodes of the sitting."""
    asked: npt.NDArray[np.float64]
    """Questions that were put to the subject over all episodes; nan in records of versions that did not count them."""
    episodes: Episodes
    """The assessed episodes, and those of training in sittings that keep them."""
    faults: tuple[FaultRow, ...] = ()
    measures: tuple[MeasureRow, ...] = ()
    journals: tuple[JournalRow, ...] = ()
    descriptions: tuple[DescriptionRow, ...] = ()
    printed: tuple[PrintedRow, ...] = ()
    traces: tuple[TraceFile, ...] = ()
    starts: tuple[StartRow, ...] = ()

    def __len__(self) -> int:
        return len(self.item)


def concatenated(batches: Sequence[Batch]) -> Batch:
    """Batches of neighboring sittings of one cell as one."""
    joined: dict[str, Any] = {
        one.name: _joined([getattr(batch, one.name) for batch in batches]) for one in fields(Batch)
    }
    return Batch(**joined)


def _joined(values: Sequence[Any]) -> Any:
    """The same field of several batches as one."""
    first = values[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(values)
    if isinstance(first, tuple):
        return tuple(row for rows in values for row in rows)
    if isinstance(first, Episodes):
        columns = {
            one.name: _joined([getattr(value, one.name) for value in values])
            for one in fields(Episodes)
        }
        return Episodes(**columns)
    return first
