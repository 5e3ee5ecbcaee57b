"""Programs that are there already: ``tcp://host:port`` and ``ws://host:port`` listen, ``listen://`` ones connect to us.

:mod:`mensura.agents.connection` has the connections, :mod:`mensura.agents.listening` the side that is connected to.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits
from mensura.agent.waiting import Waiting, finish
from mensura.agents.address import EXAMPLES, Part
from mensura.agents.connection import Socket, Turns, connected, place_of
from mensura.agents.listening import Listener
from mensura.agents.peer import Channel, Peer
from mensura.agents.websocket import client_wire
from mensura.core.contract import World

AT_ONCE = 1000
"""So many sittings of a program elsewhere are under way at once, where there are as many."""


def from_tcp(part: Part, world: World, limits: Limits) -> RemoteSubject:
    """A program that listens: we connect to it, once for each time that it sits down."""
    host, port = place_of(part)
    if part.parameters or urlsplit(part.name).path.strip("/"):
        raise MensuraError(
            f"{part} has more than a host and a port; write it as in {EXAMPLES['tcp']}."
        )
    queue = Turns.at(part.label)

    def opened() -> Waiting[Channel]:
        made = yield from connected(host, port, part.label, limits.seconds_to_start, queue)
        return Socket(made)

    return RemoteSubject(part.label, opened, limits, queue)


def from_websocket(part: Part, world: World, limits: Limits) -> RemoteSubject:
    """The same over WebSocket; with ``wss`` the connection is encrypted and the host has to prove who it is."""
    host, port = place_of(part, {"ws": 80, "wss": 443}[part.scheme])
    queue = Turns.at(part.label)
    client_wire(part.label)  # what is wrong with the address is said before anybody is reached

    def opened() -> Waiting[Channel]:
        made = yield from connected(host, port, part.label, limits.seconds_to_start, queue)
        return Socket(made, client_wire(part.label))

    return RemoteSubject(part.label, opened, limits, queue)


def from_listening(part: Part, world: World, limits: Limits) -> RemoteSubject:
    """A program that connects to us, over plain TCP or WebSocket, once for each time that it sits down."""
    listener = Listener.at(part)

    def opened() -> Waiting[Channel]:
        return (yield from listener.arriving(limits.seconds_to_start))

    return RemoteSubject(listener.name, opened, limits, listener.queue)


class RemoteSubject:
    """A program behind sockets: a connection for each time that it sits down."""

    concurrent = True
    """Sittings may be played side by side."""
    waits = AT_ONCE
    """So many sittings are worth having under way at once."""

    def __init__(
        self,
        name: str,
        opened: Callable[[], Waiting[Channel]],
        limits: Limits,
        queue: Turns,
    ) -> None:
        self.name = name
        self.limits = limits
        self._open = opened
        self._queue = queue

    def sit(self, seats: int, memory: bytes | None = None) -> Peer:
        """:meth:`seating`, waiting on the spot."""
        return finish(self.seating(seats, memory))

    def seating(self, seats: int, memory: bytes | None = None) -> Waiting[Peer]:
        """Connect and shake hands; MensuraError with the reason where that fails."""
        peer = Peer(
            self.name,
            self._open,
            seats,
            self.limits,
            memory=memory,
            queue=self._queue,
            begin=False,
        )
        yield from peer.starting()
        return peer
