"""Number series: what comes next in 2 3 5 9 17?

A term follows from its number n, the previous term, the one before and constants, by at most two operations; or two
series with one operation each are interleaved. A rule is a tree, as ``("+", "previous", ("*", "n", 2))``, or
``("two", tree, tree)``. Numbers are whole, from 0 to 9999; div rounds down.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from string import digits
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.complexity.integers import log_star
from mensura.worlds.items.families.family import (
    MARGIN,
    OUTSIDE,
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

Ints: TypeAlias = npt.NDArray[np.int64]

HIGHEST = 9999
NAMES = ("n", "previous", "before")
CONSTANTS = range(1, 10)
LEAVES: tuple[Any, ...] = (*NAMES, *CONSTANTS)
OPERATIONS = ("+", "-", "*", "div", "mod")
KINDS = len(NAMES) + 1 + len(OPERATIONS)
"""A node is a name, a constant or an operation."""
SHOWN, SHOWN_OF_TWO = 8, 10
USUAL = 3
"""An answer x is about as likely as 1 / (x + this)."""
TELLING = "its answer is much smaller than its options, as answers mostly are"
SCALES = (6, 10, 16, 25, 40, 64, 100, 160, 250, 400)
"""Start values are drawn up to one of these, evenly in their logarithm, so that no size of a number tells much."""
STARTS = 2
"""So many terms stand for themselves, whatever the rule."""


def node_bits(node: Any) -> float:
    """The bits of a node without those below it."""
    return code(KINDS) + (log_star(node) if isinstance(node, int) else 0.0)


@lru_cache(maxsize=1 << 16)
def bits_of(tree: Any) -> float:
    """The bits of a tree."""
    if isinstance(tree, tuple):
        return code(KINDS) + sum(map(bits_of, tree[1:]))
    return node_bits(tree)


@lru_cache(maxsize=1 << 16)
def function_of(tree: Any) -> Callable[[int, int, int], int]:
    """What a tree gives for the number of a term, the previous term and the one before."""
    if isinstance(tree, int):
        return lambda n, previous, before: tree
    if not isinstance(tree, tuple):
        return _NAMED[tree]
    apply, left, right = _APPLY[tree[0]], function_of(tree[1]), function_of(tree[2])
    return lambda n, previous, before: apply(left(n, previous, before), right(n, previous, before))


_NAMED: dict[str, Callable[[int, int, int], int]] = {
    "n": lambda n, previous, before: n,
    "previous": lambda n, previous, before: previous,
    "before": lambda n, previous, before: before,
}
_APPLY: dict[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
}


def leaves_of(tree: Any) -> list[Any]:
    """The names and constants in a tree."""
    if isinstance(tree, tuple):
        return [leaf for one in tree[1:] for leaf in leaves_of(one)]
    return [tree]


def _meant(operation: str, left: Any, right: Any) -> bool:
    """Whether a tree is one of the grammar: not of constants alone, nothing written twice, no division by terms."""
    number = isinstance(right, int)
    if isinstance(left, int) and number:
        return False
    if operation in ("div", "mod"):
        return number and right > 1
    if operation == "-":
        return bool(left != right)
    if operation == "*" and 1 in (left, right):
        return False
    return LEAVES.index(left) <= LEAVES.index(right) if left in LEAVES and right in LEAVES else True


class Trees(NamedTuple):
    """Trees with the same operation at the root, the sides as numbers of trees in the bank."""

    operation: str
    left: Ints
    right: Ints
    bits: npt.NDArray[np.float64]


class Bank(NamedTuple):
    """All trees of the grammar; of those that are equal for any numbers only the cheapest."""

    small: tuple[Any, ...]
    """Leaves, then trees with one operation in the order of ``one``."""
    bits: npt.NDArray[np.float64]
    """Of these."""
    one: tuple[Trees, ...]
    two: tuple[Trees, ...]


@cache
def bank() -> Bank:
    """The bank, made when it is first wanted."""
    some = np.arange(1, 25)
    values = np.array([some, 7 * some**2 % 101, 13 * some**3 % 211, *([c] * 24 for c in CONSTANTS)])
    seen = {row.tobytes() for row in values}
    small: list[Any] = list(LEAVES)
    bits = np.array([node_bits(one) for one in LEAVES])
    found: list[tuple[Trees, ...]] = []
    for ones in (range(len(LEAVES)), None):
        inner = range(len(LEAVES), len(small)) if ones is None else ones
        wanted = [
            (operation, left, right)
            for operation in OPERATIONS
            for one in inner
            for leaf in range(len(LEAVES))
            for left, right in ((one, leaf), (leaf, one))[: 2 if operation == "-" else 1]
            if _meant(operation, small[left], small[right])
        ]
        order = sorted(wanted, key=lambda one: bits[one[1]] + bits[one[2]])
        kept = []
        for operation, left, right in order:
            row = _NUMPY[operation](values[left], values[right]).tobytes()
            if row not in seen:
                seen.add(row)
                kept.append((operation, left, right))
        groups = []
        for operation in OPERATIONS:
            sides = [one[1:] for one in kept if one[0] == operation]
            left, right = np.array(sides, np.int64).T
            groups.append(Trees(operation, left, right, code(KINDS) + bits[left] + bits[right]))
        found.append(tuple(groups))
        if ones is not None:
            small += [tree for group in groups for tree in _listed(group, small)]
            values = np.vstack(
                [values, *(_NUMPY[g.operation](values[g.left], values[g.right]) for g in groups)]
            )
            bits = np.concatenate([bits, *(group.bits for group in groups)])
    return Bank(tuple(small), bits, found[0], found[1])


def _listed(trees: Trees, small: Sequence[Any]) -> list[Rule]:
    sides = zip(trees.left.tolist(), trees.right.tolist(), strict=True)
    return [(trees.operation, small[left], small[right]) for left, right in sides]


_NUMPY = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "div": np.floor_divide,
    "mod": np.remainder,
}


def fits(terms: Sequence[int], operations: int, limit: float) -> dict[int, float]:
    """Every next term that a tree of so many operations or fewer gives, with the bits of the cheapest such tree.

    A tree has to give every term from the third on. Those with two operations and more bits than the limit are left
    out.
    """
    trees = bank()
    known = np.array(terms, np.int64)
    count = len(known) - STARTS + 1
    values = np.empty((len(trees.small), count), np.int64)
    values[0] = np.arange(STARTS + 1, STARTS + 1 + count)
    values[1] = known[STARTS - 1 :]
    values[2] = known[STARTS - 2 : -1]
    values[3 : len(LEAVES)] = _CONSTANT_COLUMN
    filled = len(LEAVES)
    for group in trees.one:
        after = filled + len(group.left)
        _NUMPY[group.operation](values[group.left], values[group.right], out=values[filled:after])
        filled = after
    wanted, first = (
        known[STARTS:],
        values[:, 0].astype(np.int32),
    )  # of more, the last 32 bits are enough
    rest = np.flatnonzero(first == wanted[0])
    rest = rest[(values[rest, :-1] == wanted).all(1)]
    found: dict[int, float] = {}
    _note(found, values[rest, -1], trees.bits[rest])
    for group in trees.two if operations > 1 else ():
        apply, cheap = _NUMPY[group.operation], group.bits.searchsorted(limit)
        left, right = group.left[:cheap], group.right[:cheap]
        rest = np.flatnonzero(apply(first[left], first[right]) == wanted[0])
        if not len(rest):
            continue
        made = apply(values[left[rest]], values[right[rest]])
        same = (made[:, :-1] == wanted).all(1)
        _note(found, made[same, -1], group.bits[rest[same]])
    return found


_CONSTANT_COLUMN = np.array(CONSTANTS, np.int64)[:, None]


def _note(found: dict[int, float], answers: Ints, bits: npt.NDArray[np.float64]) -> None:
    for answer, cost in zip(answers.tolist(), bits.tolist(), strict=True):
        if cost < found.get(answer, cost + 1.0):
            found[answer] = cost


def rivals(terms: Sequence[int], limit: float) -> dict[int, float]:
    """Every next term that a rule of the grammar gives, with the bits of the cheapest such rule.

    Rules that cost more than the limit need not be among them.
    """
    found = {answer: 1.0 + bits for answer, bits in fits(terms, 2, limit - 1.0).items()}
    mine, other = terms[len(terms) % 2 :: 2], terms[1 - len(terms) % 2 :: 2]
    others = fits(other, 1, limit)
    if others:
        least = 1.0 + min(others.values())
        for answer, bits in fits(mine, 1, limit).items():
            found[answer] = min(least + bits, found.get(answer, least + bits))
    return found


class NumberSeries(Family):
    """Terms that follow from earlier ones."""

    name = "number-series"
    question = "Which number comes next?"
    form = f"a whole number from 0 to {HIGHEST}, as 42"
    longest, characters = len(str(HIGHEST)), digits
    parts, width, highest = SHOWN_OF_TWO, 1, HIGHEST
    room = (2.0, 1.0)

    def all_rules(self) -> Sequence[Rule]:
        """Trees with one or two operations, and pairs of those with one, that some numbers to begin with suit."""
        trees = bank()
        one = trees.small[len(LEAVES) :]
        two = [tree for group in trees.two for tree in _listed(group, trees.small)]
        able = [tree for tree in (*one, *two) if _can_be_shown(tree)]
        simple = [
            tree
            for tree in one
            if tree[0] in "+-*" and isinstance(tree[2], int) and _can_be_shown(tree)
        ]
        return [*able, *(("two", first, second) for first in simple for second in simple)]

    def complexities(self, rule: Rule) -> Mapping[str, float]:
        """Leaves are the elements; what is used of the past, and the number of a term, has to be remembered."""
        trees = rule[1:] if rule[0] == "two" else (rule,)
        leaves = [leaves_of(tree) for tree in trees]
        return measured(
            bits=1.0 + sum(map(bits_of, trees)),
            elements=sum(map(len, leaves)),
            memory=sum(len({leaf for leaf in one if isinstance(leaf, str)}) for one in leaves),
            operations=sum(len(one) - 1 for one in leaves),
        )

    def make(self, rule: Rule, dice: Dice, options: int) -> Item | str:
        """Eight terms, or ten of two series."""
        trees = rule[1:] if rule[0] == "two" else (rule,)
        most = dice.pick(SCALES)
        shown = SHOWN if len(trees) == 1 else SHOWN_OF_TWO
        each = shown // len(trees)
        series = [
            _series(tree, each + 1, [1 + dice.below(most) for _ in range(STARTS)]) for tree in trees
        ]
        if not all(0 <= term <= HIGHEST for one in series for term in one):
            return OUTSIDE
        terms = [one[i] for i in range(each) for one in series]
        mine, tree = series[0], trees[0]
        answer = mine[each]
        # About as far off as the last difference repeated, and as a wrong constant: exactly so far, the distance
        # would tell of which option it is one; and either way round.
        repeated = abs(answer - (2 * mine[each - 1] - mine[each - 2]))
        repeated = repeated or abs(mine[each - 1] - mine[each - 2]) or 3
        wrong = function_of(_with_wrong_constant(tree, dice))
        other = abs(wrong(each + 1, mine[each - 1], mine[each - 2]) - answer) or 1 + dice.below(2)
        steps = [1 + dice.below(2 * one) for one in (repeated, other, 10)]
        changes = [dice.sign() * step for step in steps]
        made = in_cube(changes, lambda number, step: number + step, answer, options)
        if not all(0 <= number <= HIGHEST for number in made):
            return OUTSIDE
        # Small answers are common. With this, each option is as likely as the largest of them.
        if dice.below(max(made) + USUAL) >= answer + USUAL:
            return TELLING
        item = finished([(one,) for one in terms], [(one,) for one in made], dice)
        if isinstance(item, str):
            return item
        bits = 1.0 + sum(map(bits_of, trees))
        return verdict(bits, answer, rivals(terms, bits + MARGIN)) or item

    def text(self, part: Part) -> str:
        """In digits."""
        return str(part[0])

    def read(self, text: str) -> Part:
        """In digits."""
        if not (text.isascii() and text.isdecimal()) or len(text) > len(str(HIGHEST)):
            raise self.wrong_form(text)
        return (int(text),)


def _series(tree: Rule, length: int, starts: Sequence[int]) -> list[int]:
    """The first terms of a series, which begins with as many of the starts as its rule needs."""
    terms = list(starts[: _starts_of(tree)])
    previous, before = [0, 0, *terms][:-3:-1]
    follow = function_of(tree)
    for number in range(len(terms) + 1, length + 1):
        previous, before = follow(number, previous, before), previous
        terms.append(previous)
        if not 0 <= previous <= HIGHEST:
            break
    return terms


@lru_cache(maxsize=1 << 16)
def _starts_of(tree: Rule) -> int:
    """How many terms a tree needs before it gives the first one."""
    names = leaves_of(tree)
    return 2 if "before" in names else 1 if "previous" in names else 0


def _can_be_shown(tree: Rule) -> bool:
    """Whether a series stays within bounds from any of a few starts."""
    return any(
        len(terms := _series(tree, SHOWN + 1, starts)) > SHOWN and 0 <= terms[-1] <= HIGHEST
        for starts in ((2, 5), (5, 3), (12, 31), (40, 18), (90, 90), (300, 200))
    )


def _with_wrong_constant(tree: Any, dice: Dice) -> Any:
    """A tree with one of its constants changed by 1."""
    if isinstance(tree, int):
        return tree + 1 if tree < 3 else tree + dice.sign()
    if isinstance(tree, tuple):
        operation, left, right = tree
        if any(isinstance(one, int) for one in leaves_of(right)):
            return operation, left, _with_wrong_constant(right, dice)
        return operation, _with_wrong_constant(left, dice), right
    return tree
