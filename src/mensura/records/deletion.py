"""Removing a run: its rows, what only it referred to, and the room that it took."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, delete, exists, select

from mensura.records import schema
from mensura.records.writing import places


def delete_run(connection: Connection, run: int) -> list[bytes]:
    """Delete all rows of a run within the transaction of the connection; the traces that nobody refers to any more."""
    ranges = [(place.first, place.first + place.sittings) for place in places(connection, run)]
    low = min((first for first, _ in ranges), default=0)
    high = max((end for _, end in ranges), default=0)
    trace = schema.trace
    mine = (trace.c.sitting >= low) & (trace.c.sitting < high)
    traces = set(connection.execute(select(trace.c.hash).where(mine).distinct()).scalars())
    for table in schema.OF_SITTINGS:
        key = table.c.sitting
        connection.execute(delete(table).where(key >= low, key < high))
    key = schema.sitting.c.id
    connection.execute(delete(schema.sitting).where(key >= low, key < high))
    for table in schema.OF_PEOPLE:
        own = table.c.run if table is schema.people_study else table.c.study
        connection.execute(delete(table).where(own == run))
    connection.execute(delete(schema.part).where(schema.part.c.run == run))
    connection.execute(delete(schema.run_pool).where(schema.run_pool.c.run == run))
    delete_unused_pools(connection)
    connection.execute(delete(schema.cell).where(schema.cell.c.run == run))
    connection.execute(delete(schema.run).where(schema.run.c.id == run))
    for table, column in (
        (schema.configuration, schema.cell.c.configuration),
        (schema.subject, schema.cell.c.subject),
    ):
        connection.execute(delete(table).where(~exists().where(column == table.c.id)))
    if traces:
        # By hash there is no index, and only others that traced the same could refer to it: one pass over them.
        traces -= set(connection.execute(select(trace.c.hash).distinct()).scalars())
    return sorted(map(bytes, traces))


def delete_unused_pools(connection: Connection) -> None:
    """Delete the pools that no run needs any more, and the snapshots that are in none of the others."""
    pool, checkpoint, snapshot = schema.pool, schema.checkpoint, schema.snapshot
    needed = select(schema.run_pool.c.pool)
    connection.execute(delete(checkpoint).where(checkpoint.c.pool.not_in(needed)))
    connection.execute(delete(pool).where(pool.c.digest.not_in(needed)))
    held = select(checkpoint.c.snapshot)
    connection.execute(delete(snapshot).where(snapshot.c.digest.not_in(held)))


def give_room_back(engine: Engine) -> None:
    """Let the file of SQLite shrink by the pages that are free now; PostgreSQL sees to it by itself."""
    if engine.name != "sqlite":
        return
    with engine.connect() as connection:
        # Only a script is stepped to its end; a single statement would free a single page.
        driver: Any = connection.connection.driver_connection
        driver.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")
