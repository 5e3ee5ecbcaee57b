"""The one episode loop: a generator that yields what it asks of the subject and takes the answers.

Drivers do the waiting: a direct call, a process behind a pipe, a person behind a web page. The loop itself never
blocks, never calls a subject and never fails because of one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from time import perf_counter
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from mensura.core.abilities import (
    clock_of,
    instructions_for,
    measures_of,
)
from mensura.core.contract import (
    DIMINISHED,
    Environment,
    Episode,
    Fault,
    Limits,
    Message,
    Task,
    Turn,
    counted_interactions,
)
from mensura.core.keys import Key, fold


class Ask(NamedTuple):
    """One thing asked of one seat."""

    kind: Literal["begin", "tell", "act", "end"]
    seat: int
    observation: Any = None
    reward: float = 0.0
    heard: Mapping[int, Message] | None = None
    """With "act" in a collective: what was told in this turn, by seat."""
    deadline: float = 10.0
    """Seconds until the answer counts as late, where that can be enforced."""
    task: Task | None = None
    """With "begin"."""
    key: Key = 0
    """With "begin": the key of the subject's own draws; tells nothing about the environment's."""
    terminated: bool = False
    """With "end"."""


class Answer(NamedTuple):
    """What came back for an ask."""

    value: Any = None
    seconds: float = 0.0
    fault: tuple[Literal["raised", "late", "illegal", "died", "garbled"], str] | None = None
    at: float | None = None
    """When it came, by the clock of whoever keeps a journal of it: so that slots of time can be played again."""
    kept: Any = None
    """What the player wants back with the answer if it is played from a journal: anything that JSON can write."""


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

    def changed(self, acted: tuple[int, ...], got: tuple[int, ...]) -> None:
        """From the next interaction on."""
        self.seats.append((len(self.rewards), acted, got))


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
    """
    limits = limits or Limits()
    standing = standing or Standing(limits.faults)
    watching = tuple(observers)
    seats = environment.seats
    rewards = [0.0] * len(seats)
    counts = [0] * len(seats)
    spent = [0.0] * len(seats)
    messages = 0
    questions = 0
    defaults = [0] * len(seats)
    faults: list[Fault] = []
    allowance = limits.seconds_per_episode
    begun = list(spent)
    out_of_time: set[int] = set()
    slot = seconds if interactions is None else float(interactions)
    left = -1 if interactions is None else interactions
    started: float | None = None
    elapsed = 0.0
    restarts = 0
    history: History | None = None
    if diminishing and seconds is not None:
        history = History()
    acted_last: tuple[int, ...] | None = None
    got_last: tuple[int, ...] | None = None

    def patience(seat: int) -> float:
        if allowance is None:
            return limits.seconds_per_action
        return min(limits.seconds_per_action, allowance - spent[seat] + begun[seat])

    def end_of_time() -> None:
        for seat, used in enumerate(spent):
            if seat not in out_of_time and patience(seat) <= 0.0 < used:
                out_of_time.add(seat)
                if not any((one.seat, one.interaction) == (seat, counts[seat]) for one in faults):
                    detail = f"its {allowance:g} s for the episode are used up"
                    faults.append(Fault(seat, counts[seat], "late", detail))
                    standing.fault(seat)

    def asked(seat: int) -> bool:
        return seat not in out_of_time and standing.asked(seat)

    def judge(asks: list[Ask], answers: list[Answer]) -> None:
        nonlocal questions
        questions += sum(
            ask.kind in ("act", "tell") or answer.fault is not None
            for ask, answer in zip(asks, answers, strict=True)
        )
        for ask, answer in zip(asks, answers, strict=True):
            spent[ask.seat] += answer.seconds
            if answer.fault is not None:
                kind, detail = answer.fault
                faults.append(Fault(ask.seat, counts[ask.seat], kind, detail))
                standing.fault(ask.seat)

    turn = environment.reset(key)
    for observer in watching:
        observer.started(environment, turn)

    def beginning(own: Key) -> list[Ask]:
        asks = []
        for place in seats:
            if standing.asked(place.index):
                observation_space, action_space = environment.spaces(place.index)
                task = Task(
                    world=world,
                    seat=place,
                    seats=len(seats),
                    observation_space=observation_space,
                    action_space=action_space,
                    horizon=environment.horizon if slot is None else None,
                    clock=clock_of(environment) if seconds is None else "wall",
                    limits=limits,
                    learning=learning,
                    instructions=instructions_for(environment, place.index),
                )
                asks.append(
                    Ask(
                        "begin",
                        place.index,
                        task=task,
                        key=fold(own, place.index),
                        deadline=limits.seconds_to_start,
                    )
                )
        return asks

    def moment(answers: list[Answer]) -> float:
        """When answers came: as a journal says, or by the clock."""
        stamps = [answer.at for answer in answers if answer.at is not None]
        return max(stamps) if stamps else clock()

    hurried = allowance is not None
    calm = limits.seconds_per_action
    legal, default, step = environment.legal, environment.default, environment.step
    while True:
        asks = beginning(fold(seed, RESTARTED + restarts) if restarts else seed)
        answers = []
        if asks:
            before = tuple(spent)
            answers = yield asks
            judge(asks, answers)
            # Starting has a limit of its own.
            begun = [b + now - was for b, now, was in zip(begun, spent, before, strict=True)]
        if seconds is not None and started is None:
            started = moment(answers)
        made = sum(counts)
        while turn.ended is None and left:
            due, observations, dues, _ = turn
            heard: dict[int, Message] | None = None
            if speakers:
                asks = [
                    Ask(
                        "tell", seat, observation, reward, None, patience(seat) if hurried else calm
                    )
                    for seat, observation, reward in zip(due, observations, dues, strict=True)
                    if seat in speakers and asked(seat)
                ]
                heard = {}
                if asks:
                    answers = yield asks
                    judge(asks, answers)
                    for ask, answer in zip(asks, answers, strict=True):
                        if answer.fault is None:
                            heard[ask.seat] = answer.value
                            messages += answer.value is not None
                    if hurried:
                        end_of_time()
            asks = [
                Ask("act", seat, observation, reward, heard, patience(seat) if hurried else calm)
                for seat, observation, reward in zip(due, observations, dues, strict=True)
                if not standing.faults or asked(seat)
            ]
            answers = (yield asks) if asks else []
            questions += len(asks)
            if started is not None and seconds is not None:
                stamped = asks and answers[-1].at is not None
                came = (moment(answers) if stamped else clock()) - started
                if not asks or came > seconds:
                    for ask, answer in zip(asks, answers, strict=True):
                        spent[ask.seat] += answer.seconds
                    # The last answer came to nothing.
                    turn = Turn(due, observations, [0.0] * len(due))
                    left = 0
                    break
                elapsed = came
            actions: list[Any] = []
            took: list[float] = []
            for seat, given in zip(
                due, answers if len(asks) == len(due) else _seated(due, asks, answers), strict=True
            ):
                if given is None:
                    actions.append(default(seat))
                    defaults[seat] += 1
                    took.append(0.0)
                    continue
                value, used, fault, _, _ = given
                spent[seat] += used
                took.append(used)
                if fault is None and not legal(seat, value):
                    fault = ("illegal", f"{shown(value)} is not an action of this seat now")
                if fault is not None:
                    faults.append(Fault(seat, counts[seat], *fault))
                    standing.fault(seat)
                    value = default(seat)
                    defaults[seat] += 1
                actions.append(value)
            if hurried:
                end_of_time()
            for seat in due:
                counts[seat] += 1
            turn = step(actions, took)
            for seat, reward in zip(turn.due, turn.rewards, strict=True):
                rewards[seat] += reward
            left -= 1
            if history is not None:
                if due is not acted_last or turn.due is not got_last:
                    acted_last, got_last = due, turn.due
                    history.changed(due, turn.due)
                history.rewards.append(turn.rewards)
            for observer in watching:
                observer.stepped(environment, actions, turn)

        asks = [
            Ask("end", seat, observation, reward, None, calm, terminated=turn.ended == "terminated")
            for seat, observation, reward in zip(*turn[:3], strict=True)
            if asked(seat)
        ]
        if asks:
            judge(asks, (yield asks))
        if slot is None or left == 0 or sum(counts) == made:
            break
        restarts += 1
        turn = environment.reset(fold(key, RESTARTED + restarts))
        for observer in watching:
            observer.started(environment, turn)

    if interactions is not None:
        elapsed = float(interactions - left)
    told = measures_of(environment)
    episode = Episode(
        rewards=tuple(rewards),
        interactions=tuple(counts),
        scored=tuple(place.index for place in seats if place.group == "subject"),
        faults=tuple(faults),
        defaults=tuple(defaults) if any(defaults) else (),
        asked=questions,
        seconds=tuple(spent),
        measures={**({"messages": messages} if speakers else {}), **told},
        slot=slot,
        elapsed=elapsed,
    )
    if not diminishing:
        return episode
    # In virtual time nobody can stop: every interaction counts.
    value = episode.mean_reward
    if history is not None and seconds is not None:
        value = diminished(history, frozenset(episode.scored), elapsed, seconds)
    return replace(episode, measures={**episode.measures, DIMINISHED: value})


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
