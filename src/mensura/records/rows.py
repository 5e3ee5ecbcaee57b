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
    """The number of the environment in the battery; all subjects meet the same."""
    complexity: float
    reward: float
    """The average reward per subject and iteration."""
    interactions: int
    faults: int


def rows_of(cell: Cell, batch: Batch) -> Iterator[EpisodeRow]:
    """The rows of the assessed episodes of a batch; interactions and faults are those of their sittings."""
    episodes = batch.episodes
    totals = dict(
        zip(
            batch.item.tolist(),
            zip(batch.interactions.tolist(), batch.fault_count.tolist(), strict=True),
            strict=True,
        )
    )
    columns = (episodes.item, episodes.learning, episodes.complexity, episodes.reward)
    for item, learning, complexity, reward in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        if not learning:
            yield EpisodeRow(cell.name, item, complexity, reward, *totals[item])


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
