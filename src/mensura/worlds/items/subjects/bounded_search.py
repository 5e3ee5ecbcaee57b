"""Number series by the shortest expression that fits into a small memory, after Strannegård and others (2013).

Expressions over the place of an element, the one and the two before it and small constants are tried from the
shortest on, until one gives all elements that are shown; what it gives next is the answer. As with the authors,
resources are limited as those of people are: an expression has so many elements at most, and no number in between may
need more digits than the limit. Departures: their language had further constructs, and their limits were counted in
other units.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import Solver, series_of

Values = tuple[int, ...]
Operation = Callable[[int, int], int | None]
CONSTANTS = (1, 2, 3, 4, 5)
LARGEST = 9_999
"""Numbers of more digits are beyond the memory."""


def _divided(a: int, b: int) -> int | None:
    return a // b if b else None


def _rest(a: int, b: int) -> int | None:
    return a % b if b else None


OPERATIONS: tuple[Operation, ...] = (
    operator.add,
    operator.sub,
    operator.mul,
    _divided,
    _rest,
)


def continued(series: Sequence[int], elements: int) -> int | None:
    """What the shortest expression gives next that gives all elements from the third on; None where none is found."""
    if len(series) < 4:
        return None
    wanted = tuple(series[2:])
    levels: dict[int, list[Values]] = {}
    known: set[Values] = set()
    for size in range(1, elements + 1, 2):
        levels[size] = []
        made = _leaves(series) if size == 1 else _made(levels, size, wanted, size + 2 > elements)
        for values in made:
            if values[:-1] == wanted:
                return values[-1]
            if values not in known:
                known.add(values)
                levels[size].append(values)
    return None


def _leaves(series: Sequence[int]) -> list[Values]:
    """What the one before, the two before, the place and constants give from the third element to the next."""
    places = range(2, len(series) + 1)
    return [
        tuple(series[k - 1] for k in places),
        tuple(series[k - 2] for k in places),
        tuple(k + 1 for k in places),
        *((number,) * len(places) for number in CONSTANTS),
    ]


def _made(
    levels: Mapping[int, Sequence[Values]], size: int, wanted: Values, last: bool
) -> Iterator[Values]:
    """What expressions of a size give; of the last size, those that give another third element are left out."""
    for left in range(1, size - 1, 2):
        for a in levels[left]:
            for b in levels[size - 1 - left]:
                for operation in OPERATIONS:
                    if not last or operation(a[0], b[0]) == wanted[0]:
                        values = _combined(operation, a, b)
                        if values is not None:
                            yield values


def _combined(operation: Operation, a: Values, b: Values) -> Values | None:
    """What an operation gives place by place; None where a number is beyond the memory, or there is none."""
    found = []
    for x, y in zip(a, b, strict=True):
        value = operation(x, y)
        if value is None or not -LARGEST <= value <= LARGEST:
            return None
        found.append(value)
    return tuple(found)


class BoundedSearch(Solver):
    """The shortest expression that fits into a small memory, after Strannegård and others (2013)"""

    def __init__(self, elements: float = 5) -> None:
        super().__init__()
        self.elements = int(elements)

    def written(self, seen: Seen) -> Part | None:
        """The next number."""
        series = series_of(seen)
        found = None if series is None else continued(series, self.elements)
        return None if found is None or found < 0 else (found,)
