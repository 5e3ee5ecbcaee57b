"""Checkpoints of what subjects play, and episodes that start from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mensura.adapters.gymnasium import WorldEnv
from mensura.adapters.pettingzoo import parallel_env
from mensura.agent.errors import MensuraError
from mensura.api.checkpoints import record
from mensura.core.abilities import describe_from_json
from mensura.records.pools import Pool
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_star.world import LambdaStar

WORLD = LambdaStar(rows=4, cols=4, subjects=1, horizon=20)


def recorded(count: int = 5, world: Any = WORLD, **more: Any) -> Pool:
    return record(
        resolve("random", world), world, every=7, count=count, seed=3, pictures=False, **more
    )


def test_checkpoints_are_those_that_were_asked_for_and_the_same_for_the_same_seed() -> None:
    pool = recorded()
    assert len(pool) == 5
    assert [one.interaction for one in pool.checkpoints] == [7, 14, 7, 14, 7]
    assert len(pool.episodes) == len(pool.environments) == 3
    assert pool == recorded()


def test_an_episode_goes_on_from_a_checkpoint_as_the_one_that_it_was_taken_of() -> None:
    pool = recorded(1)
    (one,) = pool.checkpoints
    description = describe_from_json(WORLD, dict(pool.environments[0]))
    environment = WORLD.build(description)
    environment.reset(1)
    turn = environment.restore(pool.snapshots[one.digest])
    env = WorldEnv(WORLD, checkpoints=pool)
    seen, _ = env.reset(seed=8)
    assert np.array_equal(seen, np.frombuffer(turn.observations[0]))
    for at in range(13):
        action = at % 9
        turn = environment.step([action + 1], [0.0])
        seen, reward, terminated, truncated, _ = env.step(action)
        assert np.array_equal(seen, np.frombuffer(turn.observations[0]))
        assert reward == turn.rewards[0]
        assert (terminated or truncated) == (at == 12)  # 20 interactions, of which 7 had been


def test_starts_are_drawn_by_the_seed_and_all_of_them_come() -> None:
    pool = recorded(4)
    env = WorldEnv(WORLD, checkpoints=pool)
    first = [env.reset(seed=1 if n == 0 else None)[0].tobytes() for n in range(24)]
    again = [env.reset(seed=1 if n == 0 else None)[0].tobytes() for n in range(24)]
    assert first == again
    assert len(set(first)) == 4


def test_a_limit_cuts_episodes_off_in_both_views() -> None:
    env = WorldEnv(WORLD, checkpoints=recorded(2), limit=3)
    env.reset(seed=1)
    ends = [env.step(0)[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    with pytest.raises(RuntimeError, match="reset first"):
        env.step(0)
    two = LambdaStar(rows=4, cols=4, subjects=2, horizon=20)
    many = parallel_env(two, checkpoints=recorded(2, two), limit=3)
    many.reset(seed=1)
    for at in range(3):
        told = many.step(dict.fromkeys(many.agents, 0))
        assert all(told[3].values()) == (at == 2)
    assert not many.agents


def test_bad_input_is_one_sentence(tmp_path: Path) -> None:
    pool = recorded(1)
    with pytest.raises(MensuraError, match="is of lambda-star-v2 and cannot be used in echo-v1"):
        WorldEnv("echo-v1", checkpoints=pool)
    with pytest.raises(MensuraError, match="cannot be read"):
        WorldEnv(WORLD, checkpoints=tmp_path / "none.pool")
    with pytest.raises(MensuraError, match="environments of their own"):
        WorldEnv(WORLD, checkpoints=pool, within=("K", 2, 3))
    with pytest.raises(MensuraError, match="A limit of 0 interactions"):
        WorldEnv(WORLD, limit=0)
    with pytest.raises(
        MensuraError, match="20 episodes of lambda-star-v2 ended before interaction 50"
    ):
        record(resolve("random", WORLD), WORLD, every=50, count=1, seed=1)
