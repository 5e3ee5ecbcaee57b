"""Connections to programs that are there already: how one is made, and the channel over it.

A :class:`Socket` is the channel; what its bytes mean is a :class:`Wire`'s, so that plain lines, WebSocket and TLS share
one channel. :mod:`mensura.agents.websocket` has the wires that need more than this. Nothing here blocks, so that one
thread can hold thousands of them.
"""

from __future__ import annotations

import errno
import math
import os
import select
import socket
import threading
import weakref
from collections.abc import Sequence
from time import monotonic, perf_counter
from typing import ClassVar, Protocol
from urllib.parse import urlsplit

from mensura.agent.errors import MensuraError
from mensura.agent.protocol import LONGEST
from mensura.agent.waiting import Wait, Waiting
from mensura.agents.address import EXAMPLES, Part
from mensura.agents.peer import GLANCE, SECONDS_TO_END, Ended, Lines

SECONDS_TO_LINGER = 1.0
"""How long somebody whom we hang up on may take to read why."""

_CHUNK = 1 << 16
_LONGEST_WAIT = 86_400.0
_BOTH = select.POLLIN | select.POLLOUT


def place_of(part: Part, usual: int | None = None) -> tuple[str, int]:
    """The host and the port that an address names."""
    try:
        pieces = urlsplit(part.name)
        host, port = pieces.hostname, pieces.port
    except ValueError:
        host = port = None
    port = usual if port is None else port
    if host is None or port is None or not part.target.startswith("//"):
        raise MensuraError(
            f"{part} names no host and port; write it as in {EXAMPLES.get(part.scheme, EXAMPLES['tcp'])}."
        )
    return host, port


class Turns:
    """How many sittings of an address are under way.

    Many programs serve one connection after another. So a sitting that is not served yet is not too late as long as
    another one is.
    """

    _known: ClassVar[weakref.WeakValueDictionary[str, Turns]] = weakref.WeakValueDictionary()

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0
        self._since = perf_counter()

    @classmethod
    def at(cls, address: str) -> Turns:
        """Those of an address, the same for all its subjects in this process."""
        return cls._known.setdefault(address, cls())

    def deadline(self, seconds: float) -> float:
        """When one that is not ready is too late, if it may take so many seconds once it is its turn."""
        return math.inf if self._under_way else self._since + seconds

    def entered(self) -> None:
        """One is ready."""
        with self._lock:
            self._under_way += 1

    def left(self) -> None:
        """One that was ready is gone."""
        with self._lock:
            self._under_way -= 1
            self._since = perf_counter()


# The channel ------------------------------------------------------------------


class Wire(Protocol):
    """What the bytes of a connection mean."""

    def out(self, data: bytes) -> bytes:
        """How whole lines are written."""

    def came(self, chunk: bytes, longest: int) -> list[bytes]:
        """The lines that a chunk completes; Flooded where one is too long, Ended where no more can come."""

    def own(self) -> bytes:
        """What is to be written besides: handshakes and the like."""

    def goodbye(self) -> bytes:
        """What is written last."""


class Plain(Lines):
    """Lines as they are."""

    def out(self, data: bytes) -> bytes:
        """As they are."""
        return data

    def came(self, chunk: bytes, longest: int) -> list[bytes]:
        """The lines that a chunk completes."""
        return self.cut(chunk, longest)

    def own(self) -> bytes:
        """Nothing."""
        return b""

    def goodbye(self) -> bytes:
        """Nothing: the end of the stream says it."""
        return b""


