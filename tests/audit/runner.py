"""Plays the cells of a law that have no result in this state of the code, and writes its table once all have one."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.audit import tables
from tests.audit.choice import failed_once, remember
from tests.audit.code import Code, commit
from tests.audit.journal import Journal, Result, of_state, read
from tests.audit.law import Law, group
from tests.audit.laws import load
from tests.audit.workers import Crew, Outcome

SAID_EVERY = 20.0
"""Seconds between two lines of progress."""

LOOKED_EVERY = 1.0
"""Seconds after which it is looked whether the code has changed."""


class ChangedError(Exception):
    """The code is not what it was when this call began."""


@dataclass(frozen=True)
class Call:
    """How the cells are played in this call."""

    root: Path
    jobs: int
    limit: float
    """Seconds that a cell may take."""
    until: float
    """No cell is begun after this time."""
    again: bool
    """Whether cells that failed are played once more."""


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def journal_of(name: str, root: Path) -> Path:
    return root / ".cache" / "audit" / f"{name}.jsonl"


class Standing:
    """How far a law is: its cells, and the results that count."""

    def __init__(self, address: str, root: Path) -> None:
        self.law: Law = load(address)
        self.root = root
        self.cells = list(self.law.cells())
        self.code = Code(address, self.cells, root)
        before = read(journal_of(self.law.name, root))
        self.results = of_state(before, self.code.state)
        self._seconds = {result.cell: result.seconds for result in before}

    def missing(self, again: bool = False) -> list[str]:
        """Cells to play, those that failed too if they are to be played again."""
        results = self.results
        return [
            cell
            for cell in self.cells
            if cell not in results or (again and results[cell].failure is not None)
        ]

    def failed(self) -> list[Result]:
        return [result for cell in self.cells if (result := self._failure(cell))]

    def _failure(self, cell: str) -> Result | None:
        result = self.results.get(cell)
        return result if result and result.failure is not None else None

    def refuse_changes(self) -> None:
        if self.code.changed():
            raise ChangedError(self.law.name)

    def add(self, result: Result) -> None:
        self.results[result.cell] = result
        self._seconds[result.cell] = result.seconds

    def seconds_left(self, cells: Sequence[str], jobs: int) -> float | None:
        """By what they took before, in whatever state of the code, or as long as others do."""
        if not self._seconds:
            return None
        mean = sum(self._seconds.values()) / len(self._seconds)
        return sum(self._seconds.get(cell, mean) for cell in cells) / jobs

    def sentence(self, jobs: int) -> str:
        """How far it is, and how long the rest takes."""
        missing = self.missing()
        played = f"{len(self.cells) - len(missing)} of {len(self.cells)} cells"
        left = self.seconds_left(missing, jobs)
        rest = f", about {duration(left)} left" if missing and left is not None else ""
        return f"{self.law.name}: {played} played, {len(self.failed())} failed{rest}"

    def write(self) -> None:
        """Its table and the page, where all cells have been played."""
        if self.cells and not self.missing():
            table = tables.rows(self.results[cell] for cell in self.cells)
            tables.write(tables.table_of(self.law.name, self.root), table)


def duration(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 1.5:
        return f"{seconds:.0f} s"
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def play(address: str, call: Call) -> Standing:
    """Play what is missing; whoever interrupts it loses the cells under way."""
    standing = Standing(address, call.root)
    path = journal_of(standing.law.name, call.root)
    say(standing.sentence(call.jobs))
    cells = standing.missing(call.again)
    if cells and time.monotonic() < call.until:
        journal = Journal(path)
        crew = Crew(address, call.jobs, call.limit, path.with_suffix(".txt"))
        try:
            _play(standing, call, crew, journal, cells)
            standing.refuse_changes()
        finally:
            crew.close()
            journal.close()
    standing.write()
    return standing


def _play(
    standing: Standing, call: Call, crew: Crew, journal: Journal, cells: Sequence[str]
) -> None:
    said = looked = time.monotonic()
    here = commit(call.root)
    for outcome in crew.play(cells, call.until):
        if time.monotonic() - looked > LOOKED_EVERY:
            standing.refuse_changes()
            looked = time.monotonic()
        if outcome:
            result = _result(outcome, standing.code.state, here)
            journal.add(result)
            standing.add(result)
            if result.failure is not None:
                say(f"failed: {result.cell}: {result.failure}")
                _remember(standing.law, result.cell, call.root)
        if time.monotonic() - said > SAID_EVERY:
            say(standing.sentence(call.jobs))
            said = time.monotonic()


def _result(outcome: Outcome, state: str, here: str) -> Result:
    day = datetime.now(UTC).date().isoformat()
    return Result(outcome.cell, outcome.failure, round(outcome.seconds, 3), state, here, day)


def _remember(law: Law, cell: str, root: Path) -> None:
    """One of each group: a fault may show in hundreds of cells, and `make test` has seconds for them."""
    known = [*law.fixed(), *failed_once(law.name, root)]
    if group(cell) not in map(group, known):
        remember(law.name, cell, root)
