"""Series by inductive synthesis of a recursive function, after IGOR2 on number series (Hofmann and others, 2014).

J. Hofmann, E. Kitzelmann and U. Schmid: Applying Inductive Program Synthesis to Induction of Number Series (2014).
IGOR2 does not try programs one after another: it reads off the examples what is left to be explained once a recursive
call is assumed. So here: each element is assumed to be an earlier one plus, or times, something; what that something
would have to be at each place is a new series, which is explained in the same way, until it is constant. Where no
call explains a series, cases are told apart by the place, as every second one. Fewest levels come first, then the
smallest function.

Departures: functions are over whole numbers with + - * and division by a constant as background knowledge, where
IGOR2 works on terms built by constructors, with the background that is given to it; there is no mod. Letters are
numbers on a circle of 26.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import LETTERS, Solver, are_letters, series_of

FARTHEST = 3
"""How far back a recursive call reaches."""
CASES = (2, 3, 4)
"""How many cases may be told apart by the place."""
FEWEST = 2
"""Examples that a constant explains."""
DIVISORS = range(2, 10)


class Function(NamedTuple):
    """A function that explains a series."""

    size: int
    """How many calls, constants and cases it has."""
    following: int
    """The element that it gives next."""
    text: str
    """To be read; x(n-1) is the element before."""


def synthesized(series: Sequence[int], depth: int, circle: int = 0) -> Function | None:
    """The smallest function that explains a series with at most so many levels; ``circle``: its numbers go round."""
    for levels in range(depth + 1):
        found = _explained(tuple(series), levels, circle)
        if found is not None:
            return found
    return None


def _explained(series: tuple[int, ...], levels: int, circle: int) -> Function | None:
    """The smallest function with at most so many levels."""
    if len(series) < FEWEST:
        return None
    if len(set(series)) == 1:
        return Function(1, series[0], str(series[0]))
    if not levels:
        return None
    found = [*_calls(series, levels, circle), *_cases(series, levels, circle)]
    return min(found, key=lambda one: one.size, default=None)


def _calls(series: tuple[int, ...], levels: int, circle: int) -> Iterator[Function]:
    """Functions with a recursive call."""
    for size, text, rest, back in _assumed(series, circle):
        inner = _explained(rest, levels - 1, circle)
        if inner is not None:
            following = back(inner.following)
            yield Function(
                size + inner.size, following % circle if circle else following, text + inner.text
            )
    if not circle:
        yield from _divided(series)


Assumed = tuple[int, str, tuple[int, ...], Callable[[int], int]]


def _assumed(series: tuple[int, ...], circle: int) -> Iterator[Assumed]:
    """Recursive calls: size, text, what is left to explain at each place, and the next element from the next rest."""

    def left(rest: Iterator[int]) -> tuple[int, ...]:
        return tuple(one % circle for one in rest) if circle else tuple(rest)

    for back in range(1, min(FARTHEST, len(series) - FEWEST) + 1):
        pairs = list(zip(series, series[back:], strict=False))
        last = series[-back]
        rest = left(b - a for a, b in pairs)
        yield back, f"x(n-{back}) + ", rest, lambda one, last=last: last + one  # type: ignore[misc]
        if not circle and all(a and b % a == 0 for a, b in pairs):
            quotients = tuple(b // a for a, b in pairs)
            yield back, f"x(n-{back}) * ", quotients, lambda one, last=last: last * one  # type: ignore[misc]
    if len(series) < 2 + FEWEST or circle:
        return
    triples = list(zip(series, series[1:], series[2:], strict=False))
    before, last = series[-2:]
    yield (
        3,
        "x(n-1) + x(n-2) + ",
        tuple(c - a - b for a, b, c in triples),
        lambda one: last + before + one,
    )
    yield (
        3,
        "x(n-1) * x(n-2) + ",
        tuple(c - a * b for a, b, c in triples),
        lambda one: last * before + one,
    )
    first, second, third = series[:3]
    if second != first and (third - second) % (second - first) == 0:
        by = (third - second) // (second - first)
        if abs(by) > 1:
            rest = tuple(b - by * a for a, b in itertools.pairwise(series))
            yield 2, f"{by} * x(n-1) + ", rest, lambda one: by * last + one


def _divided(series: tuple[int, ...]) -> Iterator[Function]:
    for by in DIVISORS:
        if all(b == a // by for a, b in itertools.pairwise(series)):
            yield Function(2, series[-1] // by, f"x(n-1) div {by}")


def _cases(series: tuple[int, ...], levels: int, circle: int) -> Iterator[Function]:
    """Functions with a case for every second, third or fourth place."""
    for count in CASES:
        if len(series) < FEWEST * count + 1:
            return
        parts = [_explained(series[case::count], levels - 1, circle) for case in range(count)]
        own = parts[len(series) % count]
        if own is not None and all(parts):
            known: list[Any] = [one for one in parts if one is not None]
            yield Function(
                1 + sum(one.size for one in known),
                own.following,
                f"by n mod {count}: " + "; ".join(one.text for one in known),
            )


class SeriesSynthesis(Solver):
    """Synthesizes a recursive function from a series, after IGOR2 (Hofmann and others, 2014)"""

    def __init__(self, depth: float = 3) -> None:
        super().__init__()
        self.depth = int(depth)

    def written(self, seen: Seen) -> Part | None:
        """What the function gives next."""
        series = series_of(seen)
        if series is None:
            return None
        found = synthesized(series, self.depth, LETTERS if are_letters(seen) else 0)
        return None if found is None or found.following < 0 else (found.following,)
