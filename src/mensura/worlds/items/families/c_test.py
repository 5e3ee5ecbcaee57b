"""The C-test: which letter comes next in a d g j, or is missing in a _ a z a y a? After Hernandez-Orallo (1998).

A series is printed by a program of a small machine (:mod:`mensura.complexity.c_test`), and an item is as complex as the
cheapest program of its series. A rule is ``(program, shown, asked)``: the program as text, how many letters are shown,
and the place that is asked for, from 0: that of a blank, or the one after the last letter. Items are those of the
C-test's own judgment, whose margin is 1 in Kt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from string import ascii_lowercase
from typing import TYPE_CHECKING, Literal

from mensura.core.abilities.content import BANK
from mensura.worlds.items.families.family import (
    MEASURES,
    Dice,
    Family,
    Item,
    Part,
    Rule,
    finished,
    measured,
)

if TYPE_CHECKING:  # what is compiled is imported on first use
    from mensura.complexity.c_test.bank import BankItem
    from mensura.complexity.c_test.published import PublishedItem

Asks = Literal["any", "prediction", "abduction"]
LETTERS = 26
BLANK = 26
"""The number of a missing letter."""
INSTRUCTIONS = 10
ALONE = "too few items have other answers, which would be its options"


class LetterItems(Family):
    """Series of letters of which one is asked for."""

    question = "Which letter comes next, or is missing where _ stands? After z comes a again."
    form = "one small letter, as k"
    longest, characters = 1, ascii_lowercase
    parts, width, highest = 10, 1, BLANK
    usual_options = 5
    choices = (2, 3, 4, 5, 6)
    measures = (*MEASURES, "k")
    own_measures = ("k", "kt")
    level = "k"

    def asks_next(self, shown: Sequence[Part]) -> bool:
        """Unless a letter is blank."""
        return (BLANK,) not in shown

    def text(self, part: Part) -> str:
        """A small letter, or _."""
        return "_" if part[0] == BLANK else ascii_lowercase[part[0]]

    def read(self, text: str) -> Part:
        """A small letter."""
        if len(text) != 1 or text not in ascii_lowercase:
            raise self.wrong_form(text)
        return (ascii_lowercase.index(text),)

    def read_part(self, text: str) -> Part:
        """A small letter, or _."""
        return (BLANK,) if text == "_" else self.read(text)


def complexities_of(program: Sequence[int], steps: int, k: float) -> dict[str, float]:
    """Those of a program that takes so many steps until the last shown letter.

    Writing instructions are its elements, and the registers that it copies have to be remembered beside A. Kt is
    counted in instructions, as the C-test has it, and not in bits.
    """
    from mensura.complexity.c_test import instructions as one

    used = set(program)
    registers = (
        1 + bool(used & {one.A_FROM_B, one.B_FROM_A}) + bool(used & {one.A_FROM_C, one.C_FROM_A})
    )
    length = len(program)
    found = measured(
        bits=length * math.log2(INSTRUCTIONS),
        elements=program.count(one.WRITE),
        memory=registers,
        operations=length,
    )
    return {**found, "kt": length + math.log2(steps), "k": k}


class CTest(LetterItems):
    """Series of the C-test's machine, out of a bank of those that were judged beforehand."""

    name = "c-test"
    content = BANK

    def __init__(self, asks: Asks = "any") -> None:
        self.asks = asks

    @cached_property
    def _bank(self) -> Mapping[Rule, BankItem]:
        """The judged items, by rule."""
        from mensura.complexity.c_test.bank import bank
        from mensura.complexity.c_test.instructions import program_text

        return {
            (program_text(one.program), one.shown, one.asked): one
            for one in bank()
            if self.asks == "any" or one.abduction == (self.asks == "abduction")
        }

    def all_rules(self) -> Sequence[Rule]:
        """Those of the items that were judged unquestionable."""
        return tuple(self._bank)

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """Those of the cheapest program."""
        one = self._bank[rule]
        return complexities_of(one.program, one.steps, one.k)

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """The series, and the answers of others like it."""
        from mensura.complexity.c_test.options import options_of

        one = self._bank[rule]
        letters = options_of(one, options, dice.below(1 << 16))
        if letters is None:
            return ALONE
        ordered = sorted(letters, key=lambda letter: (letter != one.answer, letter))
        shown = [(BLANK if letter < 0 else letter,) for letter in one.series]
        return finished(shown, [(letter,) for letter in ordered], dice)


class PublishedCTest(LetterItems):
    """The items of the publications, with their published answers. A rule is ``(series,)``."""

    name = "c-test-1998"
    content = BANK
    is_mixed = False

    @cached_property
    def _items(self) -> Mapping[Rule, PublishedItem]:
        from mensura.complexity.c_test.published import PUBLISHED

        return {(one.series,): one for one in PUBLISHED}

    def all_rules(self) -> Sequence[Rule]:
        """The published items."""
        return tuple(self._items)

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """Those of the cheapest program with the published answer; k is the published one, where there is one."""
        from mensura.complexity.c_test.instructions import read_program
        from mensura.complexity.c_test.machine import LONGEST_RUN, Machine, run, scale_value

        one = self._items[rule]
        program, machine = read_program(one.program), Machine(one.start)
        steps = run(program, LONGEST_RUN, len(one.series.split()), machine).times[-1]
        k = scale_value(program, machine) if one.k is None else one.k
        assert k is not None
        return complexities_of(program, steps, k)

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """The answer among plausible letters: the options that were published are not known for all items."""
        from mensura.complexity.c_test.options import plausible

        one = self._items[rule]
        shown = [self.read_part(letter) for letter in one.series.split()]
        answer = self.read(one.answer)[0]
        series = [-1 if part[0] == BLANK else part[0] for part in shown]
        letters = [answer, *plausible(series, answer, [], dice.sign())][:options]
        return finished(shown, [(letter,) for letter in letters], dice)
