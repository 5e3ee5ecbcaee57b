"""The waiting room of conversations: who is there, and which games can start; used from several threads."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

from sqlalchemy import func, select

from mensura.records import schema
from mensura.web.people.admission import FIRST_PILOT
from mensura.web.people.rooms.matching import Game, Shape, next_game
from mensura.web.people.rooms.record import first_number, form_room
from mensura.web.people.rooms.talk_live import TalkLive
from mensura.web.people.rooms.talk_record import history_of, place_of
from mensura.web.people.studies import People, PeopleStudy

PRESENT = 15.0
"""Seconds after which somebody who does not ask any more has gone."""


@dataclass
class Waiter:
    """Somebody who waits."""

    since: float
    seen: float
    has_trait: bool | None = None
    """What they say of themselves, where games are about a trait; kept nowhere else."""


class Lobby:
    """Those who wait for a conversation of one study, or of its pilot."""

    def __init__(self, people: People, study: PeopleStudy, *, pilot: bool) -> None:
        self._people, self._study, self._pilot = people, study, pilot
        entry = study.people.together
        assert entry is not None
        self._entry = entry
        self._machines = entry.machines or ((entry.programs,) if entry.programs else ())
        self._waiting: OrderedDict[int, Waiter] = OrderedDict()
        self._changing = Lock()
        self._needed: dict[int, tuple[int, ...]] = {}
        self._judges: int | None = None
        self.trait = ""
        """What games are about, where that is a trait."""

    def come(self, number: int) -> None:
        """Somebody is here."""
        moment = time.monotonic()
        with self._changing:
            self._waiting.setdefault(number, Waiter(moment, moment)).seen = moment
            for other in [n for n, one in self._waiting.items() if one.seen < moment - PRESENT]:
                del self._waiting[other]

    def describe(self, number: int, has_trait: bool) -> None:
        """Somebody who waits says whether they have the trait."""
        with self._changing:
            if number in self._waiting:
                self._waiting[number].has_trait = has_trait

    def leave(self, number: int) -> None:
        """Somebody is not here any more."""
        with self._changing:
            self._waiting.pop(number, None)

    def _here(self) -> list[int]:
        """Who can play: where games are about a trait, who has said whether they have it."""
        with self._changing:
            return [
                number
                for number, one in self._waiting.items()
                if not self.trait or one.has_trait is not None
            ]

    def _traits(self) -> dict[int, bool] | None:
        with self._changing:
            found = {number: bool(one.has_trait) for number, one in self._waiting.items()}
        return found if self.trait else None

    def shown(self, number: int) -> dict[str, Any]:
        """What somebody who waits is shown: how long at most, and not who else is here."""
        mine = self._waiting.get(number)
        waited = 0.0 if mine is None else time.monotonic() - mine.since
        left = self._entry.wait - waited
        if left <= 0:
            self.leave(number)
            return {"phase": "alone"}
        told: dict[str, Any] = {"phase": "lobby", "seconds": left}
        if self.trait:
            told |= {"trait": self.trait, "told": mine is not None and mine.has_trait is not None}
        return told

    # In a thread -----------------------------------------------------------------------

    def begun_games(self) -> list[int]:
        """Begin every game that can start; the numbers of their rooms."""
        begun: list[int] = []
        while True:
            made = self._begin_one()
            if made is None:
                return begun
            begun.append(made)

    def _begin_one(self) -> int | None:
        rooms = self._next_rooms()
        for number in rooms.values():
            self._seats_in(number)
        waiting = self._here()
        fewest = min((len(self._seats_in(number)) for number in rooms.values()), default=0)
        if not rooms or len(waiting) < fewest:
            return None
        history = history_of(self._people, self._study, self._shape(()), pilot=self._pilot)
        for seats, machines in sorted(self._alike(rooms).items(), key=lambda one: -len(one[0])):
            shape = self._shape(machines, seats)
            game = next_game(waiting, history, shape)
            if game is not None:
                return self._formed(game, seats, rooms)
        return None

    def _formed(self, game: Game, seats: tuple[int, ...], rooms: dict[str, int]) -> int | None:
        people = dict(zip(seats, game.people, strict=True))
        cell = 0 if game.machine is None else self._machines.index(game.machine)
        for one in game.people:
            self.leave(one)
        given = [people.get(seat) for seat in range(self._entry.people)]
        cells = max(1, len(self._machines))
        return form_room(
            self._people, self._study, given, pilot=self._pilot, cell=cell, cells=cells
        )

    def who_may_join(self, number: int, others: set[int], seat: int) -> list[int]:
        """Who may take a seat in a room: whoever has met nobody in it, nor as a judge its machine."""
        self._seats_in(number)
        shape = self._shape(())
        history = history_of(self._people, self._study, shape, pilot=self._pilot)
        machine = self._machines[number % len(self._machines)] if self._machines else None
        judges = seat < shape.judges and not self._entry.again
        traits = self._traits()
        return [
            one
            for one in self._here()
            if (traits is None or seat < shape.judges or traits[one] == (seat == shape.judges))
            and history.met.get(one, set()).isdisjoint(others)
            and not (judges and machine in history.machines_met.get(one, ()))
        ]

    def _next_rooms(self) -> dict[str, int]:
        """The number of the next room with each machine; "" where games have none."""
        cells = max(1, len(self._machines))
        table = schema.room
        pilot = table.c.number >= FIRST_PILOT
        with self._people.reading() as connection:
            rows = connection.execute(
                select(table.c.number % cells, func.max(table.c.number))
                .where(table.c.study == self._study.id, pilot if self._pilot else ~pilot)
                .group_by(table.c.number % cells)
            ).all()
        last = {int(cell): int(number) for cell, number in rows}
        most = self._people.places(self._study.id)[0].cell.sittings
        rooms = {}
        for cell, machine in enumerate(self._machines or ("",)):
            first = first_number(cell, cells, pilot=self._pilot)
            number = last[cell] + cells if cell in last else first
            if self._pilot or number < most:
                rooms[machine] = number
        return rooms

    def _seats_in(self, number: int) -> tuple[int, ...]:
        """The seats that people have a part in, in a room."""
        if number not in self._needed:
            place, entry = place_of(self._people, self._study, number)
            live = TalkLive(place, number, entry)
            self._needed[number] = tuple(one for one in range(entry.people) if live.takes_part(one))
            roles = [live.page(one)["role"] for one in range(entry.people)]
            self._judges = sum(role in ("judge", "juror") for role in roles)
            self.trait = str(live.page(0).get("trait") or "")
            live.close()
        return self._needed[number]

    def _alike(self, rooms: dict[str, int]) -> dict[tuple[int, ...], tuple[str, ...]]:
        """The machines whose next rooms need the same seats, by these."""
        found: dict[tuple[int, ...], tuple[str, ...]] = {}
        for machine, number in rooms.items():
            seats = self._seats_in(number)
            found[seats] = (*found.get(seats, ()), machine)
        return found

    def _shape(self, machines: tuple[str, ...], seats: tuple[int, ...] = ()) -> Shape:
        """What a game with these seats and one of these machines needs; without them, what all games have."""
        judges = self._judges or 1
        own = tuple(one for one in machines if one) or (() if machines else self._machines)
        witnesses = max(0, len(seats) - judges)
        return Shape(judges, witnesses, own, self._entry.again, self._traits())
