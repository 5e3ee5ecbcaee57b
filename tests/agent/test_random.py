"""The random agent draws from the action space and from nothing else."""

import numpy as np
import pytest
from tests.agents.toy import Toy, episode

from mensura.agent.in_process import InProcess
from mensura.agent.random import RandomAgent
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text
from mensura.agent.task import Seat, Task

pytestmark = pytest.mark.quick


def actions(space: Space, seed: int, count: int) -> list[object]:
    agent = RandomAgent()
    task = Task("toy-v0", Seat(0), 1, Box(0, 1), space, horizon=count)
    agent.begin(task, np.random.Generator(np.random.PCG64(seed)))
    return [agent.act(None, 0.0) for _ in range(count)]


@pytest.mark.parametrize(
    "space",
    [
        Discrete(3, start=7),
        Box(-2.0, 5.0, (2, 2)),
        Record((("push", Box(0.0, 1.0)), ("turn", Box(-1.0, 1.0, (3,))))),
        Text(8),
        Several(Record((("to", Discrete(2)), ("screen", Box(0, 9, (2,), "uint8")))), 3),
    ],
    ids=["discrete", "box", "record", "text", "several"],
)
def test_it_acts_within_any_action_space(space: Space) -> None:
    assert all(space.contains(action) for action in actions(space, seed=1, count=50))


def test_it_draws_every_action_about_equally_often() -> None:
    counts = np.bincount(np.array(actions(Discrete(4), seed=1, count=4000)))
    assert counts.min() > 900


def test_its_draws_follow_from_its_generator() -> None:
    assert actions(Discrete(9), 1, 20) == actions(Discrete(9), 1, 20)
    assert actions(Discrete(9), 1, 20) != actions(Discrete(9), 2, 20)


def test_it_plays_an_episode_without_a_fault() -> None:
    played = episode(InProcess("random", RandomAgent).sit(3), Toy(subjects=3))
    assert played.faults == ()
    assert played.interactions == (4, 4, 4)
