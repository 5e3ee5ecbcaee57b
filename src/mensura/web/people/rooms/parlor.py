"""The conversations of a server, and the waiting room before them; used from one event loop.

What somebody does is committed, then acknowledged, then shown to whom it concerns: each seat is told of what changed
for it and of nothing else, so that a witness learns nothing of the other channel, not even that something was said.
Rooms are made again from what is kept when somebody asks for them; their clock goes on while no server is there.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any

from mensura.agent.asks import Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import to_plain
from mensura.web.people.admission import NotAdmitted, has_ended, is_pilot
from mensura.web.people.participants import Participant
from mensura.web.people.rooms.lobby import Lobby
from mensura.web.people.rooms.record import Conflict, give_up, take_seat
from mensura.web.people.rooms.talk_live import Said, TalkLive
from mensura.web.people.rooms.talk_record import (
    finish_talk,
    keep_said,
    place_of,
    read_talk,
    report_room,
    to_the_next,
)
from mensura.web.people.steps import may_see
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.people.writing import refusal_of
from mensura.web.refusals import Refused

AWAY = 60.0
"""Seconds after which somebody whose page is gone has left."""
IDLE = 900.0
"""Seconds after which a room in which nobody does anything any more is given up."""
BEAT = 5.0
"""At least so often a page is told that the room is there, and those who are gone are looked for."""
OVER = ("void", "alone", "replaced")
"""What is shown last."""


@dataclass
class Chair:
    """One person's seat."""

    who: int
    page: dict[str, Any] = field(default_factory=dict)
    version: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    seen: float = field(default_factory=time.monotonic)
    streams: int = 0

    def tell(self, page: dict[str, Any]) -> None:
        """Show this from now on; whoever listens is told where it is something new."""
        if page != self.page:
            self.page = page
            self.version += 1
            self.changed.set()
            self.changed = asyncio.Event()


@dataclass
class TalkRoom:
    """A conversation that somebody is in."""

    study: PeopleStudy
    number: int
    live: TalkLive
    began: float
    chairs: dict[int, Chair]
    said: list[Said]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    timer: asyncio.TimerHandle | None = None
    working: set[int] = field(default_factory=set)
    """The seats of programs that are thinking."""
    finished: bool = False
    last: float = field(default_factory=time.monotonic)
    why: str = ""
    """Why it was given up, where it was."""
    ids: set[tuple[int, str]] = field(default_factory=set)
    life: str = field(default_factory=lambda: secrets.token_hex(4))
    """Tells pages that versions are counted anew."""

    @property
    def now(self) -> float:
        """Seconds since it began."""
        return max(time.time() - self.began, self.live.player.now)


