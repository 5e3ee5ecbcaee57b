"""Understanding measured: a subject is asked about a phenomenon, plans or acts toward goals, explains and models it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from mensura.core.abilities import clock_of, hosting, instructions_for, is_asked_once, phenomena
from mensura.core.around import EnvironmentAround
from mensura.core.asks import Ask
from mensura.core.contract import Description, Environment, Limits, Stopped, Task, Turn, World
from mensura.core.errors import MensuraError
from mensura.core.journaled import Journal, Journaled
from mensura.core.keys import Key, key
from mensura.core.loop import play
from mensura.core.phenomena import Phenomenon, State, named, run
from mensura.core.players import Player, Subject, Unanswered, drive, probes_of, told_measures
from mensura.statistics.understanding import (
    Probe,
    Understanding,
    goals_reached,
    graph_agreement,
    kappa,
    mean_of,
    recreated,
    skill,
)
from mensura.studies.examination import QUESTIONS, Examination
from mensura.studies.known_understanding import Known
from mensura.studies.probe_answers import (
    read_explanation,
    read_model,
    read_plan,
    read_prediction,
)
from mensura.studies.probe_questions import Goal

CONTRAST_EPISODES = 3
"""With and without a phenomenon."""
MOST_FAULTS = 1000
"""So many sentences about answers are kept."""

Tell = Callable[[str], None]
"""Is told what is being done."""


@dataclass(frozen=True)
class Inquiry:
    """What is asked, of whomever."""

    world: World
    phenomenon: str
    seed: Key
    questions: int = QUESTIONS
    training: int = 0
    """Episodes in which a subject may learn before it is asked, and before it acts toward each kind of goal."""
    limits: Limits = field(default_factory=Limits)

    def examination(self, world: World | None = None) -> Examination:
        """The questions, in the world as it is for a subject."""
        home = self.world if world is None else world
        description = home.sample(key(self.seed, "environment"))
        found = phenomena(home, description)
        one = named(found, self.phenomenon, home.id)
        return Examination(one, found, key(self.seed, "understanding"), self.questions)


class BadAnswer(Exception):
    """An answer that is none, with a sentence."""


@dataclass
class Questioning:
    """How questions are put, and what came of it."""

    journal: Path | None = None
    """A file in which answers are safe before they are used, so that nobody is asked twice."""
    stop: Event | None = None
    """Ends it before the next question, once it is set."""
    asked: int = 0
    """So many questions were put."""
    used: dict[str, float] = field(default_factory=dict)
    """What a subject took that is asked over a network, by the names of measures."""


class Respondent:
    """Somebody who is asked; ``None`` of a probe that it has no interface for."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def fault(self, what: str, sentence: str) -> None:
        """One more answer that was none."""
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(f"{what}: {sentence}")


def understand_known(
    name: str, made: Callable[[Examination], Known], examination: Examination
) -> Understanding:
    """What a subject of known understanding understands."""
    who = _Inside(made(examination), examination)
    return _measured(name, who, examination, who.planned)


def understand(
    name: str,
    subject: Subject,
    inquiry: Inquiry,
    examination: Examination,
    tell: Tell | None = None,
    questioning: Questioning | None = None,
) -> Understanding:
    """What a subject understands of a phenomenon.

    ``examination`` is that of the world as it is; in a world that gives the subject rights the same is asked.
    """
    say = tell or (lambda text: None)
    home = hosting(inquiry.world, subject)
    if home is not inquiry.world:
        examination = inquiry.examination(home)
    with _Outside(subject, inquiry, examination, say, questioning or Questioning()) as who:
        reach = who.planned if "plan" in who.probes else who.acted
        found = _measured(name, who, examination, reach, say)
        contrast = who.contrast(home)
    return Understanding(
        found.subject,
        found.phenomenon,
        found.predict,
        found.achieve,
        found.explain,
        found.recreate,
        contrast,
        tuple(who.faults),
    )


Reach = Callable[[Goal, int], Sequence[State]]
"""The states that somebody leads through toward a goal; raises :class:`BadAnswer`."""


def _measured(
    name: str, who: Any, examination: Examination, reach: Reach, say: Tell = lambda text: None
) -> Understanding:
    say(f"asking {name} for predictions")
    predict = _predict(who, examination)
    say(f"setting {name} goals")
    achieve = _achieve(who, examination, reach)
    say(f"asking {name} for an explanation and a model")
    explain = _explain(who, examination)
    recreate = _recreate(who, examination)
    phenomenon = examination.phenomenon.name
    faults = tuple(who.faults)
    return Understanding(name, phenomenon, predict, achieve, explain, recreate, None, faults)


