"""The results so far: one line each, appended, so that whoever is killed has lost no line that was written."""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

FORCED_EVERY = 1.0
"""Seconds after which lines are forced to the disk: only a machine that stops loses those that were not."""


@dataclass(frozen=True)
class Result:
    """What came of a cell, once."""

    cell: str
    failure: str | None
    seconds: float
    state: str
    """Of the code (`code.py`)."""
    commit: str
    day: str


class InUseError(Exception):
    """Somebody else is writing."""


class Journal:
    """The results of one law. Nobody else writes them meanwhile, so that no cell is played by two."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise InUseError(path.stem) from None
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":  # torn
            os.write(self._file, b"\n")
        self._forced = time.monotonic()

    def add(self, result: Result) -> None:
        os.write(self._file, json.dumps(asdict(result)).encode() + b"\n")
        if time.monotonic() - self._forced > FORCED_EVERY:
            os.fsync(self._file)
            self._forced = time.monotonic()

    def close(self) -> None:
        os.fsync(self._file)
        os.close(self._file)


def read(path: Path) -> list[Result]:
    """All results, in the order in which they came; a line that was torn is none."""
    results = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError, TypeError):
            results.append(Result(**json.loads(line)))
    return results


def of_state(results: list[Result], state: str) -> dict[str, Result]:
    """The last result of each cell in this state of the code."""
    return {result.cell: result for result in results if result.state == state}