class Parlor:
    """All conversations of a server."""

    def __init__(self, people: People, *, away: float = AWAY, idle: float = IDLE) -> None:
        self._people = people
        self._away, self._idle = away, idle
        self._lobbies: dict[tuple[int, bool], Lobby] = {}
        self._rooms: dict[tuple[int, int], TalkRoom] = {}
        self._where: dict[tuple[int, int], TalkRoom] = {}
        self._codes: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._opening = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._sweeping: asyncio.Task[None] | None = None

    # What a page asks ---------------------------------------------------------------------------------

    async def state(self, code: str) -> dict[str, Any]:
        """What a participant is shown now; whoever has no room yet waits for one."""
        self._sweep()
        found = self._chair(code)
        if found is None:
            one, study = await asyncio.to_thread(self._who, code)
            told = await self._arrived(code, one, study)
            if told is not None:
                return told
            found = self._chair(code)
        if found is None:
            return {"phase": "void", "why": "left"}
        room, seat, chair = found
        chair.seen = time.monotonic()
        return self._shown(room, seat)

    async def events(self, code: str) -> AsyncIterator[dict[str, Any]]:
        """The same whenever it changes, and now and then, until all is over."""
        while True:
            told = await self.state(code)
            found = self._chair(code)
            if found is None:
                yield told
                if told["phase"] in OVER:
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._lobby_changed(code), timeout=1.0)
                continue
            async for shown in self._stream(*found):
                yield shown
                if shown["phase"] in OVER:
                    return

    async def _stream(
        self, room: TalkRoom, seat: int, chair: Chair
    ) -> AsyncIterator[dict[str, Any]]:
        """What a seat is shown, as long as it is theirs."""
        chair.streams += 1
        try:
            while True:
                changed, version = chair.changed, chair.version
                chair.seen = time.monotonic()
                yield self._shown(room, seat)
                if room.why or room.chairs.get(seat) is not chair:
                    return
                if self._where.get((room.study.id, chair.who)) is not room:
                    return
                if chair.version == version:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(changed.wait(), timeout=BEAT)
        finally:
            chair.streams -= 1

    async def do(self, code: str, id: str, action: Any) -> dict[str, Any]:
        """Take what somebody does, keep it, and show it; the same once more changes nothing."""
        found = self._chair(code)
        if found is None:
            await self.state(code)
            found = self._chair(code)
        if found is None:
            raise Refused(409, "You are in no room now.")
        room, seat, chair = found
        chair.seen = time.monotonic()
        check_words(action, chair.page["longest"])
        async with room.lock:
            if room.why or room.chairs.get(seat) is not chair:
                raise Refused(410, "This room is closed.")
            if (seat, id) in room.ids:
                return self._shown(room, seat)
            if room.now >= room.live.until:
                room.live.advance(room.now)
                await self._go_on(room)
            if room.live.played is not None:
                raise Refused(409, "The game is over.")
            why = room.live.problem(seat, action)
            if why:
                raise Refused(409, why)
            await self._take(room, seat, action, id=id)
        return self._shown(room, seat)

    async def describe(self, code: str, has_trait: bool) -> dict[str, Any]:
        """Somebody who waits says whether they have the trait that games are about; it is kept until they play."""
        one, study = await asyncio.to_thread(self._who, code)
        self._lobby(study, pilot=one.pilot).describe(one.number, has_trait)
        return await self.state(code)

    async def report(self, code: str) -> None:
        """Somebody closes a room at once, since something in it must not go on."""
        found = self._chair(code)
        if found is None:
            raise Refused(409, "You are in no room now.")
        room, _, _ = found
        async with room.lock:
            if room.live.played is not None:
                raise Refused(409, "The game is over.")
            await asyncio.to_thread(report_room, self._people, room.study.id, room.number)
            self._close(room, "reported")

    async def next(self, code: str) -> bool:
        """Somebody whose game is over goes on to the next one, or to the end; whether there is a next one."""
        one, study = await asyncio.to_thread(self._who, code)
        found = self._where.get((one.study, one.number))
        if found is not None and found.live.played is None:
            raise Refused(409, "Your game is not over yet.")
        await asyncio.to_thread(to_the_next, self._people, study, one.number)
        if one.state != "playing":
            return False
        self._where.pop((one.study, one.number), None)
        return True

    async def leave(self, one: Participant, remove: Callable[[], None]) -> None:
        """Somebody withdraws: the rooms that they were in are given up, so that nothing of them is left in any."""
        for lobby in self._lobbies.values():
            lobby.leave(one.number)
        room = self._where.get((one.study, one.number))
        if room is None:
            await asyncio.to_thread(remove)
            return
        async with room.lock:
            await asyncio.to_thread(remove)
            self._close(room, "left")

    # What the experimenter asks -----------------------------------------------------------------------

    async def close_room(self, study: PeopleStudy, number: int) -> None:
        """The experimenter gives a room up, also one that was reported: nothing of it is kept."""
        room = self._rooms.get((study.id, number))
        facts = await asyncio.to_thread(read_talk, self._people, study, number)
        if facts.state not in ("open", "reported"):
            raise Refused(409, "This room is over already.")
        if room is None:
            await asyncio.to_thread(give_up, self._people, study.id, number)
            return
        async with room.lock:
            await asyncio.to_thread(give_up, self._people, study.id, number)
            self._close(room, "stopped")

    async def watch(self, study: PeopleStudy, number: int) -> dict[str, Any]:
        """What is said in a room, as its judge reads it, and who sits where."""
        room = self._rooms.get((study.id, number))
        if room is not None:
            return {"state": "over" if room.finished else "open", "page": room.live.page(0)}
        facts = await asyncio.to_thread(read_talk, self._people, study, number)
        if facts.state == "void":
            return {"state": "void", "page": None}
        live = await asyncio.to_thread(self._made, study, number, facts.said)
        try:
            return {"state": facts.state, "page": live.page(0)}
        finally:
            live.close()

    async def end(self) -> None:
        """Before the server ends: no timer goes on."""
        for room in self._rooms.values():
            if room.timer is not None:
                room.timer.cancel()
        tasks = [*self._tasks, *([self._sweeping] if self._sweeping else [])]
        for task in tasks:
            task.cancel()

    # Arriving -----------------------------------------------------------------------------------------

    def _who(self, code: str) -> tuple[Participant, PeopleStudy]:
        one = self._people.by_code(code)
        if one.state in ("invited", "withdrawn", "screened"):
            raise refusal_of(one.state)
        study = self._people.study(one.study)
        if not self._people.talks(one.study):
            raise Refused(404, "This study has no conversations.")
        if one.state == "consented" and "exercises" not in may_see(study, one):
            raise Refused(409, "Answer first what is asked before the exercises.")
        self._codes[code] = one.study, one.number
        while len(self._codes) > 100_000:
            self._codes.popitem(last=False)
        return one, study

    def _chair(self, code: str) -> tuple[TalkRoom, int, Chair] | None:
        """Where somebody sits, if they do."""
        who = self._codes.get(code)
        room = None if who is None else self._where.get(who)
        if room is None or who is None:
            return None
        for seat, chair in room.chairs.items():
            if chair.who == who[1]:
                return room, seat, chair
        return None

    async def _arrived(
        self, code: str, one: Participant, study: PeopleStudy
    ) -> dict[str, Any] | None:
        """Let somebody wait, or into their room; what is shown where they have none."""
        if one.room is None and one.state == "consented":
            await self._wait(one, study)
            one = await asyncio.to_thread(self._people.one, one.study, one.number)
        if one.room is not None:
            room = await self._room(study, one.room)
            if room is None:
                return {"phase": "void", "why": "left"}
            if all(chair.who != one.number for chair in room.chairs.values()):
                await asyncio.to_thread(self._people.screen, one, "left the room")
                return {"phase": "replaced"}
            self._where[one.study, one.number] = room
            return None
        told = self._lobby(study, pilot=one.pilot).shown(one.number)
        if told["phase"] == "alone":
            await asyncio.to_thread(self._people.screen, one, "nobody came")
        return told

    def _lobby(self, study: PeopleStudy, *, pilot: bool) -> Lobby:
        return self._lobbies.setdefault((study.id, pilot), Lobby(self._people, study, pilot=pilot))

    async def _lobby_changed(self, code: str) -> None:
        who = self._codes.get(code)
        while who is not None and who not in self._where:
            await asyncio.sleep(0.1)

    async def _wait(self, one: Participant, study: PeopleStudy) -> None:
        """Somebody waits; as soon as a game can start, it does."""
        if study.closed:
            raise NotAdmitted("closed")
        if has_ended(study.people.ends):
            raise NotAdmitted("ended")
        lobby = self._lobby(study, pilot=one.pilot)
        lobby.come(one.number)
        async with self._opening:
            for number in await asyncio.to_thread(lobby.begun_games):
                room = await self._room(study, number)
                if room is not None:
                    for chair in room.chairs.values():
                        self._where[study.id, chair.who] = room

    # Rooms --------------------------------------------------------------------------------------------

    def _made(self, study: PeopleStudy, number: int, said: list[Said]) -> TalkLive:
        place, entry = place_of(self._people, study, number)
        return TalkLive(place, number, entry, said)

    async def _room(self, study: PeopleStudy, number: int) -> TalkRoom | None:
        """A room, made again where it is not in memory; None of one that was given up."""
        known = self._rooms.get((study.id, number))
        if known is not None:
            return known
        facts = await asyncio.to_thread(read_talk, self._people, study, number)
        if facts.state in ("void", "reported"):
            return None
        live = await asyncio.to_thread(self._made, study, number, facts.said)
        if (study.id, number) in self._rooms:  # somebody else was quicker
            live.close()
            return self._rooms[study.id, number]
        chairs = {seat: Chair(who) for seat, who in facts.sitting.items()}
        room = TalkRoom(study, number, live, facts.began, chairs, facts.said)
        room.ids = {(one.seat, one.id) for one in facts.said if one.id}
        room.finished = facts.state == "over"
        self._rooms[study.id, number] = room
        for chair in chairs.values():
            self._where.setdefault((study.id, chair.who), room)
        async with room.lock:
            room.live.advance(room.now)
            await self._go_on(room)
        return room

    async def _take(self, room: TalkRoom, seat: int, action: Any, **more: Any) -> None:
        """Commit what was done, then play it; where another server was quicker, the room is made again."""
        at = max(time.time(), room.began + room.live.player.now)
        one = Said(seat, action, at - room.began, **more)
        study, turn = room.study.id, len(room.said)
        try:
            await asyncio.to_thread(keep_said, self._people, study, room.number, turn, at, one)
        except (Conflict, Refused) as error:
            self._close(room, "")
            raise Refused(409, "Look again: this room goes on elsewhere, or is closed.") from error
        room.said.append(one)
        room.last = time.monotonic()
        if one.id:
            room.ids.add((seat, one.id))
        room.live.take(one)
        await self._go_on(room)

    async def _go_on(self, room: TalkRoom) -> None:
        """Show what is new, ask programs that take their time, and set the timer for what happens by itself."""
        self._tell(room)
        if room.live.played is not None:
            if not room.finished:
                sitting = {seat: chair.who for seat, chair in room.chairs.items()}
                with suppress(Refused):  # somebody has withdrawn meanwhile
                    await asyncio.to_thread(
                        finish_talk, self._people, room.study, room.live, sitting
                    )
                room.finished = True
            return
        for seat, ask in room.live.player.asked.items():
            if seat not in room.working:
                room.working.add(seat)
                self._start(self._program(room, seat, ask))
        if room.timer is not None:
            room.timer.cancel()
            room.timer = None
        if room.live.until < inf:
            delay = max(0.0, room.began + room.live.until - time.time())
            loop = asyncio.get_running_loop()
            room.timer = loop.call_later(delay, lambda: self._start(self._tick(room)))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tick(self, room: TalkRoom) -> None:
        """Something happens by itself: a message is delivered, or time is over."""
        async with room.lock:
            if not room.why and room.live.played is None:
                room.live.advance(room.now)
                await self._go_on(room)

    async def _program(self, room: TalkRoom, seat: int, ask: Ask) -> None:
        """Wait for a program that takes its time; if it cannot be reached, the game is void."""
        try:
            given = await asyncio.to_thread(room.live.player.work_out, ask)
        except MensuraError:
            async with room.lock:
                await asyncio.to_thread(give_up, self._people, room.study.id, room.number)
                self._close(room, "machine")
            return
        async with room.lock:
            room.working.discard(seat)
            if room.why or room.live.played is not None:
                return
            value = None if given.fault is not None else to_plain(given.value)
            with suppress(Refused):
                await self._take(
                    room,
                    seat,
                    value,
                    seconds=given.seconds,
                    fault=given.fault,
                    kept=given.attachment,
                )

    def _tell(self, room: TalkRoom) -> None:
        for seat, chair in room.chairs.items():
            chair.tell(room.live.page(seat))

    def _shown(self, room: TalkRoom, seat: int) -> dict[str, Any]:
        if room.why:
            return {"phase": "void", "why": room.why}
        chair = room.chairs.get(seat)
        if chair is None:
            return {"phase": "replaced"}
        page = {name: value for name, value in chair.page.items() if name != "closes"}
        closes = chair.page["closes"]
        entry = room.study.people.together
        assert entry is not None
        return {
            "phase": "talk",
            "version": chair.version,
            "life": room.life,
            "page": page,
            "seconds": None if closes is None else max(0.0, closes - room.now),
            "games": entry.games,
        }

    def _close(self, room: TalkRoom, why: str) -> None:
        """Nobody is in this room any more; without a reason it is made again when somebody asks."""
        self._rooms.pop((room.study.id, room.number), None)
        room.why = why or "elsewhere"
        if room.timer is not None:
            room.timer.cancel()
        for chair in room.chairs.values():
            self._where.pop((room.study.id, chair.who), None)
            chair.changed.set()
        if not room.working:
            room.live.close()

    # Who is gone --------------------------------------------------------------------------------------

    def _sweep(self) -> None:
        if self._sweeping is None:
            self._sweeping = asyncio.get_running_loop().create_task(self._keep_looking())

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(min(BEAT, self._away / 4))
            await self.look_around()

    async def look_around(self) -> None:
        """See who has left which room."""
        for room in list(self._rooms.values()):
            with suppress(MensuraError):
                await self._look_after(room)

    async def _look_after(self, room: TalkRoom) -> None:
        """Replace who has left a room before saying anything; else the game is void."""
        moment = time.monotonic()
        if room.live.played is not None:
            if all(
                not one.streams and moment - one.seen > self._idle for one in room.chairs.values()
            ):
                self._close(room, "")  # it can be made again
            return
        gone = [
            seat
            for seat, chair in room.chairs.items()
            if not chair.streams and moment - chair.seen > self._away
        ]
        if not gone and moment - room.last < self._idle:
            return
        async with room.lock:
            if room.why or room.live.played is not None:
                return
            for seat in gone:
                if any(one.seat == seat for one in room.said) or not await self._replaced(
                    room, seat
                ):
                    await asyncio.to_thread(give_up, self._people, room.study.id, room.number)
                    self._close(room, "left")
                    return
            if moment - room.last >= self._idle:
                await asyncio.to_thread(give_up, self._people, room.study.id, room.number)
                self._close(room, "idle")

    async def _replaced(self, room: TalkRoom, seat: int) -> bool:
        """Whether somebody who waits and has met nobody in the room takes a seat in it."""
        study = room.study
        lobby = self._lobby(study, pilot=is_pilot(room.number))
        others = {chair.who for own, chair in room.chairs.items() if own != seat}
        for number in await asyncio.to_thread(lobby.who_may_join, room.number, others, seat):
            lobby.leave(number)
            taken = await asyncio.to_thread(
                take_seat, self._people, study.id, room.number, seat, 1, number
            )
            if taken:
                old = room.chairs.pop(seat)
                self._where.pop((study.id, old.who), None)
                room.chairs[seat] = Chair(number)
                self._where[study.id, number] = room
                old.changed.set()
                self._tell(room)
                return True
        return False


def check_words(action: Any, longest: int) -> None:
    """Refuse a message that is empty, too long, or holds control characters."""
    says = isinstance(action, str) or (isinstance(action, dict) and action.get("kind") == "say")
    text = (
        action
        if isinstance(action, str)
        else action.get("text")
        if isinstance(action, dict)
        else ""
    )
    if not isinstance(text, str):
        raise Refused(422, "A message is a text.")
    if says and not text.strip():
        raise Refused(422, "The message is empty; write something.")
    if len(text) > longest:
        raise Refused(
            422, f"The message has {len(text)} characters; it may have {longest} at most."
        )
    if any(not one.isprintable() and one not in "\n\t" for one in text):
        raise Refused(422, "The message holds control characters; leave them out.")


def as_json(told: dict[str, Any]) -> str:
    """What is shown, as it goes over the wire."""
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))
