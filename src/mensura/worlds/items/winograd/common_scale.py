"""People and machines on one item-response scale, from their answers to the halves of the same set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.records.store import open_store
from mensura.statistics.interval import Estimate
from mensura.statistics.rasch import Rasch, rasch
from mensura.worlds.items.winograd.files import parse_set
from mensura.worlds.items.winograd.kept_answers import set_of, single_answers, winograd_cells
from mensura.worlds.items.winograd.schema import SchemaSet


@dataclass(frozen=True)
class CommonScale:
    """A fit, and what it rests on."""

    schemas: SchemaSet
    fit: Rasch
    right: dict[Any, float]
    """The share of right answers of everybody."""

    def to_json(self) -> dict[str, Any]:
        """Abilities and difficulties as plain data."""
        kinds = (("person", self.fit.people), ("machine", self.fit.machines))
        return {
            "set": self.schemas.name,
            "answers": self.fit.answers,
            "spread_of_people": _plain(self.fit.spread),
            "abilities": [
                {"who": who, "kind": kind, "right": self.right[who], **_plain(one)}
                for kind, some in kinds
                for who, one in some.items()
            ],
            "difficulties": [
                {"pair": pair + 1, "half": half, **_plain(one)}
                for (pair, half), one in sorted(self.fit.items.items())
            ],
        }


def _plain(one: Estimate) -> dict[str, float]:
    return {"value": one.value, "low": one.low, "high": one.high, "n": one.n}


def common_scale(
    runs: Sequence[str], people: str = "people", store: str | Path | None = None
) -> CommonScale:
    """Fit the answers in some runs: every sitting under the name ``people`` is a person's, other subjects are machines.

    All answers of a machine have one ability. "Both are possible" and no answer are not right.
    """
    who: list[str] = []
    items: list[tuple[int, str]] = []
    right: list[bool] = []
    machines: set[str] = set()
    subjects: list[str] = []
    text = ""
    records = open_store(store, create=False)
    try:
        for name in dict.fromkeys(runs):
            run = records.find(name)
            for cell in winograd_cells(records, run):
                subjects.append(cell.name)
                own = set_of(cell)
                if text and parse_set(own).schemas != parse_set(text).schemas:
                    raise MensuraError(
                        f"{cell.name} in the run {name} was asked another set than those before; a scale needs one set."
                    )
                text = own
                for batch in records.batches(run, cell.number):
                    for sitting, half, kind in single_answers(batch):
                        someone = cell.name
                        if cell.name == people:
                            someone = f"{people} {sitting + 1} of {name}"
                        else:
                            machines.add(someone)
                        who.append(someone)
                        items.append(half)
                        right.append(kind == "right")
    finally:
        records.close()
    if people not in subjects:
        raise MensuraError(
            f"Nobody in these runs is called {people!r}; {neighbors(people, sorted(set(subjects)))}"
        )
    fit = rasch(who, items, right, frozenset(machines))
    if fit is None:
        raise MensuraError(
            "A scale needs the answers of at least two people to at least two halves; these runs have fewer."
        )
    counts: dict[str, list[bool]] = {}
    for one, good in zip(who, right, strict=True):
        counts.setdefault(one, []).append(good)
    shares = {one: sum(answers) / len(answers) for one, answers in counts.items()}
    return CommonScale(parse_set(text), fit, shares)
