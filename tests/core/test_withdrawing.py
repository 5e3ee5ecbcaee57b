"""Withdrawing: one more action that ends the episode, which then counts 0."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.core.registry import WORLDS
from mensura.core.withdrawing import WITHDRAWN, WithdrawingWorld, check_can_withdraw
from mensura.testing import check_world

pytestmark = pytest.mark.quick

ECHO = WORLDS.load("echo")(symbols=4, longest=0, horizon=8)
WORLD = WithdrawingWorld(ECHO)


class Leaving:
    """Says what it sees, and withdraws at some turn."""

    def __init__(self, at: int) -> None:
        self.at, self.turn, self.told = at, 0, []
        self.ended: list[Any] = []

    def begin(self, task: Any, rng: Any) -> None:
        self.actions, self.instructions = task.action_space, task.instructions

    def act(self, observation: int, reward: float) -> int:
        self.turn += 1
        self.told.append(reward)
        return 4 if self.turn == self.at else observation

    def end(self, observation: int, reward: float, terminated: bool) -> None:
        self.ended.append((reward, terminated))


@given(st.integers(1, 8))
def test_an_episode_that_is_withdrawn_from_counts_0(at: int) -> None:
    agent = Leaving(at)
    episode = drive(
        play(WORLD.build(WORLD.sample(1)), 2, world=WORLD.id, seed=3),
        InProcess("leaving", lambda: agent).sit(1),
    )
    assert episode.rewards == (0.0,)
    assert episode.interactions == (at,)
    assert episode.measures[WITHDRAWN] == 1.0
    assert agent.ended == [(0.0, True)]  # it is told 0, not what it had with another sign
    assert agent.actions.n == 5
    assert "The action 4 withdraws" in agent.instructions


def test_who_stays_has_the_same_episode_as_without() -> None:
    def played(world: Any) -> Any:
        return drive(
            play(world.build(world.sample(1)), 2, world=world.id, seed=3),
            InProcess("staying", lambda: Leaving(99)).sit(1),
        )

    with_it, without = played(WORLD), played(ECHO)
    assert with_it.rewards == without.rewards == (8.0,)
    assert with_it.measures == {**without.measures, WITHDRAWN: 0.0}


@given(st.lists(st.integers(0, 4), max_size=8))
def test_a_snapshot_brings_the_moment_back(actions: list[int]) -> None:
    environment, other = (WORLD.build(WORLD.sample(1)) for _ in range(2))
    turn = environment.reset(2)
    for action in actions:
        if turn.ended is None:
            turn = environment.step([action], [0.0])
    back = other.restore(environment.snapshot())
    assert back.ended == turn.ended
    assert list(back.rewards) == list(turn.rewards)
    assert other.measures() == environment.measures()
    for bad in (b"", b"{}", b"[]", b'{"inner":"x"}'):
        with pytest.raises(MensuraError, match="another environment"):
            other.restore(bad)


def test_training_is_in_what_the_world_inside_trains_in() -> None:
    calm = WORLDS.load("perturbed-echo")(horizon=8, action_noise=1.0, calm_training=1)
    world = WithdrawingWorld(calm)
    description = world.sample(1)
    assert world.in_training(description, 0).inner == calm.in_training(description.inner, 0)
    assert world.in_training(description, 1) == description


def test_it_is_a_world_like_any_other() -> None:
    assert check_world(WORLD) == []


@pytest.mark.parametrize(
    ("world", "given", "sentence"),
    [
        ("lambda-star", {"subjects": 2}, "Withdrawing is for a subject in one seat, and "),
        ("framotec", {}, "an action is something else."),
    ],
)
def test_where_nobody_can_withdraw_a_sentence_says_so(
    world: str, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(MensuraError) as caught:
        check_can_withdraw(WORLDS.load(world)(**given))
    assert sentence in str(caught.value)
    check_can_withdraw(ECHO)
