"""Expressions and assignments: read into a small typed tree, and written back.

::

    car.mass <- 1200 + car.energy / 46000
    x.velocity <- speed.velocity * cos(orientation.value)
    x.locked <- y.value < 20
    lamp.value <- 1 - lamp.value when time > 2

A :class:`Language` has functions and constants; FraMoTEC's, for one, has noise as well. Text of users is never
evaluated as Python: there is a tokenizer, a parser and a check of types, all here. Each node keeps its place in the
source, so that errors while reading, and later while running, can point to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from mensura.agent.errors import MensuraError, neighbors

Kind: TypeAlias = Literal["number", "boolean"]

LONGEST = 10_000
"""Characters of one expression."""
DEEPEST = 100
"""How many operations may lie within one another, a sum of so many terms included."""


class Place(NamedTuple):
    """A place in the source, counted from 1."""

    line: int
    column: int


class ExpressionError(MensuraError):
    """What is wrong with an expression, and where in it."""

    def __init__(self, message: str, source: str, place: Place) -> None:
        super().__init__(f"In {quoted(source)}, {spot(source, place)}: {message}")
        self.place = place


def quoted(source: str) -> str:
    """A source in a sentence."""
    return repr(source if len(source) <= 80 else f"{source[:77]}...")


def spot(source: str, place: Place) -> str:
    """A place in a source, in words."""
    column = f"column {place.column}"
    return f"line {place.line}, {column}" if "\n" in source.strip() else column


# The tree -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Node:
    at: Place = field(default=Place(1, 1), compare=False, kw_only=True)

    def children(self) -> tuple[Node, ...]:
        """The expressions that this one is made of."""
        return ()


@dataclass(frozen=True)
class Number(_Node):
    """A number that is written out; never negative, since a sign is an operation."""

    value: float


@dataclass(frozen=True)
class Boolean(_Node):
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True)
class Name(_Node):
    """A word as ``time``, or several with dots between them, as ``car.velocity``; a constant of the language, too."""

    path: str


@dataclass(frozen=True)
class Unary(_Node):
    """``-x`` or ``not x``."""

    operator: str
    operand: Node

    def children(self) -> tuple[Node, ...]:
        """The operand."""
        return (self.operand,)


@dataclass(frozen=True)
class Binary(_Node):
    """An operator between two expressions."""

    operator: str
    left: Node
    right: Node

    def children(self) -> tuple[Node, ...]:
        """Both sides."""
        return self.left, self.right


@dataclass(frozen=True)
class Choice(_Node):
    """``then if condition else otherwise``; only one of the two is worked out."""

    condition: Node
    then: Node
    otherwise: Node

    def children(self) -> tuple[Node, ...]:
        """The condition, then both ways."""
        return self.condition, self.then, self.otherwise


@dataclass(frozen=True)
class Call(_Node):
    """A function of the language with its arguments."""

    function: str
    arguments: tuple[Node, ...]

    def children(self) -> tuple[Node, ...]:
        """The arguments."""
        return self.arguments


Node: TypeAlias = Number | Boolean | Name | Unary | Binary | Choice | Call


@dataclass(frozen=True)
class Assignment:
    """``target <- value``, where a condition is given only while it holds."""

    target: Name
    value: Node
    condition: Node | None = None


class Function(NamedTuple):
    """What a function takes and gives."""

    least: int
    most: int
    result: Kind
    summary: str


FUNCTIONS: Mapping[str, Function] = {
    **{
        name: Function(1, 1, "number", summary)
        for name, summary in (
            ("sin", "sine of radians"),
            ("cos", "cosine of radians"),
            ("tan", "tangent of radians"),
            ("asin", "arc sine"),
            ("acos", "arc cosine"),
            ("atan", "arc tangent"),
            ("sqrt", "square root"),
            ("exp", "power of e"),
            ("log", "natural logarithm"),
            ("abs", "absolute value"),
            ("sign", "-1, 0 or 1"),
            ("floor", "the next whole number below"),
            ("ceil", "the next whole number above"),
            ("round", "the nearest whole number, of two the even one"),
        )
    },
    "atan2": Function(2, 2, "number", "the angle of (y, x)"),
    "hypot": Function(2, 2, "number", "the length of (x, y)"),
    "min": Function(2, 8, "number", "the least"),
    "max": Function(2, 8, "number", "the greatest"),
    "clip": Function(3, 3, "number", "x, no less than low and no more than high"),
}
"""The functions of every language: of numbers alone."""
OF_TIME: Mapping[str, Function] = {
    "phase": Function(
        1, 1, "number", "how much of a period of so many seconds has passed, from 0 to 1"
    ),
    "wave": Function(1, 1, "number", "a sine with a period of so many seconds"),
    "pulse": Function(2, 2, "boolean", "whether this share of a period has not passed yet"),
    "every": Function(1, 1, "boolean", "in the first step of each period of so many seconds"),
}
"""Functions for worlds that go by steps of so many seconds."""
OF_CHANCE: Mapping[str, Function] = {
    "noise": Function(2, 2, "number", "drawn evenly from low to high in every step"),
    "normal": Function(2, 2, "number", "drawn around a mean with a deviation in every step"),
}
"""Functions for worlds that draw under the key of an episode."""

CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau}

_PRECEDENCE = {
    "or": 2,
    "and": 3,
    "not": 4,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 5),
    "+": 6,
    "-": 6,
    "*": 7,
    "/": 7,
    "%": 7,
    "negative": 8,
    "^": 9,
}
_CHOICE, _ATOM = 1, 10
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_LOGIC = frozenset({"and", "or"})

# Tokens -------------------------------------------------------------------------

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"
    r"|(?P<sign><-|<=|>=|==|!=|\*\*|[-+*/%^<>(),?:←·\u00d7≤≥≠∧\u2228¬])"
)
_ALIASES = {
    "←": "<-",
    "·": "*",
    "\u00d7": "*",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "∧": "and",
    "\u2228": "or",
    "¬": "not",
    "**": "^",
}
WORDS = frozenset({"and", "or", "not", "if", "else", "when", "true", "false"})


class _Token(NamedTuple):
    kind: str
    """number, name, sign (words of the language included) or end."""
    text: str
    at: Place


def _tokens(source: str) -> Iterator[_Token]:
    place = Place(1, 1)
    position = 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            raise ExpressionError(f"{source[position]!r} means nothing here.", source, place)
        text, kind = match[0], str(match.lastgroup)
        if kind != "space":
            text = _ALIASES.get(text, text)
            yield _Token("sign" if text in WORDS else kind, text, place)
        lines = match[0].split("\n")
        column = len(lines[-1]) + (place.column if len(lines) == 1 else 1)
        place = Place(place.line + len(lines) - 1, column)
        position = match.end()
    yield _Token("end", "the end", place)


# The parser ---------------------------------------------------------------------


class _Parser:
    """Precedence climbing over the tokens of one source."""

    def __init__(self, source: str, functions: Mapping[str, Function]) -> None:
        self.source = source
        self._functions = functions
        if len(source) > LONGEST:
            raise ExpressionError(
                f"it has {len(source)} characters, over {LONGEST}; make it several assignments.",
                source,
                Place(1, 1),
            )
        self._tokens = list(_tokens(source))
        self._next = 0
        self._open = 0
        self._depths: dict[int, int] = {}
        self.guard: Node | None = None

    @property
    def token(self) -> _Token:
        return self._tokens[self._next]

    def take(self, *texts: str) -> _Token | None:
        """The next token if it is one of these signs."""
        token = self.token
        if token.kind == "sign" and token.text in texts:
            self._next += 1
            return token
        return None

    def expect(self, text: str, why: str) -> None:
        if self.take(text) is None:
            raise self.error(f"{text!r} is missing before {self._seen()}; {why}.")

    def error(self, message: str, at: Place | None = None) -> ExpressionError:
        return ExpressionError(message, self.source, at or self.token.at)

    def _seen(self) -> str:
        return self.token.text if self.token.kind == "end" else repr(self.token.text)

    def finish(self) -> None:
        if self.token.kind != "end":
            raise self.error(f"{self._seen()} does not belong here; an operator or the end would.")

    def _made(self, node: Node) -> Node:
        """Keep count of how deep a tree is, so that nobody has to climb down too far later."""
        depth = 1 + max((self._depths[id(child)] for child in node.children()), default=0)
        self._depths[id(node)] = depth
        if depth > DEEPEST:
            raise self.error(
                f"more than {DEEPEST} operations lie within one another; make it several assignments.",
                node.at,
            )
        return node

    def expression(self, guarded: bool = False) -> Node:
        """A choice or anything that binds more tightly; ``guarded``: an ``if`` without ``else`` is the condition."""
        self._open += 1
        if self._open > DEEPEST:
            raise self.error(f"more than {DEEPEST} parentheses are open.")
        node = self._choice(guarded)
        self._open -= 1
        return node

    def _choice(self, guarded: bool) -> Node:
        then = self._binary(2)
        mark = self.take("if", "?")
        if mark is None:
            return then
        if mark.text == "?":
            one = self.expression()
            self.expect(":", "a choice is written: condition ? one : other")
            return self._made(Choice(then, one, self.expression(), at=mark.at))
        condition = self._binary(2)
        if self.take("else") is not None:
            return self._made(Choice(condition, then, self.expression(), at=mark.at))
        if not guarded:
            raise self.error("'else' is missing; a choice is written: one if condition else other.")
        self.guard = condition
        return then

    def _binary(self, least: int) -> Node:
        left = self._unary()
        while True:
            token = self.token
            binding = _PRECEDENCE.get(token.text, 0) if token.kind == "sign" else 0
            if token.text in ("not", "negative") or binding < max(least, 2):
                return left
            self._next += 1
            # A power binds to the right, everything else to the left.
            right = self._operand(binding if token.text == "^" else binding + 1)
            left = self._made(Binary(token.text, left, right, at=token.at))
            if token.text in _COMPARISONS and self.token.text in _COMPARISONS:
                raise self.error("comparisons do not follow one another; join them with 'and'.")

    def _operand(self, least: int) -> Node:
        self._open += 1
        if self._open > DEEPEST:
            raise self.error(f"more than {DEEPEST} operations lie within one another.")
        node = self._binary(least)
        self._open -= 1
        return node

    def _unary(self) -> Node:
        token = self.take("-", "+", "not")
        if token is None:
            return self._atom()
        # A sign binds less tightly than a power, and "not" less than a comparison.
        operand = self._operand(_PRECEDENCE["not" if token.text == "not" else "negative"])
        if token.text == "+":
            return operand
        return self._made(Unary(token.text, operand, at=token.at))

    def _atom(self) -> Node:
        token = self.token
        if self.take("(") is not None:
            inner = self.expression()
            self.expect(")", "a parenthesis was opened")
            return inner
        if (word := self.take("true", "false")) is not None:
            return self._made(Boolean(word.text == "true", at=word.at))
        if token.kind == "number":
            self._next += 1
            value = float(token.text)
            if math.isinf(value):
                raise self.error(f"{token.text} is too large for a number.", token.at)
            return self._made(Number(value, at=token.at))
        if token.kind == "name":
            self._next += 1
            if self.take("(") is not None:
                return self._call(token)
            return self._made(Name(token.text, at=token.at))
        raise self.error(f"a value is missing before {self._seen()}.")

    def _call(self, name: _Token) -> Node:
        function = self._functions.get(name.text)
        if function is None:
            raise self.error(
                f"there is no function {name.text!r}; {neighbors(name.text, list(self._functions))}",
                name.at,
            )
        arguments = []
        if self.take(")") is None:
            arguments.append(self.expression())
            while self.take(",") is not None:
                arguments.append(self.expression())
            self.expect(")", f"the arguments of {name.text} end with it")
        if not function.least <= len(arguments) <= function.most:
            wanted = str(function.least)
            if function.most > function.least:
                wanted = f"{function.least} to {function.most}"
            raise self.error(
                f"{name.text} takes {wanted} arguments, not {len(arguments)}.", name.at
            )
        return self._made(Call(name.text, tuple(arguments), at=name.at))


# Writing ------------------------------------------------------------------------


def write_expression(node: Node) -> str:
    """The source of a tree: reading it gives the tree back."""
    return _written(node, 0)


def _written(node: Node, least: int) -> str:
    """The source of a node, in parentheses where it binds less tightly than ``least``."""
    text, binding = _bound(node)
    return f"({text})" if binding < least else text


def _bound(node: Node) -> tuple[str, int]:
    match node:
        case Number(value):
            return (f"{value:.0f}" if value == int(value) < 1e15 else repr(value)), _ATOM
        case Boolean(value):
            return str(value).lower(), _ATOM
        case Name(path):
            return path, _ATOM
        case Unary("not", operand):
            binding = _PRECEDENCE["not"]
            return f"not {_written(operand, binding)}", binding
        case Unary(_, operand):
            binding = _PRECEDENCE["negative"]
            return f"-{_written(operand, binding)}", binding
        case Call(function, arguments):
            return f"{function}({', '.join(_written(a, 0) for a in arguments)})", _ATOM
        case Choice(condition, then, otherwise):
            inner = f"{_written(then, 2)} if {_written(condition, 2)}"
            return f"{inner} else {_written(otherwise, _CHOICE)}", _CHOICE
        case Binary(operator, left, right):
            binding = _PRECEDENCE[operator]
            to_left, to_right = binding, binding + 1
            if operator == "^":
                to_left, to_right = binding + 1, binding
            elif operator in _COMPARISONS:
                to_left = binding + 1
            return f"{_written(left, to_left)} {operator} {_written(right, to_right)}", binding
    raise AssertionError(node)


# Languages ----------------------------------------------------------------------


class Language:
    """Which functions and constants there are, and what an assignment looks like in sentences about wrong ones.

    Its functions are those of every language and those that are given, as :data:`OF_TIME`. Trees are kept, since the
    same few sources are read again and again.
    """

    def __init__(
        self,
        functions: Mapping[str, Function] = MappingProxyType({}),
        constants: Mapping[str, float] = CONSTANTS,
        example: str = "x <- 2 * y",
    ) -> None:
        self.functions = {**FUNCTIONS, **functions}
        self.constants = dict(constants)
        self.example = example
        self.parse_expression = lru_cache(maxsize=8192)(self._parse_expression)
        self.parse_assignment = lru_cache(maxsize=8192)(self._parse_assignment)

    def _parse_expression(self, source: str) -> Node:
        """The tree of an expression, as a condition."""
        parser = _Parser(source, self.functions)
        node = parser.expression()
        parser.finish()
        return node

    def _parse_assignment(self, source: str) -> Assignment:
        """The tree of ``target <- value``, with ``when condition`` or ``if condition`` after it or without."""
        parser = _Parser(source, self.functions)
        target = parser.token
        if target.kind != "name":
            raise parser.error(
                f"an assignment begins with what it changes, as {self.example}, not with {parser._seen()}."
            )
        parser._next += 1
        parser.expect("<-", f"an assignment is written: {self.example}")
        value = parser.expression(guarded=True)
        if parser.guard is None and parser.take("when") is not None:
            parser.guard = parser.expression()
        parser.finish()
        return Assignment(Name(target.text, at=target.at), value, parser.guard)

    def names_in(self, node: Node) -> Iterator[Name]:
        """All names, from left to right as the tree has them; constants are none."""
        if isinstance(node, Name) and node.path not in self.constants:
            yield node
        for child in node.children():
            yield from self.names_in(child)

    def kind_of(self, node: Node, source: str, look_up: Callable[[Name], Kind]) -> Kind:
        """Whether an expression is a number or a boolean; an error with its place where operands do not fit.

        ``look_up`` tells the kind of a name, or raises (:func:`known_names`).
        """

        def want(child: Node, kind: Kind, by: str) -> None:
            found = self.kind_of(child, source, look_up)
            if found != kind:
                raise ExpressionError(
                    f"{by} takes a {kind}, and {_short(child)} is a {found}.", source, child.at
                )

        match node:
            case Number():
                return "number"
            case Boolean():
                return "boolean"
            case Name(path):
                return "number" if path in self.constants else look_up(node)
            case Unary("not", operand):
                want(operand, "boolean", "'not'")
                return "boolean"
            case Unary(operator, operand):
                want(operand, "number", repr(operator))
                return "number"
            case Call(function, arguments):
                for argument in arguments:
                    want(argument, "number", function)
                return self.functions[function].result
            case Choice(condition, then, otherwise):
                want(condition, "boolean", "the condition of a choice")
                kind = self.kind_of(then, source, look_up)
                want(otherwise, kind, f"a choice whose one way is a {kind}")
                return kind
            case Binary(operator, left, right):
                if operator in ("==", "!="):
                    want(right, self.kind_of(left, source, look_up), repr(operator))
                    return "boolean"
                kind = "boolean" if operator in _LOGIC else "number"
                want(left, kind, repr(operator))
                want(right, kind, repr(operator))
                return "boolean" if operator in _LOGIC | _COMPARISONS else "number"
        raise AssertionError(node)


def known_names(
    kinds: Mapping[str, Kind], source: str, hint: Callable[[str], str] | None = None
) -> Callable[[Name], Kind]:
    """What tells the kind of a name in a source; an error with its place, and the nearest name, where there is none."""

    def look_up(name: Name) -> Kind:
        found = kinds.get(name.path)
        if found is None:
            near = neighbors(name.path, list(kinds)) if hint is None else hint(name.path)
            raise ExpressionError(f"{name.path!r} names nothing here; {near}", source, name.at)
        return found

    return look_up


def _short(node: Node) -> str:
    text = write_expression(node)
    return repr(text if len(text) <= 30 else f"{text[:27]}...")
