"""Rows of the store back as batches and samples, a window of sittings at a time, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, Table, bindparam, func, select

from mensura.records import schema
from mensura.records.batch import (
    Batch,
    DescriptionRow,
    Episodes,
    FaultRow,
    JournalRow,
    MeasureRow,
    PrintedRow,
    StartRow,
)
from mensura.records.cell import Cell
from mensura.records.samples import Assessed, Scores, sample_of, scores_of
from mensura.records.writing import Place
from mensura.statistics.sample import Sample

WINDOW = 4096
"""So many sittings are read at a time."""

DONE_WINDOW = 1 << 17


@cache
def _window(table: Table, *columns: str) -> Select[Any]:
    """The rows of a table that belong to the sittings of a window, in the order of its key."""
    wanted = [table.c[name] for name in columns] or list(table.c)
    key = table.c.id if table is schema.sitting else table.c.sitting
    return (
        select(*wanted)
        .where(key >= bindparam("low"), key < bindparam("high"))
        .order_by(*table.primary_key.columns)
    )


def window(
    connection: Connection, table: Table, low: int, high: int, *columns: str
) -> list[tuple[Any, ...]]:
    """The columns of the rows of some sittings; no columns if there are no rows."""
    found = connection.execute(_window(table, *columns), {"low": low, "high": high})
    return list(zip(*found.fetchall(), strict=True))


def done(connection: Connection, place: Place) -> npt.NDArray[np.bool_]:
    """Which sittings of a cell have a done-mark."""
    marks = np.zeros(place.sittings, np.bool_)
    end = place.first + place.sittings
    for low in range(place.first, end, DONE_WINDOW):
        columns = window(connection, schema.sitting, low, min(low + DONE_WINDOW, end), "id")
        if columns:
            marks[np.array(columns[0], np.int64) - place.first] = True
    return marks


def measured(connection: Connection, place: Place) -> dict[str, float]:
    """The sums of all measures of a cell, by name."""
    table = schema.measure
    query = (
        select(table.c.name, func.sum(table.c.value))
        .where(table.c.sitting >= place.first, table.c.sitting < place.first + place.sittings)
        .group_by(table.c.name)
    )
    return {name: float(total or 0.0) for name, total in connection.execute(query)}


def batches(
    connection: Connection, number: int, place: Place, size: int = WINDOW
) -> Iterator[Batch]:
    """The rows of a cell in item order, without traces, each window read in a transaction of its own.

    What is committed never changes, so that nothing is gained by holding one snapshot for long, and a long one
    would keep SQLite's log from being folded into the database.
    """
    end = place.first + place.sittings
    for low in range(place.first, end, size):
        with connection.begin():
            batch = batch_of(connection, number, place.first, low, min(low + size, end))
        if batch is not None:
            yield batch


def batch_of(connection: Connection, number: int, first: int, low: int, high: int) -> Batch | None:
    """The rows of the sittings of a window as a batch; None if none of them is done."""
    sittings = window(connection, schema.sitting, low, high)
    if not sittings:
        return None
    sitting, status, attempts, score, interactions, wall, cpu, faults, asked = sittings
    episodes = window(connection, schema.episode, low, high)
    return Batch(
        cell=number,
        item=np.array(sitting, np.int64) - first,
        score=np.array(score, np.float64),
        attempts=np.array(attempts, np.int64),
        lost=np.array(status, np.int64) == schema.LOST,
        interactions=np.array(interactions, np.int64),
        wall=np.array(wall, np.float64),
        cpu=np.array(cpu, np.float64),
        fault_count=np.array(faults, np.int64),
        asked=np.array(asked, np.float64),
        episodes=_episodes(episodes, first),
        faults=tuple(
            FaultRow(row.sitting - first, *row[2:])
            for row in _rows(connection, schema.fault, low, high)
        ),
        measures=tuple(
            MeasureRow(row.sitting - first, row.sequence, row.name, _or_nan(row.value))
            for row in _rows(connection, schema.measure, low, high)
        ),
        journals=tuple(
            JournalRow(row.sitting - first, *row[1:])
            for row in _rows(connection, schema.journal, low, high)
        ),
        descriptions=tuple(
            DescriptionRow(row.sitting - first, *row[1:])
            for row in _rows(connection, schema.description, low, high)
        ),
        printed=tuple(
            PrintedRow(row.sitting - first, row.text)
            for row in _rows(connection, schema.printed, low, high)
        ),
        starts=tuple(
            StartRow(row.sitting - first, *row[1:])
            for row in _rows(connection, schema.start, low, high)
        ),
    )


def _rows(connection: Connection, table: Table, low: int, high: int) -> Sequence[Any]:
    return connection.execute(_window(table), {"low": low, "high": high}).fetchall()


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


def _episodes(columns: Sequence[Sequence[Any]], first: int) -> Episodes:
    """Columns of the table as columns of a batch; NULL becomes nan."""
    if not columns:
        columns = [()] * len(schema.episode.c)
    (
        sitting,
        sequence,
        _,
        learning,
        environment,
        complexity,
        reward,
        interactions,
        wall,
        cpu,
        faults,
        defaults,
    ) = columns
    return Episodes(
        item=np.array(sitting, np.int64) - first,
        sequence=np.array(sequence, np.int64),
        learning=np.array(learning, np.bool_),
        environment=np.array(environment, np.int64).view(np.uint64),
        complexity=np.array(complexity, np.float64),
        reward=np.array(reward, np.float64),
        interactions=np.array(interactions, np.int64),
        wall=np.array(wall, np.float64),
        cpu=np.array(cpu, np.float64),
        faults=np.array(faults, np.int64),
        defaults=np.array(defaults, np.float64),
    )


def sample(connection: Connection, cells: Sequence[Cell], places: Sequence[Place]) -> Sample:
    """The scores of one subject under one condition: its cells in the order of repetitions."""
    parts = []
    for cell, place in zip(cells, places, strict=True):
        end = place.first + place.sittings
        for low in range(place.first, end, WINDOW):
            with connection.begin():
                found = _scores(connection, cell, place.first, low, min(low + WINDOW, end))
            if found is not None:
                parts.append((cell, found))
    return sample_of(cells[0], parts)


def _scores(connection: Connection, cell: Cell, first: int, low: int, high: int) -> Scores | None:
    """Scores of the sittings of a window; None if none of them is done."""
    sittings = window(connection, schema.sitting, low, high, "id", "score")
    if not sittings:
        return None
    names = ("sitting", "learning", "environment", "complexity", "interactions", "defaults")
    columns = window(connection, schema.episode, low, high, *names)
    sitting, learning, environment, complexity, actions, defaults = columns or [()] * len(names)
    own = ~np.array(learning, np.bool_)
    # Episodes come in their order, the assessed one last.
    measures = window(connection, schema.measure, low, high, "sitting", "name", "value")
    return scores_of(
        cell,
        np.array(sittings[0], np.int64) - first,
        np.array(sittings[1], np.float64),
        Assessed(
            np.array(sitting, np.int64)[own] - first,
            np.array(environment, np.int64).view(np.uint64)[own],
            np.array(complexity, np.float64)[own],
            np.array(actions, np.int64)[own],
            np.array(defaults, np.float64)[own],
        ),
        (
            (at - first, name, value)
            for at, name, value in zip(*(measures or [()] * 3), strict=True)
        ),
    )
