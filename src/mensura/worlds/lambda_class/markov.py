"""Markov algorithms: programs of rules that rewrite strings (Insa-Cabrera, 2011, sections 2.1.6 and 3.6.6).

The first rule that matches anywhere is applied, at its leftmost match (definition 2.1.4) or at its rightmost (the
footnote of 3.6.6), until a terminating rule was applied or none matches. Rules are written in the notation of
`mensura.worlds.lambda_class.notation`; the machine is compiled (`mensura.worlds.lambda_class.kernels.rewriting`).

What the thesis leaves open is settled thus:

- The memory is empty before anything was stored, so a recall then inserts nothing.
- A program that has not halted after a number of steps, or whose string outgrows a length, is stopped. An object whose
  program was stopped, or whose output names no action, does the reflexive action; its memory is as the program left it.
  For a space what counts is the string that was reached, as 3.6.6 says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.lambda_class.kernels import rewriting
from mensura.worlds.lambda_class.notation import read_rule, read_word
from mensura.worlds.lambda_class.rules import (
    RECALL,
    PlainRule,
    Rule,
    Word,
    check_symbol,
    write_word,
)
from mensura.worlds.lambda_class.space import Space, Topology

Match: TypeAlias = Literal["leftmost", "rightmost"]
Ended: TypeAlias = Literal["terminated", "stuck", "limit", "overflow"]
"""By a terminating rule; as no rule matched; stopped after so many steps; stopped as the string grew too long."""

STEPS = 1000
"""How many rules are applied before a program counts as one that does not halt, if nothing else is said."""

LONGEST = 1000
"""How many symbols a string may have, if nothing else is said."""

LARGEST_CODE = 10_000_000
"""How many numbers a compiled program may take, and a string."""


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    symbols: Word
    """the string: the output if the program halted, else how far it came"""
    memory: Word
    steps: int
    """how many rules were applied"""
    ended: Ended

    @property
    def halted(self) -> bool:
        """Whether the program ended by itself."""
        return self.ended in ("terminated", "stuck")

    def moves(self, actions: Sequence[str]) -> tuple[int, ...]:
        """The actions that the output names, by their numbers, in order; Good and Evil do all, others the last.

        The reflexive action, 0, alone where the output names none or the program did not halt.
        """
        if not self.halted:
            return (0,)
        numbers = {name: number for number, name in enumerate(actions)}
        return tuple(numbers[s] for s in self.symbols if s in numbers) or (0,)

    def __str__(self) -> str:
        return write_word(self.symbols)


class Step(NamedTuple):
    """One application of a rule."""

    rule: int
    """counted from 1, as written"""
    symbols: Word
    """the string afterwards"""


@dataclass(frozen=True)
class Program:
    """A Markov algorithm: its rules in order, its alphabet, and which match is rewritten."""

    rules: tuple[Rule, ...]
    alphabet: Word = ()
    """What is given, and after it the symbols of the rules in their order; a symbol's number is its place."""
    match: Match = "leftmost"

    def __post_init__(self) -> None:
        """Complete the alphabet, which χ and the machine need."""
        if self.match not in get_args(Match):
            raise MensuraError(
                f"{self.match!r} is no way to match; {neighbors(str(self.match), list(get_args(Match)))}"
            )
        for symbol in self.alphabet:
            check_symbol(symbol)
        named = (symbol for rule in self.rules for symbol in rule.letters())
        object.__setattr__(self, "alphabet", tuple(dict.fromkeys((*self.alphabet, *named))))

    @classmethod
    def parse(cls, text: str, alphabet: Sequence[str] = (), match: Match = "leftmost") -> Program:
        """The program of a text with one rule on each line; blank lines say nothing.

        A line that is no rule gets an error that names the rule and points at the character.
        """
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        rules = (read_rule(line, f"Rule {number}") for number, line in enumerate(lines, 1))
        return cls(tuple(rules), tuple(alphabet), match)

    def __str__(self) -> str:
        return "\n".join(map(str, self.rules))

    def symbols(self) -> Word:
        """The program symbol by symbol, with a mark between rules; 3.6.6 takes their number for its complexity."""
        parts: list[str] = []
        for rule in self.rules:
            parts += [*(["\n"] if parts else []), *rule.symbols()]
        return tuple(parts)

    @property
    def length(self) -> int:
        """How many symbols the program has."""
        return len(self.symbols())

    def to_json(self) -> dict[str, Any]:
        """The program as plain data."""
        return {
            "rules": [str(rule) for rule in self.rules],
            "alphabet": list(self.alphabet),
            "match": self.match,
        }

    @classmethod
    def from_json(cls, data: Any) -> Program:
        """The program that `to_json` wrote."""
        fields = ["rules", "alphabet", "match"]
        if not isinstance(data, dict) or set(data) != set(fields):
            raise MensuraError(f"The data of a program have the fields {', '.join(fields)}.")
        for name in fields[:2]:
            if not isinstance(data[name], list | tuple) or not all(
                isinstance(text, str) for text in data[name]
            ):
                raise MensuraError(f"The {name} of a program are a list of texts.")
        rules = (read_rule(text, f"Rule {n}") for n, text in enumerate(data["rules"], 1))
        return cls(tuple(rules), tuple(data["alphabet"]), data["match"])

    # As the machine reads it

    @property
    def plain(self) -> tuple[PlainRule, ...]:
        """All rules without choices."""
        return tuple(rule for _, rule in self._plain)

    @cached_property
    def code(self) -> npt.NDArray[np.int64]:
        """The program as `rewriting` reads it, read-only; symbols are numbered by the alphabet."""
        return _compile(self._plain, self._numbers, self.match == "rightmost")

    @cached_property
    def _plain(self) -> list[tuple[int, PlainRule]]:
        """The plain rules, each with the number of the one that is short for it."""
        return [(n, plain) for n, r in enumerate(self.rules) for plain in r.plain(self.alphabet)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.alphabet)}

    def encode(self, word: str | Sequence[str]) -> list[int]:
        """The symbols of a word as numbers."""
        symbols = read_word(word) if isinstance(word, str) else word
        for symbol in symbols:
            if symbol not in self._numbers:
                raise MensuraError(
                    f"{symbol!r} is no symbol of the program; {neighbors(symbol, list(self.alphabet))}"
                )
        return [self._numbers[symbol] for symbol in symbols]

    # Running

    def run(
        self,
        string: str | Sequence[str] = "",
        memory: str | Sequence[str] = "",
        *,
        steps: int = STEPS,
        longest: int = LONGEST,
    ) -> Outcome:
        """Run on a string with what the memory holds, for `steps` at most, while the string is not over `longest`."""
        machine = _Machine(self, string, memory, longest)
        ended = machine.run(steps)
        return Outcome(machine.string, machine.memory, machine.steps, ended)

    def trace(
        self,
        string: str | Sequence[str] = "",
        memory: str | Sequence[str] = "",
        *,
        steps: int = STEPS,
        longest: int = LONGEST,
    ) -> Iterator[Step]:
        """The run of `run`, rule by rule."""
        machine = _Machine(self, string, memory, longest)
        ended: Ended = "limit"
        while ended == "limit" and machine.steps < steps:
            before = machine.steps
            ended = machine.run(1)
            if machine.steps > before:
                yield Step(machine.rule + 1, machine.string)


