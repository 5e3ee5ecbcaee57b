"""Whether entries of a leaderboard are what the records behind them say: made again from a store, and played again.

Whoever has the store of a run makes its entries again, to the last digit, and plays some of its sittings again, drawn
anew each time so that nobody knows which: subjects that are built in from their keys, others from the journal of their
answers. It shows that the entry, the records and the environments agree. It cannot show that somebody who holds a store
did not write the answers into its journal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from secrets import SystemRandom
from typing import TYPE_CHECKING

from mensura.agent.errors import MensuraError
from mensura.api.leaderboard_entry import Entry, cells_of, entries_of
from mensura.core.observation_words import counted
from mensura.records.cell import Cell

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store

SAMPLE = 3
"""So many sittings of each entry are played again by default."""

UNVERIFIED = "as told by whoever added it"
"""What is said of an entry that was not verified here."""

VERIFIED = "verified"


@dataclass(frozen=True)
class Verdict:
    """What came of verifying an entry."""

    entry: Entry
    is_verified: bool
    is_contradicted: bool
    """Whether the records say something else; not where there are none."""
    reason: str
    """What was played again, or why it is not verified, in a few words."""

    @property
    def words(self) -> str:
        """As tables say it."""
        return VERIFIED if self.is_verified else UNVERIFIED


def verify(entries: Sequence[Entry], store: Store, sample: int = SAMPLE) -> list[Verdict]:
    """A verdict on each entry, by the runs of a store; ``sample``: how many sittings of each are played again."""
    names = {run.name for run in store.runs()}
    verdicts = []
    for entry in entries:
        if entry.run not in names:
            verdicts.append(Verdict(entry, False, False, f"the store has no run {entry.run}"))
            continue
        try:
            verdicts.append(_verdict(entry, store, store.find(entry.run), sample))
        except MensuraError as error:
            verdicts.append(Verdict(entry, False, True, str(error).rstrip(".")))
    return verdicts


def _verdict(entry: Entry, store: Store, run: Run, sample: int) -> Verdict:
    problem = _difference(entry, store, run)
    if problem:
        return Verdict(entry, False, True, problem)
    cells = _cells(entry, store, run)
    numbers = _numbers(store.cells(run), cells)
    chosen = sorted(SystemRandom().sample(numbers, min(sample, len(numbers))))
    differing = [number for number in chosen if not _is_identical(store, run, number)]
    if differing:
        return Verdict(
            entry,
            False,
            True,
            f"sitting {differing[0]} gave other rewards when it was played again",
        )
    return Verdict(
        entry,
        bool(chosen),
        False,
        f"{len(chosen)} of {counted(len(numbers), 'sitting')} played again, with the same rewards to the bit",
    )


def _difference(entry: Entry, store: Store, run: Run) -> str:
    """In what an entry differs from what the records make of it, in a few words; nothing where it does not."""
    again = entries_of(store, run, [entry.subject], entry.extra, apart=True)
    same = [one for one in again if one.identity == entry.identity]
    if not same:
        return f"the run {run.name} has no such score of {entry.subject}"
    recorded, told = _plain(same[0]), _plain(entry)
    names = [name for name, value in told.items() if recorded[name] != value]
    if names == ["digest"]:
        return "its digest is not that of the records and of what it says"
    named = ", ".join(name for name in names if name != "digest")
    return f"it differs from the records in {named}" if names else ""


def _plain(entry: Entry) -> Mapping[str, str]:
    """What an entry says, each field as JSON in which 1 and 1.0 differ."""
    return {
        name: json.dumps(value, sort_keys=True, default=str)
        for name, value in asdict(entry).items()
    }


def _cells(entry: Entry, store: Store, run: Run) -> list[Cell]:
    """The cells behind an entry that agrees with the records."""
    result = store.result(run)
    for condition in result.conditions:
        given = {name: value for name, value in condition.assessment.items() if name != "name"}
        kind = (condition.world, dict(condition.world_parameters), given)
        if kind == (entry.world, dict(entry.parameters), dict(entry.given)):
            cells = cells_of(store.cells(run), condition.title, entry.subject)
            if cells:
                return cells
    return []


def _numbers(cells: Sequence[Cell], chosen: Sequence[Cell]) -> list[int]:
    """The numbers in the run of all sittings of some of its cells."""
    wanted = {cell.number for cell in chosen}
    numbers: list[int] = []
    first = 0
    for cell in cells:
        if cell.number in wanted:
            numbers += range(first, first + cell.sittings)
        first += cell.sittings
    return numbers


def _is_identical(store: Store, run: Run, number: int) -> bool:
    from mensura.studies.replay import replay

    return replay(store, run, number).identical
