"""Both doors agree to the bit: rewards and what is told, of every subject and mixture, under every task and option."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.lambda_star.doors import both_doors, drawn

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold_array, numbers
from mensura.core.compiled import JIT
from mensura.core.contract import Plan
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.worlds.lambda_star.agents import Group
from mensura.worlds.lambda_star.torus.kernels.row import LOOKS_ALL
from mensura.worlds.lambda_star.world import LambdaStar

SMALL: dict[str, Any] = {"rows": 6, "cols": 6, "horizon": 9, "subjects": 4}
WIDE: dict[str, Any] = {"rows": 5, "cols": 7, "horizon": 10, "subjects": 4, "range": 2}
HEARD: dict[str, Any] = {**WIDE, "rows": 6, "cols": 5, "overhear": True}

WORLDS = {
    "paper": LambdaStar(horizon=12),
    "authors": LambdaStar.preset("authors-2016", horizon=12),
    "wide view": LambdaStar(**WIDE, radius=3),
    "tiny": LambdaStar(rows=1, cols=2, subjects=3, horizon=6),
    "coordination": LambdaStar.preset("coordination", **SMALL),
    "coverage": LambdaStar.preset("coverage", **SMALL),
    "reactive": LambdaStar.preset("reactive", **SMALL),
    "tiring": LambdaStar(**WIDE, good_reacts="tires", evil_reacts="flees"),
    "heterogeneous": LambdaStar.preset("heterogeneous", **SMALL),
    "company": LambdaStar(
        **WIDE, company=2, company_for="both", good_reacts="tires", guided=True, blind_start=True
    ),
    "hearing the next": LambdaStar(**HEARD, hearing=1),
    "hearing far": LambdaStar(**HEARD, hearing=9),
    "landscape": LambdaStar(task="landscape", horizon=12, peaks=8),
    "drifting landscape": LambdaStar(task="landscape", **WIDE, peaks=3, drift=0.4),
    "following landscape": LambdaStar(
        task="landscape", **WIDE, drift=0.5, landscape_reacts="follows"
    ),
    "tiring landscape": LambdaStar(task="landscape", **WIDE, landscape_reacts="tires"),
    "commons": LambdaStar(task="commons", horizon=12),
    "spreading commons": LambdaStar(task="commons", **WIDE, spread=0.3, bite=0.9),
    "dilemma": LambdaStar(task="dilemma", rows=3, cols=3, subjects=2, horizon=12),
    "wide dilemma": LambdaStar(task="dilemma", **WIDE, moves=("all", "none")),
    "opinion": LambdaStar(task="opinion", rows=4, cols=4, horizon=12, opening="random"),
    "wide opinion": LambdaStar(task="opinion", **WIDE, truth=0.3, moves=("all", "none")),
}


def dealt(turn: int) -> dict[str, list[str]]:
    """Every subject of a task in one of the task's worlds, and in another turn in another one."""
    subjects: dict[str, list[str]] = {home: [] for home in WORLDS}
    for task in dict.fromkeys(world.task for world in WORLDS.values()):
        homes = {home: world for home, world in WORLDS.items() if world.task == task}
        names = dict.fromkeys(name for world in homes.values() for name in world.subject_names)
        for i, name in enumerate(names):
            fitting = [home for home, world in homes.items() if name in world.subject_names]
            subjects[fitting[(i + turn) % len(fitting)]].append(name)
    return subjects


def parameters(world: LambdaStar, name: str) -> dict[str, Any]:
    """Those that make a subject do more of what it can."""
    usual = world.subject_parameters(name)
    return {"noise": 0.1, "seek": 0.3, "roam": 0.5} if "noise" in usual else {}


def quick_enough(home: str, names: Iterable[str]) -> list[str]:
    """All of them; without compilation a planner takes seconds, but where there are only a few cells."""
    return [one for one in names if JIT or one != "planner" or home == "tiny"]


def test_every_world_has_its_subjects() -> None:
    assert all(all(dealt(turn).values()) for turn in range(2))


