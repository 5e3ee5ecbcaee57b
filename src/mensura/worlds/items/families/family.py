"""What a family of items is, and what all families share: drawing a rule, and options that tell nothing by themselves.

A rule is plain data: numbers and texts in nested tuples. An item follows from a rule and a *surface*, a number from
which start values, figures and the order of options are drawn. It consists of *parts*: what is shown, the answer and
the options are each a tuple of whole numbers from 0, which families write as text, draw, and read back from both.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import choice
from mensura.core.abilities.content import GENERATED
from mensura.pictures.picture import Place, Shape, Words

Part: TypeAlias = tuple[int, ...]
Rule: TypeAlias = tuple[Any, ...]
Within: TypeAlias = tuple[str, float, float]
"""A complexity by name, with the lowest and the highest that is wanted."""

MARGIN = 2.0
"""A rule with another answer has to cost so many bits more, or the item is thrown away."""
MEASURES = ("bits", "elements", "memory", "operations", "kt")
"""The complexities of a rule, in every family."""
TOLERANCE = 1e-9
"""Bits that differ by less are equal."""

# Why an item is thrown away.
SIMPLER = "a simpler rule explains what is shown"
RIVAL = f"a rule with another answer costs less than {MARGIN:g} bits more"
OUTSIDE = "something in it is too large or too small to be shown"
ALIKE = "two options are the same"


class Dice:
    """Draws that follow from a key and nothing else."""

    def __init__(self, key: int) -> None:
        self._key = key
        self._count = 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        self._count += 1
        return choice(self._key, self._count, 0, n)

    def sign(self) -> int:
        """1 or -1."""
        return 1 - 2 * self.below(2)

    def pick(self, choices: Sequence[Any]) -> Any:
        """One of some choices."""
        return choices[self.below(len(choices))]

    def shuffled(self, things: Sequence[Any]) -> list[Any]:
        """All of them, in any order."""
        rest = list(things)
        for last in range(len(rest) - 1, 0, -1):
            other = self.below(last + 1)
            rest[last], rest[other] = rest[other], rest[last]
        return rest


@dataclass(frozen=True)
class Item:
    """A question with one answer."""

    shown: tuple[Part, ...]
    options: tuple[Part, ...]
    """The answer and others, in any order."""
    answer: Part
    right: int
    """The place of the answer among the options, from 0."""


@dataclass(frozen=True)
class Rules:
    """All rules of a family that can be drawn, with their complexities."""

    rules: Sequence[Rule]
    measures: Mapping[str, npt.NDArray[np.float64]]

    def strata(self, measure: str) -> tuple[npt.NDArray[np.int64], ...]:
        """The numbers of the rules with a complexity of up to 1, 2 and so on; those of no rule left out."""
        levels = np.ceil(self.measures[measure] - TOLERANCE)
        return tuple(np.flatnonzero(levels == level) for level in np.unique(levels))


class Family(ABC):
    """A grammar of rules, and items that follow from them."""

    name: ClassVar[str]
    question: ClassVar[str]
    """What is asked, in a sentence or two."""
    form: ClassVar[str]
    """The form of an open answer, in words."""
    longest: ClassVar[int] = 120
    """Characters of an open answer at most."""
    characters: ClassVar[str | None] = None
    """Those of open answers; None: any."""
    parts: ClassVar[int]
    """So many parts are shown at most."""
    width: ClassVar[int]
    """So many numbers a part has at most."""
    highest: ClassVar[int]
    """The largest number in a part."""
    usual_options: ClassVar[int] = 4
    choices: ClassVar[tuple[int, ...]] = (2, 4, 8)
    """How many options there may be."""
    columns: ClassVar[int] = 0
    """So many parts are drawn in a row; 0: all of them."""
    room: ClassVar[Place] = (1.0, 1.0)
    """The width and the height that a part takes in a picture."""
    measures: ClassVar[tuple[str, ...]] = MEASURES
    """Its complexities."""
    own_measures: ClassVar[tuple[str, ...]] = ()
    """Those that were made for it, and are named first."""
    content: ClassVar[str] = GENERATED
    """Where its items come from."""
    is_mixed: ClassVar[bool] = True
    """Whether its items are among mixed ones; those of a published battery are not."""
    level: ClassVar[str] = "bits"
    """The complexity each level of which is drawn as often as any other."""

    # Rules

    @abstractmethod
    def all_rules(self) -> Sequence[Rule]:
        """Every rule that can be drawn, in a fixed order."""

    @abstractmethod
    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """The bits of a rule, and its other complexities."""

    @abstractmethod
    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """The item of a rule; or why there is none that is beyond question."""

    @cached_property
    def rules(self) -> Rules:
        """All rules with their complexities."""
        found = self.all_rules()
        told = [self.complexities(rule) for rule in found]
        return Rules(
            found,
            {name: np.array([one[name] for one in told], np.float64) for name in self.measures},
        )

    @cached_property
    def _strata(self) -> tuple[npt.NDArray[np.int64], ...]:
        return self.rules.strata(self.level)

    @cached_property
    def known(self) -> frozenset[Rule]:
        """All rules, to look one up."""
        return frozenset(self.rules.rules)

    def knows(self, rule: Rule) -> bool:
        """Whether it is one of them."""
        return rule in self.known

    @cached_property
    def _within(self) -> Any:
        @lru_cache(maxsize=1024)
        def within(measure: str, low: float, high: float) -> npt.NDArray[np.int64]:
            values = self.rules.measures[measure]
            return np.flatnonzero((low <= values) & (values <= high))

        return within

    def has(self, within: Within) -> bool:
        """Whether it has rules of such a complexity."""
        return bool(len(self._within(*within)))

    def nearest(self, within: Within) -> float:
        """The complexity of the rule that is nearest to an interval."""
        measure, low, high = within
        values = self.rules.measures[measure]
        away = np.maximum(low - values, values - high)
        return float(values[away.argmin()])

    def draw(self, dice: Dice, within: Within | None = None) -> Rule:
        """A rule: every level of complexity is as likely as any other, or all within an interval are."""
        numbers = dice.pick(self._strata) if within is None else self._within(*within)
        if not len(numbers):
            assert within is not None
            measure, low, high = within
            raise MensuraError(
                f"No item of {self.name} has {measure} from {low:g} to {high:g}; the nearest has "
                f"{self.nearest(within):g}."
            )
        return self.rules.rules[int(dice.pick(numbers))]

    # Parts as text

    @abstractmethod
    def text(self, part: Part) -> str:
        """A part in characters, without those that stand between parts."""

    @abstractmethod
    def read(self, text: str) -> Part:
        """The part that :meth:`text` wrote; a sentence where the text has another form."""

    def wrong_form(self, text: str) -> MensuraError:
        """The sentence about a text that is no part."""
        return MensuraError(
            f"{text!r:.60} is no answer to an item of {self.name}: it must be {self.form}."
        )

    joints: ClassVar[tuple[str, ...]] = (" ",)
    """What stands between one part and the next, the missing one included, over and over."""

    def asks_next(self, shown: Sequence[Part]) -> bool:
        """Whether what is asked for comes after the parts that are shown."""
        return True

    def write(self, shown: Sequence[Part]) -> str:
        """All parts that are shown in characters, and a question mark where one comes after them."""
        texts = [*map(self.text, shown), *(["?"] if self.asks_next(shown) else [])]
        joined = texts[0] if texts else ""
        for number, text in enumerate(texts[1:]):
            joined += self.joints[number % len(self.joints)] + text
        return joined

    def read_shown(self, text: str) -> tuple[Part, ...]:
        """The parts that :meth:`write` wrote."""
        texts = re.split(
            "|".join(sorted(map(re.escape, set(self.joints)), key=len, reverse=True)), text
        )
        return tuple(self.read_part(one) for one in texts if one not in ("?", ""))

    def read_part(self, text: str) -> Part:
        """A part that is shown, which may be one that is no answer, as a blank."""
        return self.read(text)

    # Parts as pictures

    def shapes(self, part: Part) -> list[Shape]:
        """A part as shapes in its room, around (0, 0)."""
        return [Words(self.text(part), (0.0, 0.0), 0.6)]

    def read_shapes(self, shapes: Sequence[Shape]) -> Part:
        """The part that :meth:`shapes` drew."""
        (words,) = shapes
        assert isinstance(words, Words)
        return self.read_part(words.text)


def code(count: int) -> float:
    """The bits of a choice among so many."""
    return math.log2(count)


def measured(bits: float, elements: float, memory: float, operations: float) -> dict[str, float]:
    """The complexities of a rule, Kt among them: its bits and log2 of the operations that it takes, at least one.

    After Levin's Kt, the length of a program plus log2 of its steps.
    """
    kt = bits + math.log2(max(operations, 1.0))
    return dict(zip(MEASURES, (bits, elements, memory, operations, kt), strict=True))


def in_cube(changes: Sequence[Any], apply: Any, answer: Any, options: int) -> list[Any]:
    """The options that come of making some of the changes to an answer, in all combinations; the answer first.

    Every change is made in half of the options, so that a vote over options tells nothing.
    """
    out = []
    for mask in range(options):
        made = answer
        for number, change in enumerate(changes):
            if mask >> number & 1:
                made = apply(made, change)
        out.append(made)
    return out


def finished(shown: Sequence[Part], options: Sequence[Part], dice: Dice) -> Item | str:
    """The item with its options in any order, the first of which is the answer."""
    if len(set(options)) < len(options):
        return ALIKE
    mixed = dice.shuffled(options)
    return Item(tuple(shown), tuple(mixed), options[0], mixed.index(options[0]))


def verdict(bits: float, answer: Any, rivals: Mapping[Any, float]) -> str:
    """Why an item is questionable, or nothing: ``rivals`` are the cheapest bits of each answer by any rule."""
    if rivals.get(answer, math.inf) < bits - TOLERANCE:
        return SIMPLER
    others = [cost for other, cost in rivals.items() if other != answer]
    return RIVAL if min(others, default=math.inf) < bits + MARGIN - TOLERANCE else ""
