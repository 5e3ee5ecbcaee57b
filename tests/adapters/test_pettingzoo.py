"""The PettingZoo view is the world and nothing but the world, at whatever speed."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from tests.adapters.worlds import LineWorld, ShyLineWorld
from tests.heavy import pettingzoo_test
from tests.sizes import examples
from tests.toys import RelayWorld

from mensura.adapters.pettingzoo import PROBED_TURNS, parallel_env
from mensura.agent.errors import MensuraError
from mensura.core.registry import WORLDS
from mensura.worlds.lambda_star.world import LambdaStar


def episode(env: Any, seed: int | None, moves: int = 5) -> list[Any]:
    """All that a whole episode shows, under actions that depend on ``moves`` alone."""
    rng = np.random.default_rng(moves)
    observations, infos = env.reset(seed=seed)
    seen: list[Any] = [{name: row.tolist() for name, row in observations.items()}, infos]
    while env.agents:
        last = env.action_space(env.agents[0]).n
        actions = {name: int(rng.integers(last)) for name in env.agents}
        try:
            observations, *rest = env.step(actions)
        except ValueError:  # the walkers of the toy world may not go everywhere
            observations, *rest = env.step(dict.fromkeys(env.agents, 1))
        seen += [{name: row.tolist() for name, row in observations.items()}, *rest]
    return seen


# PettingZoo's own checks ------------------------------------------------------


SHORT_LETTERS = {"constraints-v1": {"n": 4, "letters": 2, "longest": 16}}
"""Samples of its actions are letters as long as may be, which would take minutes."""


@pytest.mark.parametrize("name", WORLDS.names())
def test_the_view_of_every_installed_world_passes_pettingzoos_check(name: str) -> None:
    env = parallel_env(name, **SHORT_LETTERS.get(name, {}))
    pettingzoo_test.parallel_api_test(env, num_cycles=examples(40, 200))


@pytest.mark.parametrize(
    "parameters",
    [
        {"subjects": 1},
        {"subjects": 3, "rows": 4, "cols": 7, "range": 2, "horizon": 1},
        {"subjects": 2, "guided": True, "future": (1,), "generator": "walk"},
        {"preset": "authors-2016", "subjects": 12, "rows": 3, "cols": 3},
        *({"preset": name, "rows": 6, "cols": 5} for name in LambdaStar.presets),
    ],
    ids=str,
)
def test_worlds_of_every_shape_pass_it(parameters: dict[str, Any]) -> None:
    pettingzoo_test.parallel_api_test(parallel_env("lambda-star-v2", **parameters), num_cycles=200)
    pettingzoo_test.parallel_seed_test(lambda: parallel_env("lambda-star-v2", **parameters))


@pytest.mark.parametrize(
    "parameters",
    [
        {"subjects": 3},
        {"subjects": 2, "cells": 4, "actions": 3},
        {"preset": "theory", "objects": 1, "rewards_seen": (1,), "subjects": 2},
    ],
)
def test_lambda_passes_it_although_its_environments_differ_in_size(
    parameters: dict[str, Any],
) -> None:
    pettingzoo_test.parallel_api_test(parallel_env("lambda-v1", **parameters), num_cycles=200)
    pettingzoo_test.parallel_seed_test(lambda: parallel_env("lambda-v1", **parameters))


def test_rows_of_smaller_environments_are_filled_up_in_steps_as_at_reset() -> None:
    env = parallel_env("lambda-v1", subjects=2, cells=(2, 6), horizon=4)
    for seed in range(10):
        observations, _ = env.reset(seed=seed)
        n_a = env._environment.description.space.actions
        before = {name: row[0] for name, row in observations.items()}
        observations, *_ = env.step({"subject_0": 0, "subject_1": 5 if n_a < 6 else 0})
        for name, row in observations.items():
            assert row.shape == env.observation_space(name).shape
            assert (row[8 + n_a :] == -1).all()
            assert (row[8 : 8 + n_a] >= 0).all()
            assert row[0] == before[name]
        with pytest.raises(ValueError, match="is not an action of subject_1; actions are 0 to 5"):
            env.step({"subject_0": 0, "subject_1": 6})


def test_a_world_without_a_quick_way_passes_it() -> None:
    pettingzoo_test.parallel_api_test(parallel_env(ShyLineWorld()), num_cycles=200)


# Seeds ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "world", ["lambda-star-v2", "lambda-v1", LambdaStar(subjects=1), LineWorld()]
)
def test_two_views_with_one_seed_play_the_same_episodes_to_the_end(world: Any) -> None:
    one, two = parallel_env(world), parallel_env(world)
    firsts = episode(one, 7), episode(two, 7)
    seconds = episode(one, None), episode(two, None)
    assert firsts[0] == firsts[1]
    assert seconds[0] == seconds[1]
    assert firsts[0] != seconds[0]
    assert len(firsts[0]) == 2 + 5 * one._environment.horizon


@pytest.mark.parametrize("world", ["lambda-star-v2", LineWorld()])
def test_another_seed_plays_other_episodes(world: Any) -> None:
    env = parallel_env(world)
    assert len({repr(episode(env, seed)) for seed in range(6)}) > 4


def test_a_seed_starts_its_episodes_over_in_a_view_that_was_used() -> None:
    env = parallel_env()
    first = episode(env, 3)
    for _ in range(3):
        episode(env, None)
    assert episode(env, 3) == first


def test_without_a_seed_no_two_views_and_no_two_episodes_are_the_same() -> None:
    one, two = parallel_env(), parallel_env()
    episodes = [repr(episode(env, None)) for env in (one, one, two, two)]
    assert len(set(episodes)) == 4


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_gets_a_sentence(seed: int) -> None:
    with pytest.raises(ValueError, match=rf"the seed {seed} is out of range; it is from 0 to"):
        parallel_env().reset(seed=seed)


# Environments -----------------------------------------------------------------


def test_a_description_fixes_the_environment_but_not_where_the_subjects_start() -> None:
    world = LambdaStar(subjects=2)
    description = world.sample(1)
    env = parallel_env(world, description=description)
    starts = set()
    for _ in range(5):
        observations, _ = env.reset()
        assert env._environment.description == description
        starts.add(observations["subject_0"].tobytes())
    assert len(starts) > 1


def test_a_description_may_be_given_for_one_episode() -> None:
    world = LambdaStar(subjects=2)
    env = parallel_env(world)
    env.reset(seed=1, options={"description": world.sample(5)})
    assert env._environment.description == world.sample(5)
    env.reset()
    assert env._environment.description != world.sample(5)


def test_a_description_of_another_shape_is_refused() -> None:
    env = parallel_env(subjects=2)
    with pytest.raises(MensuraError, match="other seats or spaces than the view was made for"):
        env.reset(options={"description": LambdaStar(subjects=3).sample(1)})


def test_environments_are_drawn_within_a_wanted_complexity() -> None:
    world = LambdaStar(subjects=1)
    env = parallel_env(world, within=("K", 7, 9))
    for seed in range(20):
        env.reset(seed=seed)
        assert 7 <= world.complexity(env._environment.description, "K") <= 9


def test_a_preset_is_a_parameter_of_a_named_world() -> None:
    assert parallel_env(preset="authors-2016", rows=7).world == LambdaStar.preset(
        "authors-2016", rows=7
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"world": "lambda-moon"},
            "There is no world 'lambda-moon'; did you mean .*lambda-star-v2",
        ),
        (
            {"world": "lambda-star-v0"},
            "lambda-star-v0 is an older version of lambda-star-v2, the present one; what changed",
        ),
        ({"row": 5}, "The world lambda-star-v2 has no parameter 'row'; did you mean rows"),
        ({"rows": 1, "cols": 1}, "A grid of 1x1 has no room"),
        ({"preset": "mine"}, "has no preset 'mine'; known are"),
        ({"world": LambdaStar(), "rows": 5}, "was given as an object"),
        ({"within": ("K", 500, 600)}, "out of reach"),
        ({"within": ("K", 5, 6), "description": LambdaStar().sample(1)}, "give one of the two"),
        ({"render_mode": "human"}, "cannot be rendered as 'human'; it can as 'ansi', 'rgb_array'"),
    ],
)
def test_what_makes_no_view_gets_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        parallel_env(**arguments)


def test_worlds_whose_seats_act_at_different_times_are_refused() -> None:
    with pytest.raises(MensuraError, match="In relay-v0 not all seats act at every turn"):
        parallel_env(RelayWorld())


def test_a_world_that_turns_out_so_late_is_refused_when_it_does() -> None:
    late = PROBED_TURNS + 3
    env = parallel_env(LineWorld(lazy=late, horizon=late + 5))
    env.reset(seed=1)
    for _ in range(late - 1):
        env.step(dict.fromkeys(env.agents, 1))
    with pytest.raises(MensuraError, match="In line-v3 not all seats act at every turn"):
        env.step(dict.fromkeys(env.agents, 1))


# What is seen and done --------------------------------------------------------


def test_rows_rewards_and_ends_are_those_of_the_environment() -> None:
    """Action 0 of the view is action 1 of Lambda Star, and a row holds a record's fields in their order."""
    world = LambdaStar(subjects=3, future=(1,), guided=True, horizon=20)
    env = parallel_env(world)
    rng = np.random.default_rng(1)
    observations, _ = env.reset(seed=11)
    twin = world.build(env._environment.description)
    twin.restore(env._environment.snapshot())
    while env.agents:
        played = rng.integers(0, 9, 3)
        actions = dict(zip(env.possible_agents, played, strict=True))
        observations, rewards, terminations, truncations, _ = env.step(actions)
        turn = twin.step([int(action) + 1 for action in played])
        for seat, name in enumerate(env.possible_agents):
            record = turn.observations[seat]
            fields = np.concatenate([np.ravel(record[field]) for field in record.dtype.names])
            assert observations[name].tolist() == fields.tolist()
            assert env.observation_space(name).contains(observations[name])
        assert list(rewards.values()) == turn.rewards
        assert set(terminations.values()) == {turn.ended == "terminated"}
        assert set(truncations.values()) == {False}
    assert turn.ended == "terminated"


