"""Batches as rows of the store, and the quickest way into each database for them.

The insert of a table is compiled once and handed plain tuples; PostgreSQL is sent them as one COPY.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, Table, insert, select
from sqlalchemy.exc import DBAPIError

from mensura.agent.errors import MensuraError
from mensura.records import schema
from mensura.records.encoding import clean, counts_or_none, or_none

if TYPE_CHECKING:
    from mensura.records.batch import Batch

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Place:
    """What the rows of a cell need to know of it."""

    first: int
    """The number of its first sitting."""
    sittings: int
    configuration: int


def places(connection: Connection, run: int) -> list[Place]:
    """The places of the cells of a run, by number."""
    cell = schema.cell
    found = connection.execute(
        select(cell.c.first_sitting, cell.c.sittings, cell.c.configuration)
        .where(cell.c.run == run)
        .order_by(cell.c.number)
    )
    return [Place(*row) for row in found]


def rows_of(
    batches: Sequence[Batch], places: Sequence[Place], traces: Mapping[bytes, bytes]
) -> dict[Table, list[Row]]:
    """The rows of batches by table, sittings before what belongs to them; traces gives the hash of each content."""
    rows: dict[Table, list[Row]] = {schema.sitting: []}
    rows.update((table, []) for table in schema.OF_SITTINGS)
    for batch in batches:
        place = _place(batch, places)
        first = place.first
        rows[schema.sitting] += zip(
            (batch.item + first).tolist(),
            np.where(batch.lost, schema.LOST, schema.DONE).tolist(),
            batch.attempts.tolist(),
            batch.score.tolist(),
            batch.interactions.tolist(),
            batch.wall.tolist(),
            or_none(batch.cpu),
            batch.fault_count.tolist(),
            counts_or_none(batch.asked),
            strict=True,
        )
        one = batch.episodes
        rows[schema.episode] += zip(
            (one.item + first).tolist(),
            one.sequence.tolist(),
            itertools.repeat(place.configuration, len(one)),
            one.learning.tolist(),
            one.environment.view(np.int64).tolist(),
            or_none(one.complexity),
            one.reward.tolist(),
            one.interactions.tolist(),
            one.wall.tolist(),
            or_none(one.cpu),
            one.faults.tolist(),
            counts_or_none(one.defaults),
            strict=True,
        )
        seen: dict[int, int] = {}
        for fault in batch.faults:
            number = seen.get(fault.item, 0)
            seen[fault.item] = number + 1
            rows[schema.fault].append(
                (first + fault.item, number, *fault[1:4], clean(fault.kind), clean(fault.detail))
            )
        rows[schema.measure] += (
            (first + row.item, row.sequence, clean(row.name), _or_none(row.value))
            for row in batch.measures
        )
        rows[schema.journal] += ((first + r.item, r.sequence, r.answers) for r in batch.journals)
        rows[schema.description] += (
            (first + r.item, r.sequence, clean(r.json)) for r in batch.descriptions
        )
        rows[schema.printed] += ((first + r.item, clean(r.text)) for r in batch.printed)
        rows[schema.start] += ((first + r.item, r.sequence, r.snapshot) for r in batch.starts)
        rows[schema.trace] += (
            (first + item, traces[file.content]) for file in batch.traces for item in file.items
        )
    return rows


def _place(batch: Batch, places: Sequence[Place]) -> Place:
    """The place of a batch's cell; numbers that would not come back are refused before anything is written."""
    if not 0 <= batch.cell < len(places):
        raise ValueError(f"there is no cell {batch.cell}; the run has {len(places)}")
    place = places[batch.cell]
    if len(batch) and not 0 <= batch.item.min() <= batch.item.max() < place.sittings:
        raise ValueError(f"cell {batch.cell} has {place.sittings} sittings, from 0 on")
    wrong = batch.item[~np.isfinite(batch.score)].tolist()
    wrong += batch.episodes.item[~np.isfinite(batch.episodes.reward)].tolist()
    if wrong:
        raise MensuraError(
            f"Item {wrong[0]} of cell {batch.cell} has a score or a reward that is not a number: "
            f"its world or its assessment is at fault."
        )
    return place


def _or_none(value: float) -> float | None:
    return None if value != value else value


def insert_rows(connection: Connection, rows: Mapping[Table, Iterable[Row]]) -> None:
    """Insert rows within the transaction of the connection."""
    for table, some in rows.items():
        if not some:
            continue
        if connection.dialect.name == "postgresql":
            _copy(connection, table, some)
        else:
            connection.exec_driver_sql(_insertion(connection.dialect.name, table), list(some))


@cache
def _insertion(dialect: str, table: Table) -> str:
    """The insert of all columns of a table in their order, with ? for each."""
    from sqlalchemy.dialects import registry

    return str(insert(table).compile(dialect=registry.load(dialect)()))


def _copy(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Send rows past SQLAlchemy, and what goes wrong back through it, so that all errors look alike."""
    import psycopg

    driver: Any = connection.connection.driver_connection
    columns = ", ".join(f'"{column.name}"' for column in table.columns)
    statement = f'COPY "{table.name}" ({columns}) FROM STDIN'
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except psycopg.Error as error:
        if driver.closed:
            connection.invalidate(error)
        raise DBAPIError.instance(
            statement, None, error, psycopg.Error, connection_invalidated=bool(driver.closed)
        ) from error