class _Machine:
    """The rows of one run."""

    def __init__(
        self,
        program: Program,
        string: str | Sequence[str],
        memory: str | Sequence[str],
        longest: int,
    ) -> None:
        if type(longest) is not int or not 0 <= longest <= LARGEST_CODE:
            raise MensuraError(
                f"longest is {longest!r}; strings have a number of symbols from 0 to {LARGEST_CODE}."
            )
        self._program, self.steps = program, 0
        self._code = program.code
        self._tape = self._row(string, "string", longest)
        self._memory = self._row(memory, "memory", longest)
        self._report = np.zeros(rewriting.REPORT, np.int64)

    def _row(self, word: str | Sequence[str], what: str, longest: int) -> npt.NDArray[np.int64]:
        numbers = self._program.encode(word)
        if len(numbers) > longest:
            raise MensuraError(
                f"A {what} of {len(numbers)} symbols is above the longest, {longest}."
            )
        row = np.zeros(1 + longest, np.int64)
        row[: 1 + len(numbers)] = (len(numbers), *numbers)
        return row

    def run(self, steps: int) -> Ended:
        if type(steps) is not int or not 0 <= steps < 2**63:
            raise MensuraError(f"steps is {steps!r}; it is a whole number, 0 or more.")
        rewriting.rewrite_door(self._code, self._tape, self._memory, steps, self._report)
        self.steps += int(self._report[rewriting.STEPS])
        return get_args(Ended)[self._report[rewriting.ENDED]]  # type: ignore[no-any-return]

    @property
    def rule(self) -> int:
        """The rule that was applied last."""
        last = int(self._report[rewriting.LAST])
        return int(
            self._code[self._code[rewriting.RULES] + last * rewriting.WIDTH + rewriting.SOURCE]
        )

    @property
    def string(self) -> Word:
        return self._word(self._tape)

    @property
    def memory(self) -> Word:
        return self._word(self._memory)

    def symbols(self) -> Iterator[str]:
        """The string, symbol by symbol."""
        alphabet = self._program.alphabet
        return (alphabet[number] for number in self._tape[1 : 1 + self._tape[0]].tolist())

    def _word(self, row: npt.NDArray[np.int64]) -> Word:
        return tuple(self._program.alphabet[number] for number in row[1 : 1 + row[0]].tolist())


