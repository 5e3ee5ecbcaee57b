"""Yardsticks that know nothing of items: a good option is likely after the parts before it, or compresses well.

Where nothing is shown but the options, of which one is odd, it is the one that the others make least likely.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import Chooser

SEPARATOR = -2
"""Stands between parts."""


def flattened(parts: Sequence[Part]) -> list[int]:
    """The numbers of parts one after another, with a sign between them where parts have several."""
    if all(len(part) == 1 for part in parts):
        return [part[0] for part in parts]
    found: list[int] = []
    for part in parts:
        found += [*part, SEPARATOR]
    return found


class Predictor(Chooser):
    """Chooses what a model of sequences expects."""

    def likelihood(self, before: Sequence[int], after: Sequence[int], symbols: int) -> float:
        """The logarithm of the probability that some numbers follow others, out of so many different ones."""
        raise NotImplementedError

    def values(self, seen: Seen) -> Sequence[float] | None:
        """What follows best, or worst where one is odd."""
        symbols = len({*flattened([*seen.shown, *seen.options])})
        found = []
        for number, option in enumerate(seen.options):
            before = seen.shown or (*seen.options[:number], *seen.options[number + 1 :])
            whole, first = flattened([*before, option]), len(flattened(before))
            value = self.likelihood(whole[:first], whole[first:], symbols)
            found.append(value if seen.shown else -value)
        return found


class NGram(Predictor):
    """Predicts by the longest context that occurred before, up to three numbers"""

    def __init__(self, order: float = 3) -> None:
        super().__init__()
        self.order = int(order)

    def likelihood(self, before: Sequence[int], after: Sequence[int], symbols: int) -> float:
        """Witten and Bell's way of falling back: a context counts as new as often as it had different followers."""
        sequence = [*before, *after]
        total = 0.0
        for at in range(len(before), len(sequence)):
            probability = 1.0 / symbols
            for length in range(min(self.order, at) + 1):
                context = sequence[at - length : at]
                followers = Counter(
                    sequence[k + length]
                    for k in range(at - length)
                    if sequence[k : k + length] == context
                )
                seen = followers.total()
                if seen:
                    kinds = len(followers)
                    own = followers[sequence[at]]
                    probability = (own + kinds * probability) / (seen + kinds)
            total += math.log(probability)
        return total


class ContextTree(Predictor):
    """Weighs all context trees up to a depth (Willems, Shtarkov and Tjalkens, 1995)"""

    def __init__(self, depth: float = 4) -> None:
        super().__init__()
        self.depth = int(depth)

    def likelihood(self, before: Sequence[int], after: Sequence[int], symbols: int) -> float:
        """The weighted probability of all, over that of what came before."""
        whole = self._weighted([*before, *after], symbols)
        return whole - self._weighted(list(before), symbols)

    def _weighted(self, sequence: list[int], symbols: int) -> float:
        """The logarithm of the weighted probability of a sequence, at the root of its tree."""
        return self._at(sequence, range(len(sequence)), 0, symbols)

    def _at(self, sequence: list[int], places: Sequence[int], depth: int, symbols: int) -> float:
        counts: Counter[int] = Counter()
        own = 0.0
        for seen, at in enumerate(places):
            own += math.log((counts[sequence[at]] + 0.5) / (seen + 0.5 * symbols))
            counts[sequence[at]] += 1
        if depth == self.depth or not places:
            return own
        children: dict[int, list[int]] = {}
        for at in places:
            children.setdefault(
                sequence[at - depth - 1] if at > depth else SEPARATOR - 1, []
            ).append(at)
        below = sum(self._at(sequence, some, depth + 1, symbols) for some in children.values())
        high, low = max(own, below), min(own, below)
        return high + math.log1p(math.exp(low - high)) - math.log(2)


class Zlib(Predictor):
    """Chooses the option with which the item compresses best"""

    def likelihood(self, before: Sequence[int], after: Sequence[int], symbols: int) -> float:
        """Minus the compressed length of all, as bytes."""
        data = b"".join((one + 2).to_bytes(2, "little") for one in [*before, *after])
        return -float(len(zlib.compress(data, 9)))
