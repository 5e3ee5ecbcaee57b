"""What is asked of a learner after some phases, and what was found so far."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from mensura.studies.phases import Path


@dataclass(frozen=True)
class Look:
    """What is asked of a learner after some phases: how well it does in tasks, and how much it has learned."""

    path: Path
    tests: frozenset[str] = frozenset()
    """The identities of the tasks in which performance is measured."""
    weigh: bool = False
    """Whether the memory is compressed: in all, and what the last phase added to it."""


def joined_looks(looks: Iterable[Look]) -> list[Look]:
    """One look for each path, shared beginnings one after another."""
    found: dict[Path, Look] = {}
    for one in looks:
        had = found.get(one.path, Look(one.path))
        found[one.path] = Look(one.path, had.tests | one.tests, had.weigh or one.weigh)
    return [found[path] for path in sorted(found)]


@dataclass
class Count:
    """What it took."""

    trainings: int = 0
    """Phases that were begun."""
    interactions: int = 0
    """Interactions of training."""
    tests: int = 0
    faults: int = 0
    """Answers of the subject that were none."""


class Outcome(NamedTuple):
    """A test, as it is noted."""

    performance: float
    interactions: int
    faults: int


@dataclass
class Seen:
    """What looks found."""

    performance: dict[tuple[Path, str], float] = field(default_factory=dict)
    tested: dict[tuple[Path, str], Outcome] = field(default_factory=dict)
    """The same with what the tests took."""
    bits: dict[Path, int] = field(default_factory=dict)
    """The length of a memory when it is compressed."""
    added: dict[Path, int] = field(default_factory=dict)
    """The length of what the last phase added to it."""
    is_kept: bool = True
    """Whether the subject could be saved; else it was trained anew for each look."""
    count: Count = field(default_factory=Count)
    used: dict[str, float] = field(default_factory=dict)
    """What a subject that is asked over a network took, by the names of measures."""


class Notebook:
    """What was found of one learner so far, a line for each thing; in a file it outlives a kill.

    Whatever is noted once is not found out again, so that a learner goes on where it was stopped.
    """

    def __init__(self, path: FilePath | None = None) -> None:
        self.tested: dict[tuple[str, str], Outcome] = {}
        """By the name of a memory and the identity of a task."""
        self.weighed: dict[str, tuple[int, int | None]] = {}
        """By the name of a memory: its bits, and those that the last phase added."""
        self.faults: dict[str, int] = {}
        """By the name of a memory: the faults in the training that led to it from the stop before."""
        self.used: dict[str, dict[str, float]] = {}
        """By the name of a memory, with that of a task in tests: what a subject took that is asked over a network."""
        self._path = path
        text = b""
        if path is not None and path.exists():
            text = path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        if len(whole) < len(text) and path is not None:
            path.write_bytes(whole)  # the last line of a process that died while writing it
        for line in whole.splitlines():
            self._take(*json.loads(line))

    def test(self, name: str, task: str, found: Outcome) -> None:
        """Note a test."""
        self._note("tested", name, task, *found)

    def weigh(self, name: str, bits: int, added: int | None) -> None:
        """Note the size of a memory."""
        self._note("weighed", name, bits, added)

    def train(self, name: str, faults: int) -> None:
        """Note what went wrong in training."""
        self._note("trained", name, faults)

    def use(self, name: str, used: dict[str, float]) -> None:
        """Note what training or a test took of a subject that is asked over a network."""
        if used:
            self._note("used", name, used)

    def forget(self) -> None:
        """Remove the file: what was found is safe elsewhere."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _take(self, kind: str, name: str, *told: Any) -> None:
        if kind == "tested":
            self.tested[name, told[0]] = Outcome(*told[1:])
        elif kind == "weighed":
            self.weighed[name] = (told[0], told[1])
        elif kind == "used":
            self.used[name] = told[0]
        else:
            self.faults[name] = told[0]

    def _note(self, *told: Any) -> None:
        self._take(*told)
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(json.dumps(told).encode() + b"\n")
