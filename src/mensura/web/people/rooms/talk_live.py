"""The sitting of a conversation: the generator that every sitting is, on an open floor, in real time.

It is a pure function of its place, its number and what arrived when: people's words and those of machines that take
their time. So it can be dropped at any time and made again. Machines that are built in answer the same again; what
others answered is kept, and they are reminded of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

from mensura.agent.asks import Answer, Ask, FaultKind
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import UNFIT, action_from_plain, answer_from_plain
from mensura.agent.waiting import Wait, Waiting, finish
from mensura.core.abilities import can_talk, opens_floor, talk_of, talk_problem
from mensura.core.around import innermost
from mensura.core.contract import Environment, Turn
from mensura.core.open_floor import OPEN, arrival
from mensura.core.players import asking, recall
from mensura.studies.people import TogetherEntry
from mensura.studies.place import Place
from mensura.studies.stepped import Played, stepping
from mensura.web.people.rooms.live import seated


class Said(NamedTuple):
    """What somebody in a room did."""

    seat: int
    action: Any
    """As JSON writes it."""
    at: float
    """When, in seconds since the room began."""
    id: str = ""
    """By which a page that sends it again is recognized."""
    seconds: float = 0.0
    fault: tuple[FaultKind, str] | None = None
    kept: Any = None
    """What a program needs to be reminded of it."""
    fresh: bool = True
    """Whether the program that said it knows that it did."""


class TalkPlayer:
    """Who answers in a conversation: people and slow programs, whose asks stay open, and quick programs."""

    speakers: frozenset[int] = frozenset()

    def __init__(self, place: Place, entry: TogetherEntry, past: Iterable[Said]) -> None:
        self.people = tuple(range(entry.people))
        self._programs, foreign, self.names = seated(place, entry, ())
        self._first = entry.people
        self._slow = frozenset(self._first + own for own in foreign)
        self._spaces: dict[int, Any] = {}
        self._coming = deque(past)
        self.asked: dict[int, Ask] = {}
        """What slow programs are asked now, by seat."""
        self.now = self._coming[-1].at if self._coming else 0.0
        self.until = 0.0
        """When the next thing happens by itself."""

    def push(self, one: Said) -> None:
        """Somebody did something."""
        self._coming.append(one)
        self.now = max(self.now, one.at)

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """:meth:`asking`, waiting on the spot."""
        return finish(self.asking(asks))

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """Nobody is waited for, but for time itself."""
        answers = []
        for ask in asks:
            if ask.kind == "wait":
                answers.append((yield from self._wait(ask.deadline)))
            elif ask.seat < self._first:
                answers.append(Answer(dict(OPEN) if ask.kind == "act" else None))
            elif ask.kind == "act" and ask.seat in self._slow:
                self.asked[ask.seat] = ask
                answers.append(Answer(dict(OPEN)))
            else:
                answers.append((yield from self._ask(ask)))
        return answers

    def _ask(self, ask: Ask) -> Waiting[Answer]:
        assert self._programs is not None
        if ask.task is not None:
            self._spaces[ask.seat] = ask.task.action_space
        (found,) = yield from asking(self._programs, [self._local(ask)])
        return found

    def _local(self, ask: Ask) -> Ask:
        return ask._replace(seat=ask.seat - self._first)

    def work_out(self, ask: Ask) -> Answer:
        """What a slow program says; in a thread of its own."""
        return finish(self._ask(ask))

    def _wait(self, deadline: float) -> Waiting[Answer]:
        while True:
            if self._coming and self._coming[0].at <= deadline:
                one = self._coming.popleft()
                ask = self.asked.pop(one.seat, None)
                if ask is not None and not one.fresh and self._programs is not None:
                    value = answer_from_plain(self._spaces[one.seat], one.action)
                    given = Answer(value, one.seconds, one.fault, one.at, one.kept)
                    recall(self._programs, self._local(ask), given)
                told = arrival(one.seat, one.action, one.fault)
                return Answer(told, at=one.at, attachment=one.kept)
            if self._coming or self.now >= deadline:
                return Answer(None, at=deadline)
            self.until = deadline
            yield Wait(lambda until: [], float("inf"))

    def close(self) -> None:
        """The programs leave."""
        if self._programs is not None:
            self._programs.close()


class TalkLive:
    """The sitting of a conversation under way."""

    def __init__(
        self, place: Place, item: int, entry: TogetherEntry, past: Iterable[Said] = ()
    ) -> None:
        self.place = place
        self.item = item
        self.player = TalkPlayer(place, entry, past)
        self.played: Played | None = None
        """What it left behind, once it is over."""
        self._environment: Any = None
        self._work = stepping(place, item, player=self.player, observers=(self,))
        self._go(first=True)

    def _go(self, *, first: bool = False) -> None:
        try:
            if first:
                next(self._work)
            else:
                self._work.send([])
        except StopIteration as over:
            self.played = over.value

    @property
    def until(self) -> float:
        """When the next thing happens by itself, in seconds since it began; infinite where nothing does."""
        return float("inf") if self.played is not None else self.player.until

    def advance(self, now: float) -> None:
        """Let time go on."""
        if self.played is None:
            self.player.now = max(self.player.now, now)
            self._go()

    def take(self, one: Said) -> None:
        """Somebody did something, not before anything that was taken so far."""
        if self.played is None:
            self.player.push(one)
            self._go()

    def started(self, environment: Environment, turn: Turn) -> None:
        """The conversation begins."""
        self._environment = innermost(environment)

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """Something happened."""

    def page(self, seat: int) -> dict[str, Any]:
        """What the page of a seat shows, which is no more than the seat may see."""
        return talk_of(self.place.world, self._environment, seat)

    def problem(self, seat: int, action: Any) -> str:
        """Why a seat cannot do this now, in a sentence; nothing where it can."""
        environment = self._environment
        space = environment.spaces(seat)[1]
        try:
            value = action_from_plain(space, action)
            fits = space.contains(value)
        except UNFIT:
            fits = False
        if not fits:
            return "That has not the form of what is said here."
        why = talk_problem(self.place.world, environment, seat, value)
        if why or environment.legal(seat, value):
            return why
        return "That cannot be done now."

    def takes_part(self, seat: int) -> bool:
        """Whether a seat has a part in this game."""
        return bool(self.page(seat)["role"] != "absent")

    def close(self) -> None:
        """Let it go; it can be made again from what is kept."""
        self._work.close()
        self.player.close()


def is_talk(place: Place) -> bool:
    """Whether people talk in the environments of a place, each when they like."""
    environment, _ = place.first_environment()
    return opens_floor(environment) and can_talk(place.world)


def check_talk(place: Place, entry: TogetherEntry) -> None:
    """Refuse rooms whose seats do not fit."""
    environment, _ = place.first_environment()
    seats = len(environment.seats)
    programs = seats - entry.people
    if entry.people > seats or programs > 1:
        raise MensuraError(
            f"The conversation has {seats} seats and the room {entry.people} for people; it takes {seats - 1} and a "
            f"machine, or {seats} people."
        )
    if bool(programs) != bool(entry.machines or entry.programs):
        raise MensuraError(
            f"The conversation has {seats} seats and the room {entry.people} for people: "
            + ("name the machines." if programs else "leave the machines out.")
        )
