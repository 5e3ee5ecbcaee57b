"""Memories of the built-in learners of every world, seen as tables and damaged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mensura.agent.keys import fold, key
from mensura.agent.memory import Corruption, Loss, saved, seat
from mensura.core.contract import World
from mensura.core.loop import play
from mensura.core.players import damaged, drive
from mensura.core.registry import WORLDS
from mensura.studies.subjects import resolve

SMALL: dict[str, dict[str, Any]] = {
    "lambda": {},
    "lambda-star": {"rows": 3, "cols": 3, "horizon": 20, "subjects": 2},
    "framotec": {},
    "bf": {},
    "echo": {"horizon": 30, "longest": 0},
}
LEARNERS = [
    ("lambda", "q-learning"),
    ("lambda", "double-q"),
    ("lambda", "dyna-q"),
    ("lambda", "planner"),
    ("lambda-star", "q-learning"),
    ("framotec", "sarsa"),
    ("framotec", "tile-coding"),
    ("bf", "q-lambda"),
    ("bf", "hlq-lambda"),
    ("echo", "q-learning"),
    ("echo", "linear"),
]


def episode(world: World, player: Any, number: int, learning: bool) -> Any:
    environment = world.build(world.sample(key(1)))
    return drive(
        play(
            environment,
            fold(key(2), number),
            world=world.id,
            seed=fold(key(3), number),
            learning=learning,
            interactions=30 if environment.horizon is None else None,
        ),
        player,
    )


@pytest.mark.parametrize(("name", "subject"), LEARNERS)
def test_a_damaged_memory_loads_and_plays(name: str, subject: str) -> None:
    world = WORLDS.load(name)(**SMALL[name])
    who = resolve(subject, world)
    seats = len(world.build(world.sample(key(1))).seats)
    player = seat(who, seats, None)
    for number in range(3):
        episode(world, player, number, True)
    memory = saved(player)
    assert memory is not None
    assert damaged(player, memory, Loss(0.0, 1)) == memory
    assert damaged(player, memory, Corruption(0.0, 1)) == memory
    half, all_of_it = (damaged(player, memory, Loss(share, 1)) for share in (0.5, 1.0))
    assert len({memory, half, all_of_it}) == 3
    assert damaged(player, all_of_it, Loss(1.0, 2)) == all_of_it  # a newborn's entries are that
    for left in (half, all_of_it):
        again = seat(who, seats, left)
        assert saved(again) == saved(seat(who, seats, saved(again)))
        assert np.isfinite(episode(world, again, 9, False).rewards).all()
    flipped = seat(who, seats, damaged(player, memory, Corruption(0.001, 1)))
    assert np.isfinite(episode(world, flipped, 9, False).rewards).all()