def _compile(
    rules: Sequence[tuple[int, PlainRule]], numbers: dict[str, int], rightmost: bool
) -> npt.NDArray[np.int64]:
    """The code of plain rules: see `rewriting`."""
    symbols, count = len(numbers), len(rules)
    width = rewriting.NEXT + symbols
    nodes = [[count, count, *[0] * symbols]]
    for number, (_, rule) in enumerate(rules):
        at = 0
        for symbol in rule.left:
            nodes[at][rewriting.FIRST] = min(nodes[at][rewriting.FIRST], number)
            place = rewriting.NEXT + numbers[symbol]
            if nodes[at][place] == 0:
                if len(nodes) * width > LARGEST_CODE:
                    raise MensuraError(
                        f"The program is short for {count} plain rules on {symbols} symbols, which is too much."
                    )
                nodes[at][place] = rewriting.HEAD + len(nodes) * width
                nodes.append([count, count, *[0] * symbols])
            at = (nodes[at][place] - rewriting.HEAD) // width
        nodes[at][rewriting.FIRST] = min(nodes[at][rewriting.FIRST], number)
        nodes[at][rewriting.ENDS] = min(nodes[at][rewriting.ENDS], number)
    words: list[int] = []
    table: list[int] = []
    for source, rule in rules:
        right = [rewriting.RECALL if s == RECALL else numbers[s] for s in rule.right]
        stored = [numbers[symbol] for symbol in rule.stores or ()]
        stores = rewriting.WORD if rule.stores is not None else rewriting.NOTHING
        table += [
            len(rule.left),
            len(words),
            len(right),
            right.count(rewriting.RECALL),
            int(rule.terminating),
            rewriting.STRING if rule.stores_string else stores,
            len(words) + len(right),
            len(stored),
            source,
        ]
        words += right + stored
    first_rule = rewriting.HEAD + len(nodes) * width
    head = [symbols, rewriting.HEAD, first_rule, first_rule + len(table), count, int(rightmost)]
    flat = [number for node in nodes for number in node]
    code = np.array([*head, *flat, *table, *words], np.int64)
    code.flags.writeable = False
    return code


# Spaces -------------------------------------------------------------------------


def space_of_program(
    program: Program,
    actions: Sequence[str],
    *,
    string: str | Sequence[str] = "",
    topology: Topology = "strong",
    steps: int = STEPS,
    longest: int = 100 * LONGEST,
) -> Space:
    """The space that a program writes (3.6.6), in the form ``theory`` with these actions, the reflexive one first.

    The string reached within the steps is cleaned and then read; what is no space gets an error that points into the
    cleaned string.
    """
    outcome = program.run(string, steps=steps, longest=longest)
    return Space.parse(
        cleaned(outcome.symbols, actions), "theory", names=actions, topology=topology
    )


SPACE_SYMBOLS = ("+", "-", ":")
"""What the text of a space has besides actions."""


def programmed_space(program: Program, cells: int, actions: Sequence[str]) -> Space:
    """The space of so many cells that a program writes, with as much post-processing as blind programs need.

    Section 3.6.6 lets a program run for a limited number of steps, cleans what it wrote and then checks it. The
    cleaning goes on here to where any text in which some action has a sign describes cells. Those that name no
    action are dropped; the others are repeated round until there are as many as wanted, so that a space of 100
    identical cells takes hardly more to describe than one cell, as 3.6.6 demands; what is left over is cut off. An
    action that a cell does not name stays on it, and where signs are mixed they are added up. What describes the
    wanted cells already is read as `space_of_program` reads it.
    """
    machine = _Machine(program, (), (), 10 * LONGEST)
    machine.run(STEPS)
    others = actions[1:]
    written = []
    for cell in _cells(machine.symbols(), actions):
        if cell:
            written.append((0, *(cell.get(action, 0) for action in others)))
        if len(written) == cells:
            break
    if not written:
        raise MensuraError("The program of the space names no action, so there are no cells.")
    return Space(tuple(written[i % len(written)] for i in range(cells)))


def _cells(symbols: Iterable[str], actions: Sequence[str]) -> Iterator[dict[str, int]]:
    """What is written of each cell: its actions, as they stand first, and how far ahead they lead."""
    cell: dict[str, int] = {}
    current: str | None = None
    for symbol in symbols:
        if symbol == ":":
            yield cell
            cell, current = {}, None
        elif symbol in actions:
            current = None if symbol in cell else symbol
            cell.setdefault(symbol, 0)
        elif symbol in ("+", "-") and current is not None:
            cell[current] += 1 if symbol == "+" else -1
    yield cell


def cleaned(symbols: Sequence[str], actions: Sequence[str]) -> str:
    """What a program wrote, after the cleaning of 3.6.6.

    Of each cell remain its actions, each where it stands first, with the signs between it and the next one;
    everything else is dropped. The reflexive action is put in where it was left out, as in the space of figure 3.3.
    """
    cells: list[list[str]] = [[]]
    kept = False
    for symbol in symbols:
        if symbol == ":":
            cells.append([])
            kept = False
        elif symbol in actions:
            kept = symbol not in cells[-1]
            if kept:
                cells[-1].append(symbol)
        elif symbol in ("+", "-") and kept:
            cells[-1].append(symbol)
    reflexive = actions[0]
    return ":".join("".join(cell if reflexive in cell else [reflexive, *cell]) for cell in cells)
