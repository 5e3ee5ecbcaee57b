"""What a subject becomes when it sits down, and the driver that lets it play.

A subject that sits down becomes a :class:`Player` for one sitting: agents in this process
(:mod:`mensura.agent.in_process`), several at one table (:mod:`mensura.core.mixed`), or somebody outside. :func:`drive`
is the driver that waits; with :func:`driving` it is left to somebody else how (:mod:`mensura.agent.waiting`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from threading import Event
from typing import Any, Protocol

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import CANNOT_FORGET
from mensura.agent.memory import Damage, damaged_bytes, saved, seat
from mensura.agent.waiting import Waiting, finish
from mensura.core.contract import Episode, Stopped
from mensura.core.loop import Asking
from mensura.core.printed import joined


class Player(Protocol):
    """A subject in its seats for one sitting. What it may have beside this is in :class:`Able`."""

    @property
    def speakers(self) -> frozenset[int]:
        """The seats whose members tell before they act."""

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The answers, in the order of the asks. Never raises because of a subject."""

    def close(self) -> None:
        """The sitting is over."""


class Able(Protocol):
    """What a player may have, each for itself; the functions below say what holds without it."""

    def asking(self, asks: list[Ask]) -> Waiting[list[Answer]]:
        """:meth:`Player.answer` as work that waits, of one that answers from outside."""

    def cpu_seconds(self) -> float:
        """The processor time that it has taken so far."""

    def measures(self) -> Mapping[str, float]:
        """What it tells of its own since it was last asked, by name: tokens, cost, ..."""

    probes: frozenset[str]
    """Which probes it answers: "predict", "plan", "explain", "model"."""

    def printed(self) -> str:
        """What it has printed so far, shortened; all of it once it is closed."""

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind it of an answer that it gave before it was interrupted."""

    def renew(self) -> None:
        """Sit down anew, with no memory of what was in this sitting."""

    def renewing(self) -> Waiting[None]:
        """:meth:`renew` as work that waits."""

    def save(self) -> bytes | None:
        """What it has learned."""

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """A memory that it saved, after some damage."""

    components: tuple[str, ...]
    """What it can switch off, by name."""

    def switching_off(self, names: Sequence[str]) -> Waiting[None]:
        """Switch some of its components off until it sits down anew; MensuraError where that fails."""


def asking(player: Player, asks: list[Ask]) -> Waiting[list[Answer]]:
    """The answers of a player, wherever they come from."""
    own: Callable[[list[Ask]], Waiting[list[Answer]]] | None = getattr(player, "asking", None)
    return player.answer(asks) if own is None else (yield from own(asks))


def cpu_seconds(player: Player) -> float:
    """The processor time that a player has taken so far; nan where it cannot tell."""
    told: Callable[[], float] | None = getattr(player, "cpu_seconds", None)
    return math.nan if told is None else told()


def told_measures(player: Player) -> Mapping[str, float]:
    """What a player tells of its own since it was last asked, by name: tokens, cost, ...; mostly nothing."""
    told: Callable[[], Mapping[str, float]] | None = getattr(player, "measures", None)
    return {} if told is None else told()


def printed_by(player: Player) -> str:
    """What a player has printed so far, shortened; nothing of one that prints where we do."""
    told: Callable[[], str] | None = getattr(player, "printed", None)
    return "" if told is None else told()


def probes_of(player: Player) -> frozenset[str]:
    """Which of predict, plan, explain and model a player answers; none where it does not say."""
    return frozenset(getattr(player, "probes", ()))


def damaged(player: Player, memory: bytes, damage: Damage) -> bytes:
    """What a player saved, after some damage: to the tables that it knows of, else to its bytes."""
    own: Callable[[bytes, Damage], bytes] | None = getattr(player, "damaged", None)
    return damaged_bytes(memory, damage) if own is None else own(memory, damage)


def components_of(player: Player) -> tuple[str, ...]:
    """The names of what a player can switch off; none where it does not say."""
    return tuple(getattr(player, "components", ()))


def recall(player: Player, ask: Ask, answer: Answer) -> None:
    """Remind a player of an answer that it gave before it was interrupted, if it wants to be reminded."""
    reminded: Callable[[Ask, Answer], None] | None = getattr(player, "recall", None)
    if reminded is not None:
        reminded(ask, answer)


class Unanswered(MensuraError):
    """Somebody could not be reached, through no fault of the subject's: the run ends here, to be resumed."""

    def __init__(self, sentence: str, answers: Sequence[Answer] = ()) -> None:
        """``answers``: what the first of the asks had been answered by then; a journal keeps it."""
        super().__init__(sentence)
        self.answers = tuple(answers)


class Subject(Protocol):
    """Whoever is assessed: an agent or a collective, before it sits down.

    One that comes from outside also has ``seating(seats)``: :meth:`sit` as work that waits.
    """

    @property
    def name(self) -> str:
        """How reports call it; also the name of its stream of draws."""

    def sit(self, seats: int) -> Player:
        """Take so many seats for one sitting, with no memory of earlier ones."""


