"""Gymnasium's vector view: the single environments, thousands at a time, to the bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from mensura.adapters.gymnasium import WorldEnv
from mensura.adapters.vector import WorldVector, make_vector
from mensura.agent.errors import MensuraError
from mensura.core import blocks
from mensura.core.abilities import InBlocks
from mensura.core.registry import WORLDS
from mensura.worlds.framotec.model.blocks import Motor, Object, Sensor, Transition
from mensura.worlds.framotec.model.files import canonical
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import car_race

WORLDS_IN_BLOCKS: list[tuple[str, dict[str, Any]]] = [
    ("lambda-star", {"horizon": 7}),
    ("lambda-star", {"rows": 2, "cols": 2, "horizon": 5}),
]
FURTHER: list[tuple[str, dict[str, Any]]] = [
    ("lambda", {"horizon": 6}),
    ("lambda", {"horizon": 5, "rewards_seen": (0,)}),
    ("lambda-star", {"preset": "coverage", "horizon": 5}),
    ("lambda-star", {"preset": "landscape", "horizon": 6, "rows": 6, "cols": 6}),
    ("bf", {"horizon": 8}),
    ("framotec", {"horizon": 7, "actions": "three"}),
    ("framotec", {"horizon": 6, "task": "plotter-2d"}),
    ("framotec", {"horizon": 5, "rewards": "score", "dimensions": 12, "velocity_seen": (0,)}),
    ("framotec", {"horizon": 9, "task": "parking", "actions": "five", "ends": True}),
]
"""Each with doors of its own to compile, which takes most of the time."""
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]


def both(
    name: str, count: int, mode: AutoresetMode, **given: Any
) -> tuple[SyncVectorEnv, WorldVector]:
    vector = make_vector(name, count, autoreset_mode=mode, **given)
    assert isinstance(vector, WorldVector)
    single = [lambda: WorldEnv(vector.world) for _ in range(count)]
    return SyncVectorEnv(single, autoreset_mode=mode), vector


def some_actions(rng: np.random.Generator, vector: WorldVector) -> Any:
    kind: Any = vector.single_action_space
    if isinstance(kind, gymnasium.spaces.Box):
        return rng.uniform(-1, 1, (vector.num_envs, *kind.shape))
    return rng.integers(kind.n, size=vector.num_envs)


def assert_same(one: Any, other: Any) -> None:
    for a, b in zip(one[:-1], other[:-1], strict=True):
        assert np.array_equal(a, b)
        assert a.dtype == b.dtype
    finals, others = one[-1], other[-1]
    assert set(finals) == set(others)
    if "final_obs" in finals:
        assert np.array_equal(finals["_final_obs"], others["_final_obs"])
        assert np.array_equal(finals["_final_info"], others["_final_info"])
        for a, b in zip(finals["final_obs"], others["final_obs"], strict=True):
            assert (a is None) == (b is None)
            assert a is None or np.array_equal(a, b)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    ("name", "given_"),
    [*WORLDS_IN_BLOCKS, *(pytest.param(*one, marks=pytest.mark.thorough) for one in FURTHER)],
)
def test_environment_i_of_a_vector_is_the_single_one_of_its_seed(
    name: str, given_: dict[str, Any], mode: AutoresetMode
) -> None:
    singles, vector = both(name, 5, mode, **given_)
    assert singles.single_observation_space == vector.single_observation_space
    assert singles.single_action_space == vector.single_action_space
    assert singles.observation_space == vector.observation_space
    rng = np.random.default_rng(1)
    assert_same(singles.reset(seed=3), vector.reset(seed=3))
    for step in range(23):
        actions = some_actions(rng, vector)
        assert_same(singles.step(actions), vector.step(actions))
        if step == 11:
            assert_same(singles.reset(), vector.reset())
    vector.close()


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LEAST_SHARE", 4)
    singles, vector = both("lambda-star", 33, MODES[0], horizon=3, threads=threads)
    assert_same(singles.reset(seed=1), vector.reset(seed=1))
    rng = np.random.default_rng(2)
    for _ in range(8):
        actions = rng.integers(9, size=33)
        assert_same(singles.step(actions), vector.step(actions))
    vector.close()


def test_episodes_end_and_wait_where_nobody_resets_them() -> None:
    singles, vector = both("lambda-star", 3, AutoresetMode.DISABLED, horizon=2)
    assert_same(singles.reset(seed=0), vector.reset(seed=0))
    stay = np.full(3, 4)
    for _ in range(2):
        assert_same(singles.step(stay), vector.step(stay))
    with pytest.raises(RuntimeError, match="environment 0 has ended"):
        vector.step(stay)
    mask = {"reset_mask": np.array([True, True, True])}
    assert_same(singles.reset(options=dict(mask)), vector.reset(options=mask))
    assert_same(singles.step(stay), vector.step(stay))


def test_gymnasium_makes_it_by_its_id() -> None:
    envs = gymnasium.make_vec("mensura.adapters.gymnasium:mensura/LambdaStar-v2", num_envs=6)
    assert isinstance(envs.unwrapped, WorldVector)
    seen, _ = envs.reset(seed=1)
    assert seen.shape == (6, *envs.single_observation_space.shape)
    again = envs.step(envs.action_space.sample())[0]
    assert again is not seen
    envs.close()


def test_other_worlds_and_company_are_stepped_one_by_one() -> None:
    assert isinstance(make_vector("echo", 3), SyncVectorEnv)
    group = make_vector("lambda-star", 2, others="local-search", subjects=3, horizon=4)
    assert isinstance(group, SyncVectorEnv)
    group.reset(seed=1)
    with pytest.raises(MensuraError, match="no compiled vector"):
        make_vector("echo", 3, redraw=False)


def test_seats_are_rows_of_the_vector() -> None:
    world = WORLDS.load("lambda-star")(subjects=3, horizon=4)
    vector = WorldVector(world, 2)
    assert (vector.num_envs, vector.single_action_space.n) == (6, 9)  # type: ignore[attr-defined]
    seen, _ = vector.reset(seed=5)
    assert len({tuple(row[:2]) for row in seen[:3]}) > 1 or len({*map(tuple, seen)}) > 1
    for _ in range(4):
        seen, rewards, over, _, _ = vector.step(np.arange(6))
    assert over.all()
    assert rewards.shape == (6,)


def test_the_same_environment_comes_again_where_that_is_asked() -> None:
    envs = make_vector("lambda-star", 4, horizon=3, redraw=False, within=("K", 2, 9))
    assert isinstance(envs, WorldVector)
    envs.reset(seed=1)
    drawn = envs._block._shelf.rows.copy()
    for _ in range(9):
        envs.step(np.zeros(4, int))
    assert np.array_equal(envs._block._shelf.rows, drawn)
    envs.reset(seed=2)
    assert not np.array_equal(envs._block._shelf.rows, drawn)


def test_complexity_is_held_drawn_and_set_for_each() -> None:
    from mensura.worlds.lambda_star.world import LambdaStar

    world = LambdaStar(subjects=1)
    envs = WorldVector(world, 3, within=("K", 5, 5))
    envs.reset(seed=1)

    def found() -> list[float]:
        return [world.complexity(world.describe(row)) for row in envs._block._shelf.rows]

    assert found() == [5, 5, 5]
    envs.hold([3, 8, 20])
    assert found() == [5, 5, 5]  # from the next episodes on
    envs.reset()
    assert found() == [3, 8, 20]
    envs.hold(2, [4, 26, 2], "K")
    envs.reset()
    assert [
        low <= one <= high for low, one, high in zip((2, 2, 2), found(), (4, 26, 2), strict=True)
    ] == [True] * 3


def test_one_array_is_shown_where_no_copy_is_wanted() -> None:
    envs = make_vector("lambda-star", 4, copy=False)
    seen, _ = envs.reset(seed=1)
    before = seen.copy()
    shown = envs.step(np.zeros(4, int))[0]
    assert np.shares_memory(seen, shown)
    assert not np.array_equal(seen, before)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"num_envs": 0}, "num_envs is 0; it is at least 1"),
        (
            {"num_envs": 10**9},
            r"1,000,000,000 environments of [\d,]+ bytes do not fit .* free; [\d,]+ do",
        ),
        ({"num_envs": 2, "within": ("K", 40, 50)}, "K"),
    ],
)
def test_bad_input_is_one_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        make_vector("lambda-star", **wrong)


def test_a_curriculum_out_of_range_is_one_sentence() -> None:
    envs = make_vector("lambda-star", 3)
    assert isinstance(envs, WorldVector)
    for wrong, sentence in (
        ((1, 5), "goes beyond what lambda-star-v2 has, 2 to 26"),
        ((5, 4), "Environment 0 is to have K from 5 to 4, which is empty"),
        (([1, 2], 5), "one for each of the 3 environments"),
        ((1, 5, "depth"), "no complexity 'depth'"),
    ):
        with pytest.raises(MensuraError, match=sentence):
            envs.hold(*wrong)


@pytest.mark.parametrize("wrong", [[0, 1], [0, 1, 9], [0, -1, 1], [0.5, 1, 1], "abc"])
def test_what_are_no_actions_is_told_before_anything_moves(wrong: Any) -> None:
    envs = make_vector("lambda-star", 3)
    with pytest.raises(RuntimeError, match="reset first"):
        envs.step(np.zeros(3, int))
    before, _ = envs.reset(seed=1)
    with pytest.raises(ValueError, match="action"):
        envs.step(wrong)
    assert np.array_equal(envs._block.obs.reshape(3, -1), before)  # type: ignore[attr-defined]


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", [[[0.0], [1.5]], [[0.0], [np.nan]], [0.0, 1.0], [["a"], ["b"]]])
def test_powers_out_of_range_are_no_actions(wrong: Any) -> None:
    envs = make_vector("framotec", 2)
    before, _ = envs.reset(seed=1)
    with pytest.raises(ValueError, match="action"):
        envs.step(wrong)
    assert np.array_equal(envs._block.obs.reshape(2, -1), before)  # type: ignore[attr-defined]


@pytest.mark.thorough
def test_episodes_of_framotec_end_by_being_solved_or_cut_off() -> None:
    singles, vector = both("framotec", 2, MODES[1], ends=True, horizon=60)
    assert_same(singles.reset(seed=1), vector.reset(seed=1))
    ends = set()
    for _ in range(130):
        actions = np.array([[1.0], [0.0]])
        played = vector.step(actions)
        assert_same(singles.step(actions), played)
        ends |= {(int(row), bool(played[2][row])) for row in np.flatnonzero(played[2] | played[3])}
    assert ends == {(0, True), (1, False)}


@pytest.mark.thorough
def test_reward_channels_of_framotec_are_rewards_of_a_vector_too() -> None:
    race = car_race()
    task = replace(race, sensors=(*race.sensors, Sensor("score", "reward", reward=True)))
    singles, vector = both("framotec", 2, MODES[0], task=canonical(task), rewards="channels")
    assert_same(singles.reset(seed=1), vector.reset(seed=1))
    for _ in range(20):
        assert_same(singles.step(np.ones((2, 1))), vector.step(np.ones((2, 1))))


@pytest.mark.thorough
def test_a_task_that_goes_wrong_says_so() -> None:
    task = Task(
        objects=(Object("a", mass=1e-9),),
        motors=(Motor("m", "a", 1e14),),
        transitions=(Transition("t", "a.velocity <- a.velocity * 1e12"),),
    )
    envs = make_vector("framotec", 2, task=canonical(task))
    envs.reset(seed=1)
    with pytest.raises(MensuraError, match=r"beyond all numbers|too large"):
        envs.step(np.ones((2, 1)))


def test_framotec_with_time_to_think_is_stepped_one_by_one() -> None:
    assert isinstance(make_vector("framotec", 2, clock="simulated"), SyncVectorEnv)


def test_seeds_are_one_or_one_for_each() -> None:
    envs, other = (make_vector("lambda-star", 3) for _ in range(2))
    assert np.array_equal(envs.reset(seed=4)[0], other.reset(seed=[4, 5, 6])[0])
    with pytest.raises(MensuraError, match="2 seeds were given for 3"):
        envs.reset(seed=[1, 2])


def test_compiled_worlds_say_that_they_are_in_blocks() -> None:
    found = {name for name in WORLDS.names() if isinstance(WORLDS.load(name)(), InBlocks)}
    assert found == {"lambda-star-v2", "lambda-v1", "bf-v1", "framotec-v1"}
