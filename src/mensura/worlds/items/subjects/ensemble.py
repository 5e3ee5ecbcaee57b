"""Several models in one: for each family the model answers that did best on training items of it.

Who answers stands in a fixed table, `BEST`. It was measured on 1,000 training items of each family, drawn with the
key 1, apart from those of any study: `mensura.worlds.items.subjects.ensemble.measured` measures it again. Where the
model of the family has no idea, and in families that the table does not know, the others are asked in turn, until one
has an idea.

It says what a program comes to that takes several kinds of test by having a specialist for each, as the review of
such models found common (F. Martínez-Plumed and others: Historical account of computer models solving IQ test
problems, 2016): no part of it knows more than its own kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mensura.worlds.items.families.family import Item, Part
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.analogy import EVANS, LOVETT_FORBUS, Analogy
from mensura.worlds.items.subjects.bounded_search import BoundedSearch
from mensura.worlds.items.subjects.chooser import TIE, Chooser
from mensura.worlds.items.subjects.kt_search import KtSearch
from mensura.worlds.items.subjects.pattern_inducer import PatternInducer
from mensura.worlds.items.subjects.raven import Raven
from mensura.worlds.items.subjects.sanghi_dowe import SanghiDowe
from mensura.worlds.items.subjects.series_synthesis import SeriesSynthesis
from mensura.worlds.items.subjects.terraced_scan import TerracedScan

BEST: Mapping[str, str] = {
    "letter-series": "series-synthesis",
    "number-series": "series-synthesis",
    "letter-analogies": "analogy",
    "matrices": "raven",
    "geometric-analogies": "analogy?strategy=1",
    "odd-one-out": "sanghi-dowe",
    "c-test": "kt-search",
    "c-test-1998": "kt-search",
}
"""Who was right most often on training items of a family; of the published C-test, on fresh items of the C-test."""


def members() -> dict[str, Chooser]:
    """The models by name, in the order in which they are asked where nobody is known to be best."""
    return {
        "kt-search": KtSearch(),
        "series-synthesis": SeriesSynthesis(),
        "pattern-inducer": PatternInducer(),
        "bounded-search": BoundedSearch(),
        "raven": Raven(),
        "analogy": Analogy(LOVETT_FORBUS),
        "analogy?strategy=1": Analogy(EVANS),
        "terraced-scan": TerracedScan(),
        "sanghi-dowe": SanghiDowe(),
    }


class Ensemble(Chooser):
    """For each family of items the model that did best on training items of it"""

    def __init__(self) -> None:
        super().__init__()
        self._members = members()

    def _asked(self, seen: Seen) -> list[Chooser]:
        """The models in the order in which they are asked."""
        first = BEST.get(seen.family.name)
        order = sorted(self._members, key=lambda name: name != first)
        for one in self._members.values():
            one.key = self.key
        return [self._members[name] for name in order]

    def values(self, seen: Seen) -> Sequence[float] | None:
        """Those of the first model that has an idea."""
        found = (one.values(seen) for one in self._asked(seen))
        return next((values for values in found if values is not None), None)

    def written(self, seen: Seen) -> Part | None:
        """The answer of the first model that has one."""
        found = (one.written(seen) for one in self._asked(seen))
        return next((part for part in found if part is not None), None)


def measured(items: Mapping[str, Sequence[Item]]) -> dict[str, dict[str, float]]:
    """The share of training items of each family that each model has right, guesses counted as what they are worth."""
    return {
        family: {name: _share(one, family, own) for name, one in members().items()}
        for family, own in items.items()
    }


def _share(model: Chooser, family: str, items: Sequence[Item]) -> float:
    right = 0.0
    for number, item in enumerate(items):
        model.key = number
        values = model.values(Seen(FAMILIES[family], item.shown, item.options))
        if values is None:
            values = [0.0] * len(item.options)
        best = [value >= max(values) - TIE for value in values]
        right += best[item.right] / sum(best)
    return right / len(items)
