"""A few cheap rules over mixed tests, after Sanghi and Dowe (2003), whose program of 960 lines scored like a person.

Its idea is kept, that no understanding is needed to do well in some families; its rules are not published in full, so
these are ours, written for what the families show and not for how they are made:

- of numbers or letters, the last difference goes on, or differences go on; every second element is a series of its
  own; the next is the sum of the last two, or the last times a constant
- of parts with several numbers, what changes from one part to the next changes on: the change from the first part to
  the second is made to the third, or the option is taken that shares most with its row and column
- where nothing is shown but the options, the odd one is the one that shares least with the others
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import Chooser, only, series_of

Series = Sequence[int]


def continued(series: Series) -> Iterator[int]:
    """What each rule that explains a whole series says of its next element, the simplest rule first."""
    for rule in (_constant, _differences, _interleaved, _second_differences, _sums, _products):
        found = rule(series)
        if found is not None:
            yield found


def _constant(series: Series) -> int | None:
    return series[-1] if len(set(series)) == 1 else None


def _differences(series: Series) -> int | None:
    """One difference, or several over and over."""
    steps = [b - a for a, b in itertools.pairwise(series)]
    for period in range(1, len(steps) // 2 + 1):
        if all(steps[k] == steps[k - period] for k in range(period, len(steps))):
            return series[-1] + steps[len(steps) - period]
    return None


def _interleaved(series: Series) -> int | None:
    if len(series) < 5:
        return None
    own = series[len(series) % 2 :: 2]
    other = series[1 - len(series) % 2 :: 2]
    explained = _constant(other) is not None or _differences(other) is not None
    return (
        (_constant(own) if _constant(own) is not None else _differences(own)) if explained else None
    )


def _second_differences(series: Series) -> int | None:
    steps = [b - a for a, b in itertools.pairwise(series)]
    grown = [b - a for a, b in itertools.pairwise(steps)]
    return series[-1] + steps[-1] + grown[-1] if len(grown) > 1 and len(set(grown)) == 1 else None


def _sums(series: Series) -> int | None:
    fits = len(series) > 3 and all(
        c == a + b for a, b, c in zip(series, series[1:], series[2:], strict=False)
    )
    return series[-1] + series[-2] if fits else None


def _products(series: Series) -> int | None:
    if len(series) < 3 or 0 in series or series[1] % series[0]:
        return None
    by = series[1] // series[0]
    return series[-1] * by if all(b == a * by for a, b in itertools.pairwise(series)) else None


def shared(part: Part, other: Part) -> float:
    """How much two parts have in common, place by place."""
    length = max(len(part), len(other))
    return sum(a == b for a, b in zip(part, other, strict=False)) / length if length else 1.0


class SanghiDowe(Chooser):
    """A few cheap rules for each kind of item, after Sanghi and Dowe (2003)"""

    def written(self, seen: Seen) -> Part | None:
        """The next element of a series."""
        series = series_of(seen)
        return None if series is None else next(((one,) for one in continued(series)), None)

    def values(self, seen: Seen) -> Sequence[float] | None:
        """By the first kind of rule that has something to say."""
        for rule in (self._series, self._odd, self._changed, self._alike):
            found = rule(seen)
            if found is not None:
                return found
        return None

    def _series(self, seen: Seen) -> Sequence[float] | None:
        for one in continued(series_of(seen) or ()):
            if (one,) in seen.options:
                return only(seen, (one,))
        return None

    def _odd(self, seen: Seen) -> Sequence[float] | None:
        if seen.shown:
            return None
        return [-sum(shared(part, other) for other in seen.options) for part in seen.options]

    def _changed(self, seen: Seen) -> Sequence[float] | None:
        """A to B as C to what: the numbers that A and B differ by are added to C."""
        if len(seen.shown) != 3 or len({len(part) for part in seen.shown}) != 1:
            return None
        a, b, c = seen.shown
        expected = tuple(z + y - x for x, y, z in zip(a, b, c, strict=True))
        return [shared(expected, option) for option in seen.options]

    def _alike(self, seen: Seen) -> Sequence[float] | None:
        if len(seen.shown) < 4 or max(map(len, seen.shown)) == 1:
            return None
        return [sum(shared(option, part) for part in seen.shown) for option in seen.options]
