"""A search for inputs that break a reader, guided by what runs: it needs nothing but Python and NumPy."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from types import CodeType, FrameType
from typing import Any

import numpy as np

LONGEST = 1 << 16
"""So many bytes an input has at most."""

SECONDS = 20
"""Who takes so much processor time to read one input has been broken by it."""

FIRST_SECONDS = 300
"""For a text of the corpus: the first ones may compile kernels."""


@dataclass(frozen=True)
class Reader:
    """Whoever reads texts of others."""

    read: Callable[[bytes], None]
    """Reads it, and checks what came out; raises where the reader has no defined outcome."""
    files: tuple[str, ...]
    """The source files whose lines guide the search."""
    corpus: tuple[bytes, ...]
    """Texts that are right."""
    words: tuple[bytes, ...] = ()
    """Pieces that are worth inserting."""


def check_sentence(error: Exception) -> None:
    """What users are told says something, and is of a bearable length."""
    assert str(error)
    assert len(str(error)) < 5000


@dataclass
class Outcome:
    """What a search came to."""

    inputs: int = 0
    kept: list[bytes] = field(default_factory=list)
    """The corpus as it has grown."""
    new: int = 0
    """How many inputs reached what none had reached."""
    broken: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    """By the place where it broke: the first input that did it, and the error."""


def search(
    reader: Reader, *, rounds: int | None = None, seconds: float | None = None, seed: int = 0
) -> Outcome:
    """Mutate, read, keep what is new, until so many inputs were read or so much time has passed."""
    coverage = Coverage(reader.files)
    rng = np.random.Generator(np.random.PCG64(seed))
    found = Outcome(kept=list(reader.corpus))
    words = (*WORDS, *reader.words)
    for data in reader.corpus:
        _try(coverage, reader, data, found, FIRST_SECONDS)
    found.new = 0
    until = None if seconds is None else monotonic() + seconds
    while (rounds is None or found.inputs < rounds) and (until is None or monotonic() < until):
        found.inputs += 1
        first, second = (found.kept[at] for at in rng.integers(len(found.kept), size=2))
        shorter = min(first, second, key=len)  # more of them are read in the same time
        data = mutated(shorter, found.kept, words, rng)
        if _try(coverage, reader, data, found):
            found.kept.append(data)
    return found


def _try(
    coverage: Coverage, reader: Reader, data: bytes, found: Outcome, seconds: int | None = None
) -> bool:
    try:
        with _time_limit(seconds or SECONDS):
            new = coverage.run(reader.read, data)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename}:{last.lineno} {type(error).__name__}"
        found.broken.setdefault(where, (data, f"{type(error).__name__}: {error}"[:300]))
        return False
    found.new += bool(new)
    return bool(new)


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    def over(*_: Any) -> None:
        raise TimeoutError(f"it took longer than {seconds} s")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Coverage:
    """Which lines of some files ran after which other ones."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = frozenset(files)
        self.seen: set[tuple[CodeType, int, int]] = set()

    def run(self, target: Callable[[bytes], None], data: bytes) -> int:
        """Call the target; how much of what ran had never run before."""
        before = len(self.seen)
        tracer = sys.gettrace()  # of whoever measures coverage, or a debugger
        sys.settrace(self._called)
        try:
            target(data)
        finally:
            sys.settrace(tracer)
        return len(self.seen) - before

    def _called(self, frame: FrameType, event: str, value: Any) -> Any:
        if frame.f_code.co_filename not in self._files:
            return None
        last = 0

        def ran(frame: FrameType, event: str, value: Any) -> Any:
            nonlocal last
            self.seen.add((frame.f_code, last, frame.f_lineno))
            last = frame.f_lineno
            return ran

        return ran


WORDS = (
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"\n",
        b'"',
        b"'",
        b"- ",
        b"  ",
        b"(",
        b")",
        b"*",
        b"&a",
        b"<<: ",
    ),
    *(
        b"1e999",
        b"-1e308",
        b"NaN",
        b".inf",
        b"null",
        b"true",
        b"\\ud800",
        b"\xff",
        b"\x00",
        b"\x1b[2J",
        "\u202e".encode(),
    ),
    *(b"-0", b"0", b"1", b"-1", b"0.5", b"9" * 30, b"9" * 5000, b"[" * 3000, b'{"a":' * 3000),
)
"""Pieces that are worth inserting anywhere."""


def mutated(
    data: bytes, corpus: Sequence[bytes], words: Sequence[bytes], rng: np.random.Generator
) -> bytes:
    """The data with a few changes."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        # Half of them near the beginning, which long words would otherwise hide.
        at = int(rng.integers((len(out) if rng.integers(2) else min(len(out), 8)) + 1))
        kind = int(rng.integers(7))
        if kind == 0 and out:
            out[at % len(out)] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del out[at : at + int(rng.integers(1, 9))]
        elif kind == 2:
            out[at:at] = words[int(rng.integers(len(words)))]
        elif kind == 3:
            out[at:at] = bytes(rng.integers(0, 256, int(rng.integers(1, 5)), np.uint8))
        elif kind == 4:
            out[at:at] = out[: int(rng.integers(len(out) + 1))]
        elif kind == 5:  # a word in the place of a number or name
            end = at
            while end < len(out) and chr(out[end]).isalnum():
                end += 1
            out[at:end] = words[int(rng.integers(len(words)))]
        else:
            other = corpus[int(rng.integers(len(corpus)))]
            out[at:] = other[int(rng.integers(len(other) + 1)) :]
    return bytes(out[:LONGEST])
