"""The sittings of one person: the generator that every sitting is, waiting for a browser between two answers.

They are a pure function of the person's course, number and answers so far, so they can be dropped at any time and made
again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

from mensura.agent.asks import LEFT_OUT, PROBES, Answer, Ask
from mensura.agent.keys import key
from mensura.agent.spaces import UNFIT, action_from_plain, answer_from_plain, to_plain
from mensura.agent.task import Task
from mensura.agent.waiting import Wait, Waiting, finish
from mensura.agents.language_model.text import words_of
from mensura.agents.person import NAME
from mensura.core.abilities import exercises_of, own_questions, pace_of, picture_of
from mensura.core.contract import Environment, Turn
from mensura.core.observation_words import is_read_beside
from mensura.pictures.scenes import Controls
from mensura.pictures.svg import as_svg
from mensura.pictures.view import View, view_of
from mensura.records.batch import Batch
from mensura.studies.inquiry import Questioning
from mensura.studies.people import ClockEntry
from mensura.studies.place import Place
from mensura.studies.stepped import Step, joined, stepping
from mensura.studies.understanding_sittings import NothingMeasured, examining
from mensura.web.people import probes, showing
from mensura.web.people.course import Course, Part
from mensura.web.people.forms import form_of
from mensura.web.people.questions import plain_question
from mensura.web.people.showing import Shown

LATE = "late"
"""What is kept as the action of somebody whose time was over; what is played then is the default."""


class Given(NamedTuple):
    """An answer as it is kept."""

    number: int
    action: Any
    """As JSON writes it; None where an exercise begins."""
    at: float
    response_ms: float | None
    waited_ms: float
    marked: bool = False
    """Whether the moment before it is to be a checkpoint."""

    @classmethod
    def of_row(
        cls,
        number: int,
        action: int | None,
        value: str | None,
        at: float,
        response_ms: float | None,
        waited_ms: float,
        marked: bool | None,
    ) -> Given:
        """The answer that a row of the store holds."""
        done = action if value is None else json.loads(value)
        return cls(number, done, at, response_ms, waited_ms, bool(marked))

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
            "marked": self.marked or None,
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
    reward: float | None
    """None of a question, whose answer nobody is told to be right or wrong."""
    condition: str
    practice: bool


class Clock:
    """How much time there is, where there is a limit: a function of when answers came, so that it can be made again."""

    def __init__(self, limits: ClockEntry | None = None) -> None:
        self._limits = limits or ClockEntry()
        self._test: float | None = None
        self._exercise: float | None = None
        """When the time of the test, and of the exercise, is over."""
        self.is_over = False
        """Whether the time of the test is."""
        self.is_over_in_exercise = False
        """Whether that of the present exercise, or of the test, is."""

    def begin(self, at: float) -> None:
        """An exercise begins."""
        limits = self._limits
        if self._test is None and limits.test is not None:
            self._test = at + limits.test
        self._exercise = None if limits.exercise is None else at + limits.exercise
        self.is_over_in_exercise = False
        self.look(at)

    def look(self, at: float) -> None:
        """An answer came at this time: is it too late?"""
        self.is_over = self.is_over or (self._test is not None and at > self._test)
        late = self._exercise is not None and at > self._exercise
        self.is_over_in_exercise = self.is_over_in_exercise or self.is_over or late

    def left(self, at: float) -> tuple[float | None, float | None]:
        """The seconds that are left of the exercise and of the test; None where there is no limit."""
        ends = self._exercise, self._test
        in_exercise, in_test = (None if end is None else max(0.0, end - at) for end in ends)
        return in_exercise, in_test


class Person:
    """The player that waits for a person; begins that nobody needs to confirm are confirmed here."""

    speakers: frozenset[int] = frozenset()

    def __init__(
        self,
        part: Part,
        past: list[Interaction] | None,
        clock: Clock,
        default: Callable[[], Any],
        before: int = 0,
    ) -> None:
        self._part = part
        self.exercise = before
        """The number of the present exercise, from 1, and of the last one before the first; so many came ``before``."""
        self.clock = clock
        self._default = default
        """The action that is played where time is over."""
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
        self.probes = frozenset(PROBES if part.place.asks_questions else ())
        self.probe: Ask | None = None
        """The question about a phenomenon that is waited for."""

    def episode_over(self, step: Step) -> None:
        """The next begin is of another exercise."""
        self._new = True

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Wait for the person, whose one seat it is."""
        (ask,) = asks
        if ask.kind in PROBES:
            return [(yield from self._asked(ask))]
        if ask.kind == "end":
            played = self._note(ask)
            self._new = self._new or bool(self.probes)
            self.observation = ask.observation
            self.reward = ask.reward if played else None
            return [Answer(at=self._at)]
        if ask.kind == "begin":
            if not self._new:
                # The environment ended within its slot and starts again; what the last action got is still to be seen.
                self._again = True
                return [Answer(at=self._at)]
            self._new = False
            if self.clock.is_over:
                return self._begun(ask, self._at)
            given = yield from self._given(True)
            self.clock.begin(given.at)
            self.late = False
            return self._begun(ask, given.at)
        self._note(ask)
        if self.interactions and not self._again:
            self.reward = ask.reward
        self._again = False
        self.observation = ask.observation
        if not self.clock.is_over_in_exercise:
            given = yield from self._given(False)
            self.clock.look(given.at)
            if not self.clock.is_over_in_exercise:
                self._last = ask.observation, given
                assert self.task is not None
                action = answer_from_plain(self.task.action_space, given.action)
                return [Answer(action, given.seconds, at=given.at)]
            self.late = True
        self.interactions += 1
        return [Answer(self._default(), 0.0, at=self._at)]

    def _asked(self, ask: Ask) -> Waiting[Answer]:
        """A question about a phenomenon, which is left out where time is over."""
        self.reward = None
        if self.clock.is_over_in_exercise:
            return Answer(LEFT_OUT, at=self._at)
        self.probe = ask
        given = yield from self._given(False)
        self.probe = None
        self.clock.look(given.at)
        self.late = self.clock.is_over_in_exercise
        if self.late:
            return Answer(LEFT_OUT, at=given.at)
        if self.past is not None:
            told = {name: one for name, one in ask.question.items() if name != "phenomenon"}
            self.past.append(self._interaction(told, given, None))
        self.interactions += 1
        return Answer(probes.value_of(given.action), given.seconds, at=given.at)

    def _interaction(self, observation: Any, given: Given, reward: float | None) -> Interaction:
        condition, practice = self._part.place.cell.condition, self._part.practice
        number = self.interactions
        return Interaction(self.exercise, number, observation, given, reward, condition, practice)

    def _begun(self, ask: Ask, at: float | None) -> list[Answer]:
        """An exercise begins."""
        assert ask.task is not None
        self.task = ask.task
        self._timed = ask.task.clock == "wall"
        self.exercise += 1
        self.interactions = 0
        self.reward = None
        return [Answer(at=at)]

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
            self.past.append(self._interaction(observation, given, ask.reward))
        self.interactions += 1
        return True

    def close(self) -> None:
        """Nothing to do."""


