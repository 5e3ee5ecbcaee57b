"""Looks for a line that breaks whoever reads what programs say.

    python fuzz/fuzz_protocol.py --seconds 60          with our own loop, which needs nothing
    python fuzz/fuzz_protocol.py --atheris             with atheris (libFuzzer), where it is installed

Both mutate the lines of ``fuzz/corpus`` and keep what reaches code that nothing reached before.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from types import CodeType, FrameType
from typing import Any

import numpy as np

from mensura.agents import peer, protocol
from mensura.core.errors import MensuraError

CORPUS = Path(__file__).parent / "corpus"
LAST = 5
"""The number of the last ask."""

Target = Callable[[bytes], None]


def read_everything(data: bytes) -> None:
    """Read bytes in every way in which a program is read; whatever they are, each has a defined outcome."""
    lines = peer.Lines()
    chunk = 1 + len(data) % 7
    cut = [line for at in range(0, len(data), chunk) for line in lines.cut(data[at : at + chunk])]
    assert cut == data.split(b"\n")[:-1]
    for line in (*cut, data):
        number, value, fault = protocol.read_reply(line, LAST)
        assert number is None or protocol.HELLO < number <= LAST
        assert number is not None or fault is not None
        if fault is None:
            json.dumps(value, allow_nan=False)
        else:
            assert fault[0] in ("raised", "garbled")
            assert len(fault[1]) <= 500
            assert "\n" not in fault[1]
        try:
            version, speakers = protocol.greeting(line, seats=2)
        except (ValueError, RecursionError, MensuraError):
            pass
        else:
            assert type(version) is int
            assert speakers <= {0, 1}
        try:
            version, token = protocol.introduction(line)
        except (ValueError, RecursionError):
            pass
        else:
            assert type(version) is int
            assert isinstance(token, str)


# Our own loop ---------------------------------------------------------------------


class Coverage:
    """Which lines of some files ran after which other ones."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = frozenset(files)
        self.seen: set[tuple[CodeType, int, int]] = set()

    def run(self, target: Target, data: bytes) -> int:
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
    *(b'"id"', b'"value"', b'"error"', b'"kind":"garbled"', b'"version"', b'"speakers":[0]'),
    *(b"{", b"}", b"[", b"]", b":", b",", b"\n", b"1e999", b"NaN", b"null", b"true", b"\\ud800"),
    *(b"\xff", b"\x00", b"-0", b"0", b"1", b"9" * 5000, b"[" * 3000, b'{"a":' * 3000),
)
"""Pieces that are worth inserting."""


def mutated(data: bytes, corpus: Sequence[bytes], rng: np.random.Generator) -> bytes:
    """The data with a few changes."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(len(out) + 1))
        kind = int(rng.integers(6))
        if kind == 0 and out:
            out[at % len(out)] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del out[at : at + int(rng.integers(1, 9))]
        elif kind == 2:
            out[at:at] = WORDS[int(rng.integers(len(WORDS)))]
        elif kind == 3:
            out[at:at] = bytes(rng.integers(0, 256, int(rng.integers(1, 5)), np.uint8))
        elif kind == 4:
            out[at:at] = out[: int(rng.integers(len(out) + 1))]
        else:
            other = corpus[int(rng.integers(len(corpus)))]
            out[at:] = other[int(rng.integers(len(other) + 1)) :]
    return bytes(out[: 1 << 16])


def fuzz(
    target: Target,
    files: Sequence[str],
    corpus: Sequence[bytes],
    *,
    rounds: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
) -> tuple[list[bytes], int]:
    """Mutate, run, keep what is new: the corpus as it has grown, and how many inputs were run.

    What the target raises goes on, with the input beside it.
    """
    coverage = Coverage(files)
    rng = np.random.Generator(np.random.PCG64(seed))
    kept = list(corpus)
    until = None if seconds is None else monotonic() + seconds
    number = 0
    for data in corpus:
        coverage.run(target, data)
    while (rounds is None or number < rounds) and (until is None or monotonic() < until):
        data = mutated(kept[int(rng.integers(len(kept)))], kept, rng)
        number += 1
        try:
            if coverage.run(target, data):
                kept.append(data)
        except Exception as error:
            error.add_note(f"with the input {data[:2000]!r}")
            raise
    return kept, number


def main() -> None:
    """Fuzz from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", action="store_true", help="use atheris; its options follow")
    chosen, further = parser.parse_known_args()
    if chosen.atheris:
        import atheris  # type: ignore[import-not-found]

        atheris.instrument_all()
        atheris.Setup([sys.argv[0], *further, str(CORPUS)], read_everything)
        atheris.Fuzz()
        return
    corpus = [file.read_bytes() for file in sorted(CORPUS.iterdir())]
    files = [protocol.__file__, peer.__file__]
    kept, number = fuzz(read_everything, files, corpus, seconds=chosen.seconds, seed=chosen.seed)
    sys.stdout.write(f"{number} inputs, {len(kept) - len(corpus)} of them new to the code\n")


if __name__ == "__main__":
    main()
