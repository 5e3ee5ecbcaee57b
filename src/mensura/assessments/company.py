"""Environments populated with subjects that were assessed before (7.2 of Insa-Cabrera, 2011).

A populated world is a view of another world: its environments have further seats, at which companions sit that belong
to the environment. The subject finds itself in the same environment as before with somebody else in it; only its own
seats are there for whoever plays, so that companions are neither asked by the loop nor scored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

from mensura.agent.asks import Ask
from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, fold
from mensura.agent.spaces import Space
from mensura.agent.task import Task
from mensura.core.abilities import (
    hosting,
    instructions_for,
    largest_spaces,
    subject_names,
)
from mensura.core.around import Around, DescriptionAround, ReplayedEnvironment
from mensura.core.contract import Environment, Turn, World
from mensura.core.mixed import Mixed
from mensura.core.players import Player

COMPANIONS = 1 << 40
"""Sets the draws of companions apart from all others under the key of an episode."""


@dataclass(frozen=True)
class PopulatedDescription(DescriptionAround):
    """An environment and who else is in it."""

    own: int
    """How many of its seats are the subject's: the first ones."""
    company: tuple[str, ...] = ()
    """The companions by name, one a seat."""

    def to_json(self) -> dict[str, Any]:
        """The description as plain data."""
        return {"place": self.inner.to_json(), "own": self.own, "company": list(self.company)}


class _Anybody:
    """Stands for the subject where seats are handed out."""

    name = "subject"

    def sit(self, seats: int) -> Player:
        """Never called: the subject sits down elsewhere."""
        raise NotImplementedError


@dataclass(frozen=True)
class PopulatedWorld(Around):
    """A world whose environments may be populated with these companions, built-in subjects of it."""

    company: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse companions that the world does not know, and worlds without room."""
        known = list(subject_names(self.world))
        for name in self.company:
            if name not in known:
                raise MensuraError(
                    f"{name!r} cannot keep company in {self.world.id}: companions are its built-in subjects; "
                    f"{neighbors(name, known)}"
                )
        if not is_dataclass(self.world) or all(
            one.name != "subjects" for one in fields(self.world)
        ):
            raise MensuraError(
                f"{self.world.id} has no parameter 'subjects', the number of its seats, so nobody keeps company there."
            )

    @property
    def promises(self) -> frozenset[str]:
        """Bounded as before; but who is balanced alone may not be so where others take what lies about."""
        return frozenset(self.world.promises) - {"balanced"}

    @cached_property
    def crowded(self) -> World:
        """The world with seats for all, and what companions need in it."""
        seats = self.world.subjects + len(self.company)
        world = replace(self.world, subjects=seats)
        parts = [(self.world.group([(name, {}, 1)]), 1) for name in self.company]
        return hosting(world, Mixed([(_Anybody(), self.world.subjects), *parts]))

    def sample(
        self, key: Key, within: tuple[str, float, float] | None = None
    ) -> PopulatedDescription:
        """An environment with company in it; its complexity without them within [low, high]."""
        own = self.world.subjects
        return PopulatedDescription(self.crowded.sample(key, within), own, self.company)

    def alone(
        self, key: Key, within: tuple[str, float, float] | None = None
    ) -> PopulatedDescription:
        """The same environment with nobody else in it."""
        return PopulatedDescription(self.world.sample(key, within), self.world.subjects)

    def build(self, description: PopulatedDescription) -> PopulatedEnvironment:
        """The environment of a description."""
        world = self.crowded if description.company else self.world
        return PopulatedEnvironment(self, description, world.build(description.inner))

    def largest_spaces(self) -> tuple[Space, Any, Space] | None:
        """Those of the world with seats for all."""
        return largest_spaces(self.crowded)

    def complexity(self, description: PopulatedDescription, measure: str) -> float:
        """That of the environment, and the bits that it takes to say who else is in it.

        A companion is named out of the built-in subjects of the world, all of which count as known.
        """
        own: float = self.world.complexity(description.inner, measure)
        return own + len(description.company) * math.log2(max(len(self.world.subject_names), 2))


class PopulatedEnvironment(ReplayedEnvironment):
    """An environment in which companions act beside the subject."""

    description: PopulatedDescription

    def __init__(
        self, world: PopulatedWorld, description: PopulatedDescription, inner: Environment
    ) -> None:
        super().__init__(inner, description)
        self._world = world
        self._own = description.own
        self.seats = inner.seats[: self._own]
        self._companions: list[Player] = []
        self._turn = Turn((), (), ())

    def begin(self, key: Key) -> Turn:
        """Start an episode; companions sit down anew, as whoever they were when they were assessed."""
        self._turn = self.inner.reset(key)
        everybody = self.inner.seats
        self._companions = []
        for number, name in enumerate(self.description.company):
            seat = self._own + number
            player: Player = self._world.world.group([(name, {}, 1)]).sit(1)
            observation_space, action_space = self.inner.spaces(seat)
            task = Task(
                world=self._world.id,
                seat=replace(everybody[seat], group="company"),
                seats=len(everybody),
                observation_space=observation_space,
                action_space=action_space,
                horizon=self.inner.horizon,
                instructions=instructions_for(self.inner, seat),
            )
            own = fold(fold(key, COMPANIONS), number)
            player.answer([Ask("begin", 0, task=task, key=own)])
            self._companions.append(player)
        return self._subjects_turn()

    def go_on(self, actions: Sequence[Any], seconds: Sequence[float]) -> Turn:
        """Take the subject's actions, and those of companions beside them."""
        given = dict(
            zip([seat for seat in self._turn.due if seat < self._own], actions, strict=True)
        )
        taken = dict(zip(given, seconds, strict=False))
        self._turn = self.inner.step(
            [
                given[seat] if seat in given else self._companion(i, seat)
                for i, seat in enumerate(self._turn.due)
            ],
            [taken.get(seat, 0.0) for seat in self._turn.due],
        )
        return self._subjects_turn()

    def _companion(self, i: int, seat: int) -> Any:
        """What a companion does; the world's default where it fails."""
        ask = Ask("act", 0, self._turn.observations[i], self._turn.shown_rewards[i])
        (answer,) = self._companions[seat - self._own].answer([ask])
        if answer.fault is None and self.inner.legal(seat, answer.value):
            return answer.value
        return self.inner.default(seat)

    def _subjects_turn(self) -> Turn:
        """The turn as the subject sees it; where only companions are due, they act until it is."""
        while self._turn.ended is None and all(seat >= self._own for seat in self._turn.due):
            acted = [self._companion(i, seat) for i, seat in enumerate(self._turn.due)]
            self._turn = self.inner.step(acted, [0.0] * len(acted))
        due, observations, rewards, ended, told = self._turn
        mine = [i for i, seat in enumerate(due) if seat < self._own]
        return Turn(
            tuple(due[i] for i in mine),
            [observations[i] for i in mine],
            [rewards[i] for i in mine],
            ended,
            None if told is None else [told[i] for i in mine],
        )