def test_what_a_world_truncates_is_truncated_and_all_agents_leave() -> None:
    env = parallel_env(LineWorld(horizon=2))
    env.reset(seed=1)
    still = dict.fromkeys(env.possible_agents, 1)
    assert env.step(still)[3] == dict.fromkeys(env.possible_agents, False)
    _, _, terminations, truncations, _ = env.step(still)
    assert terminations == dict.fromkeys(env.possible_agents, False)
    assert truncations == dict.fromkeys(env.possible_agents, True)
    assert env.agents == []


def test_observations_that_were_kept_do_not_change_later() -> None:
    env = parallel_env(subjects=2)
    observations, _ = env.reset(seed=1)
    kept, seen = [], []
    while env.agents:
        for row in observations.values():
            kept.append(row)
            seen.append(row.tolist())
        observations, *_ = env.step(dict.fromkeys(env.agents, 0))
    assert [row.tolist() for row in kept] == seen


def test_infos_tell_nothing() -> None:
    """Least of all a key or a description, from which an agent could rebuild its environment."""
    shown = episode(parallel_env(subjects=2), 5)
    infos = [shown[1], *shown[6::5]]
    assert len(infos) == 51
    assert all(info == {"subject_0": {}, "subject_1": {}} for info in infos)


@pytest.mark.parametrize("action", [9, -1, 17, 2.0, 1.5, None, "up", [1], np.array([1, 2]), 2**70])
def test_an_action_that_is_none_is_refused_and_the_episode_goes_on(action: Any) -> None:
    env = parallel_env(subjects=2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"is not an action of subject_1; actions are 0 to 8"):
        env.step({"subject_0": 0, "subject_1": action})
    env.step({"subject_0": 8, "subject_1": np.int64(8)})
    assert env._environment.iteration == 1


