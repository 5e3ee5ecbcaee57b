"""Every check of a subject rejects a subject that is broken in just that way, and no sane one."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.testing.guessing import Guessing, GuessingWorld
from tests.toys import RelayWorld

from mensura.agent.in_process import InProcess
from mensura.agent.task import Limits, Task
from mensura.core.contract import Turn
from mensura.core.registry import AGENTS
from mensura.studies.subjects import resolve
from mensura.testing import check_subject
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = pytest.mark.quick

SHORT = LambdaStar(subjects=3, horizon=12)
PATIENT = Limits(seconds_per_action=600.0, seconds_to_start=600.0)
"""For subjects whose first answer may have to wait for the compiler."""


class Sane:
    """Guesses at random, from the generator it is given."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        self.task, self.rng = task, rng

    def act(self, observation: Any, reward: float) -> Any:
        return self.task.action_space.sample(self.rng)


class Talking(Sane):
    """Tells what it sees."""

    def tell(self, observation: Any, reward: float) -> Any:
        return {"seen": observation}

    def hear(self, messages: Mapping[int, Any]) -> None:
        assert messages


@pytest.mark.parametrize("name", sorted(SHORT.subject_names))
def test_every_subject_of_lambda_star_passes(name: str) -> None:
    assert check_subject(resolve(name, SHORT), SHORT, limits=PATIENT) == []


@pytest.mark.parametrize("world", [GuessingWorld(), RelayWorld(), SHORT], ids=lambda one: one.id)
@pytest.mark.parametrize("name", AGENTS.names())
def test_agents_for_every_world_pass_in_every_world(world: Any, name: str) -> None:
    assert check_subject(resolve(name, world), world, limits=PATIENT) == []


@pytest.mark.parametrize("agent", [Sane, Talking])
def test_sane_agents_pass(agent: type[Any]) -> None:
    assert check_subject(InProcess("sane", agent), GuessingWorld()) == []


def test_an_agent_that_learns_over_a_sitting_passes() -> None:
    class Learner(Sane):
        episodes = 0

        def begin(self, task: Task, rng: np.random.Generator) -> None:
            super().begin(task, rng)
            self.episodes += 1

        def act(self, observation: Any, reward: float) -> int:
            return 1 + self.episodes % 2

    assert check_subject(InProcess("learner", Learner), GuessingWorld()) == []


class Raising(Sane):
    def act(self, observation: Any, reward: float) -> Any:
        raise KeyError("wisdom")


class RaisingAtTheEnd(Sane):
    def end(self, observation: Any, reward: float, terminated: bool) -> None:
        raise KeyError("farewell")


class OutOfRange(Sane):
    def act(self, observation: Any, reward: float) -> Any:
        return 17


class CountingFromZero(Sane):
    """Ignores the action space that begin told it."""

    def act(self, observation: Any, reward: float) -> Any:
        return int(self.rng.integers(self.task.action_space.n))  # type: ignore[union-attr]


class Unwritable(Sane):
    def tell(self, observation: Any, reward: float) -> Any:
        return {1, 2, 3}


class Slow(Sane):
    def act(self, observation: Any, reward: float) -> Any:
        time.sleep(0.02)
        return super().act(observation, reward)


class SlowToBegin(Sane):
    def begin(self, task: Task, rng: np.random.Generator) -> None:
        super().begin(task, rng)
        time.sleep(0.02)


class Unrepeatable(Sane):
    """Draws from a generator of its own."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        super().begin(task, np.random.default_rng())


class Unforgetting(Sane):
    """Remembers, in its class, what happened before this sitting."""

    plays = 0

    def act(self, observation: Any, reward: float) -> Any:
        Unforgetting.plays += 1
        return 1 + (Unforgetting.plays > 10)


class Mute:
    """Has no act."""


BROKEN: dict[type[Any], str] = {
    Raising: r"seat 0, episode 0, interaction 0: raised: KeyError: 'wisdom' \(test_agents.py, line \d+\) \(6 times\)",
    RaisingAtTheEnd: r"seat 0, episode 0, interaction \d: raised: KeyError: 'farewell'",
    OutOfRange: "illegal: 17 is not an action .*begin told it that actions are the whole numbers from 1 to 2",
    CountingFromZero: "illegal: 0 is not an action of this seat now; begin told it",
    Unwritable: "what seat 0 tells cannot be written as JSON: TypeError",
    Slow: r"it took \S+ s over an answer, the limit is 0.01 s",
    SlowToBegin: r"it took \S+ s to begin, the limit is 0.01 s",
    Unrepeatable: "given the same keys, it answered [12] the first time and [12] the second",
    Unforgetting: "given the same keys, it answered 1 the first time and 2 the second",
    Mute: r"it could not start: Mute has no method act\(observation, reward\)",
}
"""Each with the sentence that has to be found."""


@pytest.mark.parametrize("agent", BROKEN, ids=lambda agent: agent.__name__)
def test_a_broken_agent_is_found_out(agent: type[Any]) -> None:
    slow = agent in (Slow, SlowToBegin)
    limits = Limits(seconds_per_action=0.01, seconds_to_start=0.01) if slow else None
    problems = check_subject(InProcess("broken", agent), GuessingWorld(), limits=limits)
    assert len([one for one in problems if re.search(BROKEN[agent], one)]) == 1, problems


def test_actions_are_compared_as_if_no_time_had_passed() -> None:
    """In some worlds the time of an answer matters, and it is never twice the same."""

    class Timed(Guessing):
        def step(self, actions: Any, seconds: Any) -> Turn:
            self.lucky = seconds[0] * 1e9 % 10
            return super().step(actions, seconds)

    class Seeing(Sane):
        def act(self, observation: Any, reward: float) -> Any:
            return 1 + int(observation[1]) % 2

    world = type("TimedWorld", (GuessingWorld,), {"environment": Timed})()
    assert check_subject(InProcess("seeing", Seeing), world) == []
