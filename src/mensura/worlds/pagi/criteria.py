"""Conditions and rewards of tasks: expressions over what is in a room, made into functions of a room.

::

    apple.gone and time < 20
    abs(beam.angle) < 1 and switch.on
    body.said.left and beam.angle > 5
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from mensura.agent.errors import neighbors
from mensura.core.expressions.language import (
    Binary,
    Boolean,
    Call,
    Choice,
    ExpressionError,
    Kind,
    Language,
    Name,
    Node,
    Number,
    Unary,
)
from mensura.worlds.pagi.kinds import KINDS

if TYPE_CHECKING:
    from mensura.worlds.pagi.items import Item
    from mensura.worlds.pagi.room import PagiRoom

LANGUAGE = Language(example="apple.gone and time < 20")

Criterion: TypeAlias = "Callable[[PagiRoom], float]"
"""What an expression says of a room now; true is 1."""

_MOVING: dict[str, Callable[[Any, Item], float]] = {
    "x": lambda body, item: body.position.x,
    "y": lambda body, item: body.position.y,
    "vx": lambda body, item: body.velocity.x,
    "vy": lambda body, item: body.velocity.y,
    "angle": lambda body, item: math.degrees(body.angle),
    "count": lambda body, item: float(item.count),
    "on": lambda body, item: float(item.on),
    "locked": lambda body, item: float(item.locked),
}
OF_ITEMS: dict[str, Kind] = {
    **dict.fromkeys(("x", "y", "vx", "vy", "angle", "count"), "number"),
    **dict.fromkeys(("on", "locked", "there", "gone", "held", "healthy", "joined"), "boolean"),
}
"""What can be asked of an object."""
OF_BODIES: dict[str, Kind] = {
    **dict.fromkeys(
        ("x", "y", "vx", "vy", "angle", "endorphins", "hot", "speeches", "meals"), "number"
    ),
}
"""What can be asked of a body: ``hot`` is the longest time in seconds for which it touched something hot."""


def kind_of_name(path: str, items: Iterable[str], seats: int, words: Iterable[str]) -> Kind | str:
    """Whether a name is a number or a boolean; else, why there is none, as the end of a sentence."""
    if path in ("time", "solved", "felt"):
        return "boolean" if path == "solved" else "number"
    owner, _, what = path.partition(".")
    if owner == "eaten":
        return "number" if what in KINDS else f"{neighbors(what, list(KINDS))}"
    bodies = body_names(seats)
    if owner in bodies:
        first, _, word = what.partition(".")
        if first in ("said", "first"):
            return "boolean" if word in words else f"{neighbors(word, list(words))}"
        return OF_BODIES.get(what) or neighbors(what, [*OF_BODIES, "said", "first"])
    if owner in items:
        return OF_ITEMS.get(what) or neighbors(what, list(OF_ITEMS))
    return neighbors(owner, [*items, *bodies, "time", "eaten"])


def body_names(seats: int) -> list[str]:
    """How bodies are called: body, body2, ..."""
    return ["body", *(f"body{n}" for n in range(2, seats + 1))]


def check(
    source: str, wanted: Kind, items: Iterable[str], seats: int, words: Iterable[str]
) -> Node:
    """The tree of an expression; an ExpressionError where it is none, or not of the wanted kind."""
    node = LANGUAGE.parse_expression(source)
    items, words = list(items), list(words)

    def look_up(name: Name) -> Kind:
        found = kind_of_name(name.path, items, seats, words)
        if found in ("number", "boolean"):
            return cast(Kind, found)
        raise ExpressionError(f"{name.path!r} names nothing here; {found}", source, name.at)

    found = LANGUAGE.kind_of(node, source, look_up)
    if found != wanted:
        raise ExpressionError(f"this is a {found}, and a {wanted} is wanted.", source, node.at)
    return node


def uses(node: Node, ending: str) -> bool:
    """Whether some name of an expression ends so."""
    return any(name.path.endswith(ending) for name in LANGUAGE.names_in(node))


def compile_criterion(node: Node) -> Criterion:
    """An expression as a function of a room."""
    match node:
        case Number(value) | Boolean(value):
            number = float(value)
            return lambda room: number
        case Name(path):
            if path in LANGUAGE.constants:
                constant = LANGUAGE.constants[path]
                return lambda room: constant
            return _reader(path)
        case Unary("not", operand):
            inner = compile_criterion(operand)
            return lambda room: float(not inner(room))
        case Unary(_, operand):
            inner = compile_criterion(operand)
            return lambda room: -inner(room)
        case Choice(condition, then, otherwise):
            test, one, other = map(compile_criterion, (condition, then, otherwise))
            return lambda room: one(room) if test(room) else other(room)
        case Call(function, arguments):
            parts = [compile_criterion(one) for one in arguments]
            call = _FUNCTIONS[function]
            return lambda room: _number(call, *(part(room) for part in parts))
        case Binary(operator, left, right):
            a, b = compile_criterion(left), compile_criterion(right)
            if operator == "and":
                return lambda room: float(bool(a(room)) and bool(b(room)))
            if operator == "or":
                return lambda room: float(bool(a(room)) or bool(b(room)))
            apply = _OPERATORS[operator]
            return lambda room: _number(apply, a(room), b(room))
    raise AssertionError(node)


def _number(function: Callable[..., float], *values: float) -> float:
    """What a function gives, and 0 where it gives no number, as a division by 0 does."""
    try:
        found = float(function(*values))
    except (ArithmeticError, ValueError):
        return 0.0
    return found if math.isfinite(found) else 0.0


_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "^": lambda a, b: math.pow(a, b),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    **{
        name: getattr(math, name)
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log")
    },
    **{name: getattr(math, name) for name in ("floor", "ceil", "atan2", "hypot")},
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "round": round,
    "min": min,
    "max": max,
    "clip": lambda x, low, high: max(low, min(high, x)),
}


def _reader(path: str) -> Criterion:
    """What a name says of a room."""
    if path == "time":
        return lambda room: room.seconds
    if path == "felt":
        return lambda room: room.felt
    if path == "solved":
        return lambda room: float(room.solved)
    owner, _, what = path.partition(".")
    if owner == "eaten":
        return lambda room: float(sum(state.eaten.count(what) for state in room.seats))
    if owner == "body" or (owner.startswith("body") and owner[4:].isdecimal()):
        return _of_body(int(owner[4:] or 1) - 1, what)
    if what in ("there", "gone"):
        return lambda room: float((room.find(owner) is None) == (what == "gone"))
    if what == "joined":
        return lambda room: float(room.is_joined(owner))
    if what == "held":
        return lambda room: float(room.is_held(owner))
    read = _MOVING["on" if what == "healthy" else what]

    def of_item(room: PagiRoom) -> float:
        item = room.find(owner)
        return 0.0 if item is None else float(read(room.bodies.of[item.number], item))

    return of_item


def _of_body(seat: int, what: str) -> Criterion:
    first, _, word = what.partition(".")
    if first == "said":
        return lambda room: float(word in room.seats[seat].said.lower().split())
    if first == "first":
        return lambda room: float(word in room.seats[seat].first.lower().split())
    if what == "meals":
        return lambda room: float(len(room.seats[seat].eaten))
    if what in ("endorphins", "hot", "speeches"):
        return lambda room: float(getattr(room.seats[seat], what))
    read = _MOVING[what]
    return lambda room: read(room.bodies.figures[seat].body, None)  # type: ignore[arg-type]
