"""The one episode loop: a generator that yields what it asks of the subject and takes the answers.

Drivers do the waiting: a direct call, a process behind a pipe, a person behind a web page. The loop itself never
blocks, never calls a subject and never fails because of one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any, Protocol, TypeAlias

from mensura.agent.asks import ALARM, Answer, Ask, FaultKind, is_alarm
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.agent.task import Limits, Message, Seat, Task
from mensura.core.abilities import (
    clock_of,
    instructions_for,
    measures_of,
    opens_floor,
    picture_of,
    raw_score,
    tells_decided,
)
from mensura.core.contract import (
    DIMINISHED,
    Environment,
    Episode,
    Fault,
    Turn,
    counted_interactions,
)
from mensura.core.open_floor import converse

RESTARTED = 1 << 32
"""Sets the draws after a restart apart from those of seats and objects."""


class History:
    """What is kept of interactions where history diminishes: the rewards, and who acted and who got them.

    Who it was is kept where it changes, which it hardly ever does.
    """

    def __init__(self) -> None:
        self.rewards: list[Sequence[float]] = []
        """Of each interaction."""
        self.seats: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
        """From which interaction on who acted, and who then got rewards."""
        self._acted: tuple[int, ...] | None = None
        self._got: tuple[int, ...] | None = None

    def changed(self, acted: tuple[int, ...], got: tuple[int, ...]) -> None:
        """From the next interaction on."""
        self.seats.append((len(self.rewards), acted, got))
        self._acted, self._got = acted, got

    def add(self, acted: tuple[int, ...], turn: Turn) -> None:
        """One more interaction: who acted in it, and the turn that came of it."""
        if acted is not self._acted or turn.due is not self._got:
            self.changed(acted, turn.due)
        self.rewards.append(turn.rewards)


Asking: TypeAlias = Generator[list[Ask], list[Answer], Episode]
"""An episode under way."""


class Observer(Protocol):
    """Whoever watches an episode: progress, logs, drawings."""

    def started(self, environment: Environment, turn: Turn) -> None:
        """After reset."""

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """After each step, with the actions that led to it."""


def shown(value: Any) -> str:
    """A value as a record can show it; a subject's value may refuse even that."""
    try:
        return f"{value!r:.200}"
    except Exception as error:
        return f"a {type(value).__name__} that cannot be shown ({type(error).__name__})"


class Standing:
    """The faults of each seat over a sitting; a seat with too many of them is not asked again."""

    def __init__(self, allowed: int = 3) -> None:
        self.allowed = allowed
        self.faults: dict[int, int] = {}

    def asked(self, seat: int) -> bool:
        """Whether the seat is still asked."""
        return self.faults.get(seat, 0) < self.allowed

    def fault(self, seat: int) -> None:
        """One more fault of a seat."""
        self.faults[seat] = self.faults.get(seat, 0) + 1


RAW = "raw return"
"""The measure of an episode that has what its rewards were cut from, since it began."""


def play(
    environment: Environment,
    key: Key,
    *,
    world: str,
    seed: Key,
    learning: bool = False,
    interactions: int | None = None,
    seconds: float | None = None,
    diminishing: bool = False,
    speakers: frozenset[int] = frozenset(),
    limits: Limits | None = None,
    standing: Standing | None = None,
    observers: Iterable[Observer] = (),
    clock: Callable[[], float] = perf_counter,
    start: bytes | None = None,
) -> Asking:
    """Play one episode: to the end of the environment, or in a slot of so many interactions or seconds.

    A faulty answer is replaced by the environment's default action and noted; after ``limits.faults`` of them
    the seat is not asked again while its ``standing`` lasts. ``seed`` is the root of the subject's own draws:
    seat j begins with ``fold(seed, j)``. ``speakers`` are the seats that tell before they act. A seat that has
    used up ``limits.seconds_per_episode`` is not asked again in this episode.

    In a slot an environment that comes to its end is reset and goes on: restart k with ``fold(key, RESTARTED + k)``,
    and the subject, who is told of the end and of the new beginning, with ``fold(fold(seed, RESTARTED + k), j)``. A
    slot of seconds runs by the clock from the first interaction on; an answer that comes after its end is not played,
    and where nobody is left to be asked it is over.

    With ``start`` it begins in a state, a snapshot of an environment with the same description, after its reset. It is
    over where the environment ends, and a slot is the most that it has.
    """
    limits = limits or Limits()
    course = _Course(
        environment,
        limits,
        standing or Standing(limits.faults),
        interactions=interactions,
        seconds=seconds,
        diminishing=diminishing,
        speakers=speakers,
        observers=tuple(observers),
        clock=clock,
    )
    course.has_horizon = start is None and interactions is None and seconds is None
    playing = _played(course, key, world, seed, learning, start)
    if start is None:
        return (yield from playing)
    try:
        return (yield from playing)
    except MensuraError:
        raise
    except Exception as error:
        raise MensuraError(
            f"An episode of {world} cannot go on from its start, which is no state of its environment: "
            f"{type(error).__name__}: {str(error)[:200]}."
        ) from error


