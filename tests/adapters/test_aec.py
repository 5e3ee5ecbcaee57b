"""The AEC view of worlds: PettingZoo's own check, and the same episodes as the environments play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test
from tests.adapters.worlds import LineWorld, ShyLineWorld
from tests.letters import LettersWorld
from tests.toys import RelayWorld

from mensura.adapters.aec import WorldAECEnv, aec_env
from mensura.adapters.pettingzoo import parallel_env
from mensura.worlds.echo import Echo
from mensura.worlds.lambda_star.world import LambdaStar


# It warns of worlds of one number, or of texts, and of seats that differ; all of which is as it should be.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "world",
    [
        RelayWorld(),
        ShyLineWorld(lazy=3),
        Echo(horizon=5),
        LambdaStar(rows=3, cols=3, subjects=2, horizon=6),
    ],
    ids=["relay", "line", "echo", "lambda-star"],
)
def test_the_check_of_pettingzoo_passes(world: Any) -> None:
    api_test(aec_env(world), num_cycles=40)


def played(env: WorldAECEnv, seed: int) -> list[tuple[str, Any, float, bool]]:
    rng = np.random.Generator(np.random.PCG64(seed))
    env.reset(seed=seed)
    told = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        told.append((agent, np.asarray(observation).tolist(), reward, terminated or truncated))
        space: Any = env.action_space(agent)
        env.step(None if terminated or truncated else int(space.start + rng.integers(space.n)))
    return told


def test_a_seed_fixes_all_episodes_and_seats_act_when_they_are_due() -> None:
    one, two = played(aec_env(RelayWorld()), 3), played(aec_env(RelayWorld()), 3)
    assert one == two
    acted = [agent for agent, _, _, over in one if not over]
    assert acted[:5] == ["subject_0", "subject_1", "subject_0", "subject_1", "subject_0"]
    assert acted.count("subject_0") > acted.count("subject_1")
    assert [agent for agent, _, _, over in one if over] == ["subject_0", "subject_1"]


def test_where_all_act_at_once_it_plays_what_the_parallel_view_plays() -> None:
    world = LambdaStar(rows=3, cols=3, subjects=2, horizon=6)
    sums = {"subject_0": 0.0, "subject_1": 0.0}
    actions = []
    rng = np.random.Generator(np.random.PCG64(5))
    env = aec_env(world)
    env.reset(seed=9)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        sums[agent] += reward
        choice = None if terminated or truncated else int(rng.integers(9))
        if choice is not None:
            actions.append(choice)
        env.step(choice)
    other = parallel_env(world)
    other.reset(seed=9)
    again = dict.fromkeys(sums, 0.0)
    for first, second in zip(actions[::2], actions[1::2], strict=True):
        _, rewards, *_ = other.step({"subject_0": first, "subject_1": second})
        for agent, reward in rewards.items():
            again[agent] += reward
    assert again == sums


def test_texts_and_lists_are_observed_and_said() -> None:
    """PettingZoo's own check knows arrays alone."""
    env = aec_env(LettersWorld())
    env.reset(seed=1)
    count = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        assert env.observation_space(agent).contains(observation)
        env.step(None if terminated or truncated else env.action_space(agent).sample())
        count += 1
    assert count > 4


def test_bad_actions_get_a_sentence() -> None:
    env = aec_env(LineWorld())
    with pytest.raises(ValueError, match="reset first"):
        env.step(0)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"7 is not an action of subject_0; actions are 0 to 2"):
        env.step(7)


def test_every_world_can_be_rendered() -> None:
    env = aec_env(RelayWorld(), render_mode="ansi")
    assert env.render() is None
    env.reset(seed=1)
    assert "interaction 0" in env.render()
    env = aec_env(RelayWorld(), render_mode="rgb_array")
    env.reset(seed=1)
    before = env.render()
    assert (before.dtype, before.ndim, before.shape[2]) == (np.uint8, 3, 3)
    for _ in range(2):
        env.step(2)
    assert not np.array_equal(before, env.render())
    env = aec_env(RelayWorld())
    env.reset(seed=1)
    assert env.render() is None
