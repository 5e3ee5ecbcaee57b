"""The search for inputs that break a reader finds what it should, and finds nothing in ours."""

from typing import Any

import pytest
from fuzz.loop import Reader, search

ROUNDS = {
    "programs": 100,
    "items": 300,
    "probes": 100,
    "protocol": 300,
    "answers": 300,
    "addresses": 300,
    "studies": 30,
    "phases": 60,
    "families": 5,
    "tasks": 20,
    "environments": 300,
    "rules": 60,
    "problems": 100,
    "skeletons": 100,
    "commands": 60,
    "streams": 300,
    "pools": 30,
    "models": 40,
    "leaderboards": 20,
    "logs": 100,
    "pdf": 30,
    "frames": 60,
    "sockets": 60,
    "bodies": 30,
    "messages": 30,
}
"""By how long each takes to read."""


FROM_AFAR = (
    *("protocol", "answers", "addresses", "studies", "tasks", "commands"),
    *("pools", "models", "leaderboards", "frames", "sockets"),
)
"""What strangers send or people write by hand; the others are for `make thorough`."""


@pytest.mark.parametrize(
    "name",
    [
        name if name in FROM_AFAR else pytest.param(name, marks=pytest.mark.thorough)
        for name in ROUNDS
    ],
)
def test_nothing_that_others_write_breaks_who_reads_it(name: str, full_size: bool) -> None:
    from fuzz.readers import READERS

    assert list(READERS) == list(ROUNDS)
    rounds = ROUNDS[name] * (100 if full_size else 1)
    found = search(READERS[name], rounds=rounds)
    assert found.broken == {}
    assert found.inputs == rounds
    assert (
        found.new or not READERS[name].files
    )  # it reached code that no text of the corpus reaches


def deep(data: bytes) -> None:
    """Breaks on one beginning that nobody would draw by chance."""
    if data[:1] != b"{":
        return
    if data[1:2] != b"[":
        return
    if data[2:3] != b"]":
        return
    raise RuntimeError("found")


@pytest.mark.thorough
def test_the_search_is_guided_by_what_runs() -> None:
    found = search(Reader(deep, (__file__,), (b"x",)), rounds=30_000)
    ((data, error),) = found.broken.values()
    assert data.startswith(b"{[]")
    assert error == "RuntimeError: found"


def test_what_never_ends_and_what_takes_all_memory_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fuzz.loop.FIRST_SECONDS", 0.2)

    def endless(data: bytes) -> Any:
        while data:
            pass

    def greedy(data: bytes) -> None:
        raise MemoryError

    for read, kind in ((endless, "TimeoutError"), (greedy, "MemoryError")):
        found = search(Reader(read, (), (b"x",)), rounds=0)
        assert [where.rpartition(" ")[2] for where in found.broken] == [kind]


BROKEN_BEFORE = {
    "models": (b"[" * 100_000, b"3"),
    "frames": (b"a:" + b"9" * 5000,),
    "sockets": (
        b"\x81\x81\0\0\0\0a\x89\x81\0\0\0\0p\x88\x82\0\0\0\0\x03\xe8<<: ",
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
    ),
}
"""What the search found, by reader."""


@pytest.mark.parametrize("name", BROKEN_BEFORE)
def test_what_broke_a_reader_is_refused(name: str) -> None:
    from fuzz.readers import READERS

    for data in BROKEN_BEFORE[name]:
        READERS[name].read(data)
