"""How sure the order of subjects is over several conditions, and what further sittings would settle.

Two subjects are compared under each condition, and the differences are averaged, each condition counting the same. What
more sittings would do is reckoned from the scatter of the differences so far: it stays, and there are more of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from mensura.core.account import FEWEST
from mensura.statistics.clusters import Error, weighted_error
from mensura.statistics.compare import Comparison, compare_all
from mensura.statistics.interval import Estimate
from mensura.statistics.multiple import corrected
from mensura.statistics.sample import Sample

LEVEL = 0.95

GapVerdict = Literal["settled", "open", "same", "unknown"]


@dataclass(frozen=True)
class Gap:
    """One subject minus the next, over all conditions that both met."""

    one: str
    two: str
    difference: Estimate
    p: float
    """How likely equals would differ at least so much; nan where that cannot be told."""
    corrected: float
    """The same, corrected for all gaps of the order (Holm)."""
    parts: tuple[Comparison, ...]
    """The comparison under each condition."""

    @property
    def fewest(self) -> int:
        """How many sittings were compared under the condition that has the fewest."""
        return min(min(one.n) for one in self.parts)

    @property
    def verdict(self) -> GapVerdict:
        """Whether the order of the two is settled."""
        if math.isnan(self.p):
            return "unknown"
        if self.difference.value == 0.0 and self.difference.standard_error == 0.0:
            return "same"
        if self.fewest < FEWEST:
            return "unknown"
        return "settled" if self.corrected <= 1 - LEVEL else "open"

    def reach_after(self, more: int, level: float = LEVEL) -> float:
        """Half the width that the interval is expected to have after so many more sittings under each condition.

        Infinite where the scatter of the differences is unknown.
        """
        errors = []
        for one in self.parts:
            units = min(one.n)
            variance = one.difference.standard_error**2 * units / (units + more)
            errors.append(Error(variance, one.df + more, one.unit, one.units + more))
        return _pooled(errors).around(0.0, self.fewest + more, level).high


def gaps(ranked: Sequence[str], samples: Sequence[Sample]) -> list[Gap]:
    """The gap between each subject and the next in an order, as one family.

    Those who have no condition in common have no gap.
    """
    placed = {(one.condition, one.label): one for one in samples if len(one)}
    conditions = list(dict.fromkeys(one.condition for one in samples))
    pairs = {
        (one, two): [
            (placed[at, one], placed[at, two])
            for at in conditions
            if (at, one) in placed and (at, two) in placed
        ]
        for one, two in pairwise(ranked)
    }
    flat = [pair for own in pairs.values() for pair in own]
    compared = iter(compare_all(flat, correction="none") if flat else ())
    found = [
        _gap(one, two, [next(compared) for _ in own]) for (one, two), own in pairs.items() if own
    ]
    raised = corrected([one.p for one in found]).tolist()
    return [replace(one, corrected=p) for one, p in zip(found, raised, strict=True)]


def _gap(one: str, two: str, parts: Sequence[Comparison]) -> Gap:
    errors = [
        Error(part.difference.standard_error**2, part.df, part.unit, part.units) for part in parts
    ]
    error = _pooled(errors)
    value = math.fsum(part.difference.value for part in parts) / len(parts)
    n = sum(min(part.n) for part in parts)
    p = error.probability(value)
    return Gap(one, two, error.around(value, n), p, p, tuple(parts))


def _pooled(errors: Sequence[Error]) -> Error:
    """The error of the mean of independent estimates, each counting the same."""
    return weighted_error([(1.0 / len(errors), one) for one in errors])
