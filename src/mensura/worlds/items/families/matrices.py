"""Matrices of 3 x 3 cells: which cell is missing? After Carpenter, Just and Shell (1990).

A cell holds some figures of one form, size and fill on consecutive places. Each of these five attributes is fixed or
has a relation within rows. A rule is a relation for each attribute: ``("fixed",)``, ``("constant",)`` in a row,
``("progression", step)``, ``("addition",)``, ``("subtraction",)``, ``("three",)`` values in each row, or ``("two",)``
values in each row, one of them twice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import product

from mensura.pictures.picture import Shape
from mensura.worlds.items.families.family import (
    ALIKE,
    MARGIN,
    RIVAL,
    SIMPLER,
    TOLERANCE,
    Dice,
    Family,
    Item,
    Part,
    Rule,
    code,
    finished,
    in_cube,
    measured,
)
from mensura.worlds.items.families.figures import (
    FILLS,
    FORMS,
    SIZES,
    Figure,
    drawn,
    numbered,
    read_drawn,
)

PLACES = 9
NUMBER, PLACE, FORM, SIZE, FILL = range(5)
ATTRIBUTES = ("number", "place", "form", "size", "fill")
COUNTS = (PLACES - 1, PLACES, len(FORMS), len(SIZES), len(FILLS))
"""How many values each attribute has. Figures on all places would not tell where they begin."""
STEPS = (1, -1, 2, -2)
KINDS = ("constant", "progression", "addition", "subtraction", "three", "two")
ORDERED = (NUMBER, SIZE, FILL)
"""Values of these can be added; those of place go round, and those of form have no order."""
FIXED: Rule = ("fixed",)


def relations(attribute: int) -> list[Rule]:
    """The relations that an attribute may have, but for being fixed."""
    found: list[Rule] = [("constant",), ("three",), ("two",)]
    if attribute != FORM:
        found += [("progression", step) for step in STEPS]
    if attribute in ORDERED:
        found += [("addition",), ("subtraction",)]
    return found


def relation_bits(relation: Rule) -> float:
    """The bits of a relation, of which a progression has a step."""
    if relation == FIXED:
        return 0.0
    return code(len(KINDS)) + (code(len(STEPS)) if relation[0] == "progression" else 0.0)


def _row(relation: Rule, attribute: int, dice: Dice) -> list[int] | None:
    """A row of values from 0 of a progression, an addition or a subtraction; None where there is none."""
    count = COUNTS[attribute]
    first, second = dice.below(count), dice.below(count)
    third = _third(relation, attribute, first, second)
    return None if third is None else [first, second, third]


def _third(relation: Rule, attribute: int, first: int, second: int) -> int | None:
    """What has to come third in a row of a progression, an addition or a subtraction."""
    count = COUNTS[attribute]
    if relation[0] == "progression":
        round_trip = attribute == PLACE
        expected = first + relation[1]
        third = second + relation[1]
        if round_trip:
            return third % count if expected % count == second else None
        if expected != second:
            return None
    elif relation[0] == "addition":
        third = first + second + 1  # values count from 0, what is added from 1
    else:
        third = first - second - 1
    return third if 0 <= third < count else None


def values_of(relation: Rule, attribute: int, dice: Dice) -> list[list[int]]:
    """Three rows of values of an attribute under a relation."""
    count, kind = COUNTS[attribute], relation[0]
    if kind == "fixed":
        return [[dice.below(count)] * 3] * 3
    if kind == "constant":
        return [[value] * 3 for value in dice.shuffled(range(count))[:3]]
    if kind in ("three", "two"):
        values = dice.shuffled(range(count))[:3]
        if kind == "two":
            values[1] = values[0]
        return [values[-turn:] + values[:-turn] for turn in dice.shuffled(range(3))]
    rows: list[list[int]] = []
    while len(rows) < 3:
        if kind == "progression":
            first = dice.below(count)
            second = first + relation[1]
            if attribute == PLACE:
                second %= count
            third = _third(relation, attribute, first, second) if 0 <= second < count else None
            row = None if third is None else [first, second, third]
        else:
            row = _row(relation, attribute, dice)
        if row is not None:
            rows.append(row)
    return rows


def rivals(attribute: int, rows: Sequence[Sequence[int]]) -> dict[int, float]:
    """Every value of the missing cell that a relation gives, with the bits of the cheapest such relation."""
    first, second, (third, fourth) = rows
    whole = (first, second)
    found: dict[int, float] = {}

    def note(value: int, relation: Rule) -> None:
        bits = relation_bits(relation)
        found[value] = min(bits, found.get(value, bits))

    if third == fourth and all(one[0] == one[1] == one[2] for one in whole):
        note(third, ("constant",))
        if first[0] == second[0] == third:
            note(third, FIXED)
    for relation in relations(attribute)[3:]:
        if all(_third(relation, attribute, a, b) == c for a, b, c in whole):
            last = _third(relation, attribute, third, fourth)
            if last is not None:
                note(last, relation)
    known = sorted(first)
    if known == sorted(second):
        rest = list(known)
        for one in (third, fourth):
            if one in rest:
                rest.remove(one)
        if len(rest) == 1 and len(set(known)) > 1:
            note(rest[0], ("three",) if len(set(known)) == 3 else ("two",))
    return found


class Matrices(Family):
    """Nine cells, of which the last is missing."""

    name = "matrices"
    question = (
        "Which cell belongs into the last place of the matrix, so that all rows follow the same rule? A cell has "
        "figures of one form, size and fill on consecutive places of the nine from 1 to 9, after which comes 1 again."
    )
    form = "a cell, as 3 small dark triangle from 5"
    parts, width, highest = 8, 5, PLACES
    usual_options = 8
    columns = 3
    joints = (" | ", " | ", "\n")
    room = (2.2, 2.2)

    def all_rules(self) -> Sequence[Rule]:
        """A relation or none for each attribute, at least one."""
        choices = [[FIXED, *relations(attribute)] for attribute in range(len(ATTRIBUTES))]
        return list(product(*choices))[1:]

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """Attributes with relations are the elements, values that a row is made of have to be remembered."""
        governed = [one for one in rule if one != FIXED]
        count = len(governed)
        which = code(len(ATTRIBUTES)) + code(math.comb(len(ATTRIBUTES), count))
        return measured(
            bits=which + sum(map(relation_bits, governed)),
            elements=count,
            memory=sum(_REMEMBERED[one[0]] for one in governed),
            operations=sum(one[0] != "constant" for one in governed),
        )

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """Values of each attribute by its relation."""
        grids = [values_of(relation, attribute, dice) for attribute, relation in enumerate(rule)]
        for attribute, (relation, rows) in enumerate(zip(rule, grids, strict=True)):
            bits, answer = relation_bits(relation), rows[2][2]
            found = rivals(attribute, [rows[0], rows[1], rows[2][:2]])
            if min(found.values()) < bits - TOLERANCE:
                return SIMPLER
            if any(
                cost < bits + MARGIN - TOLERANCE for value, cost in found.items() if value != answer
            ):
                return RIVAL
        cells = [
            tuple(grid[row][column] for grid in grids) for row in range(3) for column in range(3)
        ]
        wanted = options.bit_length() - 1
        changes: list[tuple[int, int]] = []
        for attribute in _order(rule, dice):
            other = _another(rule[attribute], attribute, cells[-1][attribute], dice)
            if other is not None and len(changes) < wanted:
                changes.append((attribute, other))
        if len(changes) < wanted:
            return ALIKE
        made = in_cube(changes, _with_value, cells[-1], options)
        return finished([*map(_part, cells[:-1])], [*map(_part, made)], dice)

    def text(self, part: Part) -> str:
        """As 3 small dark triangle from 5."""
        number, place, form, size, fill = part
        return f"{number} {SIZES[size]} {FILLS[fill]} {FORMS[form]} from {place + 1}"

    def read(self, text: str) -> Part:
        """As 3 small dark triangle from 5."""
        match = _CELL.fullmatch(text)
        if match is None:
            raise self.wrong_form(text)
        number, size, fill, form, place = match.groups()
        named = numbered(FORMS, form), numbered(SIZES, size), numbered(FILLS, fill)
        if min(named) < 0:
            raise self.wrong_form(text)
        return (int(number), int(place) - 1, *named)

    def shapes(self, part: Part) -> list[Shape]:
        """Figures on a grid of 3 x 3 places."""
        number, place, *figure = part
        return [drawn(Figure(*figure), _SPOTS[(place + i) % PLACES]) for i in range(number)]

    def read_shapes(self, shapes: Sequence[Shape]) -> Part:
        """The run of places that figures stand on, and what they are."""
        found = [read_drawn(one) for one in shapes]
        spots = {min(range(PLACES), key=lambda i: math.dist(_SPOTS[i], at)) for _, at in found}
        first = next(i for i in spots if (i - 1) % PLACES not in spots)
        return (len(spots), first, *found[0][0])


_REMEMBERED = {
    "constant": 1,
    "progression": 1,
    "addition": 2,
    "subtraction": 2,
    "three": 3,
    "two": 2,
}
_CELL = re.compile(r"([1-8]) (\w+) (\w+) (\w+) from ([1-9])")
_SPOTS = [((i % 3 - 1) * 0.6, (i // 3 - 1) * 0.6) for i in range(PLACES)]


def _part(cell: Sequence[int]) -> Part:
    """A cell with the number of its figures counted from 1."""
    return (cell[NUMBER] + 1, *cell[1:])


def _with_value(cell: Sequence[int], change: tuple[int, int]) -> tuple[int, ...]:
    attribute, value = change
    return (*cell[:attribute], value, *cell[attribute + 1 :])


def _order(rule: Rule, dice: Dice) -> list[int]:
    """The attributes in the order in which options differ by them: those with relations first."""
    mixed = dice.shuffled(range(len(rule)))
    return sorted(mixed, key=lambda attribute: rule[attribute] == FIXED)


def _another(relation: Rule, attribute: int, value: int, dice: Dice) -> int | None:
    """The answer of another item of the same relation: as likely as this one, so that neither can be told apart."""
    for _ in range(8):
        other = values_of(relation, attribute, dice)[2][2]
        if other != value:
            return other
    return None
