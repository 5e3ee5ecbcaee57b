"""What assessments share whose episodes start in checkpoints."""

from __future__ import annotations

from collections.abc import Mapping

from mensura.agent.errors import MensuraError
from mensura.core.abilities import describe_from_json, seats, seats_of
from mensura.core.account import some
from mensura.core.contract import Description, World
from mensura.records.pools import Checkpoint, Pool

_checked: set[tuple[str, str]] = set()
"""Pools, by their digests, whose states were all restored once in a world."""


def check_pool(pool: Pool, world: World) -> None:
    """Raise if a pool is of another world or of other seats, or if one of its states is none."""
    pool.check_world(world.id)
    wanted = seats(world)
    states: dict[int, dict[str, Checkpoint]] = {}
    for one in pool.checkpoints:
        states.setdefault(one.environment, {})[one.digest] = one
    for number, told in enumerate(pool.environments):
        description = describe_from_json(world, told)
        there = seats_of(world, description)
        if there != wanted:
            raise MensuraError(
                f"The pool has environments of {some(there, 'seat')}, and {world.id} has {wanted} here; set as many as "
                "the pool was recorded with."
            )
        if (pool.digest, world.id) not in _checked:
            _restore(pool, world, description, states.get(number, {}))
    _checked.add((pool.digest, world.id))


def _restore(
    pool: Pool, world: World, description: Description, states: Mapping[str, Checkpoint]
) -> None:
    """Restore all states of an environment once."""
    what = "The environment of a checkpoint"
    try:
        environment = world.build(description)
        environment.reset(0)
        for digest, one in states.items():
            what = f"The checkpoint {digest}, interaction {one.interaction} of the episode {one.episode},"
            environment.restore(pool.snapshots[digest])
    except Exception as error:
        raise MensuraError(f"{what} of the pool cannot be started from: {error}") from error
