"""Checkpoints of others, read by the world that knows their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mensura.agent.errors import MensuraError
from mensura.api.checkpoints import drawn_small
from mensura.core.abilities import checkpoints_from
from mensura.pictures.view import view_of
from mensura.records.pools import Checkpoint, Pool, digest_of

if TYPE_CHECKING:
    from mensura.core.contract import World


def import_pool(
    world: World, path: Path, *, player: str, pictures: bool = True
) -> tuple[Pool, tuple[str, ...]]:
    """The checkpoints of a file as a pool, and what of it could not be used."""
    imported = checkpoints_from(world, path)
    if imported is None:
        raise MensuraError(f"{world.id} reads no checkpoints of others.")
    if not imported.checkpoints:
        raise MensuraError(f"None of the {len(imported.left_out)} states of {path} can be used.")
    environment = world.build(imported.description)
    checkpoints, snapshots, drawn = [], {}, {}
    for one in imported.checkpoints:
        digest = digest_of(one.snapshot)
        checkpoints.append(
            Checkpoint(digest, 0, player, one.episode, one.interaction, float(one.score))
        )
        if digest in snapshots:
            continue
        snapshots[digest] = one.snapshot
        if pictures:
            turn = environment.restore(one.snapshot)
            view = view_of(world)
            view.started(environment, turn)
            drawn[digest] = drawn_small(view, environment, turn)
    pool = Pool(world.id, [imported.description.to_json()], checkpoints, snapshots, drawn)
    return pool, imported.left_out
