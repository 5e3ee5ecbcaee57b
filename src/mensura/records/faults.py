"""Faults in a few lines: those that are alike stand once, with their number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from mensura.records.batch import FaultRow

SHOWN = 5
"""So many kinds of faults of a subject are shown."""

MOST_KINDS = 500
"""So many kinds of faults are told apart; a subject that has more is only counted."""

_PLACE = re.compile(r"^(\w+)\b.*(\([^()]+, line \d+\))", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")


class FaultGroup(NamedTuple):
    """Faults that are alike."""

    first: FaultRow
    times: int

    def __str__(self) -> str:
        one = self.first
        told = f"item {one.item}, seat {one.seat}, interaction {one.interaction}: {one.kind}: {one.detail}"
        return told if self.times == 1 else f"{told} (and {self.times - 1:,} more like it)"


def likeness(fault: FaultRow) -> tuple[str, str]:
    """What alike faults have in common: the kind, and the exception with its line, or the text without its values."""
    place = _PLACE.match(fault.detail)
    if place is not None:
        return fault.kind, f"{place[1]} {place[2]}"
    return fault.kind, _NUMBER.sub("#", _QUOTED.sub("'...'", fault.detail))[-120:]


def grouped(groups: Iterable[FaultGroup], faults: Iterable[FaultRow] = ()) -> list[FaultGroup]:
    """Groups and further faults together, in the order in which they first appear."""
    found: dict[tuple[str, str], FaultGroup] = {}
    for one in (*groups, *(FaultGroup(fault, 1) for fault in faults)):
        alike = likeness(one.first)
        before = found.get(alike)
        if before is None:
            found[alike] = one
        else:
            found[alike] = FaultGroup(min(before.first, one.first), before.times + one.times)
    return sorted(found.values())[:MOST_KINDS]
