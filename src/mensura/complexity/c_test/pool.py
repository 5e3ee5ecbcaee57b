"""All series that programs up to a length print, each with its cheapest program: the source of fresh items.

They are enumerated once and kept in the user's cache folder, in a file named by the version of the enumeration and the
length. The enumeration takes a bounded amount of memory, and refuses a length that has more series than that.
"""

import os
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mensura.complexity.c_test.instructions import Program
from mensura.complexity.c_test.kernels import enumeration as kernel
from mensura.complexity.c_test.machine import least_shown, scale_value

VERSION = 1
"""A part of the file's name: to be raised when other series are kept, other programs, or another order."""

LETTERS_KEPT = 12
STEPS = 120
"""For the letters that are kept: 8 instructions that write one letter of 12 need 96."""

LONGEST = 10
"""Programs of more instructions have more series than the table holds."""

TABLE = 1 << 20
WORK = 50_000_000
"""Steps between two looks at the clock: a fraction of a second."""


@dataclass(frozen=True)
class Pool:
    """The series, in the order of their cost and then of the alphabet. All arrays have a row for each."""

    letters: NDArray[np.int8]
    """The first letters, (series, 12)."""
    codes: NDArray[np.int64]
    """The cheapest program, 4 bits for each instruction (`program`)."""
    k: NDArray[np.int8]
    """On the published scale, of that program."""
    least: NDArray[np.int8]
    """How many letters have to be shown until each WRITE has run twice; 0 if that takes more than there are."""

    def __len__(self) -> int:
        """How many series there are."""
        return len(self.codes)

    def program(self, at: int) -> Program:
        """The cheapest program of a series."""
        return unpacked(int(self.codes[at]))


def unpacked(code: int) -> Program:
    """The program of a code: 4 bits for each instruction, the first lowest, plus 1 each."""
    program = []
    while code:
        program.append((code & 15) - 1)
        code >>= 4
    return tuple(program)


def enumerate_programs(length: int, progress: Callable[[float], None] | None = None) -> Pool:
    """Enumerate all programs up to a length; `progress` is told the seconds so far."""
    if not 1 <= length <= LONGEST:
        raise ValueError(
            f"Programs of 1 to {LONGEST} instructions can be enumerated, not of {length}."
        )
    walk = np.zeros(kernel.WALK, np.int64)
    walk[[kernel.LENGTH, kernel.STEPS, kernel.KEPT]] = length, STEPS, LETTERS_KEPT
    program, choices = np.zeros(length + 1, np.int64), np.zeros(length + 1, np.int64)
    states = np.zeros((length + 1, kernel.STATE), np.int64)
    keys, costs, codes = (np.zeros(TABLE, np.int64) for _ in range(3))
    start, state = time.monotonic(), kernel.UNFINISHED
    while state == kernel.UNFINISHED:
        state = int(kernel.enumerate_door(walk, program, choices, states, keys, costs, codes, WORK))
        if progress is not None:
            progress(time.monotonic() - start)
    if state == kernel.FULL:
        raise ValueError(
            f"Programs of up to {length} instructions print more series than can be kept."
        )
    return _pool(keys, costs, codes)


def _pool(keys: NDArray[np.int64], costs: NDArray[np.int64], codes: NDArray[np.int64]) -> Pool:
    """The table in its order, with what is told of each program."""
    filled = np.flatnonzero(keys)
    order = filled[np.lexsort((keys[filled], costs[filled]))]
    shifts = 5 * np.arange(LETTERS_KEPT - 1, -1, -1)
    letters = ((keys[order, None] - 1) >> shifts) & 31
    programs = [unpacked(int(code)) for code in codes[order]]
    return Pool(
        letters.astype(np.int8),
        codes[order],
        np.array([scale_value(program) for program in programs], np.int8),
        np.array([least_shown(program, LETTERS_KEPT) or 0 for program in programs], np.int8),
    )


@lru_cache(maxsize=4)
def pool_of(length: int) -> Pool:
    """The series of programs up to a length: from this process, from the user's cache folder, or enumerated."""
    path = cache_folder() / f"c-test-{VERSION}-{length}.npz"
    pool = _read(path)
    if pool is None:
        pool = enumerate_programs(length)
        _keep(path, pool)
    return pool


def cache_folder() -> Path:
    """Where this user's programs keep what they can make again, as the system has it."""
    home = Path(os.path.expanduser("~"))  # never raises, as Path.home() may
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "mensura"


def _read(path: Path) -> Pool | None:
    """The kept series; None if there are none, or the file is damaged."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            return Pool(**{field.name: data[field.name] for field in fields(Pool)})
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _keep(path: Path, pool: Pool) -> None:
    """Keep the series, whole or not at all; a folder that cannot be written to costs only the time next time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
            np.savez(part, **{field.name: getattr(pool, field.name) for field in fields(Pool)})
        Path(part.name).replace(path)
    except OSError:
        return
