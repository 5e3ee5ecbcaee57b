"""How long an environment's description is, in bits: one prefix code for all of them (3.6.6 of Insa-Cabrera, 2011).

A description is a row of choices, each among options that the choices before it settle: among n equally likely ones,
which takes log2 n bits, or a whole number by Rissanen's code (the log* of 3.6.6). Whoever reads the choices knows at
each point what comes next and when all has been said, so no description begins another one, and the probabilities
2^-length of all environments sum to 1 at most. `decode` is the proof, and `mensura.worlds.lambda_class.universal`
draws from these probabilities. The choices, in order:

    n_c - 1 and n_a - 1 by log*, as both are 2 at least; n_omega by log* (from 0)
    the space: whether a program writes it; its program; else for each cell and action but the reflexive one, where it
        leads, evenly among the cells (one arrow can be written in several ways, which makes no other environment)
    whether the starts are placed; the cells of Good and Evil, which differ, of the objects and the subjects, evenly
    the kinds of behaviors, evenly among six: that which Good and Evil share, then those of the objects
    symbols and subscripts of the programs beyond those of every observation: how many, by log* (from 0)
    the behaviors in turn: a pattern by its length (log*) and its actions, evenly; the two actions of a startled one,
        evenly; a program; nothing for the others

A program is a number of rules by log* (from 0), which match is rewritten, and the rules. A rule is an earlier one, of
any object (then: which one, evenly), or new; so what 100 objects share counts once. A new rule is plain or written in
the extended notation; terminating or not; the numbers of symbols on its sides, by log* (from 0); and these symbols,
evenly. On the sides of a plain rule stand symbols of the alphabet, on its right also the two marks of the memory; in
the extended notation also all other marks and subscripts. Rules count as they are written, not as the plain rules that
they are short for: the thesis takes "the number of symbols of the whole algorithm", it introduces the notation to make
do with fewer rules, and a length is that of the shortest text that we know of. What symbols and actions are called
costs nothing. Switches belong to the world and cost nothing either; so does the number of subjects, who are no part of
the environment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mensura.agent.errors import MensuraError
from mensura.complexity.integers import log_star
from mensura.worlds.lambda_class import text
from mensura.worlds.lambda_class.behaviors import (
    Attached,
    Behavior,
    Markov,
    Pattern,
    Random,
    Shy,
    Startled,
)
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.kernels.programs import PLAIN_MARKS
from mensura.worlds.lambda_class.markov import SPACE_SYMBOLS, Program, programmed_space
from mensura.worlds.lambda_class.notation import read_rule
from mensura.worlds.lambda_class.rules import (
    ANY,
    EXCEPT,
    RECALL,
    STORE,
    AnySymbol,
    Choice,
    Item,
    Recall,
    Rule,
    Side,
    StoreString,
    Symbol,
    Word,
)
from mensura.worlds.lambda_class.space import Space

KINDS: tuple[type[Any], ...] = (Markov, Pattern, Random, Startled, Shy, Attached)

MARKS = (RECALL, STORE, "^" + STORE, ANY, EXCEPT, "(", ")", "[", "]", "{", "}", "|")
"""What may stand in a rule besides symbols and subscripts; in a plain one only the first two."""
assert MARKS[:PLAIN_MARKS] == (RECALL, STORE)


class Code(NamedTuple):
    """A description as the row of its choices, and how many bits they take."""

    choices: tuple[int, ...]
    bits: float


def encode(description: Description) -> Code:
    """The choices that describe an environment, given its switches."""
    writer = Writer()
    _describe(writer, description, description.switches())
    return Code(tuple(writer.choices), writer.bits)


def decode(choices: Sequence[int], switches: dict[str, Any]) -> Description:
    """The environment that a row of choices describes, with symbols and actions called x_1 and a_1 and so on."""
    reader = Reader(choices)
    found = _describe(reader, None, switches)
    if reader.at != len(reader.choices):
        raise MensuraError(
            f"A description ends after {reader.at} choices; here are {len(reader.choices)}."
        )
    return found


def description_length(description: Description) -> int:
    """The length of an environment's description in whole bits, as Shannon's code for these probabilities has it.

    Choices among three or five are no whole number of bits; of all of them together only the last bit is rounded up.
    """
    return whole(encode(description).bits)


def pattern_bits(n_c: int, n_a: int, lengths: Sequence[int]) -> float:
    """The bits of an environment of patterns with so many actions each, Good's and Evil's first, on a literal space."""
    sizes = log_star(n_c - 1) + log_star(n_a - 1) + log_star(len(lengths))
    space = 1 + n_c * (n_a - 1) * math.log2(n_c)
    kinds = 1 + len(lengths) * math.log2(len(KINDS))
    moves = sum(log_star(n) for n in lengths) + sum(lengths) * math.log2(n_a)
    return sizes + space + kinds + moves


def whole(bits: float) -> int:
    """Bits rounded up, whatever sums of logarithms leave behind the decimal point of a whole number."""
    return math.ceil(round(bits, 6))


# Choices ------------------------------------------------------------------------


@dataclass
class Writer:
    """Takes down what is chosen."""

    choices: list[int] = field(default_factory=list)
    bits: float = 0.0

    def even(self, value: int | None, options: int) -> int:
        """One of so many options, all as likely."""
        assert value is not None
        assert 0 <= value < options
        self.choices.append(value)
        self.bits += math.log2(options)
        return value

    def evens(self, values: Iterable[int] | None, count: int, options: int) -> list[int]:
        """So many choices among as many options each."""
        assert values is not None
        chosen = list(values)
        assert len(chosen) == count
        self.choices += chosen
        self.bits += count * math.log2(options)
        return chosen

    def number(self, value: int | None, least: int = 0) -> int:
        """A whole number, by log*."""
        assert value is not None
        self.choices.append(value)
        self.bits += log_star(value - least + 1)
        return value


class Reader(Writer):
    """Reads what was chosen, and measures it too."""

    def __init__(self, choices: Iterable[int]) -> None:
        super().__init__(list(choices))
        self.at = 0

    def _next(self, least: int, most: float) -> int:
        if self.at == len(self.choices):
            raise MensuraError(f"The description ends before its choice {self.at + 1}.")
        value = self.choices[self.at]
        if not least <= value <= most:
            raise MensuraError(
                f"Choice {self.at + 1} of the description is {value}; it is from {least} to {most:g}."
            )
        self.at += 1
        return value

    def even(self, value: int | None, options: int) -> int:
        """What was chosen among so many options."""
        self.bits += math.log2(options)
        return self._next(0, options - 1)

    def evens(self, values: Iterable[int] | None, count: int, options: int) -> list[int]:
        """What was chosen, so many times."""
        return [self.even(None, options) for _ in range(count)]

    def number(self, value: int | None, least: int = 0) -> int:
        """The number that was chosen."""
        value = self._next(least, math.inf)
        self.bits += log_star(value - least + 1)
        return value


# Environments -------------------------------------------------------------------
# Each function below goes through the choices of a part in order. Its part is given to be written, or None and read.


def _describe(coder: Writer, d: Description | None, switches: dict[str, Any]) -> Description:
    n_c = coder.number(None if d is None else d.space.cells, 2)
    n_a = coder.number(None if d is None else d.space.actions, 2)
    n_w = coder.number(None if d is None else len(d.objects))
    actions = d.actions if d else text.action_symbols(n_a)
    program, space = _space(coder, d, n_c, actions)
    starts = _starts(coder, d, n_c, n_w + switches["subjects"])
    known = None if d is None else (d.good_and_evil, *d.objects)
    behaviors = code_behaviors(coder, known, actions, n_w)
    if d is not None:
        return d
    return Description(
        space=space,
        space_program=program,
        good_and_evil=behaviors[0],
        objects=tuple(behaviors[1:]),
        starts=starts,
        **switches,
    )


def _space(
    coder: Writer, d: Description | None, n_c: int, actions: Word
) -> tuple[Program | None, Space]:
    known = d.space_program if d else None
    if coder.even(None if d is None else int(known is not None), 2):
        program = code_space_program(coder, known, actions)
        return program, d.space if d else programmed_space(program, n_c, actions)
    rows = []
    for cell in range(n_c):
        targets = d.space.arrows[cell][1:] if d else None
        rows.append([cell, *coder.evens(targets, len(actions) - 1, n_c)])
    return None, d.space if d else Space.from_arrows(rows)


def _starts(coder: Writer, d: Description | None, n_c: int, others: int) -> tuple[int, ...]:
    if not coder.even(None if d is None else int(bool(d.starts)), 2):
        return ()
    good = coder.even(None if d is None else d.starts[0], n_c)
    evil = coder.even(None if d is None else d.starts[1] - (d.starts[1] > good), n_c - 1)
    rest = coder.evens(None if d is None else d.starts[2:], others, n_c)
    return (good, evil + (evil >= good), *rest)


def code_behaviors(
    coder: Writer, known: Sequence[Behavior] | None, actions: Word, n_w: int
) -> list[Behavior]:
    """The behavior of Good and Evil, and those of so many objects."""
    kinds = coder.evens(
        None if known is None else [KINDS.index(type(b)) for b in known], 1 + n_w, len(KINDS)
    )
    letters = text.alphabet(actions, n_w)
    programs = None if known is None else [b.program for b in known if isinstance(b, Markov)]
    symbols = code_symbols(coder, programs, letters) if KINDS.index(Markov) in kinds else None
    behaviors = []
    for i, kind in enumerate(kinds):
        behaviors.append(
            _behavior(
                coder, KINDS[kind], None if known is None else known[i], len(actions), symbols
            )
        )
    return behaviors


def _behavior(
    coder: Writer, kind: type[Any], known: Any, n_a: int, symbols: Symbols | None
) -> Behavior:
    if kind is Markov:
        assert symbols is not None
        return Markov(_program(coder, None if known is None else known.program, symbols))
    if kind is Pattern:
        n = coder.number(None if known is None else len(known.moves), 1)
        return Pattern(tuple(coder.evens(None if known is None else known.moves, n, n_a)))
    if kind is Startled:
        pair = coder.evens(None if known is None else (known.calm, known.startled), 2, n_a)
        return Startled(*pair)
    return kind()  # type: ignore[no-any-return]


def code_space_program(coder: Writer, known: Program | None, actions: Word) -> Program:
    """The program of a space."""
    letters = (*actions, *SPACE_SYMBOLS)
    return _program(coder, known, code_symbols(coder, None if known is None else [known], letters))


# Programs -----------------------------------------------------------------------


@dataclass
class Symbols:
    """What stands in the rules of some programs, by number, and the rules that there are already."""

    letters: Word
    """The alphabet: what all observations have, then the symbols of the programs' own."""
    base: int
    """How many of them are of all observations."""
    subscripts: Word
    rules: dict[Rule, int] = field(default_factory=dict)

    def tokens(self, side: Side) -> list[int]:
        """A side of a rule by numbers: of letters, then of marks, then of subscripts."""
        marks = {mark: len(self.letters) + i for i, mark in enumerate((*MARKS, *self.subscripts))}
        letters = {letter: i for i, letter in enumerate(self.letters)}
        return [letters[name] if letter else marks[name] for letter, name in _tokens(side)]

    def items(self, tokens: Iterable[int]) -> Side:
        """A side of a plain rule from these numbers."""
        n = len(self.letters)
        marks = Recall(), StoreString()
        return tuple(Symbol(self.letters[t]) if t < n else marks[t - n] for t in tokens)

    def side(self, tokens: Iterable[int]) -> str:
        """The text of any side from these numbers."""
        names = (*self.letters, *MARKS, *(f"_{{{name[1:]}}}" for name in self.subscripts))
        parts: list[str] = []
        in_braces = False
        for token in tokens:
            name = names[token]
            if token < len(self.letters):
                base, subscript = name[0], name[2:]
                comma = "," if in_braces and parts[-1] != "{" else ""
                name = f"{comma}\\{base}" + (f"_{{{subscript}}}" if subscript else "")
            elif name in "{}":
                in_braces = name == "{"
            parts.append(name)
        return "".join(parts)


