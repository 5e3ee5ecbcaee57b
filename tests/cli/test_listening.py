"""Programs that connect to a command, and programs that a command starts."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.cli import listening

CLIENT = Path(__file__).parents[2] / "examples" / "clients" / "client.py"
SMALL = ("--budget", "60", "--sittings", "2", "--seed", "5")


def start(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "mensura.cli.main", "assess", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


ANNOUNCED = re.compile(r"Programs connect to \S+:(\d+)(?: with the token (\S+))?")


@pytest.mark.parametrize(
    "place", ["0", "0.0.0.0:0"], ids=["at this machine", "with a token that is made"]
)
def test_a_program_that_connects_is_assessed(
    place: str, mensura: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[subprocess.Popen[bytes]] = []
    secrets: list[str] = []

    def say(line: str) -> None:
        found = ANNOUNCED.fullmatch(line)
        assert found is not None, line
        secrets.extend(filter(None, [found[2]]))
        program = [sys.executable, str(CLIENT), "connect", found[1], *secrets]
        clients.append(subprocess.Popen(program))

    monkeypatch.setattr(listening, "say", say)
    kept = ("--name", "kept", "--store", "runs.db")
    try:
        typed = mensura("assess", "--listen", place, *SMALL, *kept)
    finally:
        ended = [client.wait(60) for client in clients]
    assert typed.status == 0, typed.err
    assert ended == [0]
    assert "listen://" in typed.out
    assert len(secrets) == (place != "0")
    for secret in secrets:
        assert secret.encode() not in (tmp_path / "runs.db").read_bytes()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("place", "token"),
    [
        ("0", ""),
        pytest.param("0", "sesame", marks=pytest.mark.slow),  # what is made is checked alike
        ("0.0.0.0:0", ""),
    ],
    ids=["at this machine", "with a token", "with a token that is made"],
)
def test_a_program_that_reads_where_to_connect_is_assessed(
    place: str, token: str, tmp_path: Path
) -> None:
    given = ("--token", token) if token else ()
    kept = ("--name", "kept", "--store", str(tmp_path / "runs.db"))
    with start("--listen", place, *given, *SMALL, *kept) as command:
        assert command.stdout is not None
        line = command.stdout.readline()
        found = ANNOUNCED.fullmatch(line.removesuffix("\n"))
        assert found is not None, line
        assert (found[2] is not None) == (place != "0")
        program = [sys.executable, str(CLIENT), "connect", found[1], found[2] or token]
        with subprocess.Popen(program) as client:
            out, errors = command.communicate(timeout=300)
            assert command.returncode == 0, errors
            assert client.wait(60) == 0
    assert "listen://" in out
    for secret in filter(None, (token, found[2])):
        assert secret.encode() not in (tmp_path / "runs.db").read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--listen", "here"), "--listen 'here' is not understood; write a port as 7001"),
        (("random", "--token", "x"), "say where they do with --listen PORT"),
        ((), "Name who is assessed"),
        (("cmd:no-such-program",), "There is no program no-such-program on the PATH."),
        (("cmd:./no-such-program",), "There is no program ./no-such-program; a path is read from"),
        (("cmd:false",), "cmd:false died while starting: exit status 1."),
        (("cmd:sh 'x",), "cannot be cut into words"),
        (("cmd:/etc/passwd",), "may not be executed; make it so with: chmod +x /etc/passwd"),
        (("cmd:/etc",), "/etc is a folder; name a program in it"),
        (("cmd:cat?x=1",), "write arguments"),
        (("tcp://127.0.0.1:1",), "Nobody listens at tcp://127.0.0.1:1; start the program first."),
    ],
)
def test_what_cannot_be_assessed_is_told_in_a_sentence(
    mensura: Any, words: tuple[str, ...], sentence: str
) -> None:
    typed = mensura("assess", *words, *SMALL)
    assert typed.status == 2
    assert sentence in " ".join(typed.err.split())


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("7001", "listen://127.0.0.1:7001"),
        ("0.0.0.0:7001", "listen://0.0.0.0:7001"),
        ("[::1]:7001", "listen://[::1]:7001"),
        ("my-host.example.org:7001", "listen://my-host.example.org:7001"),
    ],
)
def test_where_to_listen_can_be_said_shortly(place: str, address: str) -> None:
    assert listening.address_of(place) == address


@pytest.mark.parametrize("place", ["", "host", "host:", "a b:7001", "http://host:7001", "a+b:7001"])
def test_other_places_are_refused(place: str) -> None:
    with pytest.raises(MensuraError, match="not understood"):
        listening.address_of(place)


def test_the_command_in_a_record_holds_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["assess", "--token", "a", "--token=b", "listen://h:1?token=c&x=1", "--seed", "5"]
    monkeypatch.setattr(sys, "argv", ["mensura", *words])
    assert listening.shown_arguments() == [
        *("assess", "--token", "...", "--token=..."),
        *("listen://h:1?token=...&x=1", "--seed", "5"),
    ]
