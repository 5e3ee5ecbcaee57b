"""The rooms of a server, and the waiting room before them; used from one event loop.

An action is committed, then acknowledged, and when all have acted the turn is played and shown to everybody. Whoever
does not act in time misses the turn. Rooms are made again from what is kept when somebody asks for them.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.web.people.admission import NotAdmitted, has_ended, is_pilot
from mensura.web.people.participants import Participant
from mensura.web.people.rooms.live import LATE, Done, RoomLive
from mensura.web.people.rooms.record import (
    Conflict,
    finish_room,
    form_room,
    give_up,
    keep,
    read_room,
    remade,
    take_seat,
)
from mensura.web.people.steps import may_see
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.people.writing import refusal_of
from mensura.web.refusals import Refused

PRESENT = 15.0
"""Seconds after which somebody in the waiting room who does not ask any more has gone."""

BEAT = 5.0
"""At least so often a page is told how things are."""


@dataclass
class Waiter:
    """Somebody in the waiting room."""

    number: int
    since: float
    seen: float


@dataclass
class Room:
    """A room that somebody is in."""

    study: PeopleStudy
    number: int
    live: RoomLive
    sitting: dict[int, int]
    """Who sits in each seat of people, by seat; whoever left without being replaced still does."""
    given: dict[int, Done]
    """What was answered in this turn."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    version: int = 0
    misses: dict[int, int] = field(default_factory=dict)
    """How many turns each seat has missed in a row."""
    finished: bool = False
    """Whether its sitting is committed."""
    began: float = 0.0
    """When the present turn was shown, by the monotonic clock."""
    timer: asyncio.TimerHandle | None = None

    @property
    def left(self) -> set[int]:
        """The seats of those who have left."""
        entry = self.study.people.together
        assert entry is not None
        return {seat for seat, missed in self.misses.items() if missed >= entry.misses}


