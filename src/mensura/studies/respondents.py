"""Who is asked about a phenomenon: subjects of known understanding, and any other subject in its seat.

A respondent answers by work that may wait (:mod:`mensura.agent.waiting`), so that people can be asked who answer when
they like.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from mensura.agent.asks import LEFT_OUT, Ask
from mensura.agent.keys import Key, key
from mensura.agent.task import Task
from mensura.agent.waiting import Waiting
from mensura.core.abilities import clock_of, instructions_for, is_asked_once
from mensura.core.around import EnvironmentAround
from mensura.core.contract import Description, Environment, Episode, Stopped, Turn, World
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import play
from mensura.core.phenomena import Phenomenon, State, run
from mensura.core.players import Player, Subject, asking, driving, probes_of, seating, told_measures
from mensura.statistics.understanding import Edge
from mensura.studies.examination import Examination
from mensura.studies.inquiry import Inquiry, Questioning
from mensura.studies.known_understanding import Known
from mensura.studies.probe_answers import (
    read_explanation,
    read_model,
    read_plan,
    read_prediction,
)
from mensura.studies.probe_questions import Goal, Question

T = TypeVar("T")

CONTRAST_EPISODES = 3
"""With and without a phenomenon."""
MOST_FAULTS = 1000
"""So many sentences about answers are kept."""

Tell = Callable[[str], None]
"""Is told what is being done."""
Prediction = dict[float, float] | list[float]
"""Probabilities by value, or likely numbers."""


class BadAnswer(Exception):
    """An answer that is none, with a sentence."""


class LeftOut(Exception):
    """Somebody did not want to answer, and is not measured there."""


class Respondent(Protocol):
    """Somebody who is asked. What cannot be read raises :class:`BadAnswer` or MensuraError."""

    probes: frozenset[str]
    """Those that it has an interface for."""
    faults: list[str]
    """What was wrong with answers, a sentence for each."""

    def predict(self, question: Question) -> Waiting[Prediction]:
        """Its answer to a question."""

    def reach(self, goal: Goal, at: int) -> Waiting[Sequence[State]]:
        """The states that it leads through toward a goal from the start of that number."""

    def explain(self) -> Waiting[tuple[list[Edge], list[bool]]]:
        """What causes what, and what would have happened in each case."""

    def model(self) -> Waiting[str]:
        """Its model."""


def note_fault(faults: list[str], what: str, sentence: str) -> None:
    """One more answer that was none."""
    if len(faults) < MOST_FAULTS:
        faults.append(f"{what}: {sentence}")


class Readers:
    """How the answers in an examination are read; each raises a sentence for one that is none."""

    def __init__(self, examination: Examination) -> None:
        self._examination = examination

    def prediction(self, question: Question) -> Callable[[Any], Prediction]:
        """Of a question."""
        return lambda value: read_prediction(question.form, value, question.variable)

    def plan(self, value: Any) -> list[Any]:
        """Of a goal."""
        system = self._examination.system
        legal = system.environment(system.rules).legal
        return read_plan(value, system, partial(legal, 0))

    def explanation(self, value: Any) -> tuple[list[Edge], list[bool]]:
        """Of the causes and cases."""
        return read_explanation(value, self._examination.system.parts, len(self._examination.cases))

    def model(self, value: Any) -> str:
        """Of the task."""
        return read_model(value, self._examination.system)

    def led_through(self, goal: Goal, plan: Sequence[Any]) -> Sequence[State]:
        """Where a plan leads."""
        system = self._examination.system
        return run(system, system.rules, goal.start, plan)


class Inside:
    """A subject of known understanding, who is asked directly."""

    def __init__(self, known: Known, examination: Examination) -> None:
        self._known = known
        self._read = Readers(examination)
        self.probes = known.probes
        self.faults: list[str] = []

    def predict(self, question: Question) -> Waiting[Prediction]:
        """Its answer to a question."""
        yield from ()
        return self._read.prediction(question)(self._known.predict(question))

    def reach(self, goal: Goal, at: int) -> Waiting[Sequence[State]]:
        """Where its plan leads."""
        yield from ()
        return self._read.led_through(goal, self._read.plan(self._known.plan(goal, at)))

    def explain(self) -> Waiting[tuple[list[Edge], list[bool]]]:
        """Its explanation."""
        yield from ()
        return self._read.explanation(self._known.explain())

    def model(self) -> Waiting[str]:
        """Its model."""
        yield from ()
        return self._read.model(self._known.model())


class Outside:
    """Any other subject, in its seat."""

    def __init__(
        self,
        subject: Subject,
        inquiry: Inquiry,
        examination: Examination,
        say: Tell,
        questioning: Questioning,
    ) -> None:
        self._questioning = questioning
        self._subject, self._inquiry, self._examination = subject, inquiry, examination
        self._say = say
        self._read = Readers(examination)
        self._system = examination.system
        self._player: Player | None = None
        self._seated: Player | None = None
        self._trained: dict[str, Player] = {}
        self.probes: frozenset[str] = frozenset()
        self.faults: list[str] = []

    def sit_down(self) -> Waiting[None]:
        """Take the seat, train if that is wanted, and hear what it is about."""
        how = self._questioning
        player = how.player or (yield from seating(self._subject, 1))
        self._player = player if how.journal is None else Journaled(player, Journal(how.journal))
        self._seated = self._player
        if how.around is not None:
            self._player = how.around(self._player)
        self.probes = probes_of(self._player)
        if self._inquiry.training and self.probes:
            self._say("training")
            yield from self._train(self._player, self._environment, "questions")
        yield from self._begin(self._player, self._environment())

    def _environment(self) -> Environment:
        return self._system.environment(self._system.rules)

    def leave(self) -> None:
        """All players leave, and what they took is noted."""
        for player in (self._seated, *self._trained.values()):
            if player is not None:
                used = self._questioning.used
                for name, value in told_measures(player).items():
                    used[name] = used.get(name, 0.0) + value
                player.close()

    def _begin(self, player: Player, environment: Environment) -> Waiting[None]:
        if self._questioning.observers:
            turn = environment.reset(key(self._inquiry.seed, "shown"))
            for one in self._questioning.observers:
                one.started(environment, turn)
        seen, done = environment.spaces(0)
        task = Task(
            self._inquiry.world.id,
            environment.seats[0],
            1,
            seen,
            done,
            environment.horizon,
            clock_of(environment),
            self._inquiry.limits,
            instructions=instructions_for(environment, 0),
        )
        own = key(self._inquiry.seed, "subject", self._subject.name)
        (answer,) = yield from asking(player, [Ask("begin", 0, task=task, key=own)])
        if answer.fault is not None:
            note_fault(self.faults, "begin", f"{answer.fault[1]}.")

    def _train(self, player: Player, build: Callable[[], Environment], what: str) -> Waiting[None]:
        for number in range(self._inquiry.training):
            start = key(self._inquiry.seed, "training", what, number)
            yield from self._play(player, build(), start, True)

    def _play(
        self, player: Player, environment: Environment, start: Key, learning: bool
    ) -> Waiting[Episode]:
        return (
            yield from driving(
                play(
                    environment,
                    start,
                    world=self._inquiry.world.id,
                    seed=key(self._inquiry.seed, "subject", self._subject.name, start),
                    learning=learning,
                    interactions=self._system.length * self._system.held,
                    speakers=player.speakers,
                    limits=self._inquiry.limits,
                    observers=self._questioning.observers,
                ),
                player,
                self._questioning.stop,
            )
        )

    def _ask(self, kind: Any, question: Mapping[str, Any], read: Callable[[Any], T]) -> Waiting[T]:
        assert self._player is not None
        how = self._questioning
        if how.stop is not None and how.stop.is_set():
            raise Stopped
        how.asked += 1
        deadline = self._inquiry.limits.seconds_per_action
        ask = Ask(kind, 0, question=question, deadline=deadline, check=read)
        (answer,) = yield from asking(self._player, [ask])
        how.seconds += answer.seconds
        if answer.value is LEFT_OUT:
            raise LeftOut
        if answer.fault is not None:
            raise BadAnswer(f"{answer.fault[1].rstrip('.')}.")
        return read(answer.value)

    def predict(self, question: Question) -> Waiting[Prediction]:
        """Its answer to a question."""
        return self._ask("predict", question.plain, self._read.prediction(question))

    def explain(self) -> Waiting[tuple[list[Edge], list[bool]]]:
        """Its explanation."""
        told = self._examination.plain_explanation()
        return self._ask("explain", told, self._read.explanation)

    def model(self) -> Waiting[str]:
        """Its model."""
        return self._ask("model", self._examination.plain_model(), self._read.model)

    def reach(self, goal: Goal, at: int) -> Waiting[Sequence[State]]:
        """Where its plan leads, or where it goes by acting."""
        if "plan" not in self.probes:
            return (yield from self._acted(goal))
        plan = yield from self._ask("plan", goal.plain, self._read.plan)
        return self._read.led_through(goal, plan)

    def _acted(self, goal: Goal) -> Waiting[Sequence[State]]:
        """Where it goes by acting, where its rewards say how far the goal is reached."""
        environment = Toward(self._examination, goal)
        player = self._trained.get(goal.kind)
        if player is None:
            player = self._trained[goal.kind] = yield from seating(self._subject, 1)
            yield from self._train(player, lambda: environment, goal.kind)
        episode = yield from self._play(player, environment, goal.start, False)
        for fault in episode.faults:
            note_fault(self.faults, "achieve", f"{fault.detail.rstrip('.')}.")
        return environment.states

    def contrast(self, home: World) -> Waiting[float | None]:
        """How much a tool helps it, or an obstacle hinders it, by the rewards of the whole task."""
        one: Phenomenon = self._examination.phenomenon
        once = self._questioning.player is not None or is_asked_once(self._subject)
        if one.without is None or one.whole is None or once:
            return None
        self._say("playing with and without it")
        with_it = yield from self._mean(home, one.whole)
        without = yield from self._mean(home, one.without)
        return with_it - without if one.role == "tool" else without - with_it

    def _mean(self, home: World, description: Description) -> Waiting[float]:
        player = yield from seating(self._subject, 1)
        total = 0.0
        try:
            for number in range(self._inquiry.training + CONTRAST_EPISODES):
                learning = number < self._inquiry.training
                start = key(self._inquiry.seed, "contrast", number)
                episode = yield from driving(
                    play(
                        home.build(description),
                        start,
                        world=home.id,
                        seed=key(start, self._subject.name),
                        learning=learning,
                        limits=self._inquiry.limits,
                    ),
                    player,
                    self._questioning.stop,
                )
                total += 0.0 if learning else episode.mean_reward
        finally:
            player.close()
        return total / CONTRAST_EPISODES


class Toward(EnvironmentAround):
    """The task with a goal in the place of its own: rewards say whether it is reached as things are."""

    def __init__(self, examination: Examination, goal: Goal) -> None:
        system = examination.system
        super().__init__(system.environment(system.rules), None)
        self.description = self.inner.description
        self._system, self._goal = system, goal
        self._steps = 0
        self.states: list[State] = []
        """What it led through so far, by whole actions of a sequence."""

    def instructions(self, seat: int) -> str:
        """What the seat is told: the goal."""
        return str(self._goal.plain["text"])

    def reset(self, key: Key) -> Turn:
        """Start from a start."""
        turn = self.inner.reset(key)
        self._steps, self.states = 0, [self._system.read(self.inner)]
        return turn

    def step(self, actions: Sequence[Any], seconds: Sequence[float] = ()) -> Turn:
        """A step of the task; reached or not is 1 or -1."""
        turn = self.inner.step(actions, seconds)
        self._steps += 1
        state = self._system.read(self.inner)
        if self._steps % self._system.held == 0:
            self.states.append(state)
        reached = self._goal.reached([*self.states, state])
        return turn._replace(rewards=[1.0 if reached else -1.0] * len(turn.due), told=None)
