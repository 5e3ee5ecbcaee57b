"""Neighbors may be anybody: letters that make no sense cost nobody else anything."""

from __future__ import annotations

from typing import Any

import pytest

from mensura.agent.in_process import Agents
from mensura.agent.keys import key
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.worlds.constraints.algorithms.table import MINDS
from mensura.worlds.constraints.world import Constraints

WORDS = ("", "x", "99", "-7 2", "#0=99", "#99=0", "0 0 0 0", "#1", "=", "inf nan", "0 #0=0 0")


class Babbling:
    """Writes what has the form of letters of an algorithm, and sense only by chance."""

    def __init__(self, kinds: list[str]) -> None:
        self._kinds = kinds

    def begin(self, task: Any, rng: Any) -> None:
        self._seats, self._turn = task.seats, 0

    def act(self, observation: Any, reward: float) -> Any:
        self._turn += 1
        kind = self._kinds[self._turn % len(self._kinds)]
        words = WORDS[self._turn // len(self._kinds) % len(WORDS)]
        mail = [f"{to} {kind} {words}".rstrip() for to in range(1, self._seats)]
        return {"value": observation["value"], "mail": mail}


@pytest.mark.parametrize("name", [name for name, mind in MINDS.items() if not mind.rights])
def test_nobody_is_at_fault_for_what_a_neighbor_writes(name: str) -> None:
    kind: Any = MINDS[name].make
    world = Constraints(family="queens", n=5, horizon=60)
    kinds = sorted(getattr(kind, "_handlers", None) or {"ok?": ""})
    given = {one: default for one, (default, _) in MINDS[name].parameters.items()}
    agents = [Babbling(kinds), *(kind(**given) for _ in range(4))]
    environment = world.build(world.sample(1))
    episode = drive(play(environment, key(1, "babble"), world=world.id, seed=2), Agents(agents))
    assert not [(fault.seat, fault.detail) for fault in episode.faults if fault.seat != 0]
