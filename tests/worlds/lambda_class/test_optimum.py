"""The optimum of an environment: what each action costs is what is lost of the best that was to be had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

import mensura as ms
from mensura.core.abilities import optimum
from mensura.worlds.echo import Echo
from mensura.worlds.lambda_class.behaviors import Pattern
from mensura.worlds.lambda_class.optimum import Optimum, optimum_of
from mensura.worlds.lambda_class.world import Lambda

Floats = npt.NDArray[np.float64]


def played(
    world: Lambda, key: int, choose: Callable[[Optimum, list[Any], list[int]], int]
) -> tuple[Floats, Floats]:
    """What each action of an episode cost, and by how much V* fell by more than its cost and reward.

    Where Good and Evil want to go to one cell a coin decides, and V* is right on average only: these are left out.
    """
    d = world.sample(key, None)
    environment = world.build(d)
    best = optimum_of(d)
    assert best is not None
    assert isinstance(d.good_and_evil, Pattern)
    turn = environment.reset(key)
    moments, actions, rewards = [best.moment(environment)], [], []
    while turn.ended is None:
        actions.append(choose(best, moments, actions))
        turn = environment.step([actions[-1]], [0.0])
        moments.append(best.moment(environment))
        rewards.append(turn.rewards[0])
    costs = best.regrets(moments[:-1], actions)
    left = []
    pattern = d.good_and_evil.moves
    for t, (own, good, evil) in enumerate(moments[:-1]):
        move = pattern[t % len(pattern)]
        if d.space.arrows[good][move] == d.space.arrows[evil][move]:
            continue
        then = best.values[(t + 1, *moments[t + 1])]
        left.append(best.values[t, own, good, evil] - costs[t] - rewards[t] - then)
    return costs, np.array(left)


@pytest.mark.thorough
@settings(max_examples=examples(20, 200), deadline=None)
@given(key=st.integers(0, 2**32), horizon=st.integers(1, 30))
def test_what_an_action_costs_is_what_is_lost_of_the_best(key: int, horizon: int) -> None:
    rng = np.random.default_rng(key)
    costs, left = played(
        Lambda(horizon=horizon, cells=(2, 5)), key, lambda *_: int(rng.integers(2))
    )
    assert (costs >= -1e-9).all()
    assert left == pytest.approx(0.0, abs=1e-9)


@pytest.mark.thorough
def test_in_every_state_some_action_costs_nothing() -> None:
    def cheapest(best: Optimum, moments: list[Any], actions: list[int]) -> int:
        costs = [best.regrets(moments, [*actions, one])[-1] for one in range(2)]
        return int(np.argmin(costs))

    for key in range(5):
        costs, _ = played(Lambda(horizon=20, cells=5, actions=2), key, cheapest)
        assert costs == pytest.approx(0.0, abs=1e-9)


def test_where_it_cannot_be_told_there_is_none() -> None:
    # Rewards that stay and fade, and several subjects, are more than cells and clock.
    for world in (Lambda(division=2.0), Lambda(subjects=2), Echo()):
        assert optimum(world, world.sample(1, None)) is None
    noisy = ms.make("perturbed-lambda", observation_noise=0.5)
    assert optimum(noisy, noisy.sample(1, None)) is None