def _played(
    course: _Course, key: Key, world: str, seed: Key, learning: bool, start: bytes | None
) -> Asking:
    """The episode from its reset on, with as many beginnings as its slot has room for."""
    goes_on = start is None and not course.has_horizon
    turn = course.reset(key, start)
    restarts = 0
    while True:
        draws = fold(seed, RESTARTED + restarts) if restarts else seed
        yield from course.begin(world, draws, learning)
        made = sum(course.counts)
        if opens_floor(course.environment):
            turn = yield from converse(course, turn)
        else:
            turn = yield from course.interact(turn)
        yield from course.end(turn)
        if not goes_on or course.left == 0 or sum(course.counts) == made:
            return course.episode()
        restarts += 1
        turn = course.reset(fold(key, RESTARTED + restarts))


class _Course:
    """An episode under way: what was counted so far, who is still asked, and how much of a slot is left."""

    def __init__(
        self,
        environment: Environment,
        limits: Limits,
        standing: Standing,
        *,
        interactions: int | None,
        seconds: float | None,
        diminishing: bool,
        speakers: frozenset[int],
        observers: tuple[Observer, ...],
        clock: Callable[[], float],
    ) -> None:
        self.environment = environment
        self.limits = limits
        self.standing = standing
        self.interactions = interactions
        self.seconds = seconds
        self.diminishing = diminishing
        self.speakers = speakers
        self.observers = observers
        self.clock = clock
        count = len(environment.seats)
        self.rewards = [0.0] * count
        self.counts = [0] * count
        """The interactions of each seat."""
        self.spent = [0.0] * count
        """The seconds of each seat."""
        self.starting = [0.0] * count
        """Those of them that it took to start, which has a limit of its own."""
        self.defaults = [0] * count
        self.faults: list[Fault] = []
        self.messages = 0
        self.alarms: list[float] = []
        self.questions = 0
        self.out_of_time: set[int] = set()
        self.has_horizon = True
        """Whether it has as many interactions as the environment says, neither a slot nor a start in the middle."""
        self.left = -1 if interactions is None else interactions
        """Interactions until the end of the slot; below 0 where they are not limited."""
        self.started: float | None = None
        """When a slot of seconds began."""
        self.elapsed = 0.0
        self.begun = False
        self.raw = self.raw_before = 0.0
        """What rewards were cut from, in all until the last reset, and what it was when the episode began."""
        self.history = History() if diminishing and seconds is not None else None

    def reset(self, key: Key, start: bytes | None = None) -> Turn:
        """Begin in the environment, at first or again."""
        if self.begun:
            self.raw += (raw_score(self.environment) or 0.0) - self.raw_before
        self.begun = True
        turn = self.environment.reset(key)
        if start is not None:
            turn = self.environment.restore(start)
            # What the interaction before it brought is somebody else's.
            turn = turn._replace(rewards=[0.0] * len(turn.due), told=None)
        self.raw_before = raw_score(self.environment) or 0.0
        for observer in self.observers:
            observer.started(self.environment, turn)
        return turn

    def begin(
        self, world: str, draws: Key, learning: bool
    ) -> Generator[list[Ask], list[Answer], None]:
        """Tell every seat of its task."""
        asks = [
            Ask(
                "begin",
                seat.index,
                task=self._task(world, seat, learning),
                key=fold(draws, seat.index),
                deadline=self.limits.seconds_to_start,
                look=partial(picture_of, self.environment, seat.index),
            )
            for seat in self.environment.seats
            if self.standing.asked(seat.index)
        ]
        answers: list[Answer] = []
        if asks:
            before = tuple(self.spent)
            answers = yield asks
            self._judge(asks, answers)
            self.starting = [
                so_far + now - was
                for so_far, now, was in zip(self.starting, self.spent, before, strict=True)
            ]
        if self.seconds is not None and self.started is None:
            self.started = self._moment(answers)

    def _task(self, world: str, seat: Seat, learning: bool) -> Task:
        observation_space, action_space = self.environment.spaces(seat.index)
        return Task(
            world=world,
            seat=seat,
            seats=len(self.environment.seats),
            observation_space=observation_space,
            action_space=action_space,
            horizon=self.environment.horizon if self.has_horizon else None,
            clock=clock_of(self.environment) if self.seconds is None else "wall",
            limits=self.limits,
            learning=learning,
            instructions=instructions_for(self.environment, seat.index),
        )

    def interact(self, turn: Turn) -> Generator[list[Ask], list[Answer], Turn]:
        """Ask and step until the environment or the slot ends; the last turn.

        Every interaction of every subject that is not compiled goes through here, so what it uses is at hand.
        """
        environment, observers, speakers = self.environment, self.observers, self.speakers
        legal, step = environment.legal, environment.step
        counts, rewards, spent, faults = self.counts, self.rewards, self.spent, self.standing.faults
        history, started = self.history, self.started
        hurried = self.limits.seconds_per_episode is not None
        calm = self.limits.seconds_per_action
        left = self.left
        questions = 0
        heard: dict[int, Message] | None = None
        decided = tells_decided(environment) if self.seconds is None else None
        over = False
        while turn.ended is None and left:
            due, observations, rewards_due, _, told = turn
            dues = rewards_due if told is None else told
            if decided is not None:
                over = decided()
            if speakers:
                heard = yield from self._hear(turn, over)
            asks = [
                Ask(
                    "act",
                    seat,
                    observation,
                    reward,
                    heard,
                    self._patience(seat) if hurried else calm,
                    over,
                )
                for seat, observation, reward in zip(due, observations, dues, strict=True)
                if not faults or self._is_asked(seat)
            ]
            answers = (yield asks) if asks else []
            questions += len(asks)
            if started is not None and self._is_over(asks, answers):
                # The last answer came to nothing.
                turn = Turn(due, observations, [0.0] * len(due))
                left = 0
                break
            actions: list[Any] = []
            took: list[float] = []
            for seat, given in zip(
                due, answers if len(asks) == len(due) else _seated(due, asks, answers), strict=True
            ):
                if given is None:
                    actions.append(self._replaced(seat, None))
                    took.append(0.0)
                    continue
                value, used, fault, _, _ = given
                spent[seat] += used
                took.append(used)
                if fault is None and not legal(seat, value):
                    fault = ("illegal", f"{shown(value)} is not an action of this seat now")
                actions.append(value if fault is None else self._replaced(seat, fault))
            if hurried:
                self._end_of_time()
            for seat in due:
                counts[seat] += 1
            turn = step(actions, took)
            for seat, reward in zip(turn.due, turn.rewards, strict=True):
                rewards[seat] += reward
            left -= 1
            if history is not None:
                history.add(due, turn)
            for observer in observers:
                observer.stepped(environment, actions, turn)
        self.left = left
        self.questions += questions
        return turn

    def _hear(
        self, turn: Turn, over: bool
    ) -> Generator[list[Ask], list[Answer], dict[int, Message]]:
        """What the seats that speak tell before they act."""
        hurried = self.limits.seconds_per_episode is not None
        calm = self.limits.seconds_per_action
        asks = [
            Ask(
                "tell",
                seat,
                observation,
                reward,
                None,
                self._patience(seat) if hurried else calm,
                over,
            )
            for seat, observation, reward in _heard(turn)
            if seat in self.speakers and self._is_asked(seat)
        ]
        heard: dict[int, Message] = {}
        if asks:
            answers = yield asks
            self._judge(asks, answers)
            for ask, answer in zip(asks, answers, strict=True):
                if answer.fault is None:
                    heard[ask.seat] = answer.value
                    self.messages += answer.value is not None
            if hurried:
                self._end_of_time()
        return heard

    def _is_over(self, asks: Sequence[Ask], answers: Sequence[Answer]) -> bool:
        """Whether a slot of seconds ended before these answers came, or nobody is left to be asked."""
        assert self.started is not None
        assert self.seconds is not None
        stamped = asks and answers[-1].at is not None
        came = (self._moment(answers) if stamped else self.clock()) - self.started
        if asks and came <= self.seconds:
            self.elapsed = came
            return False
        for ask, answer in zip(asks, answers, strict=True):
            self.spent[ask.seat] += answer.seconds
        return True

    def _replaced(self, seat: int, fault: tuple[FaultKind, str] | None) -> Any:
        """The default action in place of an answer: of one with a fault, or of a seat that was not asked."""
        if fault is not None:
            self._fault(seat, *fault)
        self.defaults[seat] += 1
        return self.environment.default(seat)

    def end(self, turn: Turn) -> Generator[list[Ask], list[Answer], None]:
        """Tell every seat that is due of the end."""
        asks = [
            Ask(
                "end",
                seat,
                observation,
                reward,
                None,
                self.limits.seconds_per_action,
                terminated=turn.ended == "terminated",
            )
            for seat, observation, reward in _heard(turn)
            if self._is_asked(seat)
        ]
        if asks:
            answers = yield asks
            self._judge(asks, answers)
            for answer in answers:
                told: Any = answer.value.get(ALARM) if isinstance(answer.value, dict) else None
                if answer.fault is None and is_alarm(told):
                    self.alarms.append(float(told))

    def episode(self) -> Episode:
        """What is recorded of it."""
        if self.interactions is not None:
            self.elapsed = float(self.interactions - self.left)
        told = measures_of(self.environment)
        raw = raw_score(self.environment)
        if raw is not None:
            told = {**told, RAW: self.raw + raw - self.raw_before}
        seats = self.environment.seats
        episode = Episode(
            rewards=tuple(self.rewards),
            interactions=tuple(self.counts),
            scored=tuple(place.index for place in seats if place.group == "subject"),
            faults=tuple(self.faults),
            defaults=tuple(self.defaults) if any(self.defaults) else (),
            asked=self.questions,
            seconds=tuple(self.spent),
            measures={
                **({"messages": self.messages} if self.speakers else {}),
                **({ALARM: max(self.alarms)} if self.alarms else {}),
                **told,
            },
            slot=self.seconds if self.interactions is None else float(self.interactions),
            elapsed=self.elapsed,
        )
        if not self.diminishing:
            return episode
        # In virtual time nobody can stop: every interaction counts.
        value = episode.mean_reward
        if self.history is not None and self.seconds is not None:
            value = diminished(self.history, frozenset(episode.scored), self.elapsed, self.seconds)
        return replace(episode, measures={**episode.measures, DIMINISHED: value})

    # Time and faults

    def _patience(self, seat: int) -> float:
        """Seconds that a seat has for its next answer."""
        allowance = self.limits.seconds_per_episode
        if allowance is None:
            return self.limits.seconds_per_action
        return min(
            self.limits.seconds_per_action, allowance - self.spent[seat] + self.starting[seat]
        )

    def _end_of_time(self) -> None:
        """Note who has used up the seconds of the episode."""
        for seat, used in enumerate(self.spent):
            if seat not in self.out_of_time and self._patience(seat) <= 0.0 < used:
                self.out_of_time.add(seat)
                now = seat, self.counts[seat]
                if not any((one.seat, one.interaction) == now for one in self.faults):
                    allowance = self.limits.seconds_per_episode
                    self._fault(seat, "late", f"its {allowance:g} s for the episode are used up")

    def _is_asked(self, seat: int) -> bool:
        return seat not in self.out_of_time and self.standing.asked(seat)

    def _fault(self, seat: int, kind: FaultKind, detail: str) -> None:
        self.faults.append(Fault(seat, self.counts[seat], kind, detail))
        self.standing.fault(seat)

    def _judge(self, asks: Sequence[Ask], answers: Sequence[Answer]) -> None:
        """Note the time and the faults of answers that are no actions."""
        for ask, answer in zip(asks, answers, strict=True):
            self.questions += ask.kind in ("act", "tell") or answer.fault is not None
            self.spent[ask.seat] += answer.seconds
            if answer.fault is not None:
                self._fault(ask.seat, *answer.fault)

    def _moment(self, answers: Sequence[Answer]) -> float:
        """When answers came: as a journal says, or by the clock."""
        stamps = [answer.at for answer in answers if answer.at is not None]
        return max(stamps) if stamps else self.clock()


