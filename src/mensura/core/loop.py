"""The one episode loop: a generator that yields what it asks of the subject and takes the answers.

Drivers do the waiting: a direct call, a process behind a pipe, a person behind a web page. The loop itself never
blocks, never calls a subject and never fails because of one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from mensura.core.contract import Environment, Episode, Fault, Limits, Message, Task, Turn
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
    speakers: frozenset[int] = frozenset(),
    limits: Limits | None = None,
    standing: Standing | None = None,
    observers: Iterable[Observer] = (),
) -> Asking:
    """Play one episode.

    A faulty answer is replaced by the environment's default action and noted; after ``limits.faults`` of them
    the seat is not asked again while its ``standing`` lasts. ``seed`` is the root of the subject's own draws:
    seat j begins with ``fold(seed, j)``. ``speakers`` are the seats that tell before they act. A seat that has
    used up ``limits.seconds_per_episode`` is not asked again in this episode.
    """
    limits = limits or Limits()
    standing = standing or Standing(limits.faults)
    watching = tuple(observers)
    seats = environment.seats
    rewards = [0.0] * len(seats)
    counts = [0] * len(seats)
    seconds = [0.0] * len(seats)
    messages = 0
    faults: list[Fault] = []
    allowance = limits.seconds_per_episode
    begun = tuple(seconds)
    out_of_time: set[int] = set()

    def patience(seat: int) -> float:
        if allowance is None:
            return limits.seconds_per_action
        return min(limits.seconds_per_action, allowance - seconds[seat] + begun[seat])

    def end_of_time() -> None:
        for seat, used in enumerate(seconds):
            if seat not in out_of_time and patience(seat) <= 0.0 < used:
                out_of_time.add(seat)
                if not any((one.seat, one.interaction) == (seat, counts[seat]) for one in faults):
                    detail = f"its {allowance:g} s for the episode are used up"
                    faults.append(Fault(seat, counts[seat], "late", detail))
                    standing.fault(seat)

    def asked(seat: int) -> bool:
        return seat not in out_of_time and standing.asked(seat)

    def judge(asks: list[Ask], answers: list[Answer]) -> None:
        for ask, answer in zip(asks, answers, strict=True):
            seconds[ask.seat] += answer.seconds
            if answer.fault is not None:
                kind, detail = answer.fault
                faults.append(Fault(ask.seat, counts[ask.seat], kind, detail))
                standing.fault(ask.seat)

    turn = environment.reset(key)
    for observer in watching:
        observer.started(environment, turn)

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
                horizon=environment.horizon,
                limits=limits,
                learning=learning,
            )
            asks.append(
                Ask(
                    "begin",
                    place.index,
                    task=task,
                    key=fold(seed, place.index),
                    deadline=limits.seconds_to_start,
                )
            )
    if asks:
        judge(asks, (yield asks))
        # Starting has a limit of its own.
        begun = tuple(seconds)

    hurried = allowance is not None
    calm = limits.seconds_per_action
    legal, default, step = environment.legal, environment.default, environment.step
    while turn.ended is None:
        due, observations, dues, _ = turn
        heard: dict[int, Message] | None = None
        if speakers:
            asks = [
                Ask("tell", seat, observation, reward, None, patience(seat) if hurried else calm)
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
        given: dict[int, Any] = {}
        took = dict.fromkeys(due, 0.0)
        for ask, (value, spent, fault) in zip(asks, answers, strict=True):
            seat = ask.seat
            seconds[seat] += spent
            took[seat] = spent
            if fault is None and not legal(seat, value):
                fault = ("illegal", f"{shown(value)} is not an action of this seat now")
            if fault is None:
                given[seat] = value
            else:
                faults.append(Fault(seat, counts[seat], *fault))
                standing.fault(seat)
        if hurried:
            end_of_time()
        actions = [given[seat] if seat in given else default(seat) for seat in due]
        for seat in due:
            counts[seat] += 1
        turn = step(actions, list(took.values()))
        for seat, reward in zip(turn.due, turn.rewards, strict=True):
            rewards[seat] += reward
        for observer in watching:
            observer.stepped(environment, actions, turn)

    asks = [
        Ask("end", seat, observation, reward, None, calm, terminated=turn.ended == "terminated")
        for seat, observation, reward in zip(*turn[:3], strict=True)
        if asked(seat)
    ]
    if asks:
        judge(asks, (yield asks))
    told: Mapping[str, float] = getattr(environment, "measures", dict)()
    return Episode(
        rewards=tuple(rewards),
        interactions=tuple(counts),
        scored=tuple(place.index for place in seats if place.group == "subject"),
        faults=tuple(faults),
        seconds=tuple(seconds),
        measures={**({"messages": messages} if speakers else {}), **told},
    )
