"""A world around a world: the same environments with something changed, as company in them or noise before the eyes.

A world of this kind is an :class:`Around` and its environments are :class:`EnvironmentAround`; each says what it
changes, and everything else is as inside. So a change that is none changes no bit of anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from mensura.agent.errors import MALFORMED, MensuraError
from mensura.agent.keys import Key
from mensura.agent.spaces import Space, from_plain, to_plain
from mensura.agent.task import Clock, Seat
from mensura.core.abilities import (
    clock_of,
    hosting,
    in_training,
    instructions_for,
    is_handed_on,
    kind_of,
    measures_of,
    parameters,
    picture_of,
    room,
    tells_decided,
)
from mensura.core.contract import Description, Environment, Measure, Turn
from mensura.core.room import Room


@dataclass(frozen=True)
class DescriptionAround:
    """An environment, and what is changed in it: fields that a subclass adds."""

    inner: Description

    def to_json(self) -> dict[str, Any]:
        """The description as plain data."""
        return {"inner": self.inner.to_json()}


@dataclass(frozen=True)
class Around:
    """A world whose environments are those of another with something changed.

    What it does not say itself is as in that world: parameters, complexities, promises, subjects, words and pictures.
    What computes or shows episodes it has only where it says so itself (:mod:`mensura.core.abilities.kinds`).
    """

    world: Any

    def __getattr__(self, name: str) -> Any:
        """A parameter of the world inside, or what that tells of itself."""
        if name == "world" or not (is_handed_on(name) or name in parameters(self.world)):
            raise AttributeError(name)
        return getattr(self.world, name)

    @property
    def id(self) -> str:
        """That of the world inside: the rules are the same."""
        return str(self.world.id)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The complexities of the world inside."""
        return dict(self.world.measures)

    @property
    def promises(self) -> frozenset[str]:
        """What the world inside promises."""
        return frozenset(self.world.promises)

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> DescriptionAround:
        """Draw an environment of the world inside."""
        return DescriptionAround(self.world.sample(key, within))

    def complexity(self, description: Any, measure: str) -> float:
        """That of the environment inside."""
        value: float = self.world.complexity(description.inner, measure)
        return value

    def kind_of(self, description: Any) -> str:
        """That of the environment inside."""
        return kind_of(self.world, description.inner)

    def hosting(self, subject: Any) -> Self:
        """The same around the world inside with what the subject needs in it."""
        return replace(self, world=hosting(self.world, subject))

    def in_training(self, description: Any, number: int) -> Any:
        """As in the world inside, with the same change."""
        return replace(description, inner=in_training(self.world, description.inner, number))

    def room(self, subject: Any, description: Any, interactions: int) -> Room | None:
        """That of the environment inside."""
        return room(self.world, subject, description.inner, interactions)

    def build(self, description: Any) -> EnvironmentAround:
        """The environment of a description."""
        return EnvironmentAround(self.world.build(description.inner), description)


class EnvironmentAround:
    """An environment in which something is changed; what a subclass does not say is as inside."""

    def __init__(self, inner: Environment, description: Any) -> None:
        self.inner = inner
        """The environment as its own world knows it."""
        self.description = description
        self.seats: tuple[Seat, ...] = inner.seats

    @property
    def horizon(self) -> int | None:
        """How many interactions an episode has, where that is fixed."""
        return self.inner.horizon

    @property
    def clock(self) -> Clock:
        """By which clock its actions count."""
        return clock_of(self.inner)

    def spaces(self, seat: int) -> tuple[Space, Space]:
        """The observation and action spaces of a seat."""
        return self.inner.spaces(seat)

    def instructions(self, seat: int) -> str:
        """What a seat is told about its task before it begins."""
        return instructions_for(self.inner, seat)

    def reset(self, key: Key) -> Turn:
        """Start an episode; the same key starts the same one."""
        return self.inner.reset(key)

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """Take the actions of the seats last due, in their order."""
        return self.inner.step(actions, seconds)

    def legal(self, seat: int, action: Any) -> bool:
        """Whether the seat may play this action now."""
        return self.inner.legal(seat, action)

    def default(self, seat: int) -> Any:
        """The action that is played for a seat whose subject gave none."""
        return self.inner.default(seat)

    def measures(self) -> Mapping[str, float]:
        """What an episode tells of itself beside its rewards."""
        return measures_of(self.inner)

    def picture(self, seat: int | None = None) -> Any:
        """The environment inside, as it draws itself; None where it draws nothing."""
        return picture_of(self.inner, seat)

    def decided(self) -> bool:
        """Whether nothing can change any more inside."""
        told = tells_decided(self.inner)
        return told is not None and told()

    def snapshot(self) -> bytes:
        """The whole state of the episode."""
        return self.inner.snapshot()

    def restore(self, state: bytes) -> Turn:
        """Go back to a snapshot of an environment with the same description."""
        return self.inner.restore(state)


class ReplayedEnvironment(EnvironmentAround):
    """An environment around another whose snapshot is how its episode came about: a key and all actions.

    What is around remembers much that has no form of its own, as what companions know; all of it follows from these. A
    subclass says ``begin`` and ``go_on`` in the place of ``reset`` and ``step``.
    """

    def __init__(self, inner: Environment, description: Any) -> None:
        super().__init__(inner, description)
        self._key: Key = 0
        self._steps: list[tuple[Sequence[Any], Sequence[float]]] = []

    def begin(self, key: Key) -> Turn:
        """Start an episode."""
        return self.inner.reset(key)

    def go_on(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """Take the actions of the seats last due."""
        return self.inner.step(actions, seconds)

    def reset(self, key: Key) -> Turn:
        """Start an episode; the same key starts the same one."""
        self._key, self._steps = key, []
        return self.begin(key)

    def step(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """Take the actions of the seats last due, in their order."""
        self._steps.append((actions, seconds))
        return self.go_on(actions, seconds)

    def snapshot(self) -> bytes:
        """The key and the actions, from which everything follows."""
        steps = [[to_plain(list(actions)), list(seconds)] for actions, seconds in self._steps]
        return json.dumps({"key": self._key, "steps": steps}).encode()

    def restore(self, state: bytes) -> Turn:
        """Go back to a snapshot of this environment, by playing the episode again."""
        try:
            told = json.loads(state)
            turn = self.reset(int(told["key"]))
            for actions, seconds in told["steps"]:
                spaces = (self.spaces(seat)[1] for seat in turn.due)
                turn = self.step(
                    [from_plain(space, one) for space, one in zip(spaces, actions, strict=True)],
                    seconds,
                )
        except (*MALFORMED, RuntimeError) as error:
            raise MensuraError("This snapshot belongs to another environment.") from error
        return turn


def innermost(thing: Any) -> Any:
    """The environment, description or world inside all others; the thing itself where it is around nothing."""
    while isinstance(thing, EnvironmentAround | DescriptionAround):
        thing = thing.inner
    while isinstance(thing, Around):
        thing = thing.world
    return thing
