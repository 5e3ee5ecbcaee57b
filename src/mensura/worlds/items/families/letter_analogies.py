"""Letter-string analogies: abc is to abd as ijk is to what? After Hofstadter and Mitchell's Copycat.

A rule is one change or two, one after the other. A change is ``(level, which, change)``: what is done to which letters,
to which groups of equal letters side by side, or to the whole string. The rule that turns A into B is applied to C by
role: the last letter, the second group, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from string import ascii_lowercase
from typing import TypeAlias

from mensura.complexity.integers import log_star
from mensura.worlds.items.families.family import (
    MARGIN,
    TOLERANCE,
    Dice,
    Family,
    Item,
    Part,
    Rule,
    code,
    finished,
    measured,
    verdict,
)

Letters: TypeAlias = tuple[int, ...]
"""A string, as numbers."""
Units: TypeAlias = list[Letters]
"""A string cut into letters or into groups."""

LETTERS = 26
LONGEST = 12
"""Letters of a string."""
LEVELS = ("letter", "group", "whole")
CHANGES = ("successor", "predecessor", "double", "drop", "reverse", "sort", "swap")
WHICH: tuple[str | int, ...] = ("first", "last", 2, 3, 4, "all")
"""The first, the last, the nth from 2 on, or all of a kind: those as long, or as often there, as the longest."""
MOST_CHANGES = 2

NO_OPTIONS = "too few rules like its own have other answers, which would be its options"
BLOCK = 24
"""So many rules, at least, options are taken from, where there are so many."""
WAYS = 8
"""To group rules."""

SHAPES: tuple[Letters, ...] = (
    (0, 1, 2),
    (0, 1, 2, 3),
    (3, 2, 1, 0),
    (0, 2, 4),
    (0, 0, 1, 2),
    (0, 1, 1, 2),
    (0, 1, 2, 2),
    (0, 0, 1, 1, 2, 2),
    (0, 1, 1, 2, 2, 2),
    (2, 0, 1),
    (1, 3, 0, 2),
    (2, 2, 0, 1, 1),
)
"""The strings A and C, from the letter that is the lowest in them."""
SPAN = 6
"""Letters that lie above and below the lowest one of a string may be needed."""


def _units(letters: Letters, level: str) -> Units:
    if level == "group":
        return [tuple(run) for _, run in groupby(letters)]
    return [(one,) for one in letters]


def _joined(units: Units) -> Letters:
    return tuple(letter for unit in units for letter in unit)


def _chosen(units: Units, which: str | int) -> list[int]:
    """The numbers of the units that a change is made to."""
    if which == "all":  # of a kind: the longest groups, or the letters that are there most often
        weights = [(len(unit), units.count(unit)) for unit in units]
        most = max(weights, default=(0, 0))
        return [number for number, weight in enumerate(weights) if weight == most]
    number = {"first": 0, "last": len(units) - 1}.get(str(which))
    if number is None:
        number = int(which) - 1
    return [number] if 0 <= number < len(units) else []


def changed(letters: Letters, change: tuple[str, str | int, str]) -> Letters | None:
    """A string after a change; None where the change cannot be made."""
    level, which, what = change
    units = _units(letters, level)
    numbers = list(range(len(units))) if level == "whole" else _chosen(units, which)
    if not numbers:
        return None
    if what in ("successor", "predecessor"):
        step = 1 if what == "successor" else -1
        for number in numbers:
            units[number] = tuple(one + step for one in units[number])
    elif what == "double":
        for number in numbers:
            units[number] = units[number] * 2
    elif what == "drop":
        units = [unit for number, unit in enumerate(units) if number not in numbers]
    elif what == "reverse":
        units.reverse()
    elif what == "sort":
        units.sort()
    else:  # swap: the whole turns its ends, a unit changes places with the next one
        first = 0 if level == "whole" else numbers[0]
        second = len(units) - 1 if level == "whole" else (first + 1) % len(units)
        units[first], units[second] = units[second], units[first]
    made = _joined(units)
    return made if 0 < len(made) <= LONGEST else None


def _all_changes() -> tuple[tuple[str, str | int, str], ...]:
    found: list[tuple[str, str | int, str]] = [
        (level, which, what)
        for level in LEVELS[:2]
        for which in WHICH
        for what in ("successor", "predecessor", "double", "drop", "swap")
        if which != "all" or what != "swap"
    ]
    whole = ("successor", "predecessor", "double", "reverse", "sort", "swap")
    return (*found, *(("whole", "all", what) for what in whole))


ALL_CHANGES = _all_changes()


@cache
def change_bits(change: tuple[str, str | int, str]) -> float:
    """The level, which units of it, and what is done to them."""
    level, which, _ = change
    bits = code(len(LEVELS)) + code(len(CHANGES))
    if level != "whole":
        bits += code(4) + (log_star(which) if isinstance(which, int) else 0.0)
    return bits


def bits_of(rule: Rule) -> float:
    """The number of changes, and each of them."""
    return code(MOST_CHANGES) + sum(map(change_bits, rule))


@lru_cache(maxsize=1 << 18)
def applied(rule: Rule, letters: Letters) -> Letters | None:
    """A string after all changes of a rule."""
    made: Letters | None = letters
    for change in rule:
        made = None if made is None else changed(made, change)
    return made


@cache
def explained(letters: Letters) -> Mapping[Letters, tuple[tuple[float, Rule], ...]]:
    """What becomes of a string under all rules: for each outcome the rules, the cheapest first."""
    found: dict[Letters, list[tuple[float, Rule]]] = {}
    for first in ALL_CHANGES:
        between = changed(letters, first)
        if between is None:
            continue
        found.setdefault(between, []).append((bits_of((first,)), (first,)))
        for second in ALL_CHANGES:
            made = changed(between, second)
            if made is not None:
                rule = (first, second)
                found.setdefault(made, []).append((bits_of(rule), rule))
    return {made: tuple(sorted(rules, key=lambda one: one[0])) for made, rules in found.items()}


def rivals(given: Letters, made: Letters, asked: Letters, limit: float) -> dict[Letters, float]:
    """What any rule that turns one string into another makes of a third, with the bits of the cheapest such rule."""
    found: dict[Letters, float] = {}
    for bits, rule in explained(given).get(made, ()):
        if bits >= limit:
            break
        answer = applied(rule, asked)
        if answer is not None:
            found.setdefault(answer, bits)
    return found


@lru_cache(maxsize=1 << 16)
def fault_of(rule: Rule, given: Letters, asked: Letters) -> str:
    """Why a rule makes no item of two strings; nothing where it does."""
    made, answer = applied(rule, given), applied(rule, asked)
    if made is None or answer is None:
        return "the rule cannot be applied to its strings"
    if made == given:
        return "nothing is changed"
    bits = bits_of(rule)
    return verdict(bits, answer, rivals(given, made, asked, bits + MARGIN))


class LetterAnalogies(Family):
    """A string is changed, and another is to be changed likewise."""

    name = "letter-analogies"
    question = "The first string was changed into the second. What does the third one become if it is changed likewise?"
    form = f"a string of 1 to {LONGEST} small letters, as abd"
    longest, characters = LONGEST, ascii_lowercase
    parts, width, highest = 3, LONGEST, LETTERS - 1
    joints = (" : ", " :: ", " : ")
    room = (4.8, 1.0)

    def all_rules(self) -> Sequence[Rule]:
        """One change or two."""
        one = [(change,) for change in ALL_CHANGES]
        return [*one, *((first, second) for first in ALL_CHANGES for second in ALL_CHANGES)]

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """What is changed are the elements; levels have to be kept in mind."""
        return measured(
            bits=bits_of(rule),
            elements=len({(level, which) for level, which, _ in rule}),
            memory=len({level for level, _, _ in rule}),
            operations=len(rule),
        )

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """A and C are strings of any two shapes."""
        given, asked = dice.pick(SHAPES), dice.pick(SHAPES)
        told = fault_of(rule, given, asked)
        if told:
            return told
        made, answer = applied(rule, given), applied(rule, asked)
        assert made is not None
        assert answer is not None
        group = _groups(_block_of()[rule], given, asked, options, dice.below(WAYS)).get(rule)
        if group is None:
            return NO_OPTIONS
        drawn = [answer, *(one for one in group if one != answer)]
        lowest = [SPAN // 2 + dice.below(LETTERS - 2 * SPAN) for _ in range(2)]
        shown = [(given, lowest[0]), (made, lowest[0]), (asked, lowest[1])]
        parts = [tuple(one + low for one in letters) for letters, low in shown]
        choices = [tuple(one + lowest[1] for one in letters) for letters in drawn]
        return finished(parts, choices, dice)

    def text(self, part: Part) -> str:
        """Small letters."""
        return "".join(chr(ord("a") + one) for one in part)

    def read(self, text: str) -> Part:
        """Small letters."""
        if not 0 < len(text) <= LONGEST or not all("a" <= one <= "z" for one in text):
            raise self.wrong_form(text)
        return tuple(ord(one) - ord("a") for one in text)


@cache
def _block_of() -> Mapping[Rule, tuple[Rule, ...]]:
    """For each rule those that may give the options of its items: as long, and mostly the same changes elsewhere.

    Of the whole there is no other object, so that all its changes count as the same.
    """
    single = [(one,) for one in ALL_CHANGES]
    double = [(first, second) for first in ALL_CHANGES for second in ALL_CHANGES]
    levels: dict[int, list[Rule]] = {}
    for rule in (*single, *double):
        levels.setdefault(math.ceil(bits_of(rule) - TOLERANCE), []).append(rule)
    found: dict[Rule, tuple[Rule, ...]] = {}
    for rules in levels.values():
        rules.sort(key=lambda rule: (len(rule), *map(_alike, rule)))
        count = max(len(rules) // BLOCK, 1)
        for number in range(count):
            block = tuple(rules[len(rules) * number // count : len(rules) * (number + 1) // count])
            found |= dict.fromkeys(block, block)
    return found


def _alike(change: tuple[str, str | int, str]) -> str:
    return "whole" if change[0] == "whole" else change[2]


@lru_cache(maxsize=1 << 14)
def _groups(
    block: tuple[Rule, ...], given: Letters, asked: Letters, count: int, number: int
) -> Mapping[Rule, tuple[Letters, ...]]:
    """The options of the rules of a block that make an item of two strings.

    Rules are put into groups with different answers, and the answers of a group are the options of all its rules. So
    each option is the right one equally often, whatever it looks like. ``number`` says which of the ways to group them
    is meant; rules that are left over have no options.
    """
    waiting: dict[Letters, list[Rule]] = {}
    for rule in Dice(number).shuffled(block):
        if not fault_of(rule, given, asked):
            answer = applied(rule, asked)
            assert answer is not None
            waiting.setdefault(answer, []).append(rule)
    found: dict[Rule, tuple[Letters, ...]] = {}
    while len(waiting) >= count:
        most = sorted(waiting, key=lambda one: -len(waiting[one]))[:count]
        for answer in most:
            found[waiting[answer].pop()] = tuple(most)
            if not waiting[answer]:
                del waiting[answer]
    return found
