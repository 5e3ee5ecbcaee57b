"""The protocol over WebSocket (RFC 6455), one message a line, and over TLS: bytes in, bytes out, no waiting.

The framing is the ``websockets`` library's, from its part that does no input or output itself.
"""

from __future__ import annotations

import ssl
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.protocol import LONGEST
from mensura.agents.connection import Wire
from mensura.agents.peer import Ended, Flooded

GOING = 1000
"""The code with which a connection is closed in order (RFC 6455, section 7.4.1)."""


def client_wire(address: str) -> Wire:
    """The wire to a server: for ``wss`` within TLS."""
    library = load_library(address)
    try:
        uri = library.parse_uri(address)
    except library.InvalidURI as error:
        raise MensuraError(f"{address} is not the address of a WebSocket: {error}.") from None
    protocol = library.ClientProtocol(uri, max_size=LONGEST)
    protocol.send_request(protocol.connect())
    framed = Framed(protocol)
    return Secured(uri.host, framed) if uri.secure else framed


def server_wire(open_to_browsers: bool) -> Framed:
    """The wire to a program that connected to us.

    Browsers say where a page is from. One whose page is not meant to play is refused, as any page could reach us
    through the browser of somebody who looks at it.
    """
    library = load_library("a program that connects over WebSocket")
    origins = None if open_to_browsers else [None]
    return Framed(library.ServerProtocol(origins=origins, max_size=LONGEST))


def load_library(what: str) -> Any:
    """The names of the library that are needed here; MensuraError where it is not installed."""
    try:
        return SimpleNamespace(
            ClientProtocol=import_module("websockets.client").ClientProtocol,
            ServerProtocol=import_module("websockets.server").ServerProtocol,
            InvalidURI=import_module("websockets.exceptions").InvalidURI,
            parse_uri=import_module("websockets.uri").parse_uri,
        )
    except ModuleNotFoundError:
        raise MensuraError(
            f"For {what} the library websockets is needed: pip install 'mensura[remote]'."
        ) from None


class Framed:
    """Lines as WebSocket messages."""

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._open = False
        self._held: list[bytes] = []
        """What is to be said once the handshake is over."""
        self._pieces: list[bytes] = []

    def out(self, data: bytes) -> bytes:
        """A text message a line."""
        if not self._open:
            self._held.append(data)
        elif self._protocol.state.name == "OPEN":
            for line in data.splitlines():
                self._protocol.send_text(line)
        return self.own()

    def own(self) -> bytes:
        """Handshakes, answers to pings, and the end."""
        return b"".join(self._protocol.data_to_send())

    def came(self, chunk: bytes, longest: int) -> list[bytes]:
        """The messages that a chunk completes, text or bytes."""
        protocol = self._protocol
        protocol.max_message_size = longest
        protocol.receive_data(chunk)
        lines: list[bytes] = []
        for event in protocol.events_received():
            if not self._open:
                if protocol.parser_exc is None and protocol.handshake_exc is None:
                    self._shake_hands(event)
            elif event.opcode in (0, 1, 2):  # a further piece of a message, or the first one
                self._pieces.append(bytes(event.data))
                if event.fin:
                    lines.append(b"".join(self._pieces))
                    self._pieces.clear()
        wrong = protocol.parser_exc or protocol.handshake_exc
        if lines or (wrong is None and protocol.state.name in ("CONNECTING", "OPEN")):
            return lines
        if type(wrong).__name__ == "PayloadTooBig":
            raise Flooded
        if wrong is None or type(wrong).__name__ == "EOFError":
            raise Ended("it closed the connection")
        raise Ended(f"it does not speak WebSocket as it should: {str(wrong).rstrip('.')}")

    def goodbye(self) -> bytes:
        """A closing frame."""
        if self._open and self._protocol.state.name == "OPEN" and self._protocol.close_rcvd is None:
            self._protocol.send_close(GOING)
        return self.own()

    def _shake_hands(self, event: Any) -> None:
        """An answer to our request, which the library has judged; or a request, which we answer."""
        if hasattr(self._protocol, "accept"):
            self._protocol.send_response(self._protocol.accept(event))
        if self._protocol.state.name == "OPEN":
            self._open = True
            held, self._held = b"".join(self._held), []
            for line in held.splitlines():
                self._protocol.send_text(line)


class Secured:
    """Another wire within TLS, whose other end has to prove that it is this host."""

    def __init__(self, host: str, inner: Wire, context: ssl.SSLContext | None = None) -> None:
        self._inner = inner
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = (context or ssl.create_default_context()).wrap_bio(
            self._incoming, self._outgoing, server_hostname=host
        )
        self._open = False
        self._held = b""
        self._shake_hands()

    def out(self, data: bytes) -> bytes:
        """What the other wire makes of lines, encrypted."""
        self._write(self._inner.out(data))
        return self._outgoing.read()

    def own(self) -> bytes:
        """What either wire has to say for itself."""
        self._write(self._inner.own())
        return self._outgoing.read()

    def goodbye(self) -> bytes:
        """The other wire's."""
        self._write(self._inner.goodbye())
        return self._outgoing.read()

    def came(self, chunk: bytes, longest: int) -> list[bytes]:
        """The lines that a chunk completes."""
        self._incoming.write(chunk)
        self._shake_hands()
        lines: list[bytes] = []
        while self._open:
            try:
                plain = self._tls.read(1 << 16)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLError as error:
                raise _broken(error) from error
            if not plain:
                raise Ended("it closed the connection")
            lines += self._inner.came(plain, longest)
            self._write(self._inner.own())
        return lines

    def _shake_hands(self) -> None:
        if self._open:
            return
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return
        except ssl.SSLError as error:
            raise _broken(error) from error
        self._open = True
        held, self._held = self._held, b""
        self._write(held)

    def _write(self, data: bytes) -> None:
        if not self._open:
            self._held += data
        elif data:
            self._tls.write(data)


def _broken(error: ssl.SSLError) -> Ended:
    why = getattr(error, "verify_message", "") or error.reason or str(error)
    return Ended(f"the connection is not secure: {why}")
