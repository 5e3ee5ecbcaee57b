"""Who answers what the loop asks: agents inside this process, and any other player with its answers journaled.

A subject that sits down becomes a :class:`Player` for one sitting. :func:`drive` is the driver that waits.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Event
from time import perf_counter, thread_time
from typing import Any, Protocol

import numpy as np

from mensura.core.closing import Closing
from mensura.core.contract import Agent, Episode, Stopped
from mensura.core.errors import MensuraError
from mensura.core.loop import Answer, Ask, Asking
from mensura.core.spaces import to_plain


class Player(Protocol):
    """A subject in its seats for one sitting."""

    @property
    def speakers(self) -> frozenset[int]:
        """The seats whose members tell before they act."""

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The answers, in the order of the asks. Never raises because of a subject."""

    def close(self) -> None:
        """The sitting is over."""


def cpu_seconds(player: Player) -> float:
    """The processor time that a player has taken so far; nan where it cannot tell."""
    told: Callable[[], float] | None = getattr(player, "cpu_seconds", None)
    return math.nan if told is None else told()


def told_measures(player: Player) -> Mapping[str, float]:
    """What a player tells of its own since it was last asked, by name: tokens, cost, ...; mostly nothing."""
    told: Callable[[], Mapping[str, float]] | None = getattr(player, "measures", None)
    return {} if told is None else told()


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
    """Whoever is assessed: an agent or a collective, before it sits down."""

    @property
    def name(self) -> str:
        """How reports call it; also the name of its stream of draws."""

    def sit(self, seats: int) -> Player:
        """Take so many seats for one sitting, with no memory of earlier ones."""


def renew(player: Player) -> None:
    """Let a subject sit down anew, with no memory of what was in this sitting."""
    again: Callable[[], None] | None = getattr(player, "renew", None)
    if again is None:
        raise MensuraError(CANNOT_FORGET)
    again()


CANNOT_FORGET = "This subject cannot forget, so it cannot start anew in each environment; write memory: continuous."


def drive(episode: Asking, player: Player, stop: Event | None = None) -> Episode:
    """Play an episode to its end, waiting for each answer; :class:`Stopped` where somebody stops it before."""
    try:
        asks = next(episode)
        while True:
            if stop is not None and stop.is_set():
                raise Stopped
            asks = episode.send(player.answer(asks))
    except StopIteration as stop:
        result: Episode = stop.value
        return result


class Agents:
    """A player of agent objects in this process. Their time is measured, not limited."""

    def __init__(
        self, agents: Sequence[Any], again: Callable[[], Sequence[Any]] | None = None
    ) -> None:
        """``again`` makes them anew, for a subject that is to forget; none, for one that cannot."""
        self._again = again
        self._cpu = 0.0
        self._seat(agents)

    def _seat(self, agents: Sequence[Any]) -> None:
        for agent in agents:
            if not callable(getattr(agent, "act", None)):
                raise MensuraError(
                    f"{type(agent).__name__} has no method act(observation, reward), "
                    "the one that every agent needs."
                )
        self.agents = list(agents)
        self.speakers = frozenset(
            seat for seat, agent in enumerate(agents) if callable(getattr(agent, "tell", None))
        )

    def renew(self) -> None:
        """New agents take the seats."""
        if self._again is None:
            raise MensuraError(CANNOT_FORGET)
        self._seat(self._again())

    def cpu_seconds(self) -> float:
        """Processor time of this thread while it was asked."""
        return self._cpu

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Call the agents one after another."""
        begun = thread_time()
        answers = []
        for ask in asks:
            start = perf_counter()
            try:
                value = call(self.agents[ask.seat], ask)
            except (Exception, SystemExit) as error:
                answers.append(Answer(None, perf_counter() - start, ("raised", describe(error))))
            else:
                answers.append(Answer(value, perf_counter() - start))
        self._cpu += thread_time() - begun
        return answers

    def close(self) -> None:
        """Nothing to do: the agents go with the player."""


class Renewed:
    """A subject in its seats that can sit down anew in the middle of a sitting."""

    def __init__(self, subject: Subject, seats: int) -> None:
        self._subject = subject
        self._seats = seats
        self._before = 0.0
        self.player = subject.sit(seats)
        self.speakers = self.player.speakers
        self.answer = self.player.answer

    def renew(self) -> None:
        """Leave, and sit down with no memory; whoever cannot is absent from then on."""
        self._before = self.cpu_seconds()
        self.player.close()
        try:
            self.player = self._subject.sit(self._seats)
        except Unanswered:
            raise
        except MensuraError as error:
            self.player = Absent(str(error))
        self.speakers = self.player.speakers
        self.answer = self.player.answer
        self._before -= cpu_seconds(self.player)

    def cpu_seconds(self) -> float:
        """That of all the times that it sat down."""
        return self._before + cpu_seconds(self.player)

    def measures(self) -> Mapping[str, float]:
        """What it tells of its own."""
        return told_measures(self.player)

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind it of an answer."""
        recall(self.player, ask, answer)

    def close(self) -> None:
        """The sitting is over."""
        self.player.close()


