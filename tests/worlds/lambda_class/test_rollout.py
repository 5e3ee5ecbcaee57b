"""Both doors of Lambda: whole sittings compiled, and the same step by step, with identical rewards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold, fold_array, numbers
from mensura.core.compiled import JIT
from mensura.core.contract import Plan
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.core.sitting import sit
from mensura.worlds.lambda_class.agents import KINDS, Group
from mensura.worlds.lambda_class.behaviors import Attached, Random, Shy
from mensura.worlds.lambda_class.bulk import Sampled, packed
from mensura.worlds.lambda_class.world import Lambda

RESETS, SEEDS = 11, 12


class OneEnvironment:
    """A sitting in one described environment: so many episodes of training, then one that is assessed."""

    sittings = 1

    def __init__(self, description: Any, reset: Key, training: int) -> None:
        self.description, self.reset, self.training = description, reset, training

    def sitting(self, world: Any, key: Key) -> Any:
        for _ in range(self.training):
            yield Plan(self.description, self.reset, learning=True)
        episode = yield Plan(self.description, self.reset)
        return episode.mean_reward


def stepped(world: Lambda, group: Any, descriptions: list[Any], training: int) -> np.ndarray:
    """The rewards of all episodes through the one loop."""
    host = world.hosting(group)
    out = []
    for i, one in enumerate(descriptions):
        kept: list[tuple[float, ...]] = []
        own = replace(one, future=host.future, rewards_seen=host.rewards_seen)
        sit(
            OneEnvironment(own, fold(RESETS, i), training),
            host,
            group.sit(world.subjects),
            0,
            fold(SEEDS, i),
            after=lambda _, episode, kept=kept: kept.append(episode.rewards),
        )
        out.append(kept)
    return np.array(out)


def compiled(
    world: Lambda, group: Group, descriptions: list[Any], training: int, keep: bool = True
) -> np.ndarray:
    """The same through the second door."""
    count = len(descriptions)
    sampled = Sampled(packed(descriptions), np.zeros(count))
    resets, seeds = (fold_array(root, numbers(0, count)) for root in (RESETS, SEEDS))
    return world.rollout(group, sampled, resets, seeds, training, keep)


WORLDS = {
    "thesis": Lambda(horizon=25, sieves=()),
    "theory": Lambda.preset("theory", horizon=20, junk_limit=20, subjects=2, sieves=()),
    "partial": Lambda(
        horizon=20, observability="partial", objects=2, subjects=2, shared=True, sieves=()
    ),
    "trails": Lambda(
        horizon=20, division=1.5, evil_drops=(0.5, 1.0), junk=2, p_stop=0.2, sieves=()
    ),
    "step behind": Lambda(horizon=15, consumed="before", eaten=False, cycle="relocate", sieves=()),
    "no drops": Lambda(
        horizon=15, drops_on_subject=False, division=1, moves="geometric", most_moves=2, sieves=()
    ),
}


@pytest.mark.pure
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_both_doors_agree_on_all_subjects_at_one_table(world: Lambda) -> None:
    home = replace(world, subjects=len(KINDS), horizon=6)
    drawn = [home.sample(key) for key in range(2)]
    group = home.group([(name, {}, 1) for name in KINDS])
    fast, slow = compiled(home, group, drawn, 1), stepped(home, group, drawn, 1)
    assert fast.tobytes() == slow.tobytes()


def dealt(turn: int) -> dict[str, list[str]]:
    """Every subject in one of the worlds, and in another turn in another one."""
    subjects: dict[str, list[str]] = {home: [] for home in WORLDS}
    for i, name in enumerate(KINDS):
        subjects[list(WORLDS)[(i + turn) % len(WORLDS)]].append(name)
    return subjects


@pytest.mark.parametrize("home", WORLDS)
def test_both_doors_give_identical_rewards(home: str, full_size: bool) -> None:
    world = WORLDS[home]
    drawn = [world.sample(key) for key in range(3)]
    for name in KINDS if full_size else dealt(0)[home]:
        group = world.group([(name, {}, 1)])
        fast, slow = compiled(world, group, drawn, 2), stepped(world, group, drawn, 2)
        assert fast.tobytes() == slow.tobytes(), name
        assert np.array_equal(compiled(world, group, drawn, 2, keep=False), fast[:, -1:]), name


@pytest.mark.pure
@pytest.mark.parametrize("home", WORLDS)
def test_both_doors_agree_on_plans_with_slots(home: str, full_size: bool) -> None:
    """One environment after another by a mind that goes on, in slots shorter and longer than an episode."""
    world = WORLDS[home]
    for name in KINDS if full_size else dealt(1)[home]:
        group = world.group([(name, {}, 1)])
        host = world.hosting(group)
        fast, slow = (group.sit(world.subjects) for _ in range(2))
        for i, slot in enumerate((7, 60, None, 25)):
            plan = Plan(host.sample(i // 2), fold(RESETS, i), interactions=slot)
            one = host.play_compiled(group, plan, fold(SEEDS, i), fast)
            other = drive(
                play(
                    host.build(plan.description),
                    plan.key,
                    world=host.id,
                    seed=fold(SEEDS, i),
                    interactions=slot,
                ),
                slow,
            )
            for what in ("rewards", "interactions", "slot", "elapsed", "measures"):
                assert getattr(one, what) == getattr(other, what), name


def test_a_slot_of_seconds_has_no_second_door() -> None:
    world = WORLDS["thesis"]
    group = world.group([("random", {}, 1)])
    with pytest.raises(MensuraError, match="a slot of seconds goes through the one loop"):
        world.play_compiled(group, Plan(world.sample(1), 1, seconds=1.0), 2)


@given(
    st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=5),
    st.sampled_from(sorted(WORLDS)),
    st.sampled_from([None, Random(), Shy(), Attached()]),
    st.integers(0, 2),
    st.integers(0, 2**64 - 3),
)
@settings(max_examples=examples(10, 25))
def test_both_doors_agree_on_every_mixture(
    names: list[str], world: str, behavior: Any, training: int, key: Key
) -> None:
    home = replace(WORLDS[world], subjects=len(names))
    drawn = [home.sample(key + i) for i in range(2)]
    if behavior is not None and home.moves == "fixed":
        drawn[1] = replace(drawn[1], good_and_evil=behavior)
    group = home.group([(name, {}, 1) for name in names])
    fast, slow = compiled(home, group, drawn, training), stepped(home, group, drawn, training)
    assert fast.tobytes() == slow.tobytes()


@given(
    st.sampled_from(["q-learning", "sarsa", "double-q", "dyna-q", "planner"]),
    st.integers(1, 12),
    st.integers(0, 2),
    st.integers(0, 5),
)
@settings(max_examples=15)
def test_both_doors_agree_where_tables_fill_and_grow(
    name: str, states: int, memory: int, training: int
) -> None:
    world = Lambda(cells=(3, 6), horizon=9)
    parameters = {"states": states, "exploration": 0.2, "memory": memory}
    if name == "planner":
        parameters = {"states": 10 * states, "depth": memory + 1}
    group = world.group([(name, parameters, 1)])
    drawn = [world.sample(key) for key in range(2)]
    fast, slow = compiled(world, group, drawn, training), stepped(world, group, drawn, training)
    assert fast.tobytes() == slow.tobytes()


# All rules of minds are compiled into the second door, so that this door is enough to check them all.


@pytest.mark.thorough
@pytest.mark.bounds
@pytest.mark.pure
@pytest.mark.parametrize("home", WORLDS)
def test_every_subject_stays_within_bounds(home: str) -> None:
    world = WORLDS[home]
    drawn = [world.sample(key) for key in range(3)]
    for name in KINDS:
        group = world.group([(name, {}, 1)])
        assert (np.abs(compiled(world, group, drawn, 2)) <= world.horizon).all(), name
        host = world.hosting(group)
        player = group.sit(world.subjects)
        # The longer slot needs a larger table, into which what was learned moves.
        for slot in (world.horizon + 3, 4 * world.horizon):
            plan = Plan(host.sample(3), RESETS, interactions=slot)
            rewards = host.play_compiled(group, plan, SEEDS, player).rewards
            assert all(abs(reward) <= slot for reward in rewards), name


@pytest.mark.bounds
@pytest.mark.pure
@given(
    name=st.sampled_from(["q-learning", "sarsa", "double-q", "dyna-q", "planner"]),
    states=st.integers(1, 12),
    memory=st.integers(0, 2),
    training=st.integers(0, 5),
    cells=st.integers(2, 6),
)
@settings(max_examples=30 if JIT else 5)
def test_tables_that_fill_and_grow_stay_within_bounds(
    name: str, states: int, memory: int, training: int, cells: int
) -> None:
    world = Lambda(cells=cells, horizon=9)
    parameters = {"states": states, "exploration": 0.2, "memory": memory}
    if name == "planner":
        parameters = {"states": 10 * states, "depth": memory + 1}
    group = world.group([(name, parameters, 1)])
    drawn = [world.sample(key) for key in range(2)]
    assert (np.abs(compiled(world, group, drawn, training)) <= world.horizon).all()
