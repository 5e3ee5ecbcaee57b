"""Expressions as bytecode: lists of instructions that the interpreter in ``kernel`` runs.

An instruction is ``operation, result, first, second``, and names places in a row of memory rather than a stack:
an attribute, a constant or a temporary each have their place there, so that an operation of an expression is a single
instruction. Each keeps where in the source it comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mensura.core.expressions.language import (
    Assignment,
    Binary,
    Boolean,
    Call,
    Choice,
    Language,
    Name,
    Node,
    Number,
    Place,
    Unary,
)

# fmt: off
(
    COPY, ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, POWER, NEGATE, LESS, LESS_EQUAL, EQUAL, UNEQUAL, NOT,
    JUMP, JUMP_IF_FALSE, JUMP_IF_TRUE,
    SIN, COS, TAN, ASIN, ACOS, ATAN, SQRT, EXP, LOG, ABS, SIGN, FLOOR, CEIL, ROUND, PHASE, WAVE, EVERY,
    ATAN2, HYPOT, MIN, MAX, NOISE, NORMAL, PULSE,
    READ, SET, DO, KEEP_POSITIVE, KEEP_NOT_NEGATIVE,
) = range(45)
# fmt: on
# READ, SET and DO are the world's own, and mean what the rules say that it gives to the interpreter.

_OPERATORS = {
    "+": ADD,
    "-": SUBTRACT,
    "*": MULTIPLY,
    "/": DIVIDE,
    "%": MODULO,
    "^": POWER,
    "<": LESS,
    "<=": LESS_EQUAL,
    "==": EQUAL,
    "!=": UNEQUAL,
}
_FUNCTIONS = {
    "sin": SIN,
    "cos": COS,
    "tan": TAN,
    "asin": ASIN,
    "acos": ACOS,
    "atan": ATAN,
    "sqrt": SQRT,
    "exp": EXP,
    "log": LOG,
    "abs": ABS,
    "sign": SIGN,
    "floor": FLOOR,
    "ceil": CEIL,
    "round": ROUND,
    "phase": PHASE,
    "wave": WAVE,
    "every": EVERY,
    "atan2": ATAN2,
    "hypot": HYPOT,
    "min": MIN,
    "max": MAX,
    "noise": NOISE,
    "normal": NORMAL,
    "pulse": PULSE,
}


class Operand(NamedTuple):
    """Where a number is: "attribute" with its place in the row, "constant" or "temporary" with its number.

    "number" is no place but itself: the target of a jump, or what an operation of the world's own means by it.
    """

    kind: str
    number: int


class Instruction(NamedTuple):
    """One instruction, and where it comes from."""

    operation: int
    result: Operand
    first: Operand
    second: Operand
    statement: int
    place: Place


NOTHING = Operand("number", 0)


class Writer:
    """Writes the instructions of statements, one after another.

    ``find`` tells where in the row a name stands. A world some of whose names are no places derives from this, and has
    ``read`` and ``change`` its way.
    """

    def __init__(self, language: Language, find: Callable[[str], int]) -> None:
        self.instructions: list[Instruction] = []
        self.constants: dict[float, int] = {}
        self.temporaries = 0
        self._known = language.constants
        self._find = find
        self._used = 0
        self._statement = -1

    def begin(self) -> None:
        """Another statement begins; its instructions bear the next number."""
        self._statement += 1
        self._used = 0

    def constant(self, value: float) -> Operand:
        """The place of a constant."""
        return Operand("constant", self.constants.setdefault(float(value), len(self.constants)))

    def emit(
        self,
        operation: int,
        result: Operand,
        first: Operand = NOTHING,
        second: Operand = NOTHING,
        at: Place = Place(1, 1),  # noqa: B008
    ) -> int:
        """Add an instruction; its number."""
        self.instructions.append(Instruction(operation, result, first, second, self._statement, at))
        return len(self.instructions) - 1

    def jump_if_false(self, condition: Node) -> int:
        """Work out a condition and jump where it does not hold; the jump's number, to be told where to."""
        return self.emit(JUMP_IF_FALSE, NOTHING, self.value(condition), at=condition.at)

    def land(self, jump: int) -> None:
        """Let a jump lead to the next instruction."""
        here = Operand("number", len(self.instructions))
        self.instructions[jump] = self.instructions[jump]._replace(result=here)

    def assignment(self, assignment: Assignment, guard: int | None = None) -> None:
        """The instructions of an assignment; ``guard`` is the check that its new value must pass, if any."""
        jump = None if assignment.condition is None else self.jump_if_false(assignment.condition)
        self.change(assignment.target, assignment.value, guard)
        if jump is not None:
            self.land(jump)

    def change(self, target: Name, value: Node, guard: int | None) -> None:
        """Give what a name stands for another value."""
        place = Operand("attribute", self._find(target.path))
        if guard is None:
            self.value(value, place)
        else:
            self.emit(guard, place, self.value(value), at=target.at)

    def read(self, name: Name, into: Operand | None) -> Operand:
        """Where the value of a name is, which is ``into`` if that is given."""
        return self._moved(Operand("attribute", self._find(name.path)), into, name)

    def temporary(self) -> Operand:
        """A place that nothing else uses until this statement is over, or the operation that asked for it."""
        self._used += 1
        self.temporaries = max(self.temporaries, self._used)
        return Operand("temporary", self._used - 1)

    def value(self, node: Node, into: Operand | None = None) -> Operand:
        """Work out an expression; where its value is then, which is ``into`` if that is given."""
        before = self._used
        match node:
            case Number(value) | Boolean(value):
                return self._moved(self.constant(value), into, node)
            case Name(path) if path in self._known:
                return self._moved(self.constant(self._known[path]), into, node)
            case Name():
                return self.read(node, into)
            case Choice() | Binary("and" | "or"):
                # What is worked out in several steps may read what it is to replace: move it there at the end.
                result = self.temporary()
                self._branches(node, result)
                self._used = before + 1
                if into is None:
                    return result
                self._used = before
                return self._moved(result, into, node)
        operation, operands = self._operation(node)
        places = [self.value(operand) for operand in operands]
        if isinstance(node, Call) and len(places) > 2:
            places = self._chained(node, places)
            operation = MIN if node.function == "clip" else operation
        self._used = before
        result = into or self.temporary()
        self.emit(operation, result, places[0], places[1] if len(places) > 1 else NOTHING, node.at)
        return result

    def _moved(self, place: Operand, into: Operand | None, node: Node) -> Operand:
        if into is None:
            return place
        self.emit(COPY, into, place, at=node.at)
        return into

    def _operation(self, node: Node) -> tuple[int, tuple[Node, ...]]:
        match node:
            case Unary("not", operand):
                return NOT, (operand,)
            case Unary(_, operand):
                return NEGATE, (operand,)
            case Call(function, arguments):
                return (MAX if function == "clip" else _FUNCTIONS[function]), arguments
            case Binary(">" | ">=" as operator, left, right):
                return (LESS if operator == ">" else LESS_EQUAL), (right, left)
            case Binary(operator, left, right):
                return _OPERATORS[operator], (left, right)
        raise AssertionError(node)

    def _chained(self, node: Call, places: list[Operand]) -> list[Operand]:
        """All but the last step of a function of more than two arguments; what is left for the last."""
        operation = MAX if node.function == "clip" else _FUNCTIONS[node.function]
        first = places[0]
        for second in places[1:-1]:
            result = self.temporary()
            self.emit(operation, result, first, second, node.at)
            first = result
        return [first, places[-1]]

    def _branches(self, node: Node, result: Operand) -> None:
        """Only what is needed is worked out, so that a choice can keep clear of a division by zero."""
        if isinstance(node, Choice):
            away = self.jump_if_false(node.condition)
            self.value(node.then, result)
            over = self.emit(JUMP, NOTHING, at=node.at)
            self.land(away)
            self.value(node.otherwise, result)
            self.land(over)
        elif isinstance(node, Binary):
            self.value(node.left, result)
            over = self.emit(
                JUMP_IF_FALSE if node.operator == "and" else JUMP_IF_TRUE,
                NOTHING,
                result,
                at=node.at,
            )
            self.value(node.right, result)
            self.land(over)
