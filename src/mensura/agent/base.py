"""The base class of agents, of which only ``act`` is required.

::

    class Mine(Agent):
        def act(self, observation, reward):
            return 0

An agent need not be derived from it: any class with ``act`` will do. A method that is the base's own counts as absent,
so that a derived class is asked for exactly what it defines itself.

Whatever else a class happens to have is not an ability: an attribute ``model`` or ``predict`` is its own affair, and
so is a method of a name below that takes other arguments, as ``save(path)``. In a derived class the latter is a
mistake, which is told where the class is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.numbers import is_number
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

    def __init_subclass__(cls, **options: Any) -> None:
        """Say at once which method takes something else than it is given."""
        super().__init_subclass__(**options)
        for name, value in vars(cls).items():
            if inspect.isfunction(value) and hasattr(Agent, name):
                _check_signature(cls, name, value)

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


ARGUMENTS = {
    "begin": 2, "act": 2, "end": 3, "alarm": 0, "tell": 2, "hear": 1, "save": 0, "load": 1, "damaged": 2,
    "components": 0, "switch_off": 1, "probes": 0, "agent_metrics": 0, "begin_with_key": 2,
    **dict.fromkeys(("predict", "plan", "explain", "model"), 1),
}  # fmt: skip
"""How many arguments each method of an agent, or of its probes, is given."""


def method_of(agent: Any, name: str, base: type = Agent) -> Callable[..., Any] | None:
    """A method that an agent defines; None where it has none, or only that of the base class.

    What has the name and takes other arguments is something else: ``save(path)`` of a library, ``begin(level)``.
    """
    method: Callable[..., Any] | None = getattr(agent, name, None)
    default = getattr(base, name, None)
    if not callable(method) or getattr(method, "__func__", method) is default:
        return None
    if name != "act" and not accepts(method, ARGUMENTS[name]):
        return None
    return method


def accepts(method: Callable[..., Any], count: int) -> bool:
    """Whether something is a function or a method that takes so many arguments; of none, that it has no parameters."""
    function = getattr(method, "__func__", method)
    if inspect.isfunction(function):
        return _accepts(function, function is not method, count)
    return inspect.isroutine(method) and _fits(method, False, count)


@lru_cache(4096)
def _accepts(function: Callable[..., Any], bound: bool, count: int) -> bool:
    return _fits(function, bound, count)


def _fits(function: Callable[..., Any], bound: bool, count: int) -> bool:
    try:
        signature = inspect.signature(function)
        signature.bind(*(None,) * (count + bound))
    except TypeError:
        return False
    except ValueError:  # some functions written in C tell no signature
        return True
    return count > 0 or len(signature.parameters) == bound


def _check_signature(kind: type, name: str, method: Callable[..., Any]) -> None:
    """Raise if a method of a derived class cannot be called as the base's is."""
    if name in ARGUMENTS and not _fits(method, True, ARGUMENTS[name]):
        wanted = ", ".join(inspect.signature(getattr(Agent, name)).parameters)
        taken = ", ".join(inspect.signature(method).parameters)
        raise MensuraError(f"{name} of {kind.__name__} takes ({taken}); it must take ({wanted}).")


def saves(agent: Any) -> bool:
    """Whether an agent can be continued: it has ``save()`` and ``load(memory)``."""
    return all(method_of(agent, name) is not None for name in ("save", "load"))


def probes_of(agent: Any) -> Probes | None:
    """Who answers questions about what an agent knows; None where it declares nobody."""
    probes = method_of(agent, "probes")
    if probes is None:
        return None
    try:
        found = probes()
    except Exception:  # its own fault costs it the questions, not the run
        return None
    return found if isinstance(found, Probes) else None


def metrics_of(agent: Any) -> dict[str, float]:
    """What an agent measures of itself; nothing where it declares nothing, or no numbers by name."""
    metrics = method_of(agent, "agent_metrics")
    if metrics is None:
        return {}
    try:
        found = metrics()
    except Exception:
        return {}
    if not isinstance(found, Mapping):
        return {}
    plain = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in found.items()
        if isinstance(name, str)
    }
    return {name: float(value) for name, value in plain.items() if is_number(value)}


def acts(thing: Any) -> bool:
    """Whether something is an agent, or a class of agents: all that it needs is ``act``."""
    return method_of(thing, "act") is not None
