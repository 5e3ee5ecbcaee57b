"""A sitting of one person: the generator that every sitting is, waiting for a browser between two answers.

It is a pure function of its place, its number and the answers so far, so it can be dropped at any time and made again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from mensura.core.abilities import (
    exercises_of,
)
from mensura.core.loop import Answer, Ask
from mensura.core.waiting import Wait, Waiting, finish
from mensura.studies.place import Place
from mensura.studies.stepped import Played, Step, stepping
from mensura.web.people import showing
from mensura.web.people.showing import Shown


class Given(NamedTuple):
    """An answer as it is kept."""

    number: int
    action: int | None
    """None where an exercise begins."""
    at: float
    response_ms: float | None
    waited_ms: float

    @property
    def seconds(self) -> float:
        """How long it took: as the browser says, but no longer than the server saw."""
        told = self.waited_ms if self.response_ms is None else self.response_ms
        return max(0.0, min(told, self.waited_ms)) / 1000.0


@dataclass(frozen=True)
class Interaction:
    """One interaction, as it was shown and answered."""

    exercise: int
    interaction: int
    observation: Any
    given: Given
    reward: float


class Person:
    """The player that waits for a person; begins that nobody needs to confirm are confirmed here."""

    speakers: frozenset[int] = frozenset()

    def __init__(self, past: list[Interaction] | None = None) -> None:
        self.exercise = 0
        """The number of the present exercise, from 1; 0 before the first."""
        self.beginning = True
        """Whether the person has yet to say that an exercise may begin."""
        self.cells = 0
        """Of the space that was last shown."""
        self.observation: Any = None
        self.reward: float | None = None
        """What was last shown."""
        self.late = False
        """Whether the last action came after the end of its exercise, and was not played."""
        self.past = past
        """Filled with all interactions, where somebody wants them."""
        self._new = True
        self._timed = False
        self._at: float | None = None
        self._last: tuple[Any, Given] | None = None
        self._interactions = 0
        self._again = False

    def episode_over(self, step: Step) -> None:
        """The next begin is of another exercise."""
        self._new = True

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Wait for the person, whose one seat it is."""
        (ask,) = asks
        if ask.kind == "end":
            played = self._note(ask)
            self.observation = ask.observation
            self.reward = ask.reward if played else None
            return [Answer(at=self._at)]
        if ask.kind == "begin":
            if not self._new:
                # The environment ended within its slot and starts again; what the last action got is still to be seen.
                self._again = True
                return [Answer(at=self._at)]
            self._new = False
            given = yield from self._given(True)
            self.late = False
            assert ask.task is not None
            self.cells = _cells(ask.task.observation_space)
            self._timed = ask.task.clock == "wall"
            self.exercise += 1
            self._interactions = 0
            self.reward = None
            return [Answer(at=given.at)]
        self._note(ask)
        if self._interactions and not self._again:
            self.reward = ask.reward
        self._again = False
        self.observation = ask.observation
        given = yield from self._given(False)
        self._last = ask.observation, given
        return [Answer(given.action, given.seconds, at=given.at)]

    def _given(self, beginning: bool) -> Waiting[Given]:
        self.beginning = beginning
        came = yield Wait(lambda until: [], float("inf"))
        given: Given = came[0]
        self._at = given.at
        return given

    def _note(self, ask: Ask) -> bool:
        """What the last action led to; whether there was one that was played, since one that came late is not.

        After a late one, in a slot of seconds, the loop ends with what was seen before it and no reward.
        """
        if self._last is None:
            return False
        observation, given = self._last
        self._last = None
        same = ask.observation.tobytes() == observation.tobytes() and ask.reward == 0.0
        self.late = self._timed and ask.kind == "end" and same
        if self.late:
            return False
        if self.past is not None:
            self.past.append(
                Interaction(self.exercise, self._interactions, observation, given, ask.reward)
            )
        self._interactions += 1
        return True

    def close(self) -> None:
        """Nothing to do."""


def _cells(space: Any) -> int:
    """How many cells a space of observations tells of."""
    return int(dict(space.fields)["cell"].high) + 1


class Live:
    """A sitting under way."""

    def __init__(self, place: Place, item: int, *, remember: bool = False) -> None:
        self.place = place
        self.item = item
        self.past: list[Interaction] = []
        self.person = Person(self.past if remember else None)
        self.number = 0
        """Of the answer that is waited for."""
        self.last: Given | None = None
        """The answer before that."""
        self.last_cell: int | None = None
        """The cell that it led to; None where it began an exercise."""
        self.played: Played | None = None
        """What the sitting left behind, once it is over."""
        self._work = stepping(place, item, player=self.person, tell=self.person.episode_over)
        self._go(None)

    def _go(self, given: Given | None) -> None:
        try:
            if given is None:
                next(self._work)
            else:
                self._work.send([given])
        except StopIteration as over:
            self.played = over.value

    def take(self, given: Given) -> None:
        """Go on with an answer, which fits what is waited for."""
        if given.number != self.number or self.played is not None:
            raise ValueError(f"answer {given.number} is not the one that is waited for")
        self.number += 1
        self.last = given
        self.last_cell = (
            None if given.action is None else showing.ways(self.person.observation)[given.action]
        )
        self._go(given)

    def action_to(self, cell: int) -> int | None:
        """The action that leads to a cell now; None where none does, or no action is wanted."""
        if self.played is not None or self.person.beginning:
            return None
        return showing.action_to(self.person.observation, cell)

    @property
    def waits_for_beginning(self) -> bool:
        """Whether the person is to say that an exercise may begin."""
        return self.played is None and self.person.beginning

    def shown(self) -> Shown:
        """What the browser is told now."""
        person = self.person
        total = exercises_of(self.place.assessment)
        done = self.played is not None
        # Before an exercise and after the last, one sees how the one before ended.
        exercise = max(person.exercise, 1)
        observation = person.observation
        seen = observation is not None
        cells = person.cells if seen else 0
        order = showing.colors(exercise)
        acting = not done and not person.beginning
        return Shown(
            number=self.number,
            phase="done" if done else "begin" if person.beginning else "act",
            exercise=person.exercise + (1 if person.beginning and not done else 0),
            exercises=total,
            reward=None if person.reward is None else showing.sign(person.reward),
            cells=cells,
            you=int(observation["cell"]) if seen else 0,
            reachable=tuple(sorted(set(showing.ways(observation)))) if acting else (),
            others=showing.others(observation, exercise) if seen else (),
            colors=tuple(order[i % len(order)] for i in range(cells)),
            late=person.late,
        )

    def close(self) -> None:
        """Let it go; it can be made again from its answers."""
        self._work.close()
