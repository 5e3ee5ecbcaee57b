"""What assessments share whose episodes start in checkpoints."""

from __future__ import annotations

from mensura.core.abilities import describe_from_json, seats, seats_of
from mensura.core.account import some
from mensura.core.contract import World
from mensura.core.errors import MensuraError
from mensura.records.pools import Pool


def check_pool(pool: Pool, world: World) -> None:
    """Raise if a pool is of another world, or of other seats."""
    pool.check_world(world.id)
    wanted = seats(world)
    for told in pool.environments:
        there = seats_of(world, describe_from_json(world, told))
        if there != wanted:
            raise MensuraError(
                f"The pool has environments of {some(there, 'seat')}, and {world.id} has {wanted} here; set as many as "
                "the pool was recorded with."
            )
