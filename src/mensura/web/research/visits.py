"""The visits of a server, in memory: so many at most, and none that nobody has looked at for long."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from time import monotonic

from mensura.agent.errors import MALFORMED, MensuraError
from mensura.web.refusals import Refused
from mensura.web.research.visit import Visit

MOST = 40
"""So many visits are kept; the one that was not looked at for longest goes first."""
IDLE = 3600.0
"""Seconds until a visit that nobody looks at is over."""
AT_ONCE = 4
"""So many are worked on at the same time, so that others get their turn."""
ROOM = 12
"""So many requests are worked on or wait; the server has threads for others as well."""
PATIENCE = 20.0
"""Seconds that a request waits for its turn."""

BUSY = "The research view is busy; try again in a moment."
GONE = "This visit is over: it was not used for long, or the server was started anew."


class Visits:
    """All visits by name, from the one that was not used for longest on."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._visits: OrderedDict[str, Visit] = OrderedDict()
        self._lock = Lock()
        self._turns = BoundedSemaphore(AT_ONCE)
        self._room = BoundedSemaphore(ROOM)

    def __len__(self) -> int:
        return len(self._visits)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """Have room to wait."""
        if not self._room.acquire(blocking=False):
            raise Refused(503, BUSY)
        try:
            yield
        finally:
            self._room.release()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for one's turn."""
        if not self._turns.acquire(timeout=PATIENCE):
            raise Refused(503, BUSY)
        try:
            yield
        finally:
            self._turns.release()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Work, when it is one's turn."""
        with self._inside(), self._turn():
            yield

    def add(self, visit: Visit) -> str:
        """Keep a visit, under a name that nobody guesses."""
        name = secrets.token_urlsafe(18)
        with self._lock:
            visit.used = self._clock()
            self._visits[name] = visit
            gone = self._tidied()
        for one in gone:
            one.close()
        return name

    @contextmanager
    def at(self, name: str) -> Iterator[Visit]:
        """A visit, for oneself alone."""
        with self._lock:
            gone = self._tidied()
            visit = self._visits.get(name)
            if visit is not None:
                visit.used = self._clock()
                self._visits.move_to_end(name)
        for one in gone:
            one.close()
        if visit is None:
            raise Refused(404, GONE)
        with self._inside():
            if not visit.lock.acquire(timeout=PATIENCE):
                raise Refused(503, BUSY)
            try:
                with self._turn():
                    yield visit
            except (*MALFORMED, RuntimeError) as error:
                raise MensuraError(
                    f"The rules of {visit.home.id} fail in this environment: {type(error).__name__}: {error}."
                ) from error
            finally:
                visit.lock.release()

    def end(self, name: str) -> None:
        """End a visit, if there is one of that name."""
        with self._lock:
            visit = self._visits.pop(name, None)
        if visit is not None:
            visit.close()

    def close(self) -> None:
        """End them all."""
        for name in list(self._visits):
            self.end(name)

    def _tidied(self) -> list[Visit]:
        """Take out who has to go."""
        gone = []
        now = self._clock()
        while self._visits:
            name, visit = next(iter(self._visits.items()))
            if len(self._visits) <= MOST and now - visit.used <= IDLE:
                break
            gone.append(self._visits.pop(name))
        return gone
