"""Phenomena: named parts of a task whose understanding can be probed, as data and a few functions.

Understanding a phenomenon is to predict it, to achieve goals with regard to it, to explain it and to recreate it:
sections 4.4 and 5.3 of "Evaluation of General-Purpose Artificial Intelligence: Why, What & How" (Bieger, Thórisson et
al.). A world that offers ``phenomena()`` tells of one of its environments what can be read of a moment, what causes
what, and how models of it are written and run; all questions follow from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key
from mensura.core.contract import Description, Environment

State: TypeAlias = tuple[float, ...]
"""What can be read of a moment: a number for each variable, in their order."""
Sign: TypeAlias = Literal[-1, 0, 1]
"""Of a cause: it lowers or hinders, it depends, it raises or brings about."""
Role: TypeAlias = Literal["tool", "obstacle", ""]
"""What a phenomenon is to whoever has the task to do; nothing where that is not clear."""


@dataclass(frozen=True)
class Variable:
    """Something that can be read of a moment."""

    name: str
    part: str
    """The part of the task that it belongs to."""
    low: float
    high: float
    whole: bool = False
    """Whether it is one of the whole numbers from low to high, as a cell; else any number between them."""
    meaning: str = ""

    def to_json(self) -> dict[str, Any]:
        """What subjects are told of it."""
        kind = "whole number" if self.whole else "number"
        told = {"name": self.name, "kind": kind, "low": self.low, "high": self.high}
        return {**told, "meaning": self.meaning} if self.meaning else told


@dataclass(frozen=True)
class Cause:
    """A cause and its effect, both parts of a task."""

    cause: str
    effect: str
    sign: Sign

    def to_json(self) -> list[Any]:
        """As subjects write it."""
        return [self.cause, self.effect, self.sign]


class System(Protocol):
    """A task that phenomena are parts of: one environment with one seat."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """What can be read of a moment."""

    @property
    def actions(self) -> tuple[Any, ...]:
        """The actions that sequences are drawn from, as plain data; the first is to do nothing."""

    @property
    def held(self) -> int:
        """For how many interactions each action of a sequence is taken."""

    @property
    def length(self) -> int:
        """How many actions a sequence has."""

    @property
    def parts(self) -> tuple[str, ...]:
        """What may be named as cause or effect."""

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What causes what."""

    @property
    def removable(self) -> tuple[str, ...]:
        """The parts without which the task can be run."""

    @property
    def notation(self) -> str:
        """How a model is written, for whoever has to write one."""

    @property
    def rules(self) -> str:
        """The model that is true."""

    @property
    def near(self) -> tuple[str, ...]:
        """Models that are nearly true, each wrong in one thing."""

    def environment(self, model: str) -> Environment:
        """The environment that a model describes; MensuraError where it describes none.

        What a reset draws depends on its key alone, so that a model and the truth start alike.
        """

    def read(self, environment: Environment) -> State:
        """What can be read now."""

    def without(self, part: str) -> tuple[str, bool]:
        """The model without a part; and whether instead nothing is to be done in it."""


@dataclass(frozen=True)
class Phenomenon:
    """A named part of a task: an object, a transition, a goal; Good or Evil."""

    name: str
    summary: str
    """When it happens, as a clause: "plot_it is at 1, give or take 0.1"."""
    system: System
    happens: Callable[[State], bool]
    """Whether it is there at a moment."""
    role: Role = ""
    without: Description | None = None
    """The environment without it, where there is one."""
    whole: Description | None = None
    """The environment that it is a part of, where there is one without it."""

    def to_json(self) -> dict[str, Any]:
        """What subjects are told of it."""
        system = self.system
        return {
            "name": self.name,
            "happens": self.summary,
            "variables": [one.to_json() for one in system.variables],
            "actions": list(system.actions),
            "held": system.held,
            "parts": list(system.parts),
        }


def run(system: System, model: str, start: Key, actions: Sequence[Any]) -> list[State]:
    """The states that a sequence of actions leads through from a start, the first included.

    Whatever a model leaves to chance is drawn alike wherever the start is the same. An episode that is over stands
    still.
    """
    environment = system.environment(model)
    ended = environment.reset(start).ended
    states = [system.read(environment)]
    for action in actions:
        for _ in range(system.held):
            if ended is None:
                ended = environment.step([action], [0.0]).ended
        states.append(system.read(environment))
    return states


def run_without(system: System, part: str, start: Key, actions: Sequence[Any]) -> list[State]:
    """The states that the same actions would have led through without a part."""
    model, idle = system.without(part)
    return run(system, model, start, [system.actions[0]] * len(actions) if idle else actions)


def named(phenomena: Sequence[Phenomenon], name: str, world: str) -> Phenomenon:
    """The phenomenon of that name; a sentence where there is none."""
    for one in phenomena:
        if one.name == name:
            return one
    if not phenomena:
        raise MensuraError(
            f"{world} offers no phenomena; `mensura worlds phenomena` lists those that there are."
        )
    known = [one.name for one in phenomena]
    raise MensuraError(f"{world} has no phenomenon {name!r}; {neighbors(name, known)}")
