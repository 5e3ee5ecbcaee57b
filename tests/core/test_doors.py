"""Doors made from rules and minds: both agree with each other, and with Python."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from tests.core import bandit
from tests.core.bandit import DOORS, Bandit, Description, Learner

from mensura.agent.in_process import Agents
from mensura.agent.keys import fold
from mensura.core import compiled
from mensura.core.contract import Episode
from mensura.core.doors import Minds, Rules, doors_of
from mensura.core.loop import play
from mensura.core.players import drive

pytestmark = pytest.mark.pure


def played(i: int, memory: np.ndarray, seed: int, **how: Any) -> Episode:
    """An episode of environment i through the one loop."""
    environment = Bandit(Description(tuple(bandit.CHANCES[i].tolist())))
    player = Agents([Learner(memory, j) for j in range(3)])
    return drive(play(environment, i, world="bandit", seed=seed, **how), player)


@pytest.mark.thorough
@pytest.mark.bounds
def test_sittings_of_the_second_door_are_those_of_the_one_loop() -> None:
    sums, told = bandit.sittings()
    for i, seed in enumerate(bandit.SEEDS.tolist()):
        memory = bandit.make_memory(3)
        for e in range(bandit.TRAINING + 1):
            episode = played(i, memory, fold(seed, e), learning=e < bandit.TRAINING)
            assert tuple(sums[i, e].tolist()) == episode.rewards
            assert told[i, e, 0] == episode.measures["time"]
    assert len(set(sums.ravel().tolist())) > 4
    assert np.array_equal(bandit.sittings(keep_training=False)[0], sums[:, -1:])


@pytest.mark.thorough
@pytest.mark.bounds
def test_plans_with_slots_of_the_second_door_are_those_of_the_one_loop() -> None:
    sums, known = bandit.plans()
    memory = bandit.make_memory(3)
    for i, seed in enumerate(bandit.SEEDS.tolist()):
        for learning, slot in enumerate(bandit.SLOTS):
            episode = played(i, memory, seed, learning=learning == 1, interactions=slot)
            assert tuple(sums[2 * i + learning].tolist()) == episode.rewards
    assert memory.tobytes() == known.tobytes()


@pytest.mark.thorough
def test_compiled_and_plain_doors_give_the_same_bits() -> None:
    other = {"NUMBA_DISABLE_JIT": "1" if compiled.JIT else "0"}
    printed = subprocess.run(
        [sys.executable, "-m", "tests.core.bandit"],
        env={**os.environ, **other},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert printed == [part.tobytes().hex() for part in (*bandit.sittings(), *bandit.plans())]


def edited(**rules: Any) -> Any:
    """The doors of the bandit with other rules."""
    usual = Rules(
        bandit.open_row,
        bandit.horizon,
        bandit.start,
        bandit.observe,
        bandit.advance,
        bandit.conclude,
    )
    minds = Minds(bandit.open_minds, bandit.begin, bandit.act, finish=bandit.finish, sit=bandit.sit)
    of_rules = {name: value for name, value in rules.items() if name in Rules._fields}
    of_minds = {name: value for name, value in rules.items() if name not in Rules._fields}
    return doors_of(usual._replace(**of_rules), minds._replace(**of_minds))


def test_worlds_whose_rules_are_the_same_share_doors() -> None:
    assert edited() == DOORS

    @compiled.rule
    def tell(mind: Any, j: Any, o: Any) -> None:
        mind.whole[-1] = j

    other = edited(tell=tell)
    assert other.steps == DOORS.steps
    assert other.minds.act is DOORS.minds.act
    assert other.minds.tell is not DOORS.minds.tell
    assert other.play is not DOORS.play


@pytest.mark.skipif(not compiled.JIT, reason="NUMBA_DISABLE_JIT is set")
def test_a_door_is_stamped_by_every_rule_and_by_the_place_of_each() -> None:
    @compiled.rule
    def start(r: Any, drawn: Any, i: Any, key: Any, anew: Any) -> None:
        r.head[bandit.TIME] = 7

    @compiled.rule
    def first(mind: Any, j: Any, o: Any, reward: Any) -> Any:
        return 0

    base = compiled.stamp(DOORS.play.door)
    assert compiled.stamp(edited(start=start).play.door) != base
    assert compiled.stamp(edited(start=start).steps.reset) != compiled.stamp(DOORS.steps.reset)
    # Rules that stand in two places of a door: which, and where, is part of the stamp.
    both = (edited(act=bandit.act, finish=first), edited(act=first, finish=bandit.act))
    alike = (
        edited(act=first, finish=bandit.act, tell=first),
        edited(act=first, finish=bandit.act, tell=bandit.act),
    )
    stamps = [compiled.stamp(doors.play.door) for doors in (*both, *alike)]
    assert len(set(stamps)) == len(stamps)
