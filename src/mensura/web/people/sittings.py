"""The sittings of those who play now, in memory: made from their answers when they come, dropped when they leave.

Each answer carries the number of the interaction that it answers. One that is waited for is committed, then played,
then acknowledged. The same one again is acknowledged again; any other is told what is shown now.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mensura.web.people.admission import NotAdmitted, has_ended
from mensura.web.people.live import LATE, Given, Live
from mensura.web.people.participants import Participant
from mensura.web.people.showing import Shown
from mensura.web.people.steps import may_see
from mensura.web.people.studies import People, PeopleStudy, hash_of
from mensura.web.people.writing import refusal_of
from mensura.web.refusals import Refused

IDLE = 900.0
"""Seconds after which a sitting that nobody asks for is dropped from memory."""

MOST = 5000
"""So many sittings are kept in memory."""


class Stale(Refused):
    """An answer to what is no longer asked, with what is."""

    def __init__(self, shown: Shown) -> None:
        super().__init__(
            409, "This was answered already, or is not asked yet; here is where you are."
        )
        self.shown = shown


@dataclass
class Seat:
    """One participant at work."""

    who: Participant
    study: PeopleStudy
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held from reading what is shown to acknowledging what is answered."""
    live: Live | None = None
    since: float = 0.0
    """When what is shown now was first shown, by the monotonic clock."""
    used: float = 0.0

    def is_of(self, study: int, number: int) -> bool:
        """Whether it is that of a participant."""
        return (self.who.study, self.who.number) == (study, number)


