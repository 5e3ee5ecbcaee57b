"""The fuzzer finds what it should, and finds nothing in the parser."""

import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[2] / "fuzz"
sys.path.insert(0, str(FUZZ))
try:
    import fuzz_protocol  # type: ignore[import-not-found]
finally:
    sys.path.remove(str(FUZZ))

from mensura.agents import peer, protocol  # noqa: E402

SEEDS = [file.read_bytes() for file in sorted((FUZZ / "corpus").iterdir())]


@pytest.mark.parametrize("data", SEEDS)
def test_every_seed_has_a_defined_outcome(data: bytes) -> None:
    fuzz_protocol.read_everything(data)


def test_nothing_that_a_program_says_breaks_the_parser(full_size: bool) -> None:
    files = [protocol.__file__, peer.__file__]
    rounds = 200_000 if full_size else 1500
    kept, number = fuzz_protocol.fuzz(fuzz_protocol.read_everything, files, SEEDS, rounds=rounds)
    assert number == rounds
    assert len(kept) > len(SEEDS)  # it reached code that no seed reaches


def deep(data: bytes) -> None:
    """Breaks on one beginning that nobody would draw by chance."""
    if data[:1] != b"{":
        return
    if data[1:2] != b"[":
        return
    if data[2:3] != b"]":
        return
    if data[3:4] != b",":
        return
    raise RuntimeError("found")


def test_the_fuzzer_is_guided_by_what_runs() -> None:
    with pytest.raises(RuntimeError, match="found") as caught:
        fuzz_protocol.fuzz(deep, [__file__], [b"x"], rounds=50_000)
    assert "with the input b'{[]," in caught.value.__notes__[0]