class Live:
    """The way of one person through a study, under way: the sittings of its parts, one after the other."""

    def __init__(
        self, course: Course, item: int, *, remember: bool = False, own_symbols: bool = True
    ) -> None:
        self.course = course
        self.item = item
        self.at = 0
        """The number of the present part, from 0."""
        self.past: list[Interaction] = []
        self._remember = remember
        self._own_symbols = own_symbols
        self._clock = Clock(course.people.clock)
        self.number = 0
        """Of the answer that is waited for."""
        self.last: Given | None = None
        """The answer before that."""
        self.last_cell: int | None = None
        """The cell that it led to; None where it began an exercise, or there are no cells."""
        self.results: list[Batch] = []
        """What the sittings that are over left behind, practice aside, and those in which nothing was measured."""
        self.is_over = False
        """Whether all parts are."""
        self.environment: Environment | None = None
        self._view: View | None = None
        self._ended = ""
        """How the exercise before the present one ended, as a picture."""
        self._start(0)

    def _start(self, before: int) -> None:
        """Begin the present part, before which there were so many exercises that count."""
        part = self.course.parts[self.at]
        self.place = part.place
        self.symbols = key(part.place.root, "participant", self.item) if self._own_symbols else None
        """The stream that symbols get their meanings from; None where they are the same for everybody."""
        clock = Clock() if part.practice else self._clock
        past = self.past if self._remember else None
        self.person = Person(part, past, clock, self._default, before)
        self._questioning = Questioning(player=self.person, observers=(self,))
        self._work = self._sitting(part.place)
        self._go(None)

    def _sitting(self, place: Place) -> Waiting[Batch | None]:
        """What a sitting leaves behind; nothing where nothing was measured in it."""
        if place.asks_questions:
            try:
                return (yield from examining(place, self.item, questioning=self._questioning))
            except NothingMeasured:
                return None
        person = self.person
        played = yield from stepping(
            place, self.item, player=person, tell=person.episode_over, observers=(self,)
        )
        return joined(place.cell, [played], 1, [NAME])

    def _default(self) -> Any:
        assert self.environment is not None
        return self.environment.default(0)

    @property
    def practising(self) -> bool:
        """Whether the present part is practice."""
        return self.course.parts[self.at].practice

    @property
    def score(self) -> float | None:
        """Once all is over: the mean of the scores of the parts; None where nothing was measured."""
        scores = [float(batch.score[0]) for batch in self.results]
        return sum(scores) / len(scores) if scores else None

    def _go(self, given: Given | None) -> None:
        try:
            if given is None:
                next(self._work)
            else:
                self._work.send([given])
        except StopIteration as over:
            if not self.practising and over.value is not None:
                self.results.append(over.value)
            if self.at + 1 == len(self.course.parts):
                self.is_over = True
                return
            before = 0 if self.practising else self.person.exercise
            seen = self.person
            self.at += 1
            self._start(before)
            if not self.person.interactions:
                # Until the next part begins, one sees how the one before ended.
                self.person.observation, self.person.task = seen.observation, seen.task
                self.person.reward, self.person.late = seen.reward, seen.late

    def started(self, environment: Environment, turn: Turn) -> None:
        """An episode begins: what is shown is drawn from its environment."""
        if self.environment is not None and self._view is not None:
            self._ended = _drawn(self.environment)
        self.environment = environment
        self._view = None
        if self._kind_of(environment.spaces(0)[0]) == "plain":
            self._view = view_of(self.place.world)
            self._view.started(environment, turn)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        if self._view is not None:
            self._view.stepped(environment, actions, turn)

    def take(self, given: Given) -> None:
        """Go on with an answer, which fits what is waited for."""
        if given.number != self.number or self.is_over:
            raise ValueError(f"answer {given.number} is not the one that is waited for")
        self.number += 1
        self.last = given
        self.last_cell = None
        if isinstance(given.action, int) and self.kind == "cells":
            self.last_cell = showing.ways(self.person.observation)[given.action]
        self._go(given)

    @property
    def kind(self) -> showing.Kind:
        """How the present environment is shown."""
        task = self.person.task
        return "plain" if task is None else self._kind_of(task.observation_space)

    def _kind_of(self, space: Any) -> showing.Kind:
        """How environments are shown; where questions follow, by the names that these use."""
        return "plain" if self.place.asks_questions else showing.kind_of(space)

    def action_to(self, cell: int) -> int | None:
        """The action that leads to a cell now; None where none does, or no action is wanted."""
        if self.is_over or self.person.beginning or self.kind != "cells":
            return None
        return showing.action_to(self.person.observation, cell)

    @property
    def asks_probe(self) -> bool:
        """Whether an answer about a phenomenon is waited for."""
        return not self.is_over and self.person.probe is not None

    def problem_of(self, action: Any) -> str:
        """Why an action, or an answer about a phenomenon, cannot be taken now, in a sentence; nothing where it can."""
        probe = self.person.probe
        if self.asks_probe and probe is not None:
            return probes.problem_of(probe, action)
        return "" if self.is_action(action) else "That is not an action that can be taken now."

    def is_action(self, action: Any) -> bool:
        """Whether an action, as JSON writes it, may be played now."""
        task, environment = self.person.task, self.environment
        if self.is_over or self.person.beginning or task is None or environment is None:
            return False
        try:
            value = action_from_plain(task.action_space, action)
        except UNFIT:
            return False
        return task.action_space.contains(value) and environment.legal(task.seat.index, value)

    @property
    def waits_for_beginning(self) -> bool:
        """Whether the person is to say that an exercise may begin."""
        return not self.is_over and self.person.beginning

    def shown(self) -> Shown:
        """What the browser is told now."""
        person = self.person
        done = self.is_over
        left, left_of_test = self.person.clock.left(time.time())
        # Before an exercise and after the last, one sees how the one before ended.
        seen = person.observation is not None
        acting = not done and not person.beginning
        shown = Shown(
            number=self.number,
            phase="done" if done else "begin" if person.beginning else "act",
            exercise=person.exercise + (1 if person.beginning and not done else 0),
            exercises=exercises_of(self.place.assessment)
            if self.practising
            else self.course.exercises,
            practice=self.practising,
            rest=self._rest,
            seconds=None if person.beginning or done else left,
            seconds_of_test=None if done else left_of_test,
            reward=self._sign,
            late=person.late,
            kind=self.kind,
            step=person.interactions + 1 if acting else 0,
            steps=self._steps if acting else 0,
        )
        if self.asks_probe:
            return self._with_probe(shown)
        if not seen:
            return shown
        return (
            self._with_cells(shown, acting) if self.kind == "cells" else self._plain(shown, acting)
        )

    @property
    def _sign(self) -> Literal[-1, 0, 1] | None:
        """The sign of the last reward; None where there was none yet, or nothing is gained or lost."""
        reward = self.person.reward
        if reward is None or "unrewarded" in self.place.world.promises:
            return None
        return showing.sign(reward)

    @property
    def _rest(self) -> float:
        """The seconds of the break that comes now; 0 where none does."""
        breaks, done = self.course.people.breaks, self.person.exercise
        if breaks is None or not self.waits_for_beginning or self.practising or not done:
            return 0.0
        return 0.0 if done % breaks.every else breaks.seconds

    def is_late(self, at: float) -> bool:
        """Whether there is no time left for an answer that comes now."""
        return 0.0 in self.person.clock.left(at)

    @property
    def _steps(self) -> int:
        """How many steps the present exercise has, as far as people are told; questions are counted instead."""
        if self.asks_probe:
            return self._questioning.count
        task = self.person.task
        if task is None or self.place.asks_questions:
            return 0
        return task.horizon or 0

    def _with_probe(self, shown: Shown) -> Shown:
        ask, task = self.person.probe, self.person.task
        assert ask is not None
        assert task is not None
        controls: Controls | None = None
        if self._view is not None and self.environment is not None:
            controls = self._view.controls(self.environment)[task.seat.index]
        told = probes.told_of(ask, task.action_space, controls)
        return replace(shown, form=probes.probe_form(ask, task.action_space, controls), probe=told)

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
        svg = self._ended if self.waits_for_beginning else _drawn(environment, seat)
        shown = replace(shown, svg=svg, form=form)
        questions = own_questions(self.place.world)
        if questions is not None:
            asked = questions.question(self.person.observation)
            return replace(shown, question=plain_question(asked))
        pace = pace_of(environment)
        words = words_of(self.place.world)
        told = [words.rules(task), task.instructions] if not self.person.interactions else []
        if pace is not None:  # nobody reads many observations a second
            return replace(shown, pace=pace, words=tuple(filter(None, told)))
        seen = words.observation(task, showing.undrawn(self.person.observation))
        read = tuple(filter(None, [*told, seen]))
        return replace(shown, words=read, beside=is_read_beside(words))

    def close(self) -> None:
        """Let it go; it can be made again from its answers."""
        self._work.close()


def _drawn(environment: Environment, seat: int = 0) -> str:
    """What a seat sees, as a picture; nothing where the environment draws none."""
    drawn = picture_of(environment, seat)
    return "" if drawn is None else as_svg(drawn, page=True)