class Sittings:
    """All of them, by the hash of the participant's code; used from one event loop."""

    def __init__(self, people: People, *, idle: float = IDLE, most: int = MOST) -> None:
        self._people = people
        self._idle = idle
        self._most = most
        self._seats: OrderedDict[bytes, Seat] = OrderedDict()

    def __len__(self) -> int:
        return len(self._seats)

    async def shown(self, code: str) -> Shown:
        """What a participant is shown now."""
        async with self._held(code) as seat:
            live = await self._live(seat)
            return live.shown()

    async def answer(
        self,
        code: str,
        number: int,
        cell: int | None,
        response_ms: float | None,
        action: Any = None,
        *,
        late: bool = False,
        marked: bool = False,
    ) -> Shown:
        """Take an answer, keep it, go on; what is shown then.

        It is a ``cell`` to go to, or an ``action`` as JSON writes it; neither begins an exercise, or with ``late`` says
        that time is over. With ``marked`` the moment before it is to be a checkpoint, which only those may ask for who
        allowed that what they do is used further.
        """
        at, came = time.time(), time.monotonic()
        async with self._held(code) as seat:
            live = await self._live(seat)
            if number != live.number or live.is_over:
                if _is_repeated(live, number, cell, LATE if late else action):
                    return live.shown()
                raise Stale(live.shown())
            late = late and not live.waits_for_beginning
            if live.waits_for_beginning != (cell is None and action is None and not late):
                raise Stale(live.shown())
            if late:
                if not live.is_late(at):
                    raise Stale(live.shown())
                action = LATE
            elif cell is not None:
                action = live.action_to(cell)
                if action is None:
                    raise Refused(422, f"Cell {cell} cannot be reached now.")
            elif action is not None:
                problem = await self._problem(live, action)
                if problem:
                    raise Refused(422, problem)
            if number == 0:
                await asyncio.to_thread(self._check_open, seat)
            marked = marked and bool(seat.who.reuse) and not live.waits_for_beginning
            waited = max(0.0, came - seat.since) * 1000.0
            given = Given(number, action, at, response_ms, waited, marked)
            try:
                await asyncio.wrap_future(
                    self._people.writer.write(seat.who.study, seat.who.number, given)
                )
            except Refused:
                # Another server was quicker, or the participant is gone: look again.
                self._drop(code)
                raise
            except BaseException:
                # Nobody knows whether it was kept.
                seat.live = None
                raise
            await self._take(seat, live, given)
            return live.shown()

    async def _problem(self, live: Live, action: Any) -> str:
        """Why an answer cannot be taken; to try a model of a task may take a while."""
        if live.asks_probe:
            return await asyncio.to_thread(live.problem_of, action)
        return live.problem_of(action)

    async def _take(self, seat: Seat, live: Live, given: Given) -> None:
        try:
            if seat.study.assessment == "exercises":
                live.take(given)
            else:
                # To find an environment of a wanted complexity may take a while.
                await asyncio.to_thread(live.take, given)
            seat.since = time.monotonic()
            if live.is_over:
                await asyncio.to_thread(self._people.finish, live, seat.who.study)
        except BaseException:
            # The answer is kept: the sitting is made again from it, and its end committed, when somebody asks.
            seat.live = None
            raise

    def _check_open(self, seat: Seat) -> None:
        study = self._people.study(seat.study.id)
        if study.closed:
            raise NotAdmitted("closed")
        if has_ended(study.people.ends):
            raise NotAdmitted("ended")
        one = self._people.one(seat.who.study, seat.who.number)
        if "exercises" not in may_see(study, one):
            raise Refused(409, "Answer first what is asked before the exercises.")

    async def leave(self, study: int, number: int, remove: Callable[[], None]) -> None:
        """Remove what there is of a participant who goes: their seat first, then the rest.

        An answer that is under way comes before it, and one that waits for the seat finds it gone.
        """
        async with AsyncExitStack() as stack:
            for seat in [one for one in self._seats.values() if one.is_of(study, number)]:
                await stack.enter_async_context(seat.lock)
            self.drop(study, number)
            await asyncio.to_thread(remove)
        # Whoever came meanwhile has been told that there is nothing to answer, but may still be looking.
        self.drop(study, number)

    @asynccontextmanager
    async def _held(self, code: str) -> AsyncIterator[Seat]:
        """The seat of a participant, locked, and still theirs once it is."""
        while True:
            seat = await self._seat(code)
            async with seat.lock:
                if self._seats.get(hash_of(code)) is not seat:
                    continue
                try:
                    yield seat
                except Refused as refused:
                    if refused.status in (404, 410):  # the participant is gone
                        self._drop(code)
                    raise
                return

    async def _seat(self, code: str) -> Seat:
        name = hash_of(code)
        now = time.monotonic()
        seat = self._seats.get(name)
        if seat is None:
            seat = await asyncio.to_thread(self._enter, code)
            seat = self._seats.setdefault(name, seat)
        seat.used = now
        self._seats.move_to_end(name)
        self._make_room(now)
        return seat

    def _enter(self, code: str) -> Seat:
        who = self._people.by_code(code)
        if who.state in ("invited", "withdrawn", "screened"):
            raise refusal_of(who.state)
        return Seat(who, self._people.study(who.study))

    async def _live(self, seat: Seat) -> Live:
        """The sitting, made again where it is not in memory; its end is committed if that was cut off."""
        if seat.live is None:
            who = seat.who
            live = await asyncio.to_thread(self._people.live, who.study, who.number)
            if live.is_over and who.state != "finished":
                await asyncio.to_thread(self._people.finish, live, who.study)
            seat.live, seat.since = live, time.monotonic()
        return seat.live

    def drop(self, study: int, number: int) -> None:
        """Forget a participant who is gone."""
        for name, seat in list(self._seats.items()):
            if seat.is_of(study, number):
                self._seats.pop(name, None)

    def _drop(self, code: str) -> None:
        self._seats.pop(hash_of(code), None)

    def _make_room(self, now: float) -> None:
        while self._seats:
            name, seat = next(iter(self._seats.items()))
            fresh = seat.used > now - self._idle and len(self._seats) <= self._most
            if fresh or seat.lock.locked():
                break
            del self._seats[name]
            if seat.live is not None:
                seat.live.close()


def _is_repeated(live: Live, number: int, cell: int | None, action: Any) -> bool:
    """Whether it is the last answer once more."""
    if live.last is None or number != live.last.number:
        return False
    if cell is None and action is None:
        return live.last.action is None
    return cell == live.last_cell if cell is not None else bool(action == live.last.action)