@dataclass
class _Reading:
    is_good: bool = False
    """Whether the answer could be read and used."""


@contextmanager
def _reading(who: Respondent, probe: str) -> Iterator[_Reading]:
    """Note an answer that is none as a fault; somebody who cannot be reached is no fault and ends it all."""
    reading = _Reading()
    try:
        yield reading
        reading.is_good = True
    except Unanswered:
        raise
    except (BadAnswer, MensuraError) as error:
        who.fault(probe, str(error))


def _unasked(probe: str) -> Probe:
    return Probe(None, why=f"it has no method {probe}()")


def _predict(who: Any, examination: Examination) -> Probe:
    """Skill over frequencies, kind by kind; an answer that is none is worth as much as the frequencies."""
    if "predict" not in who.probes:
        return _unasked("predict")
    scores: dict[str, list[tuple[float, float]]] = {}
    for question in examination.questions:
        with _reading(who, "predict") as reading:
            answer = read_prediction(question.form, who.predict(question), question.variable)
        score = question.score(answer) if reading.is_good else question.reference
        scores.setdefault(question.kind, []).append((score, question.reference))
    parts = {
        kind: skill([one for one, _ in pairs], [two for _, two in pairs])
        for kind, pairs in scores.items()
    }
    value = mean_of(parts)
    why = "" if value is not None else "frequencies answer all questions"
    return Probe(value, parts, len(examination.questions), why)


def _achieve(who: Any, examination: Examination, reach: Reach) -> Probe:
    """P* clipped, over the goals of each kind."""
    reached: dict[str, list[tuple[bool, float]]] = {}
    numbers = {one.start: at for at, one in enumerate(examination.candidates)}
    for goal in examination.goals:
        done = False
        with _reading(who, "achieve"):
            done = goal.reached(reach(goal, numbers[goal.start]))
        reached.setdefault(goal.kind, []).append((done, goal.by_chance))
    parts = {
        kind: goals_reached(
            sum(done for done, _ in pairs) / len(pairs),
            sum(chance for _, chance in pairs) / len(pairs),
            1.0,
        )
        for kind, pairs in reached.items()
    }
    value = mean_of(parts)
    why = "" if value is not None else "no goal is between chance and what can be reached"
    return Probe(value, parts, len(examination.goals), why)


def _explain(who: Any, examination: Examination) -> Probe:
    """The mean of the causal graph's F1 and of kappa over what would have happened."""
    if "explain" not in who.probes:
        return _unasked("explain")
    system, cases = examination.system, examination.cases
    truth = [(one.cause, one.effect, one.sign) for one in system.causes]
    count = len(truth) + len(cases)
    with _reading(who, "explain") as reading:
        edges, without = read_explanation(who.explain(), system.parts, len(cases))
    if not reading.is_good:
        return Probe(0.0, {}, count)
    parts = {
        "causes": graph_agreement(edges, truth, len(system.parts)),
        "without": kappa(without, [one.happened for one in cases]),
    }
    return Probe(mean_of(parts), parts, count)


def _recreate(who: Any, examination: Examination) -> Probe:
    """How much nearer than "nothing changes" a model is on sequences that nobody knew."""
    if "model" not in who.probes:
        return _unasked("model")
    courses = examination.held_out
    with _reading(who, "recreate") as reading:
        model = read_model(who.model(), examination.system)
        error = examination.error(model, courses)
    if not reading.is_good:
        return Probe(0.0, {}, len(courses))
    value = recreated(error, examination.error_of_nothing(courses))
    return Probe(value, {}, len(courses), "" if value is not None else "nothing changes")


class _Inside(Respondent):
    """A subject of known understanding, who is asked directly."""

    def __init__(self, known: Known, examination: Examination) -> None:
        super().__init__()
        self._known, self._system = known, examination.system
        self.probes = known.probes
        self.predict, self.explain, self.model = known.predict, known.explain, known.model

    def planned(self, goal: Goal, at: int) -> Sequence[State]:
        """Where its plan leads."""
        system = self._system
        legal = system.environment(system.rules).legal
        plan = read_plan(self._known.plan(goal, at), system, lambda one: legal(0, one))
        return run(system, system.rules, goal.start, plan)


