"""The Gymnasium view passes Gymnasium's checks without a warning, alone and among others."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import DeprecatedEnv
from gymnasium.utils.env_checker import check_env
from tests.adapters.worlds import LineWorld
from tests.toys import RelayWorld

from mensura.adapters.gymnasium import WorldEnv, id_of, register_worlds
from mensura.adapters.pettingzoo import parallel_env
from mensura.agent.errors import MensuraError
from mensura.core.registry import WORLDS
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar

LAMBDA_STAR = "mensura/LambdaStar-v2"


def episode(env: gymnasium.Env[Any, Any], seed: int | None, moves: int = 5) -> list[Any]:
    """All that a whole episode shows, under actions that depend on ``moves`` alone."""
    rng = np.random.default_rng(moves)
    observation, info = env.reset(seed=seed)
    seen: list[Any] = [observation.tolist(), info]
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(
            int(rng.integers(env.action_space.n))  # type: ignore[attr-defined]
        )
        seen += [observation.tolist(), reward, terminated, truncated, info]
        over = terminated or truncated
    return seen


# Gymnasium's own checks; a warning is an error in all tests -------------------


ALONE: dict[str, dict[str, Any]] = {"constraints-v1": {"n": 1}}
"""Parameters under which a world without a parameter ``subjects`` has one seat."""


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(
            name,
            marks=[]
            if name in ("echo-v1", "framotec-v1", "lambda-star-v2")
            else [pytest.mark.thorough],
        )
        for name in WORLDS.names()
    ],
)
def test_every_installed_world_passes_gymnasiums_check(world: str) -> None:
    check_env(gymnasium.make(id_of(world), **ALONE.get(world, {})).unwrapped)


@pytest.mark.parametrize(
    "parameters",
    [
        {"rows": 1, "cols": 2, "horizon": 3},
        {"rows": 4, "cols": 6, "range": 3, "within": ("K", 3, 9)},
        {"preset": "authors-2016"},
        {"others": "local-search"},
        {"others": "oracle+auction*2", "subjects": 4},
        {"render_mode": "ansi"},
    ],
)
def test_environments_of_every_shape_pass_it(parameters: dict[str, Any]) -> None:
    check_env(gymnasium.make(LAMBDA_STAR, **parameters).unwrapped)


def test_an_environment_with_its_wrappers_passes_it() -> None:
    env = gymnasium.make(LAMBDA_STAR)
    with warnings.catch_warnings():
        # That it has wrappers is the one thing that the checker may say.
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version")
        check_env(env)


def test_whole_episodes_pass_under_the_passive_checker() -> None:
    env = gymnasium.make(LAMBDA_STAR, render_mode="ansi")
    assert "PassiveEnvChecker" in str(env)
    for seed in (1, None, 2):
        assert len(episode(env, seed)) == 2 + 5 * 50
    assert "iteration 50 of 50" in str(env.render())
    env.close()
    env.close()


def test_a_vector_of_environments_can_be_made() -> None:
    env = gymnasium.make_vec(LAMBDA_STAR, num_envs=3, vectorization_mode="sync")
    observations, _ = env.reset(seed=1)
    assert observations.shape == (3, 50)
    assert len({row.tobytes() for row in observations}) == 3
    env.close()


# Worlds whose environments differ in size ------------------------------------


def test_environments_of_all_sizes_are_filled_up_to_the_largest() -> None:
    env = WorldEnv("lambda-v1", cells=(2, 6), rewards_seen=(0,), horizon=3)
    assert env.observation_space.shape == (6 + 1 + 6 + 6,)
    assert env.action_space.n == 6  # type: ignore[attr-defined]
    sizes = set()
    for seed in range(30):
        row, _ = env.reset(seed=seed)
        space = env._environment.description.space  # type: ignore[union-attr]
        ways, rewards = row[7:13], row[13:]
        assert (ways[: space.actions] >= 0).all()
        assert (ways[space.actions :] == -1).all()
        assert (rewards[space.cells :] == 0).all()
        assert env.observation_space.contains(row)
        sizes.add((space.cells, space.actions))
    assert len(sizes) > 5


def test_an_action_that_an_environment_does_not_have_stays() -> None:
    env = WorldEnv("lambda-v1", cells=(2, 6), horizon=3)
    for seed in range(10):
        cell = env.reset(seed=seed)[0][0]
        if env._environment.description.space.actions < 6:  # type: ignore[union-attr]
            assert env.step(5)[0][0] == cell
        with pytest.raises(ValueError, match="actions are whole numbers from 0 to 5"):
            env.step(6)


def test_a_described_environment_and_a_world_of_one_size_have_their_own_spaces() -> None:
    world = Lambda(cells=(2, 6))
    d = next(d for d in map(world.sample, range(99)) if d.space.actions == 3)
    env = WorldEnv(world, description=d)
    assert env.action_space.n == 3  # type: ignore[attr-defined]
    assert env.observation_space.shape == (10,)
    env = WorldEnv(Lambda(cells=4, actions=3))
    assert env._episodes.next().fit is None
    env = WorldEnv(world)
    env.reset(options={"description": d})
    with pytest.raises(MensuraError, match="other seats or spaces"):
        env.reset(options={"description": Lambda(cells=9, actions=7).sample(1)})


@pytest.mark.parametrize(
    "parameters",
    [{"preset": "theory"}, {"objects": 2, "rewards_seen": (0,)}, {"observability": "partial"}],
)
def test_lambda_of_every_kind_passes_gymnasiums_check(parameters: dict[str, Any]) -> None:
    check_env(gymnasium.make("mensura/Lambda-v1", **parameters).unwrapped)


@pytest.mark.parametrize(
    "preset",
    [
        pytest.param(name, marks=pytest.mark.thorough) if number else name
        for number, name in enumerate(LambdaStar.presets)
    ],
)
def test_every_preset_of_lambda_star_passes_gymnasiums_check(preset: str) -> None:
    check_env(gymnasium.make(LAMBDA_STAR, preset=preset).unwrapped)


# Registration -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        ("lambda-star-v2", "mensura/LambdaStar-v2"),
        ("lambda-v12", "mensura/Lambda-v12"),
        ("c-test-v1", "mensura/CTest-v1"),
        ("unversioned-verse", "mensura/UnversionedVerse"),
    ],
)
def test_ids_are_made_from_those_of_the_worlds(world: str, expected: str) -> None:
    assert id_of(world) == expected


def test_every_installed_world_is_registered_once() -> None:
    register_worlds()
    ours = [name for name in gymnasium.registry if name.startswith("mensura/")]
    assert sorted(ours) == sorted(map(id_of, WORLDS.names()))


@pytest.mark.filterwarnings("ignore:.*mensura/LambdaStar-v0 is out of date")
def test_an_older_id_is_refused_with_the_present_one() -> None:
    with pytest.raises(DeprecatedEnv, match="`mensura/LambdaStar-v2`"):
        gymnasium.make("mensura/LambdaStar-v0")
    with pytest.raises(MensuraError, match="older version of lambda-star-v2"):
        WorldEnv("lambda-star-v0")


@pytest.mark.thorough
def test_an_id_that_names_the_module_needs_no_import() -> None:
    code = (
        "import sys, gymnasium\n"
        "assert 'mensura' not in sys.modules\n"
        f"env = gymnasium.make('mensura.adapters.gymnasium:{LAMBDA_STAR}', rows=5, cols=5)\n"
        "print(env.reset(seed=1)[0].shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(50,)\n"


# One subject ------------------------------------------------------------------


def test_a_single_subject_meets_the_same_episodes_as_in_pettingzoo() -> None:
    alone = gymnasium.make(LAMBDA_STAR)
    parallel = parallel_env(subjects=1)
    for seed in (3, None, None):
        shown = episode(alone, seed)
        rng = np.random.default_rng(5)
        observations, _ = parallel.reset(seed=seed)
        same: list[Any] = [observations["subject_0"].tolist(), {}]
        while parallel.agents:
            for values in parallel.step({"subject_0": int(rng.integers(9))}):
                value = values["subject_0"]
                same.append(value.tolist() if isinstance(value, np.ndarray) else value)
        assert shown == same


def test_a_seed_repeats_whole_episodes_and_another_does_not() -> None:
    one, two = gymnasium.make(LAMBDA_STAR), gymnasium.make(LAMBDA_STAR)
    assert episode(one, 3) == episode(two, 3)
    assert episode(one, None) == episode(two, None)
    assert episode(one, 3) != episode(one, 4)
    assert episode(one, None, 1) != episode(one, None, 1)


@pytest.mark.parametrize("action", [9, -1, 1.5, 2.0, None, "up", [1], np.array([1, 2])])
def test_an_action_that_is_none_is_refused_and_the_episode_goes_on(action: Any) -> None:
    env = WorldEnv()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="is not an action now; actions are whole numbers from 0"):
        env.step(action)
    env.step(np.int64(8))
    env.step(np.array(8))


def test_a_view_never_resets_itself() -> None:
    env = WorldEnv(horizon=1)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="reset first"):
            env.step(4)
        env.reset()
        assert env.step(4)[2:4] == (True, False)


def test_what_a_world_truncates_is_truncated() -> None:
    env = WorldEnv(LineWorld(walkers=1, horizon=2))
    env.reset(seed=1)
    assert env.step(1)[2:4] == (False, False)
    assert env.step(1)[2:4] == (False, True)


# Others -----------------------------------------------------------------------


def places(env: WorldEnv) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = env._environment.positions()["subjects"]  # type: ignore[union-attr]
    return found


def test_others_take_the_other_seats_and_play_as_they_do() -> None:
    env = WorldEnv(others="oracle", subjects=3, horizon=30)
    env.reset(seed=1)
    rights = [seat.rights for seat in env._environment.seats]  # type: ignore[union-attr]
    assert rights == [frozenset(), {"sees_future"}, {"sees_future"}]
    start = places(env)
    over = False
    while not over:
        *_, over, _, _ = env.step(4)
    assert places(env)[0] == start[0]
    assert places(env)[1] == places(env)[2] == env._environment.positions()["good"]  # type: ignore[union-attr]


@pytest.mark.parametrize("others", ["random", "auction"])
def test_a_seed_fixes_the_others_too(others: str) -> None:
    walks = []
    for seed in (1, 1, 2):
        env = WorldEnv(others=others, horizon=10)
        env.reset(seed=seed)
        walk = [places(env)]
        for _ in range(10):
            env.step(0)
            walk.append(places(env))
        walks.append(walk)
    assert walks[0] == walks[1] != walks[2]


def test_among_others_a_world_may_ask_its_seats_at_different_times() -> None:
    env = WorldEnv(RelayWorld(), others="random")
    _, reward = env.reset(seed=1)[0], 0.0
    steps, over = 0, False
    while not over:
        _, gained, terminated, truncated, _ = env.step(2)
        reward += gained
        over = terminated or truncated
        steps += 1
    assert steps == 6  # seat 0 acts at every second of 12 ticks
    assert truncated
    assert reward < 0


def test_others_that_need_closing_are_closed() -> None:
    env = WorldEnv(others="random", subjects=2)
    env.reset(seed=1)
    closed = []
    env._player.close = lambda: closed.append(True)  # type: ignore[method-assign]
    env.reset()
    assert closed == [True]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"subjects": 3}, "has 3 seats here and Gymnasium knows one"),
        ({"world": LambdaStar()}, "has 5 seats here and Gymnasium knows one"),
        ({"subjects": 1, "others": "random"}, "There is no seat for others='random'"),
        ({"others": "nobody"}, "There is no subject 'nobody'"),
        ({"others": "oracle*9"}, "9 members and the environment 4 seats"),
        ({"row": 3}, "has no parameter 'row'"),
    ],
)
def test_what_makes_no_view_gets_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        WorldEnv(**arguments).reset()


def test_importing_the_package_after_gymnasium_makes_its_ids_known() -> None:
    program = "import gymnasium, mensura; gymnasium.make('mensura/LambdaStar-v2').reset(seed=1)"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
    program = "import sys, mensura; sys.exit('gymnasium' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_episode_that_is_over_as_it_begins_ends_with_the_first_step() -> None:
    over = WorldEnv(LineWorld(walkers=1, horizon=0))
    for seed in (1, None):
        first, _ = over.reset(seed=seed)
        seen, reward, terminated, truncated, _ = over.step(over.action_space.sample())
        assert np.array_equal(seen, first)
        assert (reward, terminated, truncated) == (0.0, False, True)
        with pytest.raises(RuntimeError, match="reset first"):
            over.step(over.action_space.sample())
    several = parallel_env(LineWorld(walkers=2, horizon=0))
    several.reset(seed=1)
    assert several.agents == []