class Hall:
    """All rooms of a server."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._waiting: dict[tuple[int, bool], OrderedDict[int, Waiter]] = {}
        self._rooms: dict[tuple[int, int], Room] = {}
        self._opening = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    # What a page asks ---------------------------------------------------------------------------------

    async def state(self, code: str) -> dict[str, Any]:
        """What a participant is shown now; whoever has no room yet waits for one."""
        one, study = await asyncio.to_thread(self._who, code)
        return await self._state(one, study)

    async def _state(self, one: Participant, study: PeopleStudy) -> dict[str, Any]:
        if one.room is None:
            await self._wait(one, study)
            one = await asyncio.to_thread(self._people.one, one.study, one.number)
        if one.room is None:
            told = self._lobby(one, study)
            if told["phase"] == "alone":
                await asyncio.to_thread(self._people.screen, one, "nobody came")
            return told
        room = await self._room(study, one.room)
        if room is None:
            return {"phase": "void"}
        async with room.lock:
            told = self._shown(room, one)
        if told["phase"] == "replaced":
            await asyncio.to_thread(self._people.screen, one, "left the room")
        return told

    async def events(self, code: str) -> AsyncIterator[dict[str, Any]]:
        """The same whenever it changes, and now and then, until all is over."""
        while True:
            one, study = await asyncio.to_thread(self._who, code)
            told = await self._state(one, study)
            yield told
            if told["phase"] in ("done", "void", "replaced", "alone"):
                return
            room = None if one.room is None else self._rooms.get((study.id, one.room))
            if room is None:
                await asyncio.sleep(1.0)
                continue
            await _change(room, told.get("version", -1))

    async def answer(
        self,
        code: str,
        turn: int,
        action: Any,
        message: str | None,
        response_ms: float | None,
    ) -> dict[str, Any]:
        """Take an action, keep it, and play the turn when it is the last; what is shown then."""
        at, came = time.time(), time.monotonic()
        one, study = await asyncio.to_thread(self._who, code)
        room = None if one.room is None else await self._room(study, one.room)
        if room is None:
            raise Refused(409, "You are in no room now.")
        async with room.lock:
            seat = _seat(room, one)
            if seat is None:
                raise Refused(409, "Your seat was given to somebody else.")
            if turn != room.live.turn or seat in room.given or room.live.played is not None:
                return self._shown(room, one)
            if not room.live.is_action(seat, action):
                raise Refused(422, "That is not an action that can be taken now.")
            if not room.live.is_message(message):
                raise Refused(422, "That cannot be told here.")
            waited = max(0.0, came - room.began) * 1000.0
            done = Done(action, at, response_ms, waited, message)
            await self._keep(room, {seat: done})
            room.misses[seat] = 0
            await self._go_on(room)
            return self._shown(room, one)

    async def leave(self, one: Participant, remove: Callable[[], None]) -> None:
        """Somebody withdraws: their room is given up, so that nothing of them is left in it."""
        for waiting in self._waiting.values():
            waiting.pop(one.number, None)
        one = await asyncio.to_thread(self._people.one, one.study, one.number)
        room = None if one.room is None else self._rooms.get((one.study, one.room))
        if room is None:
            await asyncio.to_thread(remove)
            return
        async with room.lock:
            await asyncio.to_thread(remove)
            await self._close(room)

    async def close_room(self, study: PeopleStudy, number: int) -> None:
        """The experimenter gives a room up."""
        room = await self._room(study, number)
        if room is None:
            raise Refused(409, "This room is over already.")
        async with room.lock:
            if room.live.played is not None:
                raise Refused(409, "This room is over already.")
            await asyncio.to_thread(give_up, self._people, study.id, number)
            await self._close(room)

    async def end(self) -> None:
        """Before the server ends: no timer goes on."""
        for room in self._rooms.values():
            if room.timer is not None:
                room.timer.cancel()
        for task in list(self._tasks):
            task.cancel()

    # The waiting room ---------------------------------------------------------------------------------

    def _who(self, code: str) -> tuple[Participant, PeopleStudy]:
        one = self._people.by_code(code)
        if one.state in ("invited", "withdrawn", "screened"):
            raise refusal_of(one.state)
        study = self._people.study(one.study)
        if study.people.together is None:
            raise Refused(404, "This study has no rooms.")
        if one.state == "consented" and "exercises" not in may_see(study, one):
            raise Refused(409, "Answer first what is asked before the exercises.")
        return one, study

    async def _wait(self, one: Participant, study: PeopleStudy) -> None:
        """Somebody waits; as soon as there are enough, or they have waited long enough, there is a room."""
        entry = study.people.together
        assert entry is not None
        if one.state != "consented":
            return
        if study.closed:
            raise NotAdmitted("closed")
        if has_ended(study.people.ends):
            raise NotAdmitted("ended")
        moment = time.monotonic()
        waiting = self._waiting.setdefault((study.id, one.pilot), OrderedDict())
        mine = waiting.setdefault(one.number, Waiter(one.number, moment, moment))
        mine.seen = moment
        async with self._opening:
            for number in [n for n, w in waiting.items() if w.seen < moment - PRESENT]:
                del waiting[number]
            if one.number not in waiting:
                return
            chosen = list(waiting)[: entry.people]
            long = moment - mine.since >= entry.wait
            if len(chosen) < entry.people and not (long and entry.fill is not None):
                return
            seats = [*chosen, *[None] * (entry.people - len(chosen))]
            made = partial(form_room, self._people, study, seats, pilot=one.pilot)
            opened = await asyncio.to_thread(made)
            for each in chosen:
                waiting.pop(each, None)
            if opened is not None:
                await self._room(study, opened)

    def _lobby(self, one: Participant, study: PeopleStudy) -> dict[str, Any]:
        entry = study.people.together
        assert entry is not None
        waiting = self._waiting.get((study.id, one.pilot), OrderedDict())
        mine = waiting.get(one.number)
        left = entry.wait if mine is None else entry.wait - (time.monotonic() - mine.since)
        if left <= 0 and entry.fill is None:
            waiting.pop(one.number, None)
            return {"phase": "alone"}
        return {
            "phase": "lobby",
            "here": len(waiting),
            "wanted": entry.people,
            "seconds": max(0.0, left),
        }

    # Rooms --------------------------------------------------------------------------------------------

    async def _room(self, study: PeopleStudy, number: int) -> Room | None:
        """A room, made again where it is not in memory; None of one that was given up."""
        known = self._rooms.get((study.id, number))
        if known is not None:
            return known
        facts = await asyncio.to_thread(read_room, self._people, study.id, number)
        if facts.state == "void":
            return None
        live, given = await asyncio.to_thread(remade, self._people, study, facts)
        if (study.id, number) in self._rooms:  # somebody else was quicker
            return self._rooms[study.id, number]
        room = Room(study, number, live, dict(facts.sitting), given)
        room.finished = facts.state == "over"
        self._rooms[study.id, number] = room
        async with room.lock:
            self._new_turn(room)
            await self._go_on(room)
        return room

    def _shown(self, room: Room, one: Participant) -> dict[str, Any]:
        if self._rooms.get((room.study.id, room.number)) is not room:
            return {"phase": "void"}
        seat = _seat(room, one)
        if seat is None:
            return {"phase": "replaced"}
        entry = room.study.people.together
        assert entry is not None
        told = room.live.shown(seat)
        if told["phase"] == "act" and seat in room.given:
            told |= {"phase": "wait", "form": None}
        left = room.began + entry.turn - time.monotonic()
        return {
            **told,
            "version": room.version,
            "seat": seat,
            "seconds": max(0.0, left),
            "players": [
                {
                    "seat": i,
                    "you": i == seat,
                    "person": i in room.live.player.people,
                    "acted": i in room.given or i not in room.live.waiting,
                    "away": i in room.left,
                }
                for i in range(len(room.live.names))
            ],
        }

    def _new_turn(self, room: Room) -> None:
        """The clock of a turn runs from now."""
        entry = room.study.people.together
        assert entry is not None
        room.began = time.monotonic()
        if room.timer is not None:
            room.timer.cancel()
            room.timer = None
        if room.live.played is None:
            loop = asyncio.get_running_loop()
            turn = room.live.turn
            room.timer = loop.call_later(
                entry.turn, lambda: self._start(self._time_over(room, turn))
            )

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _time_over(self, room: Room, turn: int) -> None:
        """Whoever has not acted by now misses the turn."""
        async with room.lock:
            if room.live.turn != turn or room.live.played is not None or not self._is_open(room):
                return
            missing = [seat for seat in room.live.waiting if seat not in room.given]
            try:
                await self._keep(room, {seat: _late() for seat in missing})
            except MensuraError:
                self._new_turn(room)  # the disk may be full: try again
                return
            for seat in missing:
                room.misses[seat] = room.misses.get(seat, 0) + 1
            await self._go_on(room)

    def _is_open(self, room: Room) -> bool:
        return self._rooms.get((room.study.id, room.number)) is room

    async def _keep(self, room: Room, given: dict[int, Done]) -> None:
        """Commit what was done; where another server was quicker, the room is made again."""
        if not given:
            return
        try:
            await asyncio.to_thread(
                keep, self._people, room.study.id, room.number, room.live.turn, given
            )
        except (Conflict, Refused) as error:
            await self._close(room)
            raise Refused(409, "Look again: this room goes on elsewhere, or is closed.") from error
        room.given |= given

    async def _go_on(self, room: Room) -> None:
        """Play turns as long as all have acted; those who have left act by default at once."""
        while room.live.played is None:
            if not await self._present(room):
                return
            gone = [s for s in room.live.waiting if s not in room.given and s in room.left]
            await self._keep(room, {seat: _late() for seat in gone})
            if any(seat not in room.given for seat in room.live.waiting):
                break
            given, room.given = room.given, {}
            try:
                await asyncio.to_thread(room.live.take, given)
            except BaseException:
                # What was done is kept: the room is made again from it when somebody asks.
                await self._close(room)
                raise
            self._new_turn(room)
        if room.live.played is not None and not room.finished:
            await asyncio.to_thread(
                finish_room, self._people, room.study, room.live, list(room.sitting.values())
            )
            room.finished = True
        await self._tell(room)

    async def _present(self, room: Room) -> bool:
        """Give the seats of those who left to who waits; a room that nobody is in any more is given up."""
        waiting = self._waiting.get((room.study.id, is_pilot(room.number)), OrderedDict())
        for seat in sorted(room.left & set(room.live.player.people)):
            for number in list(waiting):
                waiting.pop(number, None)
                taken = await asyncio.to_thread(
                    take_seat,
                    self._people,
                    room.study.id,
                    room.number,
                    seat,
                    room.live.turn,
                    number,
                )
                if taken:
                    room.sitting[seat] = number
                    room.misses[seat] = 0
                    self._new_turn(room)
                    break
        if set(room.live.player.people) <= room.left:
            await asyncio.to_thread(give_up, self._people, room.study.id, room.number)
            await self._close(room)
            return False
        return True

    async def _tell(self, room: Room) -> None:
        async with room.changed:
            room.version += 1
            room.changed.notify_all()

    async def _close(self, room: Room) -> None:
        self._rooms.pop((room.study.id, room.number), None)
        if room.timer is not None:
            room.timer.cancel()
            room.timer = None
        await self._tell(room)
        room.live.close()


async def _change(room: Room, version: int) -> None:
    """Wait until a room is no longer as it was, or for a while."""
    async with room.changed:
        with suppress(TimeoutError):
            await asyncio.wait_for(
                room.changed.wait_for(lambda: room.version != version), timeout=BEAT
            )


def _seat(room: Room, one: Participant) -> int | None:
    return next((seat for seat, who in room.sitting.items() if who == one.number), None)


def _late() -> Done:
    return Done(LATE, time.time())
