"""The base class of agents, of which only ``act`` is required.

::

    class Mine(Agent):
        def act(self, observation, reward):
            return 0

An agent need not be derived from it: any class with ``act`` will do. A method that is the base's own counts as absent,
so that a derived class is asked for exactly what it defines itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mensura.agent.task import Message, Task


class Probes:
    """What an agent answers beside playing, where its knowledge is asked for; each method is optional."""

    def predict(self, question: Mapping[str, Any]) -> Any:
        """What will be, would be or is missing: a number or a list of likely ones, a probability, or probabilities by
        value; ``question["text"]`` says which, in words, and its other entries the same as data."""
        raise NotImplementedError

    def plan(self, goal: Mapping[str, Any]) -> Sequence[Any]:
        """Actions that reach a goal from a start."""
        raise NotImplementedError

    def explain(self, phenomenon: Mapping[str, Any]) -> Mapping[str, Any]:
        """``{"causes": [[cause, effect, sign], ...], "without": [true, ...]}``: what causes what, and what would have
        happened without a cause."""
        raise NotImplementedError

    def model(self, phenomenon: Mapping[str, Any]) -> str:
        """A model in the notation of ``phenomenon["notation"]``."""
        raise NotImplementedError


class Agent:
    """One mind at one seat. Only ``act`` is required; the others are called where a class defines them."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Before an episode. The generator is the agent's own, the only one it should draw from."""

    def act(self, observation: Any, reward: float) -> Any:
        """Choose an action; reward is that of the previous interaction, 0.0 at first."""
        raise NotImplementedError

    def end(self, observation: Any, reward: float, terminated: bool) -> None:
        """After an episode: the last observation and reward."""

    def alarm(self) -> float:
        """After an episode: how sure it is, from 0 to 1, that something in it was unlike what it knows."""
        raise NotImplementedError

    def tell(self, observation: Any, reward: float) -> Message:
        """In a collective, before acting: what the others should hear."""

    def hear(self, messages: Mapping[int, Message]) -> None:
        """In a collective, before acting: what was told, by seat."""

    def save(self) -> bytes:
        """What it has learned, so that another sitting can go on with it."""
        raise NotImplementedError

    def load(self, memory: bytes) -> None:
        """Before ``begin``: what ``save`` gave in another sitting."""
        raise NotImplementedError

    def components(self) -> Sequence[str]:
        """The names of parts of it without which it can go on."""
        return ()

    def switch_off(self, name: str) -> None:
        """Go on without one of these, for the rest of this sitting."""
        raise NotImplementedError

    def probes(self) -> Probes | None:
        """Who answers questions about what it knows; None where nobody does."""
        return None

    def agent_metrics(self) -> Mapping[str, float]:
        """What it measures of itself, by name, since it was last asked."""
        return {}


def method_of(agent: Any, name: str, base: type = Agent) -> Callable[..., Any] | None:
    """A method that an agent defines; None where it has none, or only that of the base class."""
    method: Callable[..., Any] | None = getattr(agent, name, None)
    default = getattr(base, name, None)
    if not callable(method) or getattr(method, "__func__", method) is default:
        return None
    return method


def acts(thing: Any) -> bool:
    """Whether something is an agent, or a class of agents: all that it needs is ``act``."""
    return method_of(thing, "act") is not None
