"""Rows of seats: what PettingZoo's parallel view shows, in one batch, and Stable-Baselines3's view of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mensura.adapters.pettingzoo import WorldParallelEnv, parallel_env
from mensura.adapters.seat_vector import ParallelRows, seat_vector
from mensura.adapters.vector import WorldVector
from mensura.agent.errors import MensuraError

GIVEN: dict[str, Any] = {"rows": 4, "cols": 4, "subjects": 3, "horizon": 4}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_compiled_rows_are_those_of_parallel_views(mode: str) -> None:
    compiled = seat_vector("lambda-star-v2", 2, autoreset_mode=mode, **GIVEN)
    views = [parallel_env("lambda-star-v2", **GIVEN) for _ in range(2)]
    plain = ParallelRows(views, AutoresetMode(mode))
    assert isinstance(compiled, WorldVector)
    assert (compiled.num_envs, compiled.seats) == (6, 3)
    assert np.array_equal(compiled.reset(seed=3)[0], plain.reset(seed=3)[0])
    rng = np.random.default_rng(1)
    over = 0
    for _ in range(12):
        assert np.array_equal(compiled.acts, plain.acts)
        actions = rng.integers(0, 9, 6)
        one, other = compiled.step(actions), plain.step(actions)
        for a, b in zip(one[:4], other[:4], strict=True):
            assert np.array_equal(a, b)
        ended = one[2] | one[3]
        over += int(ended.sum())
        for row in np.flatnonzero(ended) if mode == "SameStep" else ():
            assert np.array_equal(one[4]["final_obs"][row], other[4]["final_obs"][row])
    assert over >= 12


def test_the_mask_says_who_acts() -> None:
    envs = seat_vector("lambda-star-v2", 1, **GIVEN)
    envs.reset(seed=1)
    for _ in range(4):
        assert envs.acts.all()
        envs.step(np.zeros(3, np.int64))
    assert not envs.acts.any()
    # The action of an episode that has ended is not played: any will do, and the reward is none.
    _, rewards, *_ = envs.step(np.full(3, 8))
    assert not rewards.any()
    assert envs.acts.all()


def test_other_worlds_are_stepped_one_after_the_other() -> None:
    envs = seat_vector("echo", 2)
    assert isinstance(envs, ParallelRows)
    envs.reset(seed=1)
    envs.action_space.seed(1)
    for _ in range(5):
        observations, rewards, *_ = envs.step(envs.action_space.sample())
        assert len(observations) == len(rewards) == envs.num_envs


def test_bad_input_is_one_sentence() -> None:
    with pytest.raises(MensuraError, match="num_envs is 0"):
        seat_vector("echo", 0)
    with pytest.raises(MensuraError, match=r"cannot be on a GPU|no GPU here|mensura"):
        seat_vector("echo", 1, device="gpu")
    with pytest.raises(MensuraError, match="next episode begins"):
        ParallelRows(
            [WorldParallelEnv(seat_vector("lambda-star-v2").world)], AutoresetMode.DISABLED
        )


class TestStableBaselines3:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("stable_baselines3")

    def test_its_own_check_passes_and_last_observations_are_told(self) -> None:
        from mensura.adapters.sb3 import vec_env

        envs = vec_env("lambda-star-v2", 2, rescale=True, **GIVEN)
        envs.seed(5)
        first = envs.reset()
        assert first.shape == (6, *envs.observation_space.shape)
        assert np.abs(first).max() <= 1.0
        same = seat_vector("lambda-star-v2", 2, autoreset_mode="SameStep", **GIVEN)
        same.reset(seed=5)
        for t in range(9):
            actions = np.random.default_rng(t).integers(0, 9, 6)
            _, rewards, dones, infos = envs.step(actions)
            told = same.step(actions)
            assert np.allclose(rewards, told[1])
            assert np.array_equal(dones, told[2] | told[3])
            for row in np.flatnonzero(dones):
                assert envs.observation_space.contains(infos[row]["terminal_observation"])
                assert infos[row]["TimeLimit.truncated"] == told[3][row]
        envs.close()

    @pytest.mark.thorough
    def test_ppo_trains_on_it(self) -> None:
        from stable_baselines3 import PPO

        from mensura.adapters.sb3 import vec_env

        envs = vec_env("lambda-star-v2", 4, rescale=True, **GIVEN)
        PPO("MlpPolicy", envs, n_steps=16, batch_size=32, seed=1, device="cpu").learn(400)
