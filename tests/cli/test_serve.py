"""``mensura serve``: who inherits the password, who is warned, and what the proxy that is proposed writes down."""

from __future__ import annotations

import importlib
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.cli.serve import serve

pytest.importorskip("uvicorn")
server = importlib.import_module("mensura.web.server")

PASSWORD = "correct horse battery"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "serve.md"


class Started:
    """A server that only says what a process that it starts would inherit."""

    def __init__(self, settings: Any, **more: Any) -> None:
        self.settings = settings

    def run(self, sockets: list[socket.socket]) -> None:
        for each in sockets:
            each.close()
        program = "import os; print(os.environ)"
        child = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        sys.stdout.write(child.stdout.decode())


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> None:
    listen = server.listening
    monkeypatch.setattr(server, "server_of", Started)
    monkeypatch.setattr(server, "listening", lambda host, port: listen("127.0.0.1", 0))


def test_no_process_inherits_the_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MENSURA_PASSWORD", PASSWORD)
    serve()
    out, err = capsys.readouterr()
    assert "PATH" in out
    assert PASSWORD not in out + err
    assert "MENSURA_PASSWORD" not in os.environ


def test_a_short_password_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MENSURA_PASSWORD", "short")
    with pytest.raises(MensuraError, match="needs 10 or more"):
        serve()


@pytest.mark.parametrize(
    ("host", "warned"),
    [("127.0.0.1", False), ("::1", False), ("localhost", False), ("0.0.0.0", True), ("::", True)],
)
def test_whoever_opens_it_beyond_this_machine_is_warned(
    host: str, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(host=host, password=PASSWORD)
    assert ("travel unencrypted" in capsys.readouterr().err) == warned


def test_the_proxy_that_is_proposed_logs_no_codes() -> None:
    (block,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert "access_log off;" in block
    assert re.search(r"error_log +\S+ crit;", block), "beside errors the request is logged"


def test_the_address_is_told_once_it_serves_and_is_that_of_the_socket(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.undo()
    answers = []

    class Asked(server.Server):  # type: ignore[misc, name-defined]
        async def main_loop(self) -> None:
            said = capsys.readouterr().out
            url = re.search(r"Mensura is at (http://127\.0\.0\.1:[1-9]\d*/)", said)
            assert url is not None, said
            answers.append(url[1])

    monkeypatch.setattr(server, "Server", Asked)
    serve(store=str(tmp_path / "mensura.db"), port=0, password=PASSWORD)
    assert len(answers) == 1


def test_a_port_that_is_taken_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            MensuraError, match=f"127.0.0.1:{port}: .*name another port with --port"
        ):
            serve(port=port, password=PASSWORD)