class Absent:
    """Nobody, in the place of a subject that could not sit down this time; every answer is a fault."""

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


def describe(error: BaseException) -> str:
    """An exception in one line, for a record."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__


def call(agent: Any, ask: Ask) -> Any:
    """The one place where an ask becomes a call of an agent's method."""
    if ask.kind == "act":
        if ask.heard:
            hear = getattr(agent, "hear", None)
            if hear is not None:
                hear(ask.heard)
        return agent.act(ask.observation, ask.reward)
    if ask.kind == "tell":
        return agent.tell(ask.observation, ask.reward)
    if ask.kind == "begin":
        # Compiled agents draw as a function of their key and need no generator.
        with_key = getattr(agent, "begin_with_key", None)
        if with_key is not None:
            with_key(ask.task, ask.key)
        elif hasattr(agent, "begin"):
            agent.begin(ask.task, np.random.Generator(np.random.PCG64(ask.key)))
        return None
    if hasattr(agent, "end"):
        agent.end(ask.observation, ask.reward, ask.terminated)
    return None


class InProcess:
    """A subject made of one agent class, an own agent object in each seat, in this process."""

    def __init__(self, name: str, factory: Callable[[], Agent]) -> None:
        self.name = name
        self.factory = factory

    def sit(self, seats: int) -> Agents:
        """One new agent for each seat."""
        try:
            return Agents(self._agents(seats), partial(self._agents, seats))
        except MensuraError:
            raise
        except Exception as error:
            raise MensuraError(f"{self.name} could not be made: {describe(error)}.") from error

    def _agents(self, seats: int) -> list[Agent]:
        return [self.factory() for _ in range(seats)]


class Journal(Closing):
    """Answers on disk, one JSON line each, written and flushed before they are used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: list[dict[str, Any]] = []
        if path.exists():
            for line in path.read_bytes().split(b"\n"):
                try:
                    self.kept.append(json.loads(line))
                except ValueError:
                    break  # the last line of a process that died while writing it: never used
        self.read = 0
        self._file = path.open("r+b" if path.exists() else "w+b")
        self._file.seek(sum(len(_line(entry)) for entry in self.kept))
        self._file.truncate()

    def take(self, ask: Ask) -> Answer | None:
        """The journaled answer to this ask, if it was given before."""
        if self.read >= len(self.kept):
            return None
        entry = self.kept[self.read]
        if (entry["kind"], entry["seat"]) != (ask.kind, ask.seat):
            raise MensuraError(
                f"Line {self.read + 1} of the journal {self.path.name} answers another question "
                f"({entry['kind']} of seat {entry['seat']}) than the one asked now "
                f"({ask.kind} of seat {ask.seat}): it belongs to another episode."
            )
        self.read += 1
        fault = tuple(entry["fault"]) if entry["fault"] else None
        return Answer(entry["value"], entry["seconds"], fault, entry.get("at"), entry.get("kept"))

    def add(self, asks: Sequence[Ask], answers: Sequence[Answer]) -> None:
        """Write down new answers; they are safe when this returns."""
        for ask, answer in zip(asks, answers, strict=True):
            entry = {
                "kind": ask.kind,
                "seat": ask.seat,
                "value": to_plain(answer.value),
                "seconds": answer.seconds,
                "fault": list(answer.fault) if answer.fault else None,
            }
            if answer.at is not None:
                entry["at"] = answer.at
            if answer.kept is not None:
                entry["kept"] = answer.kept
            self._file.write(_line(entry))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


class Journaled:
    """A player whose answers are journaled before use, so that nobody is asked the same thing twice.

    Resuming an episode plays the journal first; the player behind it is asked only what it has not answered.
    It suits people, who remember for themselves, and language models, which are reminded of what they answered
    (``recall``). Answers that were there when somebody could not be reached are journaled, too.
    """

    def __init__(self, player: Player, journal: Journal) -> None:
        self.player = player
        self.journal = journal
        self.speakers = player.speakers
        self._clock = perf_counter()
        """When the clock stood at 0. It stands still while nobody is there, so that nobody loses time by that."""
        self._last = 0.0

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Journaled answers as far as they go, then new ones."""
        known: list[Answer] = []
        for ask in asks:
            answer = self.journal.take(ask)
            if answer is None:
                break
            self._last = self._last if answer.at is None else answer.at
            self._clock = perf_counter() - self._last
            recall(self.player, ask, answer)
            known.append(answer)
        open_asks = asks[len(known) :]
        if not open_asks:
            return known
        try:
            answers = self.player.answer(open_asks)
        except Unanswered as error:
            self._keep(open_asks[: len(error.answers)], error.answers)
            raise
        return known + self._keep(open_asks, answers)

    def _keep(self, asks: Sequence[Ask], answers: Sequence[Answer]) -> list[Answer]:
        now = perf_counter() - self._clock
        fresh = [answer._replace(value=to_plain(answer.value), at=now) for answer in answers]
        self.journal.add(asks, fresh)
        return fresh

    def renew(self) -> None:
        """The player behind the journal sits down anew."""
        renew(self.player)
        self.speakers = self.player.speakers

    def cpu_seconds(self) -> float:
        """That of the player behind the journal."""
        return cpu_seconds(self.player)

    def measures(self) -> Mapping[str, float]:
        """What the player behind the journal tells of its own."""
        return told_measures(self.player)

    def close(self) -> None:
        """Close the player and the journal."""
        self.player.close()
        self.journal.close()