class Socket:
    """A connection to a program."""

    def __init__(self, connection: socket.socket, wire: Wire | None = None) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connection
        self._wire = Plain() if wire is None else wire
        self._plain = wire is None
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._reading = ((connection.fileno(), select.POLLIN),)
        self._unsent = bytearray()
        self._cause = "it closed the connection"
        self.longest = LONGEST
        self._write(self._wire.own())

    def cpu_seconds(self) -> float:
        """Not known: the program may run on another machine."""
        return math.nan

    def watched(self) -> Sequence[tuple[int, int]]:
        """The descriptor, and what it is waited for."""
        return ((self._reading[0][0], _BOTH),) if self._unsent else self._reading

    @property
    def unsent(self) -> int:
        """Bytes that the other end has not taken yet."""
        return len(self._unsent)

    def flush(self) -> None:
        """Write as much as goes at once of what is left, without looking for lines."""
        if self._unsent:
            self._write_rest()

    def is_there(self) -> bool:
        """Whether the other end has not hung up, as far as can be known without reading."""
        try:
            return self._socket.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def send(self, data: bytes) -> None:
        """Write as much as goes at once; the rest is written while waiting for lines."""
        self._write(data if self._plain else self._wire.out(data))

    def lines(self, until: float) -> list[bytes]:
        """The complete lines that came, as soon as there are any; none when the time is over."""
        looked = until <= 0.0  # somebody else has looked: there is something to read, or to write
        while True:
            if not looked:
                left = until - perf_counter()
                self._poll.poll(min(max(left, 0.0), _LONGEST_WAIT) * 1000)
            looked = False
            if self._unsent:
                self._write_rest()
            try:
                chunk = self._socket.recv(_CHUNK)
            except BlockingIOError:
                pass
            except OSError as error:
                self._cause = f"the connection broke: {reason(error)}"
                raise Ended from error
            else:
                if not chunk:
                    raise Ended
                take = self._wire.came if self._plain else self._understood
                lines = take(chunk, self.longest)
                if lines:
                    return lines
            if until - perf_counter() <= 0:
                return []

    def _understood(self, chunk: bytes, longest: int) -> list[bytes]:
        """The lines that a chunk completes, where the wire has something to say about it."""
        try:
            return self._wire.came(chunk, longest)
        except Ended as error:
            self._cause = str(error) or self._cause
            raise
        finally:
            self._write(self._wire.own())

    def epitaph(self) -> str:
        """How it ended, once it has."""
        self._socket.close()
        return self._cause

    def close(self, patience: float = SECONDS_TO_END) -> None:
        """Say goodbye and hang up.

        Nobody waits for the other end. Without patience it is hung up on, and has a moment to read why: to close a
        connection with something unread in it would take back what was written last.
        """
        if self._socket.fileno() < 0:
            return
        self._write(self._wire.goodbye())
        if not patience:
            try:
                self._socket.shutdown(socket.SHUT_WR)
            except OSError:  # it is gone already
                patience = SECONDS_TO_END
        if patience:
            self._socket.close()
        else:
            # The same descriptor, not a copy: who watches it can still leave it.
            held = socket.socket(fileno=self._socket.detach())
            threading.Thread(target=_linger, args=(held,), daemon=True).start()

    def _write(self, data: bytes) -> None:
        if not data:
            return
        if not self._unsent:
            try:
                sent = self._socket.send(data)
            except BlockingIOError:
                sent = 0
            except OSError:  # reading will tell what happened
                return
            if sent == len(data):
                return
            data = data[sent:]
            self._poll.modify(self._socket, _BOTH)
        self._unsent += data

    def _write_rest(self) -> None:
        try:
            del self._unsent[: self._socket.send(self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()
        if not self._unsent:
            self._poll.modify(self._socket, select.POLLIN)


def _linger(connection: socket.socket) -> None:
    """Read on for a while, so that the other end can read our last word."""
    until = monotonic() + SECONDS_TO_LINGER
    with connection:
        connection.setblocking(True)
        try:
            while (left := until - monotonic()) > 0:
                connection.settimeout(left)
                if not connection.recv(_CHUNK):
                    return
        except OSError:
            return


# Connecting -------------------------------------------------------------------


class Writable:
    """A connection on its way."""

    def __init__(self, connection: socket.socket) -> None:
        self._descriptor = connection.fileno()
        self._poll = select.poll()
        self._poll.register(connection, select.POLLOUT)

    def take(self, until: float) -> list[int]:
        """Something, once it is through or has failed."""
        left = max(0.0, until - perf_counter())
        return [event for _, event in self._poll.poll(left * 1000)]

    def watched(self) -> Sequence[tuple[int, int]]:
        """The descriptor, and what it is waited for."""
        return ((self._descriptor, select.POLLOUT),)


def connected(
    host: str, port: int, name: str, seconds: float, queue: Turns
) -> Waiting[socket.socket]:
    """A connection to where somebody listens; MensuraError where nobody does."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise MensuraError(f"The host of {name} is not known: {reason(error)}.") from error
    code = 0
    for family, kind, protocol, _, address in found:
        try:
            connection = socket.socket(family, kind, protocol)
        except OSError as error:
            code = error.errno or 0
            continue
        try:
            code = yield from _connect(connection, address, seconds, queue)
        except BaseException:
            connection.close()
            raise
        if code == 0:
            return connection
        connection.close()
    if code == errno.ECONNREFUSED:
        raise MensuraError(f"Nobody listens at {name}; start the program first.")
    if code == errno.EMFILE:
        raise MensuraError(
            f"Too many files are open for another connection to {name}; allow more with: ulimit -n 4096"
        )
    raise MensuraError(f"{name} cannot be reached: {os.strerror(code)}.")


def _connect(
    connection: socket.socket, address: object, seconds: float, queue: Turns
) -> Waiting[int]:
    """0 once it is through, or the number of the error."""
    connection.setblocking(False)
    code = connection.connect_ex(address)  # type: ignore[arg-type]
    if code not in (errno.EINPROGRESS, errno.EWOULDBLOCK):
        return code
    way = Writable(connection)
    begun = perf_counter()
    while True:
        until = max(begun + seconds, queue.deadline(seconds))
        if (yield Wait(way.take, min(until, perf_counter() + GLANCE), way.watched)):
            return connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if perf_counter() >= until:
            return errno.ETIMEDOUT


def reason(error: OSError) -> str:
    """What the system says of an error, without its number."""
    return (error.strerror or str(error)).rstrip(".")
