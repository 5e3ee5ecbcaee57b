"""Pools in the store: each snapshot once, back as they were, and gone with the last run that needs them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select, update
from tests.records.test_pools import pool_of
from tests.records.toys import make_batch, make_cells, new_run

from mensura.agent.errors import MensuraError
from mensura.records import database, schema
from mensura.records.batch import StartRow
from mensura.records.store import Store

TABLES = ("pool", "checkpoint", "snapshot", "run_pool", "start")


def counts(store: Store) -> dict[str, int]:
    with database.reading(store._engine) as connection:
        return {
            name: connection.execute(
                select(func.count()).select_from(schema.metadata.tables[name])
            ).scalar_one()
            for name in TABLES
        }


def test_a_pool_comes_back_as_it_was(store: Store) -> None:
    pool = pool_of([2, 3])
    run = store.begin(new_run("one", make_cells(), pools=[pool, pool]))
    assert store.pools(run) == [pool.digest]
    assert store.pool(pool.digest) == pool
    assert store.pool("0" * 32) is None
    other = store.begin(new_run("two", make_cells()))
    assert store.pools(other) == []


def test_each_snapshot_is_there_once_and_for_as_long_as_a_run_needs_it(store: Store) -> None:
    whole = pool_of([2, 3])
    part = whole.of_episodes(["e0"])
    runs = [
        store.begin(new_run("a", make_cells(), pools=[whole])),
        store.begin(new_run("b", make_cells(), pools=[part])),
        store.begin(new_run("c", make_cells(), pools=[part])),
    ]
    assert counts(store) == dict(zip(TABLES, (2, 7, 5, 3, 0), strict=True))
    store.delete(runs[0])
    assert counts(store) == dict(zip(TABLES, (1, 2, 2, 2, 0), strict=True))
    store.delete(runs[1])
    assert store.pools(runs[2]) == [part.digest]
    assert store.pool(part.digest) == part
    store.delete(runs[2])
    assert counts(store) == dict.fromkeys(TABLES, 0)


def test_the_starts_of_episodes_are_kept_and_exported(store: Store) -> None:
    cells = make_cells()
    pool = pool_of([1, 1])
    run = store.begin(new_run("one", cells, pools=[pool]))
    starts = tuple(StartRow(item, 0, pool.checkpoints[item % 2].digest) for item in range(3))
    with store.seize(run) as lease:
        lease.commit([replace(make_batch(cells[1]), starts=starts)])
    (batch,) = store.batches(run, 1)
    assert batch.starts == starts
    frame = store.frame("starts", run)
    assert frame["item"].to_list() == [0, 1, 2]
    assert set(frame["snapshot"]) == set(pool.snapshots)
    assert store.frame("checkpoints", run)["episode"].to_list() == ["e0", "e1"]
    store.delete(run)
    assert counts(store) == dict.fromkeys(TABLES, 0)


def test_a_state_that_was_changed_in_the_store_is_not_used(store: Store) -> None:
    pool = pool_of([1, 2])
    store.begin(new_run("one", make_cells(), pools=[pool]))
    with database.writing(store._engine) as connection:
        connection.execute(update(schema.checkpoint).values(score=9.0))
    with pytest.raises(MensuraError, match="in the store was changed"):
        store.pool(pool.digest)
