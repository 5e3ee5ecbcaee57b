"""Matrices by rules of rows, after FAIRAVEN and BETTERAVEN (Carpenter, Just and Shell, 1990).

P. A. Carpenter, M. A. Just and P. Shell: What one intelligence test measures (1990). Both programs look at one
attribute after the other for a rule that holds in both complete rows: constant in a row, quantitative pairwise
progression, figure addition or subtraction, distribution of three values. What the rules say of the missing cell is
compared with options.

1. FAIRAVEN has no goal memory: it holds a few rules at a time (`HELD`, our number) and loses those it finds later. It
   does not know distribution of two values, in which a row lacks a third.
2. BETTERAVEN knows that too, sets itself a goal for each attribute and so loses nothing, and where no rule of rows
   holds it goes back and takes columns to correspond instead.

Departures: figures and attributes are given, so that finding which figures correspond, on which much of the original
goes, is left with rows and columns only. Both read 34 items of Raven's matrices; these are drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from mensura.worlds.items.families.family import Part
from mensura.worlds.items.families.matrices import ATTRIBUTES, COUNTS, FORM, NUMBER, PLACE
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.chooser import TIE, Chooser
from mensura.worlds.items.subjects.figure_scenes import is_matrix

FAIR, BETTER = 1, 2
HELD = 3
"""So many rules FAIRAVEN holds at a time, those of constant attributes apart, which need no memory."""

Rows = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""Two rows of three values, and one of two."""


def _constant(rows: Rows, attribute: int) -> int | None:
    first, second, last = rows
    return last[0] if all(len(set(row)) == 1 for row in (first, second, last)) else None


def _progression(rows: Rows, attribute: int) -> int | None:
    """A step from each value to the next; places go round, and forms have no order."""
    if attribute == FORM:
        return None
    circle = COUNTS[attribute] if attribute == PLACE else 0
    steps = [b - a for row in rows for a, b in pairwise(row)]
    if circle:
        steps = [step % circle for step in steps]
    if len(set(steps)) != 1:
        return None
    following = rows[2][1] + steps[0]
    return following % circle if circle else following


def _added(sign: int) -> Callable[[Rows, int], int | None]:
    """Addition or subtraction; ranks are counted from 1."""

    def rule(rows: Rows, attribute: int) -> int | None:
        if attribute in (FORM, PLACE):
            return None
        low = 0 if attribute == NUMBER else 1  # parts count figures from 1 and ranks from 0
        first, second, last = ([value + low for value in row] for row in rows)
        if all(row[0] + sign * row[1] == row[2] for row in (first, second)):
            return last[0] + sign * last[1] - low
        return None

    return rule


def _distribution(kinds: int) -> Callable[[Rows, int], int | None]:
    """The same three values in each row; of two, one of them is there twice."""

    def rule(rows: Rows, attribute: int) -> int | None:
        first, second, last = (Counter(row) for row in rows)
        missing = first - last
        if first != second or len(first) != kinds or missing.total() != 1:
            return None
        return next(iter(missing))

    return rule


Rule = Callable[[Rows, int], "int | None"]
_FAIR_RULES: tuple[Rule, ...] = (_progression, _added(1), _added(-1), _distribution(3))
RULES: dict[int, tuple[Rule, ...]] = {FAIR: _FAIR_RULES, BETTER: (*_FAIR_RULES, _distribution(2))}
"""Rules by variant in the order in which they are tried, after constant ones."""


def predicted(cells: Sequence[Part], variant: int) -> dict[int, int]:
    """The value of each attribute of the missing cell, as far as a rule tells it and it is held in memory."""
    found: dict[int, int] = {}
    held = 0
    for attribute in range(len(ATTRIBUTES)):
        values = [cell[attribute] for cell in cells]
        for rows in _correspondences(values, variant):
            constant = _constant(rows, attribute)
            told = (
                [constant]
                if constant is not None
                else [rule(rows, attribute) for rule in RULES[variant]]
            )
            value = next((one for one in told if one is not None), None)
            if value is None:
                continue
            held += constant is None
            if variant == BETTER or held <= HELD:
                found[attribute] = value
            break
    return found


def _correspondences(values: Sequence[int], variant: int) -> Iterator[Rows]:
    """Values as rows; for BETTERAVEN then as columns."""
    yield values[:3], values[3:6], values[6:]
    if variant == BETTER:
        columns = [[*values, -1][column::3] for column in range(3)]
        yield columns[0], columns[1], columns[2][:2]


class Raven(Chooser):
    """Rules of rows in matrices: variant 1 FAIRAVEN, 2 BETTERAVEN (Carpenter, Just and Shell, 1990)"""

    def __init__(self, variant: float = BETTER) -> None:
        super().__init__()
        self.variant = int(variant)

    def written(self, seen: Seen) -> Part | None:
        """The cell, where every attribute has a rule."""
        if not is_matrix(seen):
            return None
        found = predicted(seen.shown, self.variant)
        cell = tuple(found.get(attribute, -1) for attribute in range(len(ATTRIBUTES)))
        lowest = [1 if attribute == NUMBER else 0 for attribute in range(len(ATTRIBUTES))]
        inside = all(
            low <= value < low + count
            for value, low, count in zip(cell, lowest, COUNTS, strict=True)
        )
        return cell if inside else None

    def values(self, seen: Seen) -> Sequence[float] | None:
        """How many attributes of each option are as rules say."""
        if not is_matrix(seen):
            return None
        found = predicted(seen.shown, self.variant)
        values = [
            float(sum(option[attribute] == value for attribute, value in found.items()))
            for option in seen.options
        ]
        return values if max(values) > TIE else None
