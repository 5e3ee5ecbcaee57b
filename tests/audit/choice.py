"""What `make test` plays of a law: its fixed cells, some drawn by the day of the commit, and those that once failed."""

from __future__ import annotations

import fcntl
import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path

from tests.audit.code import ROOT, git
from tests.audit.law import Law

A_DAY = 6
"""So many cells of a law are drawn for a day."""


def chosen(law: Law, day: str, root: Path = ROOT) -> list[str]:
    """The cells to play, each once."""
    always = dict.fromkeys([*law.fixed(), *failed_once(law.name, root)])
    return [*always, *drawn([cell for cell in law.daily() if cell not in always], day)]


def drawn(cells: Sequence[str], day: str) -> list[str]:
    """Those whose lot is the smallest; it depends on the day and the cell alone: a new cell moves at most one other."""

    def lot(cell: str) -> bytes:
        return hashlib.blake2b(f"{day} {cell}".encode()).digest()

    return sorted(cells, key=lot)[:A_DAY]


def day_of_the_commit(root: Path = ROOT) -> str:
    """The date of the commit, so that its tests are always the same; outside of a checkout, the version."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return git(root, "log", "-1", "--format=%cs") or str(project["version"])


def failures(name: str, root: Path = ROOT) -> Path:
    """The file with the cells of a law that failed once. It is committed with whatever mends them."""
    return root / "tests" / "audit" / "failed" / f"{name}.txt"


def failed_once(name: str, root: Path = ROOT) -> list[str]:
    path = failures(name, root)
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def remember(name: str, cell: str, root: Path = ROOT) -> None:
    """Let `make test` play a cell that failed from now on."""
    path = failures(name, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # several processes test at the same time
        file.seek(0)
        if cell not in file.read().split():
            file.write(f"{cell}\n")
