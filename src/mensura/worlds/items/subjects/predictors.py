"""Yardsticks that know nothing of items: a good option is likely after the parts before it, or compresses well.

Where nothing is shown but the options, of which one is odd, it is the one that the others make least likely.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

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
        sequence = (*before, *after)
        followers: dict[tuple[int, ...], Counter[int]] = {}
        total = 0.0
        for at, number in enumerate(sequence):
            contexts = [sequence[at - length : at] for length in range(min(self.order, at) + 1)]
            if at >= len(before):
                total += math.log(
                    _chance(number, [followers.get(one) for one in contexts], symbols)
                )
            for one in contexts:
                followers.setdefault(one, Counter())[number] += 1
        return total


def _chance(number: int, followers: Sequence[Counter[int] | None], symbols: int) -> float:
    """How likely a number is, from what followed contexts of growing length."""
    probability = 1.0 / symbols
    for one in followers:
        if one is not None:
            kinds = len(one)
            probability = (one[number] + kinds * probability) / (one.total() + kinds)
    return probability


class ContextTree(Predictor):
    """Weighs all context trees up to a depth (Willems, Shtarkov and Tjalkens, 1995)"""

    def __init__(self, depth: float = 4) -> None:
        super().__init__()
        self.depth = int(depth)

    def likelihood(self, before: Sequence[int], after: Sequence[int], symbols: int) -> float:
        """The weighted probability of all, over that of what came before."""
        whole = _weighted((*before, *after), self.depth, symbols)
        return whole - _weighted(tuple(before), self.depth, symbols)


@lru_cache(maxsize=64)
def _weighted(sequence: tuple[int, ...], deepest: int, symbols: int) -> float:
    """The logarithm of the weighted probability of a sequence, at the root of its tree."""

    def at_node(places: Sequence[int], depth: int) -> float:
        counts: dict[int, int] = {}
        own = 0.0
        for seen, at in enumerate(places):
            number = sequence[at]
            count = counts.get(number, 0)
            own += math.log((count + 0.5) / (seen + 0.5 * symbols))
            counts[number] = count + 1
        if depth == deepest or not places:
            return own
        children: dict[int, list[int]] = {}
        for at in places:
            before = sequence[at - depth - 1] if at > depth else SEPARATOR - 1
            children.setdefault(before, []).append(at)
        below = sum(at_node(some, depth + 1) for some in children.values())
        high, low = max(own, below), min(own, below)
        return high + math.log1p(math.exp(low - high)) - math.log(2)

    return at_node(range(len(sequence)), 0)


class Zlib(Predictor):
    """Chooses the option with which the item compresses best"""

    def likelihood(self, before: Sequence[int], after: Sequence[int], symbols: int) -> float:
        """Minus the bytes by which the compressed length grows."""
        return float(_compressed(before) - _compressed([*before, *after]))


def _compressed(numbers: Sequence[int]) -> int:
    return len(zlib.compress(b"".join((one + 2).to_bytes(2, "little") for one in numbers), 9))