def code_symbols(coder: Writer, programs: Sequence[Program] | None, base: Word) -> Symbols:
    """The alphabet of some programs together: what is given, and symbols and subscripts of their own."""
    own: Word = ()
    subscripts: Word = ()
    if programs is not None:
        rules = [rule for program in programs for rule in program.rules]
        named = dict.fromkeys(letter for rule in rules for letter in rule.letters())
        own = tuple(letter for letter in named if letter not in base)
        sides = (
            token for rule in rules for side in (rule.left, rule.right) for token in _tokens(side)
        )
        marks = (name for letter, name in sides if not letter and name not in MARKS)
        subscripts = tuple(dict.fromkeys(marks))
    count = coder.number(None if programs is None else len(own))
    tied = coder.number(None if programs is None else len(subscripts))
    if programs is None:
        own = tuple(f"x_{i}" for i in range(1, count + 1))
        subscripts = tuple(f"_{i}" for i in range(1, tied + 1))
    return Symbols((*base, *own), len(base), subscripts)


def _program(coder: Writer, known: Program | None, symbols: Symbols) -> Program:
    count = coder.number(None if known is None else len(known.rules))
    rightmost = coder.even(None if known is None else int(known.match == "rightmost"), 2)
    rules = tuple(
        _rule(coder, None if known is None else known.rules[i], symbols) for i in range(count)
    )
    return Program(rules, symbols.letters[: symbols.base], "rightmost" if rightmost else "leftmost")


