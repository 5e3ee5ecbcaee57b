"""Collectives of several subjects, and several players at one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.memory import Damage, pack, saved, seat, unpack
from mensura.core.abilities.subjects import Meter, Retelling, rehearsing, retelling
from mensura.core.players import (
    Absent,
    Player,
    Subject,
    cpu_seconds,
    damaged,
    printed_by,
    recall,
    renew,
    told_measures,
)
from mensura.core.printed import joined
from mensura.core.usage import REQUESTS, of_member


class Mixed:
    """A heterogeneous collective: each part takes a number of neighboring seats."""

    def __init__(self, parts: Sequence[tuple[Subject, int]]) -> None:
        self.parts = tuple(parts)
        self.name = "+".join(
            subject.name if count == 1 else f"{subject.name}*{count}" for subject, count in parts
        )

    def sit(self, seats: int, memory: bytes | None = None) -> Table:
        """Seat the parts side by side."""
        wanted = sum(count for _, count in self.parts)
        if wanted != seats:
            raise MensuraError(
                f"{self.name} has {wanted} members and the environment {seats} seats: "
                "make them the same number."
            )
        players: list[tuple[Player, int]] = []
        memories = [None] * len(self.parts) if memory is None else unpack(memory, len(self.parts))
        try:
            for (subject, count), own in zip(self.parts, memories, strict=True):
                players.append((seat(subject, count, own), count))
                join(players[-1][0], seats)
        except BaseException:
            for player, _ in players:
                player.close()
            raise
        return Table(players, [subject.name for subject, _ in self.parts])

    def retelling(self, seats: int) -> Retold | None:
        """Who tells once more what those parts are told that are told things in words; None where none is."""
        tellers = [(retelling(subject, count), count) for subject, count in self.parts]
        return Retold(tellers) if any(teller is not None for teller, _ in tellers) else None

    def rehearsing(self, seats: int, meter: Meter) -> Table | None:
        """Who plays in the place of those parts that are paid, and counts what it would take; None where none is.

        The others are not started for that: nobody sits in their seats.
        """
        players = [(rehearsing(subject, count, meter), count) for subject, count in self.parts]
        if all(player is None for player, _ in players):
            return None
        for player, _ in players:
            join(player, seats)
        return Table([(player or Absent("a rehearsal"), count) for player, count in players])


class Retold:
    """Several who tell once more, each with its own stretch of seats."""

    def __init__(self, tellers: Sequence[tuple[Retelling | None, int]]) -> None:
        self._seats = [(teller, seat) for teller, count in tellers for seat in range(count)]

    def told(self, ask: Ask) -> tuple[str, str] | None:
        """What the part of this seat was told."""
        teller, seat = self._seats[ask.seat]
        return None if teller is None else teller.told(ask._replace(seat=seat))

    def requests(self, ask: Ask, answer: Answer) -> list[list[dict[str, Any]]]:
        """What the part of this seat was sent."""
        teller, seat = self._seats[ask.seat]
        return [] if teller is None else teller.requests(ask._replace(seat=seat), answer)

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind it."""
        teller, seat = self._seats[ask.seat]
        if teller is not None:
            teller.recall(ask._replace(seat=seat), answer)


def join(player: Any, seats: int) -> None:
    """Let a player know that it is one of several at a table of so many seats, if it wants to."""
    told: Callable[[int], None] | None = getattr(player, "join", None)
    if told is not None:
        told(seats)


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

    def __init__(self, players: Sequence[tuple[Player, int]], names: Sequence[str] = ()) -> None:
        self.players = [player for player, _ in players]
        self.names = tuple(names) if len(set(names)) > 1 else ()
        """Who they are, where they are not all the same."""
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

    def save(self) -> bytes | None:
        """What all players have learned."""
        return pack([saved(player) for player in self.players])

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """A memory that they saved, each part of it damaged."""
        parts = [
            None if part is None else damaged(player, part, damage)
            for player, part in zip(self.players, unpack(memory, len(self.players)), strict=True)
        ]
        return pack(parts) or b""

    def renew(self) -> None:
        """Everybody sits down anew."""
        for player in self.players:
            renew(player)

    def cpu_seconds(self) -> float:
        """That of all players together."""
        return sum(cpu_seconds(player) for player in self.players)

    def measures(self) -> Mapping[str, float]:
        """What the players tell of their own; what several tell is added up.

        Of those who are asked over a network it is told by member, too.
        """
        total: dict[str, float] = {}

        def add(name: str, value: float) -> None:
            total[name] = total.get(name, 0.0) + value

        for number, player in enumerate(self.players):
            told = told_measures(player)
            for name, value in told.items():
                add(name, value)
                if self.names and REQUESTS in told:
                    add(of_member(name, self.names[number]), value)
        return total

    def printed(self) -> str:
        """What all players printed."""
        return joined([printed_by(player) for player in self.players])

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Remind the player whose answer it was."""
        number, first = self.owner[ask.seat]
        recall(self.players[number], ask._replace(seat=ask.seat - first), answer)

    def close(self) -> None:
        """Everybody leaves."""
        for player in self.players:
            player.close()
