"""Readers of what comes over a network: frames between hosts, WebSockets, and what browsers send."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.archives import FOLDER
from fuzz.loop import Reader, check_sentence
from mensura.agent.errors import MensuraError
from mensura.agents import websocket
from mensura.agents.peer import Ended, Flooded
from mensura.worlds.constraints.execution import crew, session, wire

TOKEN = "t" * 32


# Hosts of distributed constraints --------------------------------------------------------


class Sink:
    """Takes what is written, for whoever would send it on."""

    def write(self, data: bytes) -> None:
        """Forget it."""

    def get_extra_info(self, name: str) -> None:
        """There is no socket."""


def read_frames(data: bytes) -> None:
    """Read bytes as frames of somebody unknown, and those that are frames as those of another host of the run."""
    asyncio.run(_frames(data))
    for line in data.splitlines():
        try:
            wire.address_of(line.decode("utf-8", "replace"))
        except MensuraError as error:
            check_sentence(error)


async def _frames(data: bytes) -> None:
    for content in (data, len(data).to_bytes(4, "big") + data):
        try:
            await wire.greet(_stream(content), Sink(), TOKEN)  # type: ignore[arg-type]
        except ConnectionError:
            pass
        else:
            raise AssertionError("whoever does not know the token was taken for a host")
        stream, taken = _stream(content), _session()
        while True:
            try:
                frame = await wire.read_frame(stream)
                taken.take(1, {"number": taken.received.get(1, 0) + 1, **frame})
            except wire.BadFrame:
                continue
            except ConnectionError:
                break


def _stream(content: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    reader.feed_data(content)
    reader.feed_eof()
    return reader


def _session() -> session.Session:
    """A host of two, with no agent yet."""
    head = {
        "run": "r", "index": 0, "hosts": 2, "algorithm": "awcs", "parameters": {}, "turns": 10, "logs": False,
        "where": {"0": 0, "1": 1}, "addresses": {"1": ["127.0.0.1", 1]},
    }  # fmt: skip
    return session.Session(head, [], TOKEN, lambda frame: None)


# WebSockets of programs ---------------------------------------------------------------------

KEY = b"dGhlIHNhbXBsZSBub25jZQ=="
REQUEST = (
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
    + KEY
    + b"\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def _masked(opcode: int, text: bytes) -> bytes:
    return bytes([0x80 | opcode, 0x80 | len(text), 0, 0, 0, 0]) + text


def read_websocket(data: bytes) -> None:
    """Read bytes as what a program sends that connects to us, from its first byte and after its request."""
    for content in (data, REQUEST + data):
        wired = websocket.server_wire(open_to_browsers=False)
        chunk = 1 + len(data) % 97
        try:
            for at in range(0, len(content), chunk):
                for line in wired.came(content[at : at + chunk], 1 << 16):
                    assert isinstance(line, bytes)
                wired.out(b'{"ask":"act"}\n')
        except Flooded:
            pass
        except Ended as error:
            check_sentence(error)
        wired.goodbye()


# Browsers -----------------------------------------------------------------------------

BODIES: dict[str, Any] = {
    "/api/studies/check": {"text": "mensura: 1\nname: a\n"},
    "/api/research/worlds": {"world": "echo", "preset": "", "parameters": {"horizon": 3}},
    "/api/research/environments": {
        "world": "echo",
        "within": {"measure": "lag", "low": 1, "high": 2},
        "seed": "1",
    },
    "/api/research/files": {"data": {"lag": 1}, "world": "echo"},
    "/api/research/framotec/tasks": {"text": "objects: []"},
    "/api/research/framotec/operations": {"text": "objects: []", "operation": "x", "arguments": {}},
    "/api/research/lambda/space": {"text": "a", "names": ["l"], "arrows": [[1]], "sizes": [2, 2]},
    "/api/research/lambda/program": {"text": "A -> B", "match": "leftmost"},
    "/api/research/pagi/tasks": {"text": "objects: []"},
    "/api/research/pagi/edited": {"task": {}},
    "/api/research/pagi/files": {"name": "a.tsk", "content": "AA=="},
    "/api/research/visits": {"world": "echo"},
    "/api/participants/x/answers": {"number": 1, "action": 2, "response_ms": 3.5},
    "/api/participants/x/device": {"page": "p", "focus_losses": 0},
    "/api/rooms/x/answers": {"turn": 1, "action": 1, "message": "m"},
    "/api/talks/x/doings": {"id": "i", "action": {}},
    "/login": {},
    "/p": {},
    "/p/x/consent": {},
    "/p/x/questions": {},
}
"""What is sent to each path, in the form in which it is right."""

FORM = "application/x-www-form-urlencoded"
HEADERS = {"host": "localhost", "origin": "http://localhost", "sec-fetch-site": "same-origin"}


class Server:
    """The application of ``mensura serve`` in this thread, without a socket."""

    def __init__(self) -> None:
        from mensura.web.app import create_app
        from mensura.web.settings import Settings

        store = Path(FOLDER.name) / f"store-{os.getpid()}.db"
        self.loop = asyncio.new_event_loop()
        self.app = create_app(Settings(store=store, research_for_all=True, public=True))
        self._open = AsyncExitStack()
        lifespan = self.app.router.lifespan_context(self.app)
        self.loop.run_until_complete(self._open.enter_async_context(lifespan))

    def post(self, path: str, kind: str, body: bytes) -> int:
        """The status of the answer to a body."""
        scope = self._scope("http", path, {**HEADERS, "content-type": kind})
        sent = self._run(scope, [{"type": "http.request", "body": body, "more_body": False}])
        return int(next(one["status"] for one in sent if one["type"] == "http.response.start"))

    def say(self, path: str, text: str) -> list[dict[str, Any]]:
        """What comes back over a WebSocket on which a text is said."""
        messages = [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": text}]
        return self._run(self._scope("websocket", path, HEADERS), messages)

    def _scope(self, kind: str, path: str, headers: Mapping[str, str]) -> dict[str, Any]:
        return {
            "type": kind, "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": path,
            "raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1), "server": ("localhost", 80), "subprotocols": [],
        }  # fmt: skip

    def _run(self, scope: dict[str, Any], messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        sent: list[Any] = []
        ends = "http.disconnect" if scope["type"] == "http" else "websocket.disconnect"

        async def receive() -> Any:
            return messages.pop(0) if messages else {"type": ends, "code": 1000}

        async def send(message: Any) -> None:
            sent.append(message)

        self.loop.run_until_complete(self.app(scope, receive, send))
        return sent


@cache
def server() -> Server:
    """The one of this process."""
    return Server()


def read_body(data: bytes) -> None:
    """Send bytes to a path, which their first line names or chooses, as JSON and as a form."""
    head, _, body = data.partition(b"\n")
    paths = list(BODIES)
    known = head.decode("utf-8", "replace")
    path = known if known in BODIES else paths[sum(head) % len(paths)]
    for kind in ("application/json", FORM):
        assert server().post(path, kind, body) < 500


def read_message(data: bytes) -> None:
    """Say bytes over the WebSocket of those who play at a pace."""
    sent = server().say("/api/participants/x/play", data.decode("utf-8", "replace"))
    assert sent[-1]["type"] == "websocket.close"
    assert sent[-1].get("code") in (4400, 4404, 4429)


LETTER = {"number": 1, "letter": [1, 0, "ok", {"1": 1}, 2]}

NETWORK = {
    "frames": Reader(
        read_frames,
        tuple(str(one.__file__) for one in (wire, session, crew)),
        (
            wire.packed({"nonce": "n", "proof": "p"}),
            wire.packed(LETTER) + wire.packed({"token": [0, 1, False, 0]}),
            json.dumps(LETTER).encode(),
            b"[::1]:7000\n127.0.0.1:7000",
        ),
        (b'"letter"', b'"token"', b'"number"', b'"proof"', b"\xff\xff\xff\xff", b"[1, 0, \"ok\", {}, 2]"),
    ),
    "sockets": Reader(
        read_websocket,
        (str(websocket.__file__),),
        (
            _masked(1, b'{"id":1,"value":2}'),
            _masked(1, b"a") + _masked(9, b"p") + _masked(8, b"\x03\xe8"),
            REQUEST,
        ),
        (b"\x01\x81", b"\x80\x80", b"\x81\xfe\xff\xff", b"\x81\xff" + b"\xff" * 8, b"Upgrade: ", b"\r\n\r\n"),
    ),
    "bodies": Reader(
        read_body,
        (),
        tuple(f"{path}\n{json.dumps(body)}".encode() for path, body in BODIES.items()),
        (b'"world"', b'"parameters"', b'"echo"', b'"seed"', b"a=b&", b"%ff", b'"number"', b'"text"'),
    ),
    "messages": Reader(
        read_message,
        (),
        (b'{"number": 1, "action": 2, "response_ms": 3.5}', b'{"number": 0, "cell": 1, "marked": true}'),
        (b'"number"', b'"action"', b'"late"', b'"response_ms"', b"1e400"),
    ),
}  # fmt: skip
"""By name. What answers browsers runs in other threads, where nothing guides the search."""