@pytest.mark.parametrize("actions", [{}, {"subject_0": 1}, {"subject_0": 1, "subject_9": 1}])
def test_every_agent_has_to_act(actions: dict[str, int]) -> None:
    env = parallel_env(subjects=2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="there is no action for subject_"):
        env.step(actions)


def test_an_action_that_the_environment_forbids_now_is_refused() -> None:
    env = parallel_env(LineWorld(walkers=1, horizon=30))
    observations, _ = env.reset(seed=1)
    for _ in range(6 - int(observations["subject_0"][0])):
        env.step({"subject_0": 2})
    with pytest.raises(ValueError, match="subject_0 may not play 2 now"):
        env.step({"subject_0": 2})


def test_a_view_never_resets_itself() -> None:
    env = parallel_env(subjects=1, horizon=1)
    for _ in range(2):
        with pytest.raises(ValueError, match="reset first"):
            env.step({"subject_0": 4})
        env.reset()
        env.step({"subject_0": 4})


def test_errors_that_are_not_the_actions_fault_are_shown_as_they_are() -> None:
    env = parallel_env(LineWorld())
    env.reset(seed=1)

    def broken(*_: Any) -> Any:
        raise ValueError("the world is broken")

    env._environment.step = broken
    with pytest.raises(ValueError, match="the world is broken"):
        env.step(dict.fromkeys(env.agents, 1))


def test_a_copy_of_a_view_goes_on_as_the_view_does() -> None:
    env = parallel_env(subjects=2, horizon=6)
    env.reset(seed=1)
    env.step({"subject_0": 1, "subject_1": 2})
    twin = copy.deepcopy(env)
    ends = []
    for one in (env, twin):
        shown = []
        while one.agents:
            observations, rewards, *_ = one.step({"subject_0": 3, "subject_1": 0})
            shown.append([*(row.tolist() for row in observations.values()), rewards])
        ends.append(shown)
    assert ends[0] == ends[1]
    assert len(ends[0]) == 5


def test_the_view_is_drawn_as_text() -> None:
    env = parallel_env(subjects=1, render_mode="ansi")
    assert env.render() is None
    env.reset(seed=1)
    assert "iteration 0 of 50" in env.render()
    assert parallel_env().render() is None
    assert str(env) == "lambda_star_v2"
