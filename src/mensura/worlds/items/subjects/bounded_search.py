"""Number series by the shortest expression that fits into a small memory, after Strannegård and others (2013).

Expressions over the place of an element, the one and the two before it and small constants are tried from the shortest
on, until one gives all elements that are shown; what it gives next is the answer. As with the authors, resources are
limited as those of people are: an expression has so many elements at most, and no number in between may need more
digits than the limit. Departures: their language had further constructs, and their limits were counted in other units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import Chooser

Values = tuple[int, ...]
CONSTANTS = (1, 2, 3, 4, 5)
LARGEST = 9_999
"""Numbers of more digits are beyond the memory."""


def _divided(a: int, b: int) -> int | None:
    return a // b if b else None


def _rest(a: int, b: int) -> int | None:
    return a % b if b else None


OPERATIONS: tuple[Callable[[int, int], int | None], ...] = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    _divided,
    _rest,
)


def continued(series: Sequence[int], elements: int) -> int | None:
    """What the shortest expression gives next that gives all elements from the third on; None where none is found."""
    if len(series) < 4:
        return None
    wanted = tuple(series[2:])
    for values in expressions(series, elements):
        if values[:-1] == wanted:
            return values[-1]
    return None


def expressions(series: Sequence[int], elements: int) -> Iterator[Values]:
    """What expressions of growing size give from the third element on, the next one included; none twice."""
    places = range(2, len(series) + 1)
    known: set[Values] = set()
    levels: dict[int, list[Values]] = {1: []}
    leaves: list[Values] = [
        tuple(series[k - 1] for k in places),
        tuple(series[k - 2] for k in places),
        tuple(k + 1 for k in places),
        *((number,) * len(places) for number in CONSTANTS),
    ]
    for values in leaves:
        if values not in known:
            known.add(values)
            levels[1].append(values)
            yield values
    for size in range(3, elements + 1, 2):
        levels[size] = []
        for left in range(1, size - 1, 2):
            for a in levels[left]:
                for b in levels[size - 1 - left]:
                    for values in _combined(a, b):
                        if values not in known:
                            known.add(values)
                            levels[size].append(values)
                            yield values


def _combined(a: Values, b: Values) -> Iterator[Values]:
    for operation in OPERATIONS:
        found = []
        for x, y in zip(a, b, strict=True):
            value = operation(x, y)
            if value is None or not -LARGEST <= value <= LARGEST:
                break
            found.append(value)
        else:
            yield tuple(found)


class BoundedSearch(Chooser):
    """The shortest expression that fits into a small memory, after Strannegård and others (2013)"""

    def __init__(self, elements: float = 5) -> None:
        super().__init__()
        self.elements = int(elements)

    def written(self, seen: Seen) -> Part | None:
        """The next number."""
        if any(len(part) != 1 for part in seen.shown):
            return None
        found = continued([part[0] for part in seen.shown], self.elements)
        return None if found is None or found < 0 else (found,)

    def values(self, seen: Seen) -> Sequence[float] | None:
        """The option that is the next number."""
        found = self.written(seen) if seen.options else None
        if found not in seen.options:
            return None
        return [float(option == found) for option in seen.options]
