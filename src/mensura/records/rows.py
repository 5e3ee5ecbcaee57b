"""One row per assessed episode, streamed to a CSV file as the run goes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mensura.core.closing import Closing
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.results import check_writable


class EpisodeRow(NamedTuple):
    """What one assessed episode left behind."""

    subject: str
    item: int
    """The number of the sitting; all subjects meet the same environments in it."""
    sequence: int
    """The number of the episode in its sitting, training counted."""
    complexity: float
    reward: float
    """The average reward per subject and iteration."""
    interactions: int
    faults: int
    defaults: int | str
    """Actions that the environment's default was played for; empty where that was not counted."""


def rows_of(cell: Cell, batch: Batch) -> Iterator[EpisodeRow]:
    """The rows of the assessed episodes of a batch."""
    episodes = batch.episodes
    columns = (
        episodes.learning,
        episodes.item,
        episodes.sequence,
        episodes.complexity,
        episodes.reward,
        episodes.interactions,
        episodes.faults,
        episodes.defaults,
    )
    for learning, *row in zip(*(column.tolist() for column in columns), strict=True):
        if not learning:
            row[-1] = "" if row[-1] != row[-1] else int(row[-1])
            yield EpisodeRow(cell.name, *row)


class RowFile(Closing):
    """A CSV file that grows by rows and never holds them in memory."""

    def __init__(self, path: Path) -> None:
        check_writable(path)
        self._file = path.open("w", newline="", encoding="utf-8")
        self._writer = csv.writer(self._file)
        self._writer.writerow(EpisodeRow._fields)

    def write(self, rows: Iterable[EpisodeRow]) -> None:
        """Append rows."""
        self._writer.writerows(rows)
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
