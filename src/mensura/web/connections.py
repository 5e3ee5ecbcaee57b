"""Who may hold a connection, and for how long without asking for anything: a bound for each address and for all.

Whoever opens connections and never finishes a request (Slowloris) could else take all that the process may open. A
request has to be there within some seconds; where an address, or all together, has too many connections, the one that
has waited longest for a request makes room, and where all of them are at work a new one is refused.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from mensura.web.settings import Settings

REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\n"
    b'connection: close\r\n\r\n{"error": "Too many connections at the moment; try again in a minute."}'
)


LONGEST_MESSAGE = 1 << 16
"""Bytes of a message over a WebSocket."""


class Gate:
    """The connections of one server, by address; used from one event loop."""

    def __init__(self, most: int, most_each: int) -> None:
        self._most = most
        self._most_each = most_each
        self._held: dict[str, OrderedDict[Connection, None]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def enter(self, one: Connection) -> bool:
        """Whether there is room for a connection, which then has to leave."""
        own = self._held.get(one.address, ())
        if len(own) >= self._most_each and not self._make_room(one.address):
            return False
        if self._count >= self._most and not self._make_room(self._busiest()):
            return False
        self._held.setdefault(one.address, OrderedDict())[one] = None
        self._count += 1
        return True

    def leave(self, one: Connection) -> None:
        """A connection is over; again changes nothing."""
        own = self._held.get(one.address)
        if own is not None and one in own:
            del own[one]
            self._count -= 1
            if not own:
                del self._held[one.address]

    def _busiest(self) -> str:
        return max(self._held, key=lambda address: len(self._held[address]), default="")

    def _make_room(self, address: str) -> bool:
        """Close the oldest connection of an address that no request came on."""
        for one in self._held.get(address, ()):
            if not one.at_work:
                self.leave(one)
                one.give_up()
                return True
        return False


class Connection(H11Protocol):
    """One connection: uvicorn's, with the bounds of a gate; made by :func:`protocol_of`."""

    gate: Gate
    seconds: float
    """How long the head of a request may take."""

    address = ""
    _upgraded = False
    _timer: asyncio.TimerHandle | None = None

    @property
    def at_work(self) -> bool:
        """Whether a request came that is not answered yet, or it has become a conversation."""
        return self._upgraded or (self.cycle is not None and not self.cycle.response_complete)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody connects."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        if self.gate.enter(self):
            self._watch()
        else:
            transport.write(REFUSAL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is over."""
        self._unwatch()
        self.gate.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes came: the clock runs until they are a request, however many more come."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.at_work:
            self._unwatch()
        else:
            self._watch()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """It goes on as a conversation, which leaves the gate for it (:class:`Conversation`)."""
        self._upgraded = True
        self._unwatch()
        super().handle_websocket_upgrade(event)

    def give_up(self) -> None:
        """Close it at once: nobody asked for anything in time."""
        self._unwatch()
        self.transport.abort()

    def _watch(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.seconds, self.give_up)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Conversation(WebSocketsSansIOProtocol):
    """A connection that has become a WebSocket; it counts as one until it is over."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It takes the place of the connection that asked for it."""
        before = transport.get_protocol()
        self._before = before if isinstance(before, Connection) else None
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is over."""
        if self._before is not None:
            self._before.gate.leave(self._before)
        super().connection_lost(exc)


def protocol_of(settings: Settings) -> type[Connection]:
    """The protocol of a server with these settings; its connections share a gate.

    Behind a proxy all connections come from there, and only their number in all is bounded: the proxy sees addresses.
    """
    most = settings.connections
    each = most if settings.secure else min(most, settings.connections_each)
    members: dict[str, Any] = {"gate": Gate(most, each), "seconds": settings.header_seconds}
    return type("BoundConnection", (Connection,), members)