def _heard(turn: Turn) -> Iterator[tuple[int, Any, float]]:
    """The seats that are due, with what each sees and is told of its reward."""
    told = turn.rewards if turn.told is None else turn.told
    return zip(turn.due, turn.observations, told, strict=True)


def _seated(
    due: Sequence[int], asks: Sequence[Ask], answers: Sequence[Answer]
) -> Iterator[Answer | None]:
    """The answers in the order of seats, and nothing for those who were not asked."""
    given = dict(zip((ask.seat for ask in asks), answers, strict=True))
    return map(given.get, due)


def diminished(
    history: History,
    scored: frozenset[int],
    elapsed: float,
    slot: float,
) -> float:
    """The average reward with diminishing history: Definition 16 of Hernandez-Orallo and Dowe (2010).

    It is over the first n* interactions, all scored seats together; 0 where n* is 0.
    """
    last = counted_interactions(len(history.rewards), elapsed, slot)
    ends = [*(first for first, _, _ in history.seats[1:]), last]
    total, count = 0.0, 0
    for (first, acted, got), end in zip(history.seats, ends, strict=False):
        part = history.rewards[first : min(end, last)]
        count += len(part) * sum(seat in scored for seat in acted)
        if scored.issuperset(got):
            total = sum(chain.from_iterable(part), total)
        else:
            own = [at for at, seat in enumerate(got) if seat in scored]
            total = sum((rewards[at] for rewards in part for at in own), total)
    return total / count if count else 0.0
