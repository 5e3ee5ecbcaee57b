"""Episodes that begin in a checkpoint: what counts is what comes after it."""

from __future__ import annotations

from typing import Any

import pytest

from mensura.agent.in_process import Agents
from mensura.agent.task import Task
from mensura.core.contract import Episode, Plan, Start
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.core.sitting import sit
from mensura.worlds.echo import Echo

pytestmark = pytest.mark.quick

WORLD = Echo(horizon=20)


class Noting:
    """Always answers 0, and notes what it is told."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.heard: list[float] = []
        self.ends = 0

    def begin(self, task: Task, rng: Any) -> None:
        self.tasks.append(task)

    def act(self, observation: Any, reward: float) -> int:
        self.heard.append(reward)
        return 0

    def end(self, observation: Any, reward: float, terminated: bool) -> None:
        self.ends += 1


def reached(interactions: int) -> tuple[Any, bytes, list[float]]:
    """An environment, its state after so many interactions, and the rewards that come after it."""
    description = WORLD.sample(4)
    environment = WORLD.build(description)
    turn = environment.reset(7)
    for _ in range(interactions):
        turn = environment.step([0], [0.0])
    state = environment.snapshot()
    rewards = []
    while turn.ended is None:
        turn = environment.step([0], [0.0])
        rewards.append(turn.rewards[0])
    return description, state, rewards


def started(state: bytes, description: Any, **more: Any) -> tuple[Episode, Noting]:
    agent = Noting()
    asking = play(WORLD.build(description), 99, world=WORLD.id, seed=1, start=state, **more)
    return drive(asking, Agents([agent])), agent


def test_only_what_comes_after_the_start_counts() -> None:
    description, state, rewards = reached(12)
    episode, agent = started(state, description)
    assert episode.rewards[0] == pytest.approx(sum(rewards))
    assert episode.interactions == (8,)
    assert agent.heard == [0.0, *rewards[:-1]]
    assert agent.tasks[0].horizon is None


def test_a_slot_is_the_most_that_an_episode_from_a_start_has() -> None:
    description, state, rewards = reached(12)
    episode, agent = started(state, description, interactions=3)
    assert episode.rewards[0] == pytest.approx(sum(rewards[:3]))
    longer, other = started(state, description, interactions=50)
    assert longer.interactions == (8,)
    assert agent.ends == other.ends == 1


class FromStarts:
    """An assessment that knows which of its sittings it is."""

    sittings = 2

    def __init__(self, states: list[tuple[Any, bytes]]) -> None:
        self.states = states

    def sitting_of(self, world: Any, key: int, number: int) -> Any:
        description, state = self.states[number]
        episode = yield Plan(description, key, start=Start(str(number), state))
        return episode.mean_reward


def test_an_assessment_is_told_which_sitting_it_is_and_the_second_door_stays_shut() -> None:
    states = []
    for at in (12, 5):
        description, state, _ = reached(at)
        states.append((description, state))

    def compiled(plan: Plan, seed: int) -> Episode:
        raise AssertionError("a compiled episode knows no starts")

    for number, count in ((0, 8), (1, 15)):
        assessment: Any = FromStarts(states)
        player = Agents([Noting()])
        found = sit(assessment, WORLD, player, 1, 2, compiled=compiled, number=number)
        assert found.episodes[0][1].interactions == (count,)
        start = found.episodes[0][0].start
        assert start is not None
        assert start.digest == str(number)