class Mixed:
    """A heterogeneous collective: each part takes a number of neighboring seats."""

    def __init__(self, parts: Sequence[tuple[Subject, int]]) -> None:
        self.parts = tuple(parts)
        self.name = "+".join(
            subject.name if count == 1 else f"{subject.name}*{count}" for subject, count in parts
        )

    def sit(self, seats: int) -> Table:
        """Seat the parts side by side."""
        wanted = sum(count for _, count in self.parts)
        if wanted != seats:
            raise MensuraError(
                f"{self.name} has {wanted} members and the environment {seats} seats: "
                "make them the same number."
            )
        players: list[tuple[Player, int]] = []
        try:
            for subject, count in self.parts:
                players.append((subject.sit(count), count))
        except BaseException:
            for player, _ in players:
                player.close()
            raise
        return Table(players)


def seat_names(subject: Subject, seats: int) -> tuple[str, ...]:
    """Who sits in each seat of a subject, by name."""
    if isinstance(subject, Mixed):
        return tuple(name for part, count in subject.parts for name in seat_names(part, count))
    seated: Callable[[int], Sequence[Any]] | None = getattr(subject, "seated", None)
    if seated is None:
        return (subject.name,) * seats
    return tuple(str(member.name) for member in seated(seats))


def members_of(names: Sequence[str]) -> tuple[str, ...]:
    """The different members of a mixed collective; none of a uniform one, where the score says it all."""
    different = tuple(dict.fromkeys(names))
    return different if len(different) > 1 else ()


def reward_of(name: str) -> str:
    """The measure under which a member's mean reward is kept."""
    return f"reward of {name}"


class Table:
    """Several players at one table, each with its own stretch of seats, numbered from 0 for each."""

    def __init__(self, players: Sequence[tuple[Player, int]]) -> None:
        self.players = [player for player, _ in players]
        self.owner: list[tuple[int, int]] = []
        speakers: set[int] = set()
        first = 0
        for number, (player, count) in enumerate(players):
            self.owner.extend((number, first) for _ in range(count))
            speakers.update(first + seat for seat in player.speakers)
            first += count
        self.speakers = frozenset(speakers)

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Each player's asks to it together, the answers back in their order."""
        answers: list[Answer] = [Answer()] * len(asks)
        for number, player in enumerate(self.players):
            mine = [i for i, ask in enumerate(asks) if self.owner[ask.seat][0] == number]
            if mine:
                local = [
                    asks[i]._replace(seat=asks[i].seat - self.owner[asks[i].seat][1]) for i in mine
                ]
                for i, answer in zip(mine, player.answer(local), strict=True):
                    answers[i] = answer
        return answers

    def renew(self) -> None:
        """Everybody sits down anew."""
        for player in self.players:
            renew(player)

    def cpu_seconds(self) -> float:
        """That of all players together."""
        return sum(cpu_seconds(player) for player in self.players)

    def measures(self) -> Mapping[str, float]:
        """What the players tell of their own; what several tell is added up."""
        total: dict[str, float] = {}
        for player in self.players:
            for name, value in told_measures(player).items():
                total[name] = total.get(name, 0.0) + value
        return total

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind the player whose answer it was."""
        number, first = self.owner[ask.seat]
        recall(self.players[number], ask._replace(seat=ask.seat - first), answer)

    def close(self) -> None:
        """Everybody leaves."""
        for player in self.players:
            player.close()
