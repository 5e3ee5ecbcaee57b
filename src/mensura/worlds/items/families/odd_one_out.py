"""Odd one out: several pairs of figures share a rule, and one breaks it. Which?

A rule says something of a pair, a left figure and a right one, each with a form, a size and a fill:

- ``("is", figure, attribute, value)``: a figure has a certain form, size or fill;
- ``("same", attribute)``, ``("differs", attribute)``: the figures have the same, or not;
- ``("iff", one, other)``, ``("xor", one, other)``: two of these are true or false together, or are not.

Every rule is as likely as its opposite, or has a value that is drawn evenly, so that a pair by itself does not tell
whether it is the odd one. Pairs vary in what the rule is about; in all else they are the same, or vary too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from mensura.pictures.picture import Place, Shape
from mensura.worlds.items.families.family import (
    Dice,
    Family,
    Item,
    Part,
    Rule,
    code,
    measured,
    verdict,
)
from mensura.worlds.items.families.figures import FILLS as ALL_FILLS
from mensura.worlds.items.families.figures import FORMS, Figure, drawn, numbered, read_drawn
from mensura.worlds.items.families.figures import SIZES as ALL_SIZES

SIDES = ("left", "right")
ATTRIBUTES = ("form", "size", "fill")
SIZES, FILLS = ALL_SIZES[::2], ALL_FILLS[::2]
VALUES = (FORMS[:4], SIZES, FILLS)
COUNTS = tuple(len(VALUES[place % 3]) for place in range(6))
"""So many values each number of a pair has."""
TWICE = "another rule of one part singles out the same pair"
FEW = "there are too few different pairs"
VARIED = 4
"""So many numbers of pairs vary: those that the rule is about, and others."""
OPPOSITES = {"same": "differs", "differs": "same", "iff": "xor", "xor": "iff"}
ATTEMPTS = 8
"""So often pairs are drawn for a rule before it is given up."""
TRIES = 100
"""For a pair that keeps a rule, or breaks it."""


def _atoms() -> list[Rule]:
    values = [
        ("is", side, attribute, value)
        for side in SIDES
        for attribute, names in zip(ATTRIBUTES, VALUES, strict=True)
        for value in names
    ]
    return [*(("same", attribute) for attribute in ATTRIBUTES), *values]


ATOMS = _atoms()


def _atom_bits(atom: Rule) -> float:
    """Which kind of three, and what it is about."""
    bits = code(3) + code(len(ATTRIBUTES))
    if atom[0] == "is":
        bits += code(len(SIDES)) + code(len(VALUES[ATTRIBUTES.index(atom[2])]))
    return bits


def bits_of(rule: Rule) -> float:
    """Whether it has one part or two, how they go together, and each of them."""
    if rule[0] in ("iff", "xor"):
        return code(2) + code(2) + sum(map(_atom_bits, rule[1:]))
    return code(2) + _atom_bits(rule)


DRAWN: tuple[Rule, ...] = (
    *ATOMS,
    *(("differs", attribute) for attribute in ATTRIBUTES),
    *(
        (kind, *pair)
        for pair in combinations(ATOMS[: len(ATTRIBUTES)], 2)
        for kind in ("iff", "xor")
    ),
)
"""Rules of two parts that name values are rivals only: six pairs hardly ever tell one of them from all others."""


def _places(atom: Rule) -> tuple[int, ...]:
    """The numbers of a pair that an atom is about."""
    if atom[0] == "is":
        return (3 * SIDES.index(atom[1]) + ATTRIBUTES.index(atom[2]),)
    return ATTRIBUTES.index(atom[1]), 3 + ATTRIBUTES.index(atom[1])


def _atom_holds(atom: Rule, pair: Sequence[int]) -> bool:
    places = _places(atom)
    if atom[0] == "is":
        return pair[places[0]] == VALUES[places[0] % 3].index(atom[3])
    return (pair[places[0]] == pair[places[1]]) is (atom[0] == "same")


def holds(rule: Rule, pair: Sequence[int]) -> bool:
    """Whether a rule is true of a pair."""
    if rule[0] not in ("iff", "xor"):
        return _atom_holds(rule, pair)
    one, other = (_atom_holds(atom, pair) for atom in rule[1:])
    return (one is other) is (rule[0] == "iff")


def singled_out(pairs: Sequence[Sequence[int]]) -> dict[int, float]:
    """Every pair that a rule singles out, which all others keep, with the bits of the cheapest such rule.

    What is true of which pairs is a mask of bits: rules with the same mask are one rule here, the cheapest.
    """
    whole = (1 << len(pairs)) - 1
    singles = {whole ^ 1 << number: number for number in range(len(pairs))}
    found: dict[int, float] = {}

    def note(mask: int, bits: float) -> None:
        if mask in singles:
            odd = singles[mask]
            found[odd] = min(bits, found.get(odd, bits))

    masks: dict[int, float] = {}
    for atom, bits, mask in _masks(pairs):
        note(mask, code(2) + bits)
        if atom[0] == "same":
            note(whole ^ mask, code(2) + bits)
        masks[mask] = min(bits, masks.get(mask, bits))
    joined = 2 * code(2)
    for (one, first), (other, second) in combinations(masks.items(), 2):
        mask = one ^ other
        odd = singles.get(mask, singles.get(whole ^ mask))
        if odd is not None:
            note(whole ^ 1 << odd, joined + first + second)
    return found


def also_singled_out(rule: Rule, pairs: Sequence[Sequence[int]]) -> bool:
    """Whether a rule of one part, other than this one, singles out any pair.

    If it could be the odd pair and no other, who sees one pair after another would look for what is rare.
    """
    whole = (1 << len(pairs)) - 1
    singles = {whole ^ 1 << number for number in range(len(pairs))}
    for atom, _, mask in _masks(pairs):
        masks = (mask, whole ^ mask) if atom[0] == "same" else (mask,)
        own = rule == atom or (atom[0] == "same" and rule == ("differs", atom[1]))
        if not own and any(one in singles for one in masks):
            return True
    return False


def _masks(pairs: Sequence[Sequence[int]]) -> Iterator[tuple[Rule, float, int]]:
    """Every atom with its bits, and a mask of the pairs that it is true of."""
    for atom, bits, places, value in _CHECKED:
        mask = 0
        for number, pair in enumerate(pairs):
            mask |= (pair[places[0]] == (pair[places[1]] if value is None else value)) << number
        yield atom, bits, mask


_CHECKED = tuple(
    (
        atom,
        _atom_bits(atom),
        _places(atom),
        VALUES[_places(atom)[0] % 3].index(atom[3]) if atom[0] == "is" else None,
    )
    for atom in ATOMS
)


class OddOneOut(Family):
    """Pairs of figures of which one breaks the rule of the others. The options are all that is shown."""

    name = "odd-one-out"
    question = (
        "All pairs of figures but one have something in common. Which one is it that has not?"
    )
    form = "a pair as it is shown, as tiny gray square, huge white circle"
    parts, width, highest = 8, 6, max(COUNTS) - 1
    usual_options = 6
    choices = (4, 5, 6, 7, 8)
    room = (2.0, 1.2)
    columns = 8
    joints = ("\n",)

    def asks_next(self, shown: Sequence[Part]) -> bool:
        """One of those that are shown."""
        return False

    def all_rules(self) -> Sequence[Rule]:
        """One part, or two."""
        return DRAWN

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """Numbers of a pair that matter are the elements; each part has to be remembered."""
        atoms = rule[1:] if rule[0] in ("iff", "xor") else (rule,)
        return measured(
            bits=bits_of(rule),
            elements=len({place for atom in atoms for place in _places(atom)}),
            memory=len(atoms),
            operations=2 * len(atoms) - 1,
        )

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """Pairs that keep the rule, and one that breaks it.

        They are kept only if there are such pairs for the opposite of the rule too, so that neither is more frequent.
        """
        pairs = _beyond_question(rule, dice, options)
        opposite = OPPOSITES.get(rule[0])
        if opposite and not isinstance(pairs, str):
            other = _beyond_question((opposite, *rule[1:]), dice, options)
            if isinstance(other, str):
                return other
        if isinstance(pairs, str):
            return pairs
        mixed = dice.shuffled(pairs)
        return Item((), tuple(mixed), pairs[-1], mixed.index(pairs[-1]))

    def text(self, part: Part) -> str:
        """Both figures."""
        return ", ".join(
            f"{SIZES[size]} {FILLS[fill]} {FORMS[form]}"
            for form, size, fill in (part[:3], part[3:])
        )

    def read(self, text: str) -> Part:
        """Both figures."""
        match = _PAIR.fullmatch(text)
        numbers: list[int] = []
        for size, fill, form in (match.groups()[:3], match.groups()[3:]) if match else ():
            numbers += [numbered(VALUES[0], form), numbered(SIZES, size), numbered(FILLS, fill)]
        if not numbers or min(numbers) < 0:
            raise self.wrong_form(text)
        return tuple(numbers)

    def shapes(self, part: Part) -> list[Shape]:
        """One beside the other."""
        return [
            drawn(Figure(form, 2 * size, 2 * fill), at, SCALE)
            for (form, size, fill), at in zip((part[:3], part[3:]), SPOTS, strict=True)
        ]

    def read_shapes(self, shapes: Sequence[Shape]) -> Part:
        """From left to right."""
        figures = sorted((read_drawn(one, SCALE) for one in shapes), key=lambda one: one[1])
        return tuple(
            number for one, _ in figures for number in (one.form, one.size // 2, one.fill // 2)
        )


SCALE = 1.5
SPOTS: tuple[Place, Place] = ((-0.47, 0.0), (0.47, 0.0))
_PAIR = re.compile(r"(\w+) (\w+) (\w+), (\w+) (\w+) (\w+)")


def _beyond_question(rule: Rule, dice: Dice, count: int) -> list[Part] | str:
    """Pairs that only the rule explains, the last of which breaks it; or why there are none."""
    told = FEW
    for _ in range(ATTEMPTS):
        pairs = _pairs(rule, dice, count)
        if pairs is None:
            continue
        told = verdict(bits_of(rule), count - 1, singled_out(pairs))
        if not told and not also_singled_out(rule, pairs):
            return pairs
        told = told or TWICE
    return told


def _pairs(rule: Rule, dice: Dice, count: int) -> list[Part] | None:
    """Different pairs, the last of which breaks the rule; None where there are not so many."""
    atoms = rule[1:] if rule[0] in ("iff", "xor") else (rule,)
    about = {place for atom in atoms for place in _places(atom)}
    compared = [_places(atom) for atom in atoms if atom[0] != "is"]
    base = [dice.below(many) for many in COUNTS]
    others = dice.shuffled([place for place in range(6) if place not in about])
    free = [*sorted(about), *others[: VARIED - len(about)]]
    found: list[Part] = []
    for _ in range(TRIES):
        pair = list(base)
        for place in free:
            pair[place] = dice.below(COUNTS[place])
        for left, right in compared:  # equal in half of the pairs, so that neither is rare
            other = pair[left] + 1 + dice.below(COUNTS[left] - 1)
            pair[right] = pair[left] if dice.below(2) else other % COUNTS[left]
        wanted = len(found) < count - 1
        if tuple(pair) not in found and holds(rule, pair) == wanted:
            found.append(tuple(pair))
            if len(found) == count:
                return found
    return None