def seating(subject: Subject, seats: int, memory: bytes | None = None) -> Waiting[Player]:
    """Let a subject sit down, wherever it comes from, with a memory where there is one."""
    own: Callable[..., Waiting[Player]] | None = getattr(subject, "seating", None)
    if own is None:
        player: Player = seat(subject, seats, memory)
        return player
    return (yield from (own(seats) if memory is None else own(seats, memory)))


def renewing(player: Player) -> Waiting[None]:
    """:func:`renew` as work that waits."""
    own: Callable[[], Waiting[None]] | None = getattr(player, "renewing", None)
    if own is None:
        renew(player)
    else:
        yield from own()


def renew(player: Player) -> None:
    """Let a subject sit down anew, with no memory of what was in this sitting."""
    again: Callable[[], None] | None = getattr(player, "renew", None)
    if again is None:
        raise MensuraError(CANNOT_FORGET)
    again()


def driving(episode: Asking, player: Player, stop: Event | None = None) -> Waiting[Episode]:
    """Play an episode to its end; :class:`Stopped` where somebody stops it before."""
    own: Callable[[list[Ask]], Waiting[list[Answer]]] | None = getattr(player, "asking", None)
    answer = player.answer
    try:
        asks = next(episode)
        while True:
            if stop is not None and stop.is_set():
                raise Stopped
            asks = episode.send(answer(asks) if own is None else (yield from own(asks)))
    except StopIteration as end:
        result: Episode = end.value
        return result


def drive(episode: Asking, player: Player, stop: Event | None = None) -> Episode:
    """:func:`driving`, waiting on the spot for each answer."""
    return finish(driving(episode, player, stop))


class Renewed:
    """A subject in its seats that can sit down anew in the middle of a sitting, with the memory it came with."""

    def __init__(
        self,
        subject: Subject,
        seats: int,
        memory: bytes | None = None,
        player: Player | None = None,
    ) -> None:
        """``player`` is the subject where it sits already."""
        self._subject = subject
        self._seats = seats
        self._memory = memory
        self._before = 0.0
        self._printed = ""
        self._take(seat(subject, seats, memory) if player is None else player)

    def _take(self, player: Player) -> None:
        self.player = player
        self.speakers = player.speakers
        self.probes = probes_of(player)
        self.answer = player.answer
        self.asking = getattr(player, "asking", None)

    def renew(self) -> None:
        """:meth:`renewing`, waiting on the spot."""
        finish(self.renewing())

    def renewing(self) -> Waiting[None]:
        """Leave, and sit down with no memory; whoever cannot is absent from then on."""
        self._leave()
        yield from self._sit_down(self._memory)

    def restoring(self, memory: bytes | None) -> Waiting[bool]:
        """Leave at once, and sit down with this memory; without any where that does not load: whether it did."""
        kill: Callable[[], None] | None = getattr(self.player, "kill", None)
        if kill is not None:
            kill()
        self._leave()
        loaded = True
        if memory is not None:
            yield from self._sit_down(memory)
            loaded = not isinstance(self.player, Absent)
        if memory is None or not loaded:
            yield from self._sit_down(None)
        return loaded

    def leave(self, why: str) -> None:
        """Nobody is in its seats from now on."""
        self._leave()
        self._take(Absent(why))

    def _leave(self) -> None:
        self._before = self.cpu_seconds()
        self.player.close()
        self._printed = self.printed()

    def _sit_down(self, memory: bytes | None) -> Waiting[None]:
        try:
            self._take((yield from seating(self._subject, self._seats, memory)))
        except Unanswered:
            raise
        except MensuraError as error:
            self._take(Absent(str(error)))
        self._before -= cpu_seconds(self.player)

    def save(self) -> bytes | None:
        """What it has learned."""
        return saved(self.player)

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """A memory that it saved, after some damage."""
        return damaged(self.player, memory, damage)

    @property
    def components(self) -> tuple[str, ...]:
        """What it can switch off, by name."""
        return components_of(self.player)

    def switching_off(self, names: Sequence[str]) -> Waiting[None]:
        """Switch components off, until it sits down anew."""
        if names:
            player: Any = self.player
            yield from player.switching_off(names)

    def cpu_seconds(self) -> float:
        """That of all the times that it sat down."""
        return self._before + cpu_seconds(self.player)

    def measures(self) -> Mapping[str, float]:
        """What it tells of its own."""
        return told_measures(self.player)

    def printed(self) -> str:
        """What it printed, all the times that it sat down."""
        return joined([self._printed, printed_by(self.player)])

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind it of an answer."""
        recall(self.player, ask, answer)

    def close(self) -> None:
        """The sitting is over."""
        self.player.close()


class Absent:
    """Nobody, in the place of a subject that could not start this time; every answer is a fault."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.speakers: frozenset[int] = frozenset()

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """No answers, and why."""
        return [Answer(fault=("died", self.reason))] * len(asks)

    def renew(self) -> None:
        """Still nobody."""

    def close(self) -> None:
        """Nobody leaves."""
