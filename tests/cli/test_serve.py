"""``mensura serve``: who inherits the password, who is warned, and what the proxy that is proposed writes down."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.cli.serve import serve

pytest.importorskip("uvicorn")

PASSWORD = "correct horse battery"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "serve.md"


class Started:
    """A server that only says what a process that it starts would inherit."""

    def __init__(self, settings: Any, **more: Any) -> None:
        self.settings = settings

    def run(self) -> None:
        program = "import os; print(os.environ)"
        child = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        sys.stdout.write(child.stdout.decode())


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mensura.web.server.server_of", Started)


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
