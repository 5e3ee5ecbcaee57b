"""What language models took of a run so far, in all of its lives: what is done, and what was answered since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from mensura.core.usage import COST, TOKENS_IN, TOKENS_OUT, Taken, taken_of
from mensura.records.cell import Cell
from mensura.records.run import Run
from mensura.studies.subjects import named

if TYPE_CHECKING:
    from mensura.records.store import Store


def spent_before(store: Store, run: Run) -> tuple[Taken, Taken]:
    """What was taken until now: by sittings that are done, and by those under way, whose answers are in journals."""
    done = sum((taken_of(measures) for measures in store.measured(run)), Taken())
    under_way = Taken()
    for cell in store.cells(run):
        if cell.ask_once:
            for journal in store.journals(run).glob(f"{cell.number}-*.jsonl"):
                under_way += _journaled(cell, journal)
    return done, under_way


def _journaled(cell: Cell, journal: Path) -> Taken:
    """What the answers of a sitting under way took; their cost where the address of their one model has its prices."""
    parts = named(cell)
    prices = parts[0].parameters if len(parts) == 1 and "price_in" in parts[0].parameters else None
    found = Taken()
    for line in journal.read_bytes().splitlines():
        try:
            kept = json.loads(line).get("kept") or {}
        except ValueError:  # the last line of a process that was killed
            continue
        usage = kept.get("usage") if isinstance(kept, dict) else None
        if not isinstance(usage, dict):
            continue
        told = {name: float(value) for name, value in usage.items() if value is not None}
        if prices is not None:
            costs = {TOKENS_IN: prices["price_in"], TOKENS_OUT: prices["price_out"]}
            told[COST] = (
                sum(told.get(name, 0.0) * float(cost) for name, cost in costs.items()) / 1e6
            )
        found += taken_of(told)
    return found
