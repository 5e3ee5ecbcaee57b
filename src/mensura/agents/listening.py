"""Where programs connect to us: plain TCP and WebSocket on one port, told apart by the first byte.

A program that connects introduces itself with a line, which holds the token where one is needed. On loopback everybody
on this machine may come; elsewhere only who knows the token.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import select
import socket
import weakref
from collections.abc import Sequence
from time import perf_counter
from typing import ClassVar

from mensura.agent.errors import MensuraError
from mensura.agent.protocol import VERSION, introduction, last_word, shorten
from mensura.agent.waiting import Wait, Waiting
from mensura.agents.address import Part
from mensura.agents.connection import Socket, Turns, Wire, place_of, reason
from mensura.agents.peer import GLANCE, Ended, Flooded, other_version
from mensura.agents.websocket import server_wire

TOKEN = "MENSURA_TOKEN"
"""The environment variable that holds the token where the address does not."""

SECONDS_TO_INTRODUCE = 10.0
"""How long somebody who has connected may take to say who it is."""

BACKLOG = 1024

REFUSED = "The token is missing or wrong"


class Listener:
    """A port that programs connect to. It is closed when nobody holds it any more."""

    _known: ClassVar[weakref.WeakValueDictionary[tuple[str, int], Listener]] = (
        weakref.WeakValueDictionary()
    )

    def __init__(self, host: str, port: int, token: str = "", *, introduced: bool = True) -> None:
        """MensuraError where the port cannot be had, or where a token is needed and there is none.

        Where programs are not ``introduced``, they speak a language of their own from the first byte.
        """
        if not token and not is_loopback(host):
            raise MensuraError(
                f"Programs that connect to {host} from elsewhere need a token; write it as "
                f"listen://{host}:{port}?token=WORD, or set {TOKEN}, or let mensura assess --listen {host}:{port} "
                "make one."
            )
        try:
            family, _, _, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            self._socket = socket.create_server((address[0], port), family=family, backlog=BACKLOG)
        except (OSError, OverflowError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise MensuraError(f"Nobody can connect to {host}:{port}: {why}.") from error
        self._release = weakref.finalize(self, self._socket.close)
        self._socket.setblocking(False)
        self._reading = ((self._socket.fileno(), select.POLLIN),)
        self._token = token.encode()
        self.port: int = self._socket.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        self.place = f"{shown}:{self.port}"
        self.name = f"listen://{shown}:{port}"
        """How the subject is called: without the token."""
        self.queue = Turns()
        self.refused = 0
        self.introduced = introduced

    @classmethod
    def at(cls, part: Part, make_token: bool = False) -> Listener:
        """The one that an address names, the same for all its subjects in this process.

        With ``make_token`` a token is made where one is needed and none is given; whoever asks for that shows it.
        """
        host, port = place_of(part)
        unknown = set(part.parameters) - {"token"}
        if unknown:
            raise MensuraError(
                f"{part.name} has no parameter {unknown.pop()!r}; the one that it has is token."
            )
        known = cls._known.get((host, port))
        token = part.parameters.get("token", "")
        if known is not None:
            if token and not known.knows(token):
                raise MensuraError(
                    f"{part.name} is named twice with different tokens; one is right."
                )
            return known
        token = token or os.environ.get(TOKEN, "")
        if not token and make_token and not is_loopback(host):
            token = secrets.token_urlsafe(16)
        return cls._known.setdefault((host, port), cls(host, port, token))

    @classmethod
    def without_introduction(cls, host: str, port: int) -> Listener:
        """One for programs of this machine that do not introduce themselves, the same for all that name the port."""
        known = cls._known.get((host, port))
        if known is not None and known.introduced:
            raise MensuraError(
                f"{known.place} is for programs that introduce themselves; name another port for those that do not."
            )
        return known or cls._known.setdefault((host, port), cls(host, port, introduced=False))

    @property
    def token(self) -> str:
        """What programs have to know; empty where everybody may come."""
        return self._token.decode()

    def knows(self, token: str) -> bool:
        """Whether it is the token, found out in a time that tells nothing about it."""
        return hmac.compare_digest(token.encode(), self._token)

    def close(self) -> None:
        """Nobody can connect any more."""
        self._release()
        for place, known in list(self._known.items()):
            if known is self:
                del self._known[place]

    def take(self, until: float) -> list[socket.socket]:
        """Somebody who has connected, as soon as there is one."""
        poll = select.poll()
        poll.register(self._reading[0][0], select.POLLIN)
        poll.poll(max(0.0, until - perf_counter()) * 1000)
        try:
            return [self._socket.accept()[0]]
        except OSError:  # somebody else was quicker, or it has gone again
            return []

    def watched(self) -> Sequence[tuple[int, int]]:
        """The descriptor, and what it is waited for."""
        return self._reading

    def arriving(self, seconds: float) -> Waiting[Socket]:
        """The next program that connects and introduces itself; MensuraError where none does within the time."""
        begun = perf_counter()
        while True:
            until = max(begun + seconds, self.queue.deadline(seconds))
            came = yield Wait(self.take, min(until, perf_counter() + GLANCE), self.watched)
            for connection in came:
                program = yield from self._introduced(connection)
                if program is not None:
                    return program
            if perf_counter() >= until:
                turned_away = f" {self.refused} came that were refused." if self.refused else ""
                raise MensuraError(
                    f"No program connected to {self.place} within {seconds:g} s.{turned_away}"
                )

    def _introduced(self, connection: socket.socket) -> Waiting[Socket | None]:
        """The channel to whoever has connected; None where it may not come, which is told to it."""
        until = perf_counter() + SECONDS_TO_INTRODUCE
        first = First(connection)
        program: Socket | None = None
        try:
            opening = yield Wait(first.take, until, first.watched)
            wire: Wire | None = None
            if opening and opening[0] == b"G":
                wire = server_wire(open_to_browsers=bool(self._token))
            program = Socket(connection, wire)
            lines = yield Wait(program.lines, until, program.watched)
            wrong = self._judged(lines)
        except (Ended, Flooded):
            wrong = ""
        except BaseException:
            connection.close()
            raise
        if wrong is None:
            return program
        self.refused += 1
        if program is None:
            connection.close()
        else:
            if wrong:
                program.send(last_word(wrong))
            program.close(0.0)
        return None

    def _judged(self, lines: Sequence[bytes]) -> str | None:
        """What is wrong with an introduction, in a sentence; None where it is right."""
        right = f'{{"version":{VERSION}' + (',"token":"..."}' if self._token else "}")
        if not lines:
            return f"A program that connects has to introduce itself within {SECONDS_TO_INTRODUCE:g} s: {right}."
        try:
            version, token = introduction(lines[0])
        except (ValueError, RecursionError):
            return f"A program that connects introduces itself with {right} and not with {shorten(lines[0])}."
        if self._token and not self.knows(token):
            return f"{REFUSED}."
        return None if version == VERSION else f"The program {other_version(version)}"


class First:
    """The first byte of a connection, which stays there to be read."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)

    def take(self, until: float) -> list[bytes]:
        """The byte, or what stands for the end."""
        self._poll.poll(max(0.0, until - perf_counter()) * 1000)
        try:
            return [self._socket.recv(1, socket.MSG_PEEK)]
        except BlockingIOError:
            return []
        except OSError as error:
            raise Ended from error

    def watched(self) -> Sequence[tuple[int, int]]:
        """The descriptor, and what it is waited for."""
        return ((self._socket.fileno(), select.POLLIN),)


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
