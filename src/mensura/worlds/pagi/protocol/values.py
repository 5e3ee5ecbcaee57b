"""Numbers of commands: written out, or as expressions of what the seat senses.

The house's language of expressions (:mod:`mensura.core.expressions`) reads them, with the usual precedence; only
arithmetic is left of it. A client's text is never evaluated as Python.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from mensura.agent.errors import MensuraError
from mensura.core.expressions.language import Binary, Language, Name, Node, Number, Unary
from mensura.worlds.pagi.contract import Room
from mensura.worlds.pagi.protocol.sensors import Reading, aspect

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DOTTED = re.compile(r"\b([VP][0-9]+)\.([0-9]+_)")
_UNDOTTED = re.compile(r"([VP][0-9]+)_([0-9]+_)")
_LANGUAGE = Language(constants={})

_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "^": math.pow,
}


class WrongCommand(Exception):
    """What is wrong with a command, in a sentence that its sender is told."""


class WrongExpression(WrongCommand):
    """What is wrong with an expression: the sender is told that it is unreadable, the console why."""


@dataclass(frozen=True)
class Expression:
    """A number that depends on what the seat senses."""

    source: str
    _read: Reading = field(compare=False, repr=False)

    def value(self, room: Room, seat: int) -> float:
        """Its value now; WrongExpression where it has none, as after a division by zero."""
        try:
            value = self._read(room, seat)
        except (ArithmeticError, ValueError) as error:
            raise WrongExpression(f"{self.source} has no value now: {error}.") from None
        if not math.isfinite(value):
            raise WrongExpression(f"{self.source} has no value now: it is too large.")
        return value


Value: TypeAlias = float | Expression


def number(text: str, what: str) -> float:
    """A number that is written out; neither NaN nor infinite."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        raise WrongCommand(f"{what} is {text!r:.60}; it must be a number.")
    return finite(float(text), what)


def finite(value: float, what: str) -> float:
    """The same number; WrongCommand where it is NaN or infinite."""
    if not math.isfinite(value):
        raise WrongCommand(f"{what} is {value}; it must be a finite number.")
    return value


def value(text: str, what: str) -> Value:
    """A number that is written out, or an expression in brackets: ``[2*Sx]``."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return expression(text[1:-1])
    if not _NUMBER.fullmatch(text):
        raise WrongExpression(
            f"{what} is {text!r:.60}; it must be a number or an expression in brackets such as [2*Sx]."
        )
    return finite(float(text), what)


def term(text: str) -> Value:
    """A side of a condition: a number or an expression, with brackets around it or without."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    if _NUMBER.fullmatch(text):
        return finite(float(text), "A side of a condition")
    return expression(text)


def now(given: Value, room: Room, seat: int) -> float:
    """What a value is now."""
    return given.value(room, seat) if isinstance(given, Expression) else given


def written(given: Value) -> float | str:
    """A value as plain data: a number, or the source of an expression."""
    return given.source if isinstance(given, Expression) else given


def expression(source: str) -> Expression:
    """Read an expression; WrongExpression with the reason where it is none."""
    source = source.strip()
    try:
        # A dot between digits would be a number's: V3.4_vq1 is one name.
        tree = _LANGUAGE.parse_expression(_DOTTED.sub(r"\1_\2", source))
    except MensuraError as error:
        raise WrongExpression(str(error)) from None
    return Expression(source, _reading(tree))


def _reading(node: Node) -> Reading:
    """What works a tree out."""
    match node:
        case Number(number):
            return lambda room, seat: number
        case Name(path):
            name = _UNDOTTED.sub(r"\1.\2", path)
            found = aspect(name)
            if found is None:
                raise WrongExpression(
                    f"{name!r:.60} is no aspect of a sensor; B0_tmp, Sx and V3.4_vq1 are some."
                )
            return found
        case Unary("-", operand):
            inner = _reading(operand)
            return lambda room, seat: -inner(room, seat)
        case Binary(sign, left, right) if sign in _OPERATIONS:
            operate, one, other = _OPERATIONS[sign], _reading(left), _reading(right)
            return lambda room, seat: operate(one(room, seat), other(room, seat))
    raise WrongExpression(
        "Expressions have numbers, aspects, brackets and + - * / ^ %, and nothing else."
    )
