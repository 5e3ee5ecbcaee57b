"""What is read of the pools of checkpoints in a store: what they hold, and their states on one sheet.

Each is a function that runs apart (:mod:`mensura.web.apart`), so that what comes in and goes out is plain data.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

from mensura.core.abilities import describe_from_json, make
from mensura.core.registry import WORLDS
from mensura.records.pools import Checkpoint, Pool
from mensura.records.store import open_store

MOST_DRAWN = 120
"""So many checkpoints are on a sheet, evenly chosen among more."""

WIDTH = 120.0


def pools(where: str | None) -> list[dict[str, Any]]:
    """The pools of all runs, with the runs that need them."""
    with open_store(where) as store:
        found = store.pool_facts()
    return [
        {
            "digest": one.digest,
            "world": one.world,
            "checkpoints": one.checkpoints,
            "episodes": one.episodes,
            "players": list(one.players),
            "runs": list(runs),
        }
        for one, runs in found
    ]


def sheet(where: str | None, digest: str) -> bytes | None:
    """The checkpoints of a pool on one sheet, as PNG, each drawn as its world draws the moment; None of no pool."""
    from mensura.pictures.sheets import contact_sheet

    with open_store(where) as store:
        pool = store.pool(digest)
    if pool is None:
        return None
    step = max(1, -(-len(pool) // MOST_DRAWN))
    chosen = pool.checkpoints[::step]
    labels = [f"{one.interaction}: {one.score:g}" for one in chosen]
    return contact_sheet(_pictures(pool, chosen), labels)


def _pictures(pool: Pool, chosen: Any) -> list[bytes | None]:
    from mensura.pictures.pixels import as_image
    from mensura.pictures.view import view_of

    world = make(WORLDS.load(pool.world))
    drawn: list[bytes | None] = []
    one: Checkpoint
    for one in chosen:
        environment = world.build(describe_from_json(world, pool.environments[one.environment]))
        view = view_of(world)
        view.started(environment, environment.reset(0))
        turn = environment.restore(pool.snapshots[one.digest])
        buffer = BytesIO()
        as_image(view.picture(environment, turn), WIDTH, legend=False).save(buffer, "PNG")
        drawn.append(buffer.getvalue())
    return drawn
