"""A sitting of one person: the generator that every sitting is, waiting for a browser between two answers.

It is a pure function of its place, its number and the answers so far, so it can be dropped at any time and made again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from mensura.agents.language_model.text import words_of
from mensura.core.abilities import exercises_of, own_questions, picture_of
from mensura.core.asks import Answer, Ask
from mensura.core.contract import Environment, Task, Turn
from mensura.core.keys import key
from mensura.core.spaces import UNFIT, action_from_plain, answer_from_plain, to_plain
from mensura.core.waiting import Wait, Waiting, finish
from mensura.pictures.svg import as_svg
from mensura.pictures.view import View, view_of
from mensura.studies.place import Place
from mensura.studies.stepped import Played, Step, stepping
from mensura.web.people import showing
from mensura.web.people.forms import form_of
from mensura.web.people.questions import plain_question
from mensura.web.people.showing import Shown


class Given(NamedTuple):
    """An answer as it is kept."""

    number: int
    action: Any
    """As JSON writes it; None where an exercise begins."""
    at: float
    response_ms: float | None
    waited_ms: float

    @classmethod
    def of_row(
        cls,
        number: int,
        action: int | None,
        value: str | None,
        at: float,
        response_ms: float | None,
        waited_ms: float,
    ) -> Given:
        """The answer that a row of the store holds."""
        done = action if value is None else json.loads(value)
        return cls(number, done, at, response_ms, waited_ms)

    def row(self) -> dict[str, Any]:
        """The answer as a row of the store."""
        whole = self.action is None or type(self.action) is int
        return {
            "number": self.number,
            "action": self.action if whole else None,
            "value": None if whole else json.dumps(self.action),
            "at": self.at,
            "response_ms": self.response_ms,
            "waited_ms": self.waited_ms,
        }

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
        self.task: Task | None = None
        """What the person was told of the environment that was last shown."""
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
        self.interactions = 0
        """Of the present exercise, so far."""
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
            self.task = ask.task
            self._timed = ask.task.clock == "wall"
            self.exercise += 1
            self.interactions = 0
            self.reward = None
            return [Answer(at=given.at)]
        self._note(ask)
        if self.interactions and not self._again:
            self.reward = ask.reward
        self._again = False
        self.observation = ask.observation
        given = yield from self._given(False)
        self._last = ask.observation, given
        assert self.task is not None
        action = answer_from_plain(self.task.action_space, given.action)
        return [Answer(action, given.seconds, at=given.at)]

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
        same = ask.reward == 0.0 and to_plain(ask.observation) == to_plain(observation)
        self.late = self._timed and ask.kind == "end" and same
        if self.late:
            return False
        if self.past is not None:
            self.past.append(
                Interaction(self.exercise, self.interactions, observation, given, ask.reward)
            )
        self.interactions += 1
        return True

    def close(self) -> None:
        """Nothing to do."""


class Live:
    """A sitting under way."""

    def __init__(
        self, place: Place, item: int, *, remember: bool = False, own_symbols: bool = True
    ) -> None:
        self.place = place
        self.item = item
        self.symbols = key(place.root, "participant", item) if own_symbols else None
        """The stream that symbols get their meanings from; None where they are the same for everybody."""
        self.past: list[Interaction] = []
        self.person = Person(self.past if remember else None)
        self.number = 0
        """Of the answer that is waited for."""
        self.last: Given | None = None
        """The answer before that."""
        self.last_cell: int | None = None
        """The cell that it led to; None where it began an exercise, or there are no cells."""
        self.played: Played | None = None
        """What the sitting left behind, once it is over."""
        self.environment: Environment | None = None
        self._view: View | None = None
        self._work = stepping(
            place, item, player=self.person, tell=self.person.episode_over, observers=(self,)
        )
        self._go(None)

    def _go(self, given: Given | None) -> None:
        try:
            if given is None:
                next(self._work)
            else:
                self._work.send([given])
        except StopIteration as over:
            self.played = over.value

    def started(self, environment: Environment, turn: Turn) -> None:
        """An episode begins: what is shown is drawn from its environment."""
        self.environment = environment
        self._view = None
        if showing.kind_of(environment.spaces(0)[0]) == "plain":
            self._view = view_of(self.place.world)
            self._view.started(environment, turn)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        if self._view is not None:
            self._view.stepped(environment, actions, turn)

    def take(self, given: Given) -> None:
        """Go on with an answer, which fits what is waited for."""
        if given.number != self.number or self.played is not None:
            raise ValueError(f"answer {given.number} is not the one that is waited for")
        self.number += 1
        self.last = given
        self.last_cell = None
        if given.action is not None and self.kind == "cells":
            self.last_cell = showing.ways(self.person.observation)[given.action]
        self._go(given)

    @property
    def kind(self) -> showing.Kind:
        """How the present environment is shown."""
        task = self.person.task
        return "plain" if task is None else showing.kind_of(task.observation_space)

    def action_to(self, cell: int) -> int | None:
        """The action that leads to a cell now; None where none does, or no action is wanted."""
        if self.played is not None or self.person.beginning or self.kind != "cells":
            return None
        return showing.action_to(self.person.observation, cell)

    def is_action(self, action: Any) -> bool:
        """Whether an action, as JSON writes it, may be played now."""
        task, environment = self.person.task, self.environment
        if self.played is not None or self.person.beginning or task is None or environment is None:
            return False
        try:
            value = action_from_plain(task.action_space, action)
        except UNFIT:
            return False
        return task.action_space.contains(value) and environment.legal(task.seat.index, value)

    @property
    def waits_for_beginning(self) -> bool:
        """Whether the person is to say that an exercise may begin."""
        return self.played is None and self.person.beginning

    def shown(self) -> Shown:
        """What the browser is told now."""
        person = self.person
        done = self.played is not None
        # Before an exercise and after the last, one sees how the one before ended.
        seen = person.observation is not None
        acting = not done and not person.beginning
        shown = Shown(
            number=self.number,
            phase="done" if done else "begin" if person.beginning else "act",
            exercise=person.exercise + (1 if person.beginning and not done else 0),
            exercises=exercises_of(self.place.assessment),
            reward=None if person.reward is None else showing.sign(person.reward),
            late=person.late,
            kind=self.kind,
        )
        if not seen:
            return shown
        return (
            self._with_cells(shown, acting) if self.kind == "cells" else self._plain(shown, acting)
        )

    def _with_cells(self, shown: Shown, acting: bool) -> Shown:
        person = self.person
        assert person.task is not None
        observation, exercise = person.observation, max(person.exercise, 1)
        cells = showing.cells_of(person.task.observation_space)
        order = showing.colors(exercise)
        return replace(
            shown,
            cells=cells,
            you=int(observation["cell"]),
            reachable=tuple(sorted(set(showing.ways(observation)))) if acting else (),
            others=showing.others(observation, exercise, self.symbols),
            colors=tuple(order[i % len(order)] for i in range(cells)),
        )

    def _plain(self, shown: Shown, acting: bool) -> Shown:
        task, environment = self.person.task, self.environment
        assert task is not None
        assert environment is not None
        seat = task.seat.index
        form = None
        if acting and self._view is not None:
            controls = self._view.controls(environment)[seat]
            form = form_of(task.action_space, controls, partial(environment.legal, seat))
        drawn = picture_of(environment, seat)
        shown = replace(shown, svg="" if drawn is None else as_svg(drawn, page=True), form=form)
        questions = own_questions(self.place.world)
        if questions is not None:
            asked = questions.question(self.person.observation)
            return replace(shown, question=plain_question(asked))
        words = words_of(self.place.world)
        told = [words.rules(task), task.instructions] if not self.person.interactions else []
        return replace(
            shown,
            words=tuple(filter(None, [*told, words.observation(task, self.person.observation)])),
        )

    def close(self) -> None:
        """Let it go; it can be made again from its answers."""
        self._work.close()
