"""Spaces and tiny environments for the tests of learners."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from mensura.agent.spaces import Box, Discrete, Record, Space
from mensura.agent.task import Seat, Task


def generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def task(observation: Space, action: Space, *, learning: bool = False, horizon: int | None = None):
    return Task("test-v0", Seat(0), 1, observation, action, horizon, learning=learning)


discretes = st.builds(Discrete, st.integers(1, 40), st.integers(-5, 5))
boxes = st.builds(
    lambda low, width, shape: Box(low, low + width, shape),
    st.floats(-1e3, 1e3),
    st.sampled_from([0.0, 1e-12, 0.1, 1.0, 30.0]) | st.floats(0.0, 1e3),
    st.sampled_from([(), (1,), (3,), (2, 2), (0,)]),
)
records = st.lists(boxes, min_size=1, max_size=3).map(
    lambda found: Record(tuple((f"field_{i}", one) for i, one in enumerate(found)))
)
endless = st.sampled_from([Box(-np.inf, np.inf, (2,)), Box(0.0, 1e300), Box(-1e9, 1e9)])


def episodes(
    agent: Any, observation: Space, action: Space, count: int, seed: int, length: int = 12
) -> list[Any]:
    """The actions of an agent that sees and is rewarded what a generator draws."""
    drawn = generator(seed)
    actions = []
    for number in range(count):
        agent.begin(task(observation, action, learning=number % 2 == 0), generator(seed + number))
        reward = 0.0
        for _ in range(length):
            actions.append(agent.act(observation.sample(drawn), reward))
            reward = float(drawn.uniform(-1, 1))
        agent.end(observation.sample(drawn), reward, bool(drawn.integers(2)))
    return actions


def play(agent: Any, environment: Any, count: int, seed: int, *, learning: bool = False) -> float:
    """The mean reward of an agent in so many episodes of an environment."""
    total = steps = 0.0
    rng = generator(seed)
    for _ in range(count):
        agent.begin(
            task(environment.observation, environment.action, learning=learning),
            np.random.Generator(np.random.PCG64(int(rng.integers(1 << 32)))),
        )
        seen, reward = environment.reset(rng), 0.0
        ended: str | None = None
        while ended is None:
            seen, reward, ended = environment.step(agent.act(seen, reward))
            total += reward
            steps += 1
        if hasattr(agent, "end"):
            agent.end(seen, reward, ended == "terminated")
    return total / steps


class Bandit:
    """A contextual bandit: of four actions the one with the number of the context pays."""

    observation = Discrete(4)
    action = Discrete(4, start=1)

    def reset(self, rng: np.random.Generator) -> int:
        self._contexts: Iterator[int] = iter(rng.integers(4, size=41).tolist())
        self._context = next(self._contexts)
        self._left = 40
        return self._context

    def step(self, action: int) -> tuple[int, float, str | None]:
        reward = 1.0 if action - 1 == (self._context + 1) % 4 else 0.0
        self._context = next(self._contexts)
        self._left -= 1
        return self._context, reward, None if self._left else "truncated"


class Chain:
    """Two states: to leave the first costs a little, to stay in the second pays."""

    observation: Space = Record((("state", Box(0.0, 1.0)),))
    action = Discrete(2)

    def reset(self, rng: np.random.Generator) -> Any:
        self._state, self._left = 0, 30
        return self._seen()

    def _seen(self) -> Any:
        seen = np.zeros((), self.observation.dtype)  # type: ignore[union-attr]
        seen["state"] = self._state
        return seen[()]

    def step(self, action: int) -> tuple[Any, float, str | None]:
        if self._state == 0:
            reward = -0.1 if action else 0.0
            self._state = action
        else:
            reward = 0.0 if action else 1.0
            self._state = 0 if action else 1
        self._left -= 1
        return self._seen(), reward, None if self._left else "truncated"
