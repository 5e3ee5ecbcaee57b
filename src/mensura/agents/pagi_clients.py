"""Clients of PAGI World who have connected to a port and wait for a seat."""

from __future__ import annotations

import socket
import weakref
from collections import deque
from collections.abc import Sequence
from threading import Lock
from time import perf_counter, sleep
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.waiting import Wait, Waiting
from mensura.agents.connection import Socket
from mensura.agents.listening import Listener

LONGEST_LINE = 65_536
"""Bytes of a line before the client is hung up on."""
AGAIN = 3.0
"""Seconds in which a client that has left may come again, or another in its place."""
_SOON = 0.05
"""Seconds between looks at whether a client has become free."""


class Clients:
    """Those who have connected to a port, and are free."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._free: deque[Connection] = deque()
        self._gathering = Lock()
        self._patience: float | None = None
        """Seconds for which the next sitting waits: as long as for the first, unless a client has left since."""
        weakref.finalize(self, _close, self._free)

    def gathered(self, count: int, seconds: float) -> Waiting[list[Connection]]:
        """So many of them; one sitting after another, so that none waits for what another holds."""
        begun = perf_counter()
        waits = seconds
        queue = self._listener.queue
        while not self._gathering.acquire(blocking=False):
            yield Wait(_nothing, perf_counter() + _SOON, lambda: ())
        found: list[Connection] = []
        try:
            while len(found) < count:
                if self._free:
                    free = self._free.popleft()
                    if free.is_there():
                        found.append(free)
                    else:
                        free.close()
                        self._patience = AGAIN
                    continue
                waits = seconds if self._patience is None else min(seconds, self._patience)
                until = max(begun + waits, queue.deadline(waits))
                wait = min(until, perf_counter() + _SOON)
                came = yield Wait(self._listener.take, wait, self._listener.watched)
                found += map(Connection, came)
                if not came and perf_counter() >= until:
                    raise MensuraError(self._missing(len(found), count, waits))
        except BaseException:
            self._free.extend(found)
            raise
        finally:
            self._gathering.release()
        queue.entered()
        self._patience = None
        return found

    def _missing(self, found: int, count: int, waited: float) -> str:
        """Why there are too few, after which nobody waits any longer for those who have left."""
        place = self._listener.place
        if self._patience is None:
            return f"{found} of {count} clients of PAGI World connected to {place} within {waited:g} s."
        self._patience = 0.0
        return (
            f"A client of PAGI World has left {place}, and no other has come in its place; a client has to stay until "
            "the last episode is over, or to connect again."
        )

    def leave(self, channels: Sequence[Connection | None]) -> None:
        """A sitting is over; those of its clients that are not None are still there."""
        still = [one for one in channels if one is not None]
        if len(still) < len(channels):
            self._patience = AGAIN
        self._free.extend(still)
        self._listener.queue.left()


def _close(channels: deque[Connection]) -> None:
    while channels:
        channels.pop().close()


class Connection(Socket):
    """A connection to a client, and which generation it speaks: None until it has said something."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection)
        self.longest = LONGEST_LINE
        self.in_json: bool | None = None


def _nothing(until: float) -> list[Any]:
    sleep(max(0.0, until - perf_counter()))
    return []
