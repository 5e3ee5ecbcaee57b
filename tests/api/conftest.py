"""A notebook's agent, and one small result that several tests look at."""

from __future__ import annotations

from typing import Any

import pytest

import mensura as ms

CELL = """
class MyAgent:
    def begin(self, task, rng):
        self.task, self.rng = task, rng

    def act(self, observation, reward):
        return self.task.action_space.sample(self.rng)
"""


def in_a_notebook(code: str) -> dict[str, Any]:
    """What a cell of a notebook leaves behind: classes of ``__main__`` that no file holds."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(code, names)
    return names


@pytest.fixture(scope="session")
def my_agent() -> Any:
    return in_a_notebook(CELL)["MyAgent"]


@pytest.fixture(scope="session")
def result(my_agent: Any) -> ms.Result:
    world = ms.make("echo", symbols=2, longest=0)
    return ms.assess([my_agent, "q-learning"], world, "battery", episodes=12, seed=1)
