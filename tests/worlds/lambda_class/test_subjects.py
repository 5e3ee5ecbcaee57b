"""The subjects of Lambda by name: their parameters, groups of them, what they are granted, and how well they do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.keys import fold_array, numbers
from mensura.core.group import stretches
from mensura.core.mixed import Mixed
from mensura.worlds.lambda_class.agents import KINDS, Sizes, make_minds, member
from mensura.worlds.lambda_class.behaviors import Pattern, Random
from mensura.worlds.lambda_class.bulk import Sampled, packed
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.space import ring
from mensura.worlds.lambda_class.world import Lambda

pytestmark = pytest.mark.quick

EIGHT = (
    "random",
    "follower",
    "oracle",
    "q-learning",
    "sarsa",
    "double-q",
    "dyna-q",
    "planner",
)


def scores(world: Lambda, name: str, sampled: Sampled, **parameters: Any) -> np.ndarray:
    """The mean reward of one subject in each environment."""
    n = len(sampled.rows)
    resets, seeds = fold_array(1, numbers(0, n)), fold_array(2, numbers(0, n))
    group = world.group([(name, parameters, 1)])
    return world.rollout(group, sampled, resets, seeds, 0)[:, 0].mean(axis=1) / world.horizon


def test_the_eight_subjects_have_a_line_each() -> None:
    world = Lambda()
    assert tuple(world.subject_names) == world.demo == EIGHT
    assert all(world.subject_names.values())


def test_the_parameters_of_q_learning_are_those_of_section_5_2() -> None:
    p = Lambda().subject_parameters("q-learning")
    assert (p["alpha"], p["gamma"], p["q0"], p["offset"]) == (0.05, 0.35, 2.0, 1.0)
    assert p["exploration"] == p["memory"] == p["training"] == 0.0


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("seguidor", {}, "'seguidor' is no subject of Lambda"),
        ("q-lerning", {}, "did you mean q-learning"),
        ("random", {"alpha": 1}, "random has no parameter 'alpha'; it has: none."),
        ("q-learning", {"alpha": 2}, "alpha of q-learning is 2; it must be a number from 0 to 1."),
        (
            "dyna-q",
            {"planning": "1.5"},
            "planning of dyna-q is '1.5'; it must be a whole number from 0 to 1000.",
        ),
        (
            "planner",
            {"depth": 0},
            "depth of planner is 0; it must be a whole number from 1 to 100.",
        ),
        ("sarsa", {"states": "many"}, "states of sarsa is 'many'; it must be a whole number"),
        ("sarsa", {"memory": math.nan}, "memory of sarsa is nan; it must be a whole number"),
    ],
)
def test_what_is_no_subject_gets_a_sentence(
    name: str, parameters: dict[str, Any], said: str
) -> None:
    with pytest.raises(MensuraError, match=said.replace("(", r"\(")):
        Lambda().group([(name, parameters, 1)])


def test_a_group_too_large_for_memory_gets_a_sentence() -> None:
    sizes = Sizes(1000, 1000, 1, 0, 0, 10**8)
    with pytest.raises(MensuraError, match=r"q-learning.* would take \d+ GiB"):
        make_minds([member("q-learning", {"states": 1e8})], Lambda(), [sizes])


def test_a_mixed_group_is_named_by_its_members_and_needs_their_number_of_seats() -> None:
    world = Lambda(subjects=4)
    parts = [(name, {}, 1) for name in EIGHT[:4]]
    group = world.group(parts)
    assert group.name == "random+follower+oracle+q-learning"
    assert [one.name for one in group.seated(4)] == list(EIGHT[:4])
    assert world.group([("random", {}, 2), ("oracle", {}, 2)]).name == "random*2+oracle*2"
    assert world.group([("sarsa", {"alpha": 0.5, "training": 3}, 1)]).name.endswith("training=3")
    assert world.group([("sarsa", {"training": 3}, 1), ("random", {}, 1)]).training == 3
    with pytest.raises(MensuraError, match="4 members and the environment 3 seats"):
        group.sit(3)


@pytest.mark.parametrize(
    ("world", "sees_rewards"),
    [
        (Lambda(subjects=3), False),
        (Lambda.preset("theory", subjects=3), True),
        (Lambda(subjects=3, division=2), True),
        (Lambda(subjects=3, consumed="before"), True),
    ],
)
def test_only_oracles_are_granted_the_future_and_rewards_where_trails_matter(
    world: Lambda, sees_rewards: bool
) -> None:
    group = world.group([("random", {}, 1), ("oracle", {}, 1), ("planner", {}, 1)])
    host = world.hosting(group)
    assert host.future == (1,)
    assert host.rewards_seen == ((1,) if sees_rewards else ())
    assert world.hosting(world.group([("oracle", {}, 1)])).future == (0, 1, 2)
    assert world.hosting(world.group([("planner", {}, 1)])) == world
    oracle = world.group([("oracle", {}, 1)])
    mixed = Mixed([(InProcess("mine", object), 2), (oracle, 1)])  # type: ignore[arg-type]
    assert world.hosting(mixed).future == (2,)
    assert [(first, count) for _, first, count in stretches(mixed, 3)] == [(0, 2), (2, 1)]
    assert world.compiles(group)
    assert not world.compiles(mixed)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=4), st.sampled_from([None, "lempel_ziv"]))
@settings(max_examples=10)
def test_sampling_many_is_sampling_each(keys: list[int], measure: str | None) -> None:
    world = Lambda(horizon=5, p_stop=0.1, objects=1)
    n = len(keys)
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    within = None
    if measure is not None and n:
        low[0], high[0] = 5.0, 6.0
        within = (measure, 5.0, 6.0)
    drawn = [world.sample(key, within if i == 0 else None) for i, key in enumerate(keys)]
    sampled = world.sample_many(np.array(keys, np.uint64), measure, low, high)
    assert np.array_equal(sampled.rows, packed(drawn))
    named = measure or "zlib_space_pattern"
    assert sampled.complexity.tolist() == [world.complexity(one, named) for one in drawn]


def test_an_unknown_measure_gets_a_sentence_and_one_out_of_place_nan() -> None:
    world = Lambda()
    one = np.array([1], np.uint64)
    anything = np.array([-np.inf]), np.array([np.inf])
    with pytest.raises(MensuraError, match="no complexity 'K'"):
        world.sample_many(one, "K", *anything)
    lively = Description(space=ring(3), good_and_evil=Random())
    assert math.isnan(world._complexity_or_nan(lively, "lempel_ziv"))


def test_a_batch_of_environments_is_played_as_each_of_them_alone() -> None:
    world = Lambda(horizon=40, cells=(2, 9))
    keys = fold_array(6, numbers(0, 8))
    free = np.full(8, np.inf)
    sampled = world.sample_many(keys, None, -free, free)
    for name in KINDS:
        group = world.group([(name, {}, 1)])
        together = world.rollout(group, sampled, keys, keys, 1)
        for i in range(8):
            alone = Sampled(sampled.rows[i : i + 1], sampled.complexity[i : i + 1])
            own = keys[i : i + 1]
            assert np.array_equal(world.rollout(group, alone, own, own, 1)[0], together[i]), name
    assert world.rollout(group, Sampled(sampled.rows[:0], free[:0]), keys, keys, 1).shape == (
        0,
        1,
        1,
    )


def test_rollouts_leave_other_rights_alone() -> None:
    """A world that shows rewards to a seat shows them in compiled sittings, too, and minds read past them."""
    plain, shown = Lambda(horizon=30), Lambda(horizon=30, rewards_seen=(0,), future=(0,))
    keys, free = fold_array(6, numbers(0, 3)), np.full(3, np.inf)
    for name in KINDS:
        runs = [
            world.rollout(
                world.group([(name, {}, 1)]),
                world.sample_many(keys, None, -free, free),
                keys,
                keys,
                0,
            )
            for world in (plain, shown)
        ]
        assert np.array_equal(*runs), name


def test_a_random_subject_expects_nothing() -> None:
    world = Lambda(horizon=20)
    n = 2000
    free = np.full(n, np.inf)
    sampled = world.sample_many(fold_array(9, numbers(0, 40)), None, -free[:40], free[:40])
    many = Sampled(np.repeat(sampled.rows, n // 40, axis=0), free)
    got = scores(world, "random", many)
    assert abs(got.mean()) < 4 * got.std() / np.sqrt(n)
    assert got.std() > 0


def test_everybody_who_learns_does_in_an_easy_environment() -> None:
    """Good runs around a ring of three cells, and is always in reach."""
    easy = Description(space=ring(3), good_and_evil=Pattern((1,)), horizon=2000)
    world = Lambda(horizon=2000)
    sampled = Sampled(packed([easy] * 3), np.zeros(3))
    assert abs(scores(world, "random", sampled).mean()) < 0.1
    assert scores(world, "follower", sampled).mean() < 0.1
    for name in EIGHT[3:]:
        assert scores(world, name, sampled).min() > 0.9, name
    assert scores(world, "oracle", sampled).min() > 0.99


@pytest.mark.thorough
def test_subjects_stand_in_the_order_of_figure_5_3_and_learners_suffer_from_complexity() -> None:
    world = Lambda(cells=6, horizon=5000)
    free = np.full(40, np.inf)
    sampled = world.sample_many(fold_array(5, numbers(0, 40)), None, -free, free)
    got = {name: scores(world, name, sampled) for name in EIGHT}
    means = {name: float(values.mean()) for name, values in got.items()}
    assert abs(means["random"]) < 0.02
    assert 0.2 < means["follower"] < means["q-learning"] < means["oracle"] < means["planner"]
    assert means["oracle"] > 0.75
    rank = sampled.complexity.argsort().argsort()
    for name in EIGHT[3:]:
        ranks = got[name].argsort().argsort()
        assert np.corrcoef(rank, ranks)[0, 1] < -0.3, name
