"""A real HTTP server on loopback that takes batches as OpenAI and Anthropic do, and misbehaves on request.

It answers at once what is not in a batch. Results come in another order than requests did.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.agents.language_model.server import error, first_action

Request = dict[str, Any]
Fate = int | str
"""What becomes of a request in a batch: 200 and other statuses, "expired", or "missing"."""


def message(request: Request) -> dict[str, Any]:
    """A model of Anthropic's that always does its lowest action."""
    schema = request["tools"][0]["input_schema"]["properties"]["action"]
    use = {"type": "tool_use", "id": "t", "name": "act", "input": {"action": schema["minimum"]}}
    usage = {"input_tokens": 100, "output_tokens": 10}
    return {
        "id": "msg_1",
        "type": "message",
        "model": "toy",
        "content": [use],
        "usage": usage,
    }


KINDS = {400: "invalid_request_error", 404: "not_found_error", 429: "rate_limit_error"}


class BatchServer:
    """The server, what it was asked, and what becomes of it."""

    def __init__(self) -> None:
        self.at_once: list[Request] = []
        """Requests outside of batches."""
        self.batches: dict[str, dict[str, Request]] = {}
        """Requests by batch and name, in the order in which they came."""
        self.looks = 0
        """How often it was asked about a batch."""
        self.creations: list[tuple[int, dict[str, str]]] = []
        """Statuses and headers of the next attempts to send a batch, in place of taking it."""
        self.troubles: list[int] = []
        """Statuses of the next looks at batches."""
        self.status = "completed"
        """How batches end, in OpenAI's words."""
        self.errors: list[dict[str, Any]] = []
        self.answerer: Callable[[Request], dict[str, Any]] = first_action
        self.ending = 1 << 30
        """So many batches end, the first ones."""
        self.fate: Callable[[Request], Fate] = lambda _: 200
        self.released = threading.Event()
        """No batch ends before this is set."""
        self.released.set()
        self.forgotten: set[str] = set()
        """Batches that it does not remember."""
        self.results_host = ""
        self.headers: list[dict[str, str]] = []
        self._files: dict[str, bytes] = {}
        self._changed = threading.Condition()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with server._changed:
                    server.headers.append(dict(self.headers))
                    answer = server._post(self.path, body, str(self.headers["Content-Type"]))
                    server._changed.notify_all()
                self._send(*answer)

            def do_GET(self) -> None:
                with server._changed:
                    server.headers.append(dict(self.headers))
                    answer = server._get(self.path)
                    server._changed.notify_all()
                self._send(*answer)

            def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> list[Request]:
        """All that was sent in batches."""
        return [one for batch in self.batches.values() for one in batch.values()]

    def wait_for(self, reached: Callable[[], bool]) -> None:
        """Wait until requests have brought something about."""
        with self._changed:
            assert self._changed.wait_for(reached, 120)

    @contextmanager
    def running(self) -> Iterator[BatchServer]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    # Both wires

    def _post(self, path: str, body: bytes, kind: str) -> tuple[Any, ...]:
        if path == "/v1/files":
            whole = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
            parts: Any = whole.get_payload()
            (content,) = (one.get_payload(decode=True) for one in parts if one.get_filename())
            return 200, {"id": self._keep(content), "object": "file"}
        asked = json.loads(body)
        if path in ("/v1/batches", "/v1/messages/batches"):
            return self._create(asked)
        self.at_once.append(asked)
        return 200, message(asked) if path == "/v1/messages" else first_action(asked)

    def _create(self, asked: Request) -> tuple[Any, ...]:
        if self.creations:
            status, headers = self.creations.pop(0)
            return status, error("not now"), headers
        if "input_file_id" in asked:
            assert (asked["endpoint"], asked["completion_window"]) == (
                "/v1/chat/completions",
                "24h",
            )
            lines = map(json.loads, self._files[asked["input_file_id"]].splitlines())
            taken = [(one["custom_id"], one["body"]) for one in lines]
        else:
            taken = [(one["custom_id"], one["params"]) for one in asked["requests"]]
        assert len(dict(taken)) == len(taken), "names are used once"
        name = f"batch_{len(self.batches)}"
        self.batches[name] = dict(taken)
        return 200, {"id": name, "status": "validating", "processing_status": "in_progress"}

    def _get(self, path: str) -> tuple[Any, ...]:
        parts = path.split("/")[2:]
        if parts[0] == "files":
            return 200, self._files[parts[1]]
        self.looks += 1
        if self.troubles:
            return self.troubles.pop(0), error("trouble")
        is_messages = parts.pop(0) == "messages"
        if is_messages:
            parts.pop(0)
        if parts[0] in self.forgotten:
            return 404, error("no such batch")
        requests = self.batches[parts[0]]
        if parts[1:] == ["results"]:
            return 200, self._lines(requests, self._message_line)
        if not self.released.is_set() or list(self.batches).index(parts[0]) >= self.ending:
            return 200, {
                "id": parts[0],
                "status": "in_progress",
                "processing_status": "in_progress",
            }
        if is_messages:
            url = f"{self.results_host or self.root}{path}/results"
            return 200, {"id": parts[0], "processing_status": "ended", "results_url": url}
        ended: dict[str, Any] = {"id": parts[0], "status": self.status}
        if self.status == "failed":
            return 200, ended | {"errors": {"data": self.errors}}
        good = {name: one for name, one in requests.items() if self.fate(one) == 200}
        bad = {name: one for name, one in requests.items() if name not in good}
        if good:
            ended["output_file_id"] = self._keep(self._lines(good, self._chat_line))
        if bad:
            ended["error_file_id"] = self._keep(self._lines(bad, self._chat_line))
        return 200, ended

    def _keep(self, content: bytes) -> str:
        name = f"file_{len(self._files)}"
        self._files[name] = content
        return name

    def _lines(self, requests: dict[str, Request], line: Callable[[Request, Fate], Any]) -> bytes:
        found = b""
        for name, request in reversed(requests.items()):
            fate = self.fate(request)
            if fate != "missing":
                found += json.dumps({"custom_id": name, **line(request, fate)}).encode() + b"\n"
        return found

    def _chat_line(self, request: Request, fate: Fate) -> dict[str, Any]:
        if fate == "expired":
            said = {"code": "batch_expired", "message": "it could not be executed in time"}
            return {"response": None, "error": said}
        body = self.answerer(request) if fate == 200 else error("no good")
        return {"response": {"status_code": fate, "body": body}, "error": None}

    @staticmethod
    def _message_line(request: Request, fate: Fate) -> dict[str, Any]:
        if fate == 200:
            return {"result": {"type": "succeeded", "message": message(request)}}
        if fate == "expired":
            return {"result": {"type": "expired"}}
        assert isinstance(fate, int)
        said = {"type": KINDS.get(fate, "api_error"), "message": "no good"}
        return {"result": {"type": "errored", "error": {"type": "error", "error": said}}}
