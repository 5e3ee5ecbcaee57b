"""Pools of checkpoints in the store: each snapshot once, by its digest, for as long as a run needs it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, func, insert, select

from mensura.agent.errors import MensuraError
from mensura.core import archives
from mensura.records import schema
from mensura.records.pool_shelf import PoolReference
from mensura.records.pools import MOST_SNAPSHOT, Checkpoint, Pool, digest_of

LEVEL = 1
"""Of compression: states are small, and many are written at once."""

SOME = 500
"""So many snapshots are asked for at a time: a database takes so many numbers and no more."""


def keep_pools(connection: Connection, run: int, pools: Iterable[Pool]) -> None:
    """Keep the pools that a run needs, within the transaction of the connection."""
    for pool in {one.digest: one for one in pools}.values():
        there = select(schema.pool.c.digest).where(schema.pool.c.digest == pool.digest)
        if connection.execute(there).scalar() is None:
            _keep(connection, pool)
        connection.execute(insert(schema.run_pool).values(run=run, pool=pool.digest))


def _keep(connection: Connection, pool: Pool) -> None:
    connection.execute(
        insert(schema.pool).values(
            digest=pool.digest,
            world=pool.world,
            environments=json.dumps(list(pool.environments)),
        )
    )
    connection.execute(
        insert(schema.checkpoint),
        [
            {
                "pool": pool.digest,
                "number": number,
                "snapshot": one.digest,
                "environment": one.environment,
                "player": one.player,
                "episode": one.episode,
                "interaction": one.interaction,
                "score": float(one.score),
            }
            for number, one in enumerate(pool.checkpoints)
        ],
    )
    digests = list(pool.snapshots)
    known = set(_states(connection, digests))
    new = [
        {"digest": name, "state": zlib.compress(pool.snapshots[name], LEVEL)}
        for name in digests
        if name not in known
    ]
    if new:
        connection.execute(insert(schema.snapshot), new)


def kept_digests(connection: Connection, run: int) -> list[str]:
    """The digests of the pools that a run needs."""
    own = schema.run_pool
    found = select(own.c.pool).where(own.c.run == run).order_by(own.c.pool)
    return list(connection.execute(found).scalars())


def kept_pool(connection: Connection, digest: str) -> Pool | None:
    """A pool that some run needs, as it was when that began, without pictures; None where none does."""
    pool = schema.pool
    row = connection.execute(select(pool).where(pool.c.digest == digest)).one_or_none()
    return None if row is None else _read(connection, row)


def pool_facts(connection: Connection) -> list[tuple[PoolReference, list[str]]]:
    """What is said of all pools, each with the names of the runs that need it."""
    checkpoint, run, own = schema.checkpoint, schema.run, schema.run_pool
    found = []
    for digest, world in connection.execute(select(schema.pool.c.digest, schema.pool.c.world)):
        mine = checkpoint.c.pool == digest
        count, episodes = connection.execute(
            select(func.count(), func.count(checkpoint.c.episode.distinct())).where(mine)
        ).one()
        players = connection.execute(select(checkpoint.c.player).distinct().where(mine)).scalars()
        names = connection.execute(
            select(run.c.name).join(own, own.c.run == run.c.id).where(own.c.pool == digest)
        ).scalars()
        told = PoolReference(digest, world, count, episodes, tuple(sorted(players)))
        found.append((told, sorted(names)))
    return sorted(found, key=lambda one: (one[1], one[0].digest))


def _read(connection: Connection, row: Any) -> Pool:
    checkpoint = schema.checkpoint
    rows = connection.execute(
        select(checkpoint).where(checkpoint.c.pool == row.digest).order_by(checkpoint.c.number)
    ).fetchall()
    packed = _states(connection, list({one.snapshot for one in rows}))
    states = {name: archives.unpacked(state, MOST_SNAPSHOT) for name, state in packed.items()}
    pool = Pool(
        row.world,
        json.loads(row.environments),
        [
            Checkpoint(
                one.snapshot, one.environment, one.player, one.episode, one.interaction, one.score
            )
            for one in rows
        ],
        states,
    )
    damaged = any(digest_of(state) != name for name, state in states.items())
    if damaged or pool.digest != row.digest:
        raise MensuraError(f"The pool {row.digest} in the store was changed; it is not used.")
    return pool


def _states(connection: Connection, digests: Sequence[str]) -> dict[str, bytes]:
    """Snapshots that are there, compressed, by digest."""
    snapshot = schema.snapshot
    found: dict[str, bytes] = {}
    for at in range(0, len(digests), SOME):
        some = snapshot.c.digest.in_(digests[at : at + SOME])
        rows = connection.execute(select(snapshot.c.digest, snapshot.c.state).where(some))
        found |= {name: bytes(state) for name, state in rows}
    return found