def _rule(coder: Writer, known: Rule | None, symbols: Symbols) -> Rule:
    rules = symbols.rules
    if rules and coder.even(None if known is None else int(known in rules), 2):
        number = coder.even(None if known is None else rules[known], len(rules))
        return list(rules)[number]
    extended = coder.even(None if known is None else int(not _plain(known)), 2)
    terminating = coder.even(None if known is None else int(known.terminating), 2)
    sides = None if known is None else [symbols.tokens(s) for s in (known.left, known.right)]
    lengths = [coder.number(None if sides is None else len(sides[i])) for i in range(2)]
    letters = len(symbols.letters)
    options = [letters, letters + PLAIN_MARKS]
    if extended:
        options = [letters + len(MARKS) + len(symbols.subscripts)] * 2
    left, right = (
        coder.evens(None if sides is None else sides[i], lengths[i], options[i]) for i in range(2)
    )
    if known is None and extended:
        arrow = " ->. " if terminating else " -> "
        known = read_rule(symbols.side(left) + arrow + symbols.side(right))
    elif known is None:
        known = Rule(symbols.items(left), symbols.items(right), bool(terminating))
    rules.setdefault(known, len(rules))
    return known


def _plain(rule: Rule) -> bool:
    """Whether a rule has nothing but symbols, and marks of the memory on its right."""
    return all(
        isinstance(item, StoreString | Recall) or (isinstance(item, Symbol) and not item.stored)
        for item in (*rule.left, *rule.right)
    )