@pytest.mark.parametrize("home", WORLDS)
def test_both_doors_give_identical_rewards_and_measures(home: str, full_size: bool) -> None:
    world = WORLDS[home]
    for name in world.subject_names if full_size else dealt(0)[home]:
        fast, slow = both_doors(world, [(name, parameters(world, name), 1)], count=2, training=2)
        assert fast == slow, name


@pytest.mark.pure
@pytest.mark.parametrize("home", WORLDS)
def test_both_doors_agree_on_plans_with_slots(home: str, full_size: bool) -> None:
    """One environment after another by a group that goes on, in slots shorter and longer than an episode."""
    world = WORLDS[home]
    names = world.subject_names if full_size else dealt(1)[home]
    for name in quick_enough(home, names):
        group = world.group([(name, parameters(world, name), 1)])
        host = world.hosting(group)
        fast, slow = (group.sit(world.subjects) for _ in range(2))
        for i, slot in enumerate((4, 30, None, 10)):
            plan = Plan(host.sample(i // 2), 20 + i, learning=i == 1, interactions=slot)
            one = host.play_compiled(group, plan, 30 + i, fast)
            other = drive(
                play(
                    host.build(plan.description),
                    plan.key,
                    world=host.id,
                    seed=30 + i,
                    learning=plan.learning,
                    interactions=slot,
                    speakers=slow.speakers,
                ),
                slow,
            )
            for what in ("rewards", "interactions", "slot", "elapsed"):
                assert getattr(one, what) == getattr(other, what), name
            # As text, since what is not told is nan.
            assert repr(one.measures) == repr(other.measures), name


@pytest.mark.parametrize("home", WORLDS)
@given(st.data(), st.integers(0, 3))
@settings(max_examples=examples(3, 5))
def test_both_doors_agree_on_every_mixture(home: str, data: st.DataObject, training: int) -> None:
    names = st.sampled_from(sorted(WORLDS[home].subject_names))
    members = data.draw(st.lists(names, min_size=2, max_size=6))
    world = dataclasses.replace(WORLDS[home], subjects=len(members))
    fast, slow = both_doors(world, [(name, {}, 1) for name in members], 2, training)
    assert fast == slow


# All rules of a task are compiled into its second door, so that this door is enough to check them all.


def sit_and_play(world: LambdaStar, name: str, key: int) -> None:
    """Two sittings with training, and a plan in a slot longer than an episode by minds that look at everything."""
    group = world.group([(name, parameters(world, name), 1)])
    patterns, items = drawn(world, 2, key)
    seeds = fold_array(key, numbers(0, 2))
    told = np.zeros((2, 3, len(world.tallies)))
    sums = world.rollout(group, patterns, items.resets, seeds, 2, keep_training=True, told=told)
    assert (np.abs(sums) <= world.horizon).all()
    host = world.hosting(group)
    slot = world.horizon + 3
    with pytest.MonkeyPatch.context() as patch:
        # As participants and programs do, whose observations come through the step door.
        patch.setattr(Group, "looks", lambda self, seats: [LOOKS_ALL] * seats)
        plan = Plan(host.sample(key), key, interactions=slot)
        rewards = host.play_compiled(group, plan, key).rewards
    assert all(abs(reward) <= slot for reward in rewards)


@pytest.mark.bounds
@pytest.mark.pure
@pytest.mark.parametrize("home", WORLDS)
def test_every_subject_stays_within_bounds(home: str) -> None:
    for name in quick_enough(home, WORLDS[home].subject_names):
        sit_and_play(WORLDS[home], name, 5)


@pytest.mark.bounds
@given(
    home=st.sampled_from(sorted(WORLDS)),
    size=st.fixed_dictionaries(
        {
            "rows": st.integers(1, 5),
            "cols": st.integers(1, 5),
            "subjects": st.integers(1, 6),
            "horizon": st.integers(1, 8),
            "range": st.integers(1, 3),
        }
    ),
    data=st.data(),
    key=st.integers(0, 2**64 - 1),
)
def test_worlds_of_every_size_stay_within_bounds(
    home: str, size: dict[str, int], data: st.DataObject, key: int
) -> None:
    try:
        world = dataclasses.replace(WORLDS[home], **size)
        world.sample(key)
    except MensuraError:
        reject()
    sit_and_play(world, data.draw(st.sampled_from(sorted(world.subject_names))), key)
