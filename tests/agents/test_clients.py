"""The clients of the examples play whole sittings, over everything that they say they speak."""

import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.ports import free_port

from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.listening import Listener
from mensura.assessments.attempts import Attempts
from mensura.assessments.battery import Battery
from mensura.core.players import Subject
from mensura.core.registry import WORLDS
from mensura.studies.runner import run
from mensura.studies.subjects import resolve

CLIENTS = Path(__file__).parents[2] / "examples" / "clients"
LIMITS = Limits()

NODE = shutil.which("node")
COMPILER = shutil.which("cc") or shutil.which("gcc")
BASH = shutil.which("bash")
needs_node = pytest.mark.skipif(NODE is None, reason="there is no node")
NEEDS = {
    "python": [],
    "node": [needs_node],
    "c": [pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")],
    "bash": [pytest.mark.skipif(BASH is None, reason="there is no bash")],
}
SOCKETS = ["python", pytest.param("node", marks=needs_node)]


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The words that start a client."""

    def command(language: str) -> list[str]:
        if language == "python":
            return [sys.executable, str(CLIENTS / "client.py")]
        if language == "node":
            return [str(NODE), str(CLIENTS / "client.js")]
        if language == "bash":
            return [str(BASH), str(CLIENTS / "client.sh")]
        made = tmp_path_factory.getbasetemp() / "client"
        if not made.exists():
            build = [str(COMPILER), "-O2", "-Wall", "-Werror", "-o", str(made)]
            subprocess.run([*build, str(CLIENTS / "client.c")], check=True)
        return [str(made)]

    return command


def world_of(name: str) -> Any:
    """A small world: two seats in Lambda Star."""
    small: dict[str, Any] = {
        "lambda": {"horizon": 20},
        "lambda-star": {"rows": 5, "cols": 5, "subjects": 2, "horizon": 20},
        "framotec": {},
    }
    return WORLDS.load(name)(**small[name])


def check_plays(subject: Subject, world: Any, sittings: int = 3) -> None:
    """It plays whole sittings without a fault, and does one thing and another."""
    assessment = (
        Attempts(sittings=sittings, attempts=1) if world.id == "framotec-v1" else Battery(sittings)
    )
    subject.name = "client"  # type: ignore[misc]  # whatever port it has, it draws the same
    result = run(world, [subject], assessment, 7, limits=LIMITS)
    (one,) = result.subjects
    assert one.lost == 0
    assert one.fault_examples == ()
    assert one.moments.count == sittings
    assert one.interactions >= sittings * 10
    if world.id != "framotec-v1":  # whose task nobody solves by chance
        assert one.moments.minimum < one.moments.maximum


@contextmanager
def started(words: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(words, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def quoted(words: list[str]) -> str:
    return "cmd:" + " ".join(words)


@pytest.mark.parametrize(
    ("language", "world"),
    [
        pytest.param(
            language,
            world,
            marks=needs
            if (language, world) == ("python", "lambda")
            else [*needs, pytest.mark.thorough],
        )
        for language, needs in NEEDS.items()
        for world in ("lambda", "lambda-star")
    ],
)
def test_clients_play_over_their_standard_streams(command: Any, language: str, world: str) -> None:
    home = world_of(world)
    check_plays(resolve(quoted(command(language)), home, limits=LIMITS), home)


@pytest.mark.parametrize("language", SOCKETS)
def test_clients_that_listen_play(command: Any, language: str) -> None:
    port = free_port()
    home = world_of("lambda-star")
    with started([*command(language), "listen", str(port)]):
        for _ in range(6000):
            with closing(socket.socket()) as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.01)
        check_plays(resolve(f"tcp://127.0.0.1:{port}", home, limits=LIMITS), home)


@pytest.mark.parametrize("language", SOCKETS)
def test_clients_that_connect_play_until_nobody_listens(command: Any, language: str) -> None:
    port = free_port()
    home = world_of("lambda")
    address = f"listen://127.0.0.1:{port}?token=sesame"
    listener = Listener.at(parse(address)[0])
    with started([*command(language), "connect", str(port), "sesame"]) as process:
        check_plays(resolve(address, home, limits=LIMITS), home)
        listener.close()
        assert process.stderr is not None
        assert (process.wait(60), process.stderr.read()) == (0, b"")


@pytest.mark.parametrize("language", SOCKETS)
def test_clients_that_connect_are_told_that_their_token_is_wrong(
    command: Any, language: str
) -> None:
    port = free_port()
    home = world_of("lambda")
    subject = resolve(
        f"listen://127.0.0.1:{port}?token=sesame", home, limits=Limits(seconds_to_start=1.0)
    )
    with started([*command(language), "connect", str(port), "open"]) as process:
        for _ in range(60):
            with pytest.raises(MensuraError, match="No program connected") as caught:
                subject.sit(1)
            if "refused" in str(caught.value):
                break
        assert re.search(r"No program connected .* refused", str(caught.value))
        assert process.wait(60) == 1
        assert process.stderr is not None
        assert b"The token is missing or wrong." in process.stderr.read()


@pytest.mark.thorough
@pytest.mark.parametrize("language", SOCKETS)
def test_clients_act_in_boxes(command: Any, language: str) -> None:
    home = world_of("framotec")
    check_plays(resolve(quoted(command(language)), home, limits=LIMITS), home)


@pytest.mark.parametrize("file", sorted(CLIENTS.iterdir()), ids=lambda file: file.name)
def test_clients_are_short(file: Path) -> None:
    assert len(file.read_text().splitlines()) < 60
