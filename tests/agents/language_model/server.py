"""A real HTTP server on loopback that answers as the chat-completions API does, and misbehaves on request.

Each request takes the next :class:`Act` of the script; after the last one the server behaves. What was asked is kept.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answerer = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class Act:
    """One response: a status and a body, or worse."""

    status: int = 200
    body: Any = None
    """JSON, or bytes as they are; None: a good answer."""
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay: float = 0.0
    """Before anything is said."""
    trickle: float = 0.0
    """Seconds between the bytes of the body."""
    truncate: int | None = None
    """So many bytes of the body are sent, though all are promised."""
    hang_up: bool = False
    """The connection is closed without a word."""


def completion(text: str | None = None, calls: Any = None, **more: Any) -> dict[str, Any]:
    """A chat completion; calls are (name, arguments)."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls is not None:
        message["tool_calls"] = [
            {"id": f"x{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments) in enumerate(calls)
        ]
    reason = more.pop("finish_reason", "tool_calls" if calls else "stop")
    message |= more.pop("message", {})
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "toy",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        **more,
    }


def error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "code": code}}


def first_action(request: dict[str, Any]) -> dict[str, Any]:
    """A model that always does its lowest action, by a call or in words as it is asked."""
    if request.get("tools"):
        schema = request["tools"][0]["function"]["parameters"]["properties"]["action"]
        value: Any = schema.get("minimum", 0)
        if schema["type"] == "array":
            value = [0] * schema["minItems"]
        return completion(calls=[("act", json.dumps({"action": value}))])
    return completion("ACTION: 1")


class Server:
    """The server, its script and what it was asked."""

    def __init__(self, answerer: Answerer = first_action) -> None:
        self.answerer = answerer
        self.script: list[Act] = []
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with server._lock:
                    server.times.append(time.monotonic())
                    server.requests.append(json.loads(body))
                    server.paths.append(self.path)
                    server.headers.append(dict(self.headers))
                    server.keys.append(self.headers.get("Authorization", ""))
                    act = server.script.pop(0) if server.script else Act()
                    server.at_once += 1
                    server.most_at_once = max(server.most_at_once, server.at_once)
                    asked = server.requests[-1]
                try:
                    self._act(act, asked)
                except OSError:
                    self.close_connection = True
                finally:
                    with server._lock:
                        server.at_once -= 1

            def _act(self, act: Act, asked: dict[str, Any]) -> None:
                time.sleep(act.delay)
                if act.hang_up:
                    self.close_connection = True
                    return
                body = server.answerer(asked) if act.body is None else act.body
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(act.status)
                self.send_header("Content-Type", act.content_type)
                self.send_header("Content-Length", str(len(data)))
                for name, value in act.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if act.truncate is not None:
                    self.wfile.write(data[: act.truncate])
                    self.close_connection = True
                    return
                if act.trickle:
                    for at in range(len(data)):
                        self.wfile.write(data[at : at + 1])
                        self.wfile.flush()
                        time.sleep(act.trickle)
                    return
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    @contextmanager
    def running(self) -> Iterator[Server]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()
