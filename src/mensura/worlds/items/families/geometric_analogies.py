"""Geometric analogies: A is to B as C is to what? After Evans's ANALOGY (1963-68).

A scene has a first and a second figure, the second of which is inside, below or to the right of the first, and maybe a
third in its corner. A rule is one change or two, made to figures by their role in the scene:

- ``("change", figure, attribute, step)``: another form, size or fill of the first, the second or all figures;
- ``("move", where)``: the second is now inside, below (``above``) or right (``left``) of the first, or both ``swap``;
- ``("add", figure)``: a copy of a figure in the corner; ``("remove", figure)``;
- ``("turn", figure, quarters)``: with the clock; ``("mirror",)``: left and right of everything are exchanged.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.pictures.picture import Area, Disc, Line, Place, Shape
from mensura.worlds.items.families.family import (
    MARGIN,
    Dice,
    Family,
    Item,
    Part,
    Rule,
    code,
    finished,
    in_cube,
    measured,
    verdict,
)
from mensura.worlds.items.families.figures import FORMS, Figure, drawn, numbered, read_drawn

Ints: TypeAlias = npt.NDArray[np.int64]

RELATIONS = ("inside", "above", "left")
SIZES = ("small", "medium", "large")
FILLS = ("white", "light", "gray")
QUARTERS = 4
PRESENT, FORM, SIZE, TURN, FILL = range(5)
EACH = 5
"""Numbers of a figure."""
SLOTS = 3
COUNTS = (2, len(FORMS), len(SIZES), QUARTERS, len(FILLS))
FIGURES = ("first", "second", "all")
ATTRIBUTES = {"form": FORM, "size": SIZE, "fill": FILL}
MOVES = (*RELATIONS, "swap")
KINDS = 6
MOST_CHANGES = 2
EMPTY = "nothing is left"
SAME = "nothing is changed"


def _all_changes() -> list[Rule]:
    found: list[Rule] = []
    for figure in FIGURES:
        found += [
            ("change", figure, attribute, step) for attribute in ATTRIBUTES for step in (1, -1)
        ]
        found += [("turn", figure, quarters) for quarters in range(1, QUARTERS)]
    found += [("move", where) for where in MOVES]
    found += [(kind, figure) for kind in ("add", "remove") for figure in FIGURES[:2]]
    return [*found, ("mirror",)]


ALL_CHANGES = _all_changes()
_DETAILS = {
    "change": code(len(FIGURES)) + code(len(ATTRIBUTES)) + code(2),
    "turn": code(len(FIGURES)) + code(QUARTERS - 1),
    "move": code(len(MOVES)),
    "add": code(2),
    "remove": code(2),
    "mirror": 0.0,
}


def bits_of(rule: Rule) -> float:
    """The number of changes, and each of them."""
    return code(MOST_CHANGES) + sum(code(KINDS) + _DETAILS[change[0]] for change in rule)


class Effect(NamedTuple):
    """What a rule does to scenes of one relation: each number becomes ``sign`` times another one plus something."""

    relation: int
    source: Ints
    sign: Ints
    plus: Ints

    def slot(self, number: int) -> slice:
        """Where the numbers of a figure are."""
        return slice(number * EACH, (number + 1) * EACH)

    def after(self, change: Rule) -> Effect:
        """The effect with one more change."""
        kind = change[0]
        relation, source, sign, plus = self.relation, *(one.copy() for one in self[1:])
        slots = {"first": (0,), "second": (1,)}.get(change[1] if len(change) > 1 else "", (0, 1, 2))
        if kind == "change":
            for slot in slots:
                plus[slot * EACH + ATTRIBUTES[change[2]]] += change[3]
        elif kind == "turn":
            for slot in slots:
                plus[slot * EACH + TURN] += change[2]
        elif kind == "remove":
            for one in (sign, plus):
                one[self.slot(slots[0])] = 0
        elif kind == "add":
            for one in (source, sign, plus):
                one[self.slot(2)] = one[self.slot(slots[0])]
        elif kind == "move" and change[1] != "swap":
            relation = RELATIONS.index(change[1])
        if kind == "mirror":
            for one in (sign, plus):
                one[TURN::EACH] *= -1
        if change == ("move", "swap") or (kind == "mirror" and RELATIONS[relation] == "left"):
            for one in (source, sign, plus):
                one[: 2 * EACH] = np.roll(one[: 2 * EACH], EACH)
        return Effect(relation, source, sign, plus)


class Effects(NamedTuple):
    """The effects of all rules on scenes of one relation, a row for each rule."""

    relation: Ints
    source: Ints
    sign: Ints
    plus: Ints

    def on(self, scene: Ints, rules: Any, slots: int = SLOTS) -> Ints:
        """What becomes of the first figures of a scene under some rules."""
        end = slots * EACH
        source, sign, plus = (one[rules, :end] for one in self[1:])
        made: Ints = (sign * scene[source] + plus) % _COUNTS[:end]
        present: Ints = np.repeat(made[:, PRESENT::EACH], EACH, axis=1)
        return made * present


_COUNTS = np.array(COUNTS * SLOTS)


class Grammar(NamedTuple):
    """All rules with their bits and effects, the cheapest first."""

    rules: tuple[Rule, ...]
    numbers: Mapping[Rule, int]
    bits: npt.NDArray[np.float64]
    effects: tuple[Effects, ...]


@cache
def grammar() -> Grammar:
    """The grammar, made when it is first wanted."""
    rules: list[Rule] = [(one,) for one in ALL_CHANGES]
    rules += [(one, other) for one in ALL_CHANGES for other in ALL_CHANGES]
    rules.sort(key=bits_of)
    size = SLOTS * EACH
    effects = []
    for relation in range(len(RELATIONS)):
        start = Effect(relation, np.arange(size), np.ones(size, np.int64), np.zeros(size, np.int64))
        rows = [reduce(Effect.after, rule, start) for rule in rules]
        effects.append(Effects(*(np.array([row[i] for row in rows]) for i in range(4))))
    bits = np.array([bits_of(rule) for rule in rules])
    return Grammar(tuple(rules), {rule: i for i, rule in enumerate(rules)}, bits, tuple(effects))


def applied(rule: Rule, part: Part) -> Part:
    """A scene after a rule."""
    number = [grammar().numbers[rule]]
    effects = grammar().effects[part[0]]
    made = effects.on(np.array(part[1:]), number)[0]
    return (int(effects.relation[number[0]]), *made.tolist())


def rivals(given: Part, made: Part, asked: Part, limit: float) -> dict[Part, float]:
    """What any rule that turns one scene into another makes of a third, with the bits of the cheapest such rule."""
    all_rules = grammar()
    effects = all_rules.effects[given[0]]
    before, wanted = np.array(given[1:]), np.array(made[1:])
    numbers = np.flatnonzero(effects.relation[: all_rules.bits.searchsorted(limit)] == made[0])
    for slots in (1, SLOTS):  # few rules are right about the first figure
        fits = effects.on(before, numbers, slots) == wanted[: slots * EACH]
        numbers = numbers[fits.all(1)]
    others = all_rules.effects[asked[0]]
    found: dict[Part, float] = {}
    for number, row in zip(
        numbers.tolist(), others.on(np.array(asked[1:]), numbers).tolist(), strict=True
    ):
        answer = (int(others.relation[number]), *row)
        bits = float(all_rules.bits[number])
        found[answer] = min(bits, found.get(answer, bits))
    return found


class GeometricAnalogies(Family):
    """A scene is changed, and another is to be changed likewise."""

    name = "geometric-analogies"
    question = (
        "The first scene was changed into the second. What does the third one become if it is changed likewise? A "
        "scene says where its second figure is seen from the first: inside: in it, above: below it, left: to its right."
    )
    form = "a scene, as above: small gray star turned 90, large white circle turned 0, nothing"
    parts, width, highest = 3, 1 + SLOTS * EACH, len(FORMS) - 1
    columns = 2
    joints = ("\nis to ", "\nas ", "\nis to ")
    room = (2.4, 2.4)

    def all_rules(self) -> Sequence[Rule]:
        """One change or two."""
        return grammar().rules

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """Figures that are changed are the elements; so many things have to be remembered as are different."""
        return measured(
            bits=bits_of(rule),
            elements=sum(2 if change[0] == "mirror" or "all" in change else 1 for change in rule),
            memory=len({change[0] for change in rule}),
            operations=len(rule),
        )

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """Scenes of two figures."""
        given, asked = _scene(dice), _scene(dice)
        made, answer = applied(rule, given), applied(rule, asked)
        if not any(made[1 + slot * EACH] for slot in range(2)):
            return EMPTY
        if made == given:
            return SAME
        bits = bits_of(rule)
        told = verdict(bits, answer, rivals(given, made, asked, bits + MARGIN))
        if told:
            return told
        changes = _changes(answer, asked, dice)[: options.bit_length() - 1]
        return finished([given, made, asked], in_cube(changes, _shifted, answer, options), dice)

    def text(self, part: Part) -> str:
        """The relation and the figures."""
        figures = [part[1 + slot * EACH : 1 + (slot + 1) * EACH] for slot in range(SLOTS)]
        return f"{RELATIONS[part[0]]}: {', '.join(map(_figure_text, figures))}"

    def read(self, text: str) -> Part:
        """The relation and the figures."""
        relation, _, rest = text.partition(": ")
        figures = [_read_figure(one) for one in rest.split(", ")]
        if relation not in RELATIONS or len(figures) != SLOTS or None in figures:
            raise self.wrong_form(text)
        return (RELATIONS.index(relation), *(number for one in figures for number in one or ()))

    def shapes(self, part: Part) -> list[Shape]:
        """The figures, each with a hand that shows how it is turned."""
        shapes: list[Shape] = []
        for slot, (at, scale) in enumerate(_SPOTS[part[0]]):
            present, form, size, turn, fill = part[1 + slot * EACH : 1 + (slot + 1) * EACH]
            if present:
                figure = drawn(Figure(form, size, fill), at, scale)
                paper = drawn(Figure(form, size, 4), at, scale)
                shapes += [_on_paper(paper), figure, _hand(at, turn, scale)]
        return shapes

    def read_shapes(self, shapes: Sequence[Shape]) -> Part:
        """Where figures are tells the relation; their hands tell how they are turned."""
        bodies = [one for one in shapes if isinstance(one, (Area, Disc)) and one.role == "ink"]
        hands = [one for one in shapes if isinstance(one, Line)]
        for relation, spots in enumerate(_SPOTS):
            numbers = [0] * (SLOTS * EACH)
            for body, hand in zip(bodies, hands, strict=True):
                for slot, (at, scale) in enumerate(spots):
                    figure, center = read_drawn(body, scale)
                    if math.dist(at, center) < 0.05 and 0 <= figure.size < len(SIZES):
                        turn = _turn(hand)
                        numbers[slot * EACH : (slot + 1) * EACH] = [
                            1,
                            figure.form,
                            figure.size,
                            turn,
                            figure.fill,
                        ]
            if sum(numbers[PRESENT::EACH]) == len(bodies):
                return (relation, *numbers)
        raise AssertionError("a scene has one of the relations")


_OUTER = 5.0
_AROUND = 0.38
"""No figure that is inside of another reaches so far."""
_CORNER: tuple[Place, float] = ((0.9, 0.9), 1.0)
_SPOTS: tuple[tuple[tuple[Place, float], ...], ...] = (
    (((0.0, 0.0), _OUTER), ((0.0, 0.0), 1.8), _CORNER),
    (((0.0, -0.5), 2.2), ((0.0, 0.5), 2.2), _CORNER),
    (((-0.5, 0.0), 2.2), ((0.5, 0.0), 2.2), _CORNER),
)
"""Where the three figures are, and how large, for each relation."""
_FIGURE = re.compile(r"(\w+) (\w+) (\w+) turned (0|90|180|270)")
_HAND = 0.12


def _hand(at: Place, turn: int, scale: float) -> Line:
    """A short line in the direction of a turn; of a figure that holds another it begins outside of that."""
    x, y = ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))[turn]
    near = _AROUND if scale == _OUTER else 0.0
    ends = tuple((at[0] + far * x, at[1] + far * y) for far in (near, near + _HAND))
    return Line(ends, "ink", 0.04)


def _turn(hand: Line) -> int:
    (x0, y0), (x1, y1) = hand.points
    return round(math.atan2(x1 - x0, y0 - y1) / (math.tau / QUARTERS)) % QUARTERS


def _on_paper(shape: Shape) -> Shape:
    """What lies below a figure, so that nothing shines through."""
    if isinstance(shape, Disc):
        return Disc(shape.center, shape.radius, "paper")
    assert isinstance(shape, Area)
    return Area(shape.points, "paper")


def _figure_text(figure: Sequence[int]) -> str:
    present, form, size, turn, fill = figure
    if not present:
        return "nothing"
    return f"{SIZES[size]} {FILLS[fill]} {FORMS[form]} turned {90 * turn}"


def _read_figure(text: str) -> tuple[int, ...] | None:
    if text == "nothing":
        return (0,) * EACH
    match = _FIGURE.fullmatch(text)
    if match is None:
        return None
    form, size, fill = (
        numbered(names, match[i]) for names, i in ((FORMS, 3), (SIZES, 1), (FILLS, 2))
    )
    return None if min(form, size, fill) < 0 else (1, form, size, int(match[4]) // 90, fill)


def _scene(dice: Dice) -> Part:
    """A scene of two figures."""
    numbers = [dice.below(len(RELATIONS))]
    for _ in range(2):
        numbers += [1, *(dice.below(count) for count in COUNTS[1:])]
    return (*numbers, *(0,) * EACH)


def _changes(answer: Part, asked: Part, dice: Dice) -> list[tuple[tuple[int, ...], int]]:
    """What options differ in: attributes that the rule did not leave alone come first, as if it were made otherwise.

    Every other value is as likely as the right one. Where there is a copy in the corner, all figures are changed, or
    the copy would tell which option is right.
    """
    present = [slot for slot in range(SLOTS) if answer[1 + slot * EACH]]
    attributes = (FORM, SIZE, TURN, FILL)
    groups: list[tuple[int, ...]]
    if 2 in present:
        groups = [tuple(1 + slot * EACH + one for slot in present) for one in attributes]
    else:
        groups = [(1 + slot * EACH + one,) for slot in present for one in attributes]
    order = sorted(dice.shuffled(groups), key=lambda one: answer[one[0]] == asked[one[0]])
    return [(one, 1 + dice.below(COUNTS[(one[0] - 1) % EACH] - 1)) for one in order]


def _shifted(part: Part, change: tuple[tuple[int, ...], int]) -> Part:
    """A scene with other values of an attribute."""
    numbers, step = change
    made = list(part)
    for number in numbers:
        made[number] = (made[number] + step) % COUNTS[(number - 1) % EACH]
    return tuple(made)