class _Outside(Respondent):
    """Any other subject, in its seat."""

    def __init__(
        self,
        subject: Subject,
        inquiry: Inquiry,
        examination: Examination,
        say: Tell,
        questioning: Questioning,
    ) -> None:
        super().__init__()
        self._questioning = questioning
        self._subject, self._inquiry, self._examination = subject, inquiry, examination
        self._say = say
        self._system = examination.system
        self._player: Player | None = None
        self._trained: dict[str, Player] = {}

    def __enter__(self) -> _Outside:
        self._player = self._subject.sit(1)
        if self._questioning.journal is not None:
            self._player = Journaled(self._player, Journal(self._questioning.journal))
        self.probes = probes_of(self._player)
        environment = self._system.environment(self._system.rules)
        if self._inquiry.training and self.probes:
            self._say("training")
            self._train(self._player, environment, "questions")
        self._begin(self._player, environment)
        return self

    def __exit__(self, *_: object) -> None:
        for player in (self._player, *self._trained.values()):
            if player is not None:
                used = self._questioning.used
                for name, value in told_measures(player).items():
                    used[name] = used.get(name, 0.0) + value
                player.close()

    def _begin(self, player: Player, environment: Environment) -> None:
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
        (answer,) = player.answer([Ask("begin", 0, task=task, key=own)])
        if answer.fault is not None:
            self.fault("begin", f"{answer.fault[1]}.")

    def _train(self, player: Player, environment: Environment, what: str) -> None:
        for number in range(self._inquiry.training):
            self._play(player, environment, key(self._inquiry.seed, "training", what, number), True)

    def _play(self, player: Player, environment: Environment, start: Key, learning: bool) -> Any:
        return drive(
            play(
                environment,
                start,
                world=self._inquiry.world.id,
                seed=key(self._inquiry.seed, "subject", self._subject.name, start),
                learning=learning,
                interactions=self._system.length * self._system.held,
                speakers=player.speakers,
                limits=self._inquiry.limits,
            ),
            player,
            self._questioning.stop,
        )

    def _ask(self, kind: Any, question: Any) -> Any:
        assert self._player is not None
        stop = self._questioning.stop
        if stop is not None and stop.is_set():
            raise Stopped
        self._questioning.asked += 1
        deadline = self._inquiry.limits.seconds_per_action
        (answer,) = self._player.answer([Ask(kind, 0, question=question, deadline=deadline)])
        if answer.fault is not None:
            raise BadAnswer(f"{answer.fault[1].rstrip('.')}.")
        return answer.value

    def predict(self, question: Any) -> Any:
        """Its answer to a question."""
        return self._ask("predict", question.plain)

    def explain(self) -> Any:
        """Its explanation."""
        return self._ask("explain", self._examination.plain_explanation())

    def model(self) -> Any:
        """Its model."""
        return self._ask("model", self._examination.plain_model())

    def planned(self, goal: Goal, at: int) -> Sequence[State]:
        """Where its plan leads."""
        system = self._system
        legal = system.environment(system.rules).legal
        plan = read_plan(self._ask("plan", goal.plain), system, lambda one: legal(0, one))
        return run(system, system.rules, goal.start, plan)

    def acted(self, goal: Goal, at: int) -> Sequence[State]:
        """Where it goes by acting, where its rewards say how far the goal is reached."""
        environment = _Toward(self._examination, goal)
        player = self._trained.get(goal.kind)
        if player is None:
            player = self._trained[goal.kind] = self._subject.sit(1)
            self._train(player, environment, goal.kind)
        episode = self._play(player, environment, goal.start, False)
        for fault in episode.faults:
            self.fault("achieve", f"{fault.detail.rstrip('.')}.")
        return environment.states

    def contrast(self, home: World) -> float | None:
        """How much a tool helps it, or an obstacle hinders it, by the rewards of the whole task."""
        one: Phenomenon = self._examination.phenomenon
        if one.without is None or one.whole is None or is_asked_once(self._subject):
            return None
        self._say("playing with and without it")
        with_it, without = (self._mean(home, each) for each in (one.whole, one.without))
        return with_it - without if one.role == "tool" else without - with_it

    def _mean(self, home: World, description: Description) -> float:
        player = self._subject.sit(1)
        total = 0.0
        try:
            for number in range(self._inquiry.training + CONTRAST_EPISODES):
                learning = number < self._inquiry.training
                start = key(self._inquiry.seed, "contrast", number)
                episode = drive(
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


class _Toward(EnvironmentAround):
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
