"""Agents that are forked from the nursery: no different from those that start as a fresh interpreter, but sooner."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_process import act, ask, begin
from tests.agents.toy import write_agent

from mensura.agents.address import parse
from mensura.agents.isolation import launching
from mensura.agents.isolation.launching import Forked, Nursery, Spawned
from mensura.agents.process import Child, ProcessPlayer, ProcessSubject

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are nurseries on Linux only")

Sit = Callable[[str], ProcessPlayer]

TELLS = """
    import gc, os, random, signal, sys, threading
    count = 0
    class A:
        def act(self, observation, reward):
            global count
            count += 1
            import numpy
            return {
                "environment": dict(os.environ) | {"HOME": "", "TMPDIR": ""},
                "path": sys.path,
                "arguments": sys.argv,
                "flags": [sys.flags.safe_path, sys.dont_write_bytecode, sys.flags.hash_randomization],
                "hash": hash("mensura"),
                "files": len(os.listdir("/proc/self/fd")),
                "signals": [str(signal.getsignal(one)) for one in sorted(signal.valid_signals())],
                "folder": os.getcwd(),
                "umask": os.umask(0),
                "leader": os.getsid(0) == os.getpid(),
                "threads": threading.active_count(),
                "limits": open("/proc/self/limits").read(),
                "status": [
                    line for line in open("/proc/self/status")
                    if line.split(":")[0] in ("Seccomp", "NoNewPrivs", "CapEff", "CapBnd", "Groups")
                ],
                "count": count,
                "drawn": [random.random(), numpy.random.rand()],
            }
"""


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    players = []

    def sit(code: str) -> ProcessPlayer:
        (part,) = parse(write_agent(tmp_path, code) + ":A")
        players.append(ProcessSubject(part).sit(1))
        return players[-1]

    yield sit
    for player in players:
        player.close()


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    launching._nursery.close()
    before = set(os.listdir("/dev/fd"))
    yield
    launching._nursery.close()
    assert set(os.listdir("/dev/fd")) <= before


def way(player: ProcessPlayer) -> type:
    channel: Any = player._channel
    assert isinstance(channel, Child)
    return type(channel._launched)


def told(player: ProcessPlayer) -> dict[str, Any]:
    assert ask(player, begin()).fault is None
    answer = ask(player, act())
    assert answer.fault is None, answer
    found: dict[str, Any] = answer.value
    return found


def fresh(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Nursery, "launched", lambda self, cage: None)


def test_an_agent_finds_what_a_fresh_interpreter_has(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked = sit(TELLS)
    assert way(forked) is Forked
    found = told(forked)
    fresh(monkeypatch)
    spawned = sit(TELLS)
    assert way(spawned) is Spawned
    other = told(spawned)
    for one in (found, other):
        del one["drawn"]
        one["files"] = one["files"] <= 6  # the streams, two for the protocol, and the folder itself
    assert found == other


def test_sittings_share_nothing(sit: Sit) -> None:
    first, second = told(sit(TELLS)), told(sit(TELLS))
    assert first["count"] == second["count"] == 1
    assert set(first["drawn"]).isdisjoint(second["drawn"])


def test_files_of_the_subject_are_not_read_before_it_is_in_its_cage(
    sit: Sit, tmp_path: Path
) -> None:
    for name in ("numpy", "json", "mensura", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('outside')")
    assert told(sit(TELLS))["count"] == 1


@pytest.mark.parametrize(
    "end",
    [
        *(
            pytest.param(end, marks=pytest.mark.thorough)
            for end in (
                "os._exit(3)",
                "sys.exit('enough')",
                "os.kill(os.getpid(), 15)",
                "os.abort()",
                "(print('last words', file=sys.stderr), os._exit(0))",
            )
        ),
        "os.kill(os.getpid(), 9)",
    ],
)
def test_it_ends_with_the_same_words(sit: Sit, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    code = f"import os, sys\nclass A:\n    def act(self, observation, reward): {end}"

    def fault() -> Any:
        player = sit(code)
        ask(player, begin())
        return ask(player, act()).fault

    found = fault()
    fresh(monkeypatch)
    assert found == fault()
    assert found is not None


def test_a_nursery_that_died_is_replaced(sit: Sit) -> None:
    assert way(sit(TELLS)) is Forked
    process = launching._nursery._process
    assert process is not None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert told(sit(TELLS))["count"] == 1  # by a fresh interpreter
    assert way(sit(TELLS)) is Forked


@pytest.mark.thorough
def test_a_nursery_that_cannot_live_is_not_tried_for_ever(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    nursery, tries = Nursery(), []

    def die(cage: Any) -> None:
        tries.append(cage)
        raise OSError("no room")

    monkeypatch.setattr(nursery, "_start", die)
    monkeypatch.setattr(launching, "_nursery", nursery)
    assert [way(sit(TELLS)) for _ in range(5)] == [Spawned] * 5
    assert len(tries) == launching.MOST_DEATHS


def test_who_sits_stays_when_the_nursery_ends(sit: Sit) -> None:
    player = sit(TELLS)
    launching._nursery.close()
    assert told(player)["count"] == 1


def test_exit_functions_and_threads_come_to_their_end(sit: Sit) -> None:
    player = sit(
        """
        import atexit, os, threading, time
        atexit.register(lambda: os.write(2, b"bye\\n"))
        class A:
            def act(self, observation, reward):
                threading.Thread(target=lambda: (time.sleep(0.1), os.write(2, b"late\\n"))).start()
                return 1
        """
    )
    ask(player, begin())
    ask(player, act())
    channel: Any = player._channel
    player.close()
    assert channel._words == b"late\nbye\n"
