"""A small law whose cells hold, fail, wait for the test, or take their process with them."""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.audit.code import ROOT

LAW = """
import os
import signal
import time
from pathlib import Path

from tests.audit.law import Law

HERE = Path(__file__).parent
CELLS = {cells}


def check(cell):
    with (HERE / "played").open("a") as file:
        file.write(f"{{cell}} {{os.getpid()}}\\n")
    if "wait" in cell:
        while not (HERE / "open").exists():
            time.sleep(0.01)
    if "die" in cell:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "raise" in cell:
        raise ValueError("that is\\nwrong")
    return "it is wrong" if "wrong" in cell else None


LAW = Law("toy", "Toys hold.", lambda: CELLS, check, lambda: CELLS[:1], lambda: CELLS[1:])
"""

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Toy:
    """A law in a folder that stands for a checkout."""

    root: Path
    module: str

    @property
    def address(self) -> str:
        return f"{self.module}:LAW"

    @property
    def file(self) -> Path:
        return self.root / f"{self.module}.py"

    @property
    def journal(self) -> Path:
        return self.root / ".cache" / "audit" / "toy.jsonl"

    def played(self) -> list[str]:
        """The cells that were begun, in that order."""
        return [line.split()[0] for line in self._lines()]

    def process_of(self, cell: str) -> int:
        """Of the one that began it; waits until one has."""
        wait_until(lambda: cell in self.played())
        return next(int(line.split()[1]) for line in self._lines() if line.startswith(cell))

    def open(self) -> None:
        """Let cells that wait go on."""
        (self.root / "open").touch()

    def command(self, *options: str) -> list[str]:
        here = ("--law", self.address, "--root", str(self.root), "--jobs", "1")
        return [sys.executable, "-m", "tests.audit", *here, *options]

    def settings(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.root), str(ROOT)])}

    def _lines(self) -> list[str]:
        path = self.root / "played"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        return [line for line in lines if line.endswith("\n")]


def make_toy(root: Path, cells: list[str], patch: pytest.MonkeyPatch) -> Toy:
    """A law of these cells, which this process can import too."""
    toy = Toy(root, f"toy_{os.getpid()}_{next(_NUMBERS)}")
    toy.file.write_text(LAW.format(cells=cells), encoding="utf-8")
    patch.syspath_prepend(str(root))
    return toy


def wait_until(happens: Callable[[], bool]) -> None:
    """For a minute at most."""
    for _ in minute():
        if happens():
            return
    raise AssertionError("it did not happen")


def minute() -> Iterator[None]:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        yield
        time.sleep(0.01)


def lives(process: int) -> bool:
    """Whether it runs; one that ended may wait for somebody to look."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