def _tokens(side: Side) -> list[tuple[bool, str]]:
    """A side symbol by symbol, each with whether it is a letter; all else are marks and subscripts."""
    tokens: list[tuple[bool, str]] = []
    for item in side:
        tokens += _item_tokens(item)
        if isinstance(item, Symbol | AnySymbol | Choice) and item.stored:
            tokens.append((False, "^" + STORE))
    return tokens


def _item_tokens(item: Item) -> list[tuple[bool, str]]:
    if isinstance(item, Symbol):
        return [(True, item.name)]
    if isinstance(item, StoreString | Recall):
        return [(False, STORE if isinstance(item, StoreString) else RECALL)]
    subscript = [(False, "_" + item.subscript)] if item.subscript else []
    if isinstance(item, AnySymbol):
        tokens = [(False, ANY), *subscript]
        if item.excluded:
            excluded = [(True, name) for name in item.excluded]
            braces = [(False, EXCEPT), (False, "{"), *excluded, (False, "}")]
            tokens = [(False, "("), *tokens, *braces, (False, ")")]
        return tokens
    tokens = [(False, "[" if item.optional else "(")]
    for number, word in enumerate(item.words):
        tokens += [*([(False, "|")] if number else []), *_tokens(word)]
    return [*tokens, (False, "]" if item.optional else ")"), *subscript]
