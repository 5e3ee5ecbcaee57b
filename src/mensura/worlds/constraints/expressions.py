"""Expressions of values, as ``10 if v1 == v2 else 0``: a safe part of Python's, worked out over whole tables at once.

Text is parsed by :mod:`ast` and never run. There are numbers and texts, arithmetic, comparison, ``in``, and, or, not,
the conditional expression, abs, min, max, round, and ``float("inf")`` for what is forbidden. A condition decides which
tuples a branch is worked out for, so ``1 / x if x else 0`` divides by no zero.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.problem import Costs, Value

LONGEST = 100_000
"""Characters of an expression."""
DEEPEST = 60
"""How far operations may lie within one another."""
MOST_TUPLES = 4_000_000
"""Of a table, where nothing else is said."""
LARGEST_COST = 1e15
"""Beyond, sums of costs would no longer be exact."""

_OPERATORS: dict[type[ast.operator], Callable[..., npt.NDArray[np.float64]]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.Pow: np.power,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[..., npt.NDArray[np.bool_]]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}
_EQUALITIES = (ast.Eq, ast.NotEq)
_MEMBERSHIPS = (ast.In, ast.NotIn)
_UNARY = (ast.USub, ast.UAdd, ast.Not)
FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "abs": (1, 1),
    "min": (2, 100),
    "max": (2, 100),
    "round": (1, 2),
    "float": (1, 1),
}
"""How many arguments each takes."""
_SUBSET = (
    "numbers, texts, variables, + - * / // % **, comparisons, in, and, or, not, if/else, abs, min, max, round and "
    'float("inf")'
)


@dataclass(frozen=True)
class Grid:
    """One value for each tuple: a number, or a text."""

    numbers: npt.NDArray[np.float64]
    texts: npt.NDArray[np.object_] | None = None
    """None where there is a number; the array is left out where there are numbers only."""

    def part(self, chosen: npt.NDArray[np.bool_]) -> Grid:
        """The values of some tuples."""
        return Grid(self.numbers[chosen], None if self.texts is None else self.texts[chosen])


def grid_of(values: Sequence[Value]) -> Grid:
    """Values as a grid."""
    numbers = np.array([math.nan if isinstance(v, str) else v for v in values], np.float64)
    if not any(isinstance(v, str) for v in values):
        return Grid(numbers)
    texts = np.empty(len(values), object)
    texts[:] = [v if isinstance(v, str) else None for v in values]
    return Grid(numbers, texts)


@dataclass(frozen=True)
class Expression:
    """An expression that was found to be in the safe part."""

    source: str
    tree: ast.expr
    names: tuple[str, ...]
    """The variables, in the order in which they first stand there."""

    def table(
        self,
        domains: Mapping[str, Sequence[Value]],
        constants: Mapping[str, Value] | None = None,
        most: int = MOST_TUPLES,
        utilities: bool = False,
    ) -> Costs:
        """What it costs for each tuple of values, an axis for each variable of ``domains`` in that order.

        Utilities are turned into costs.
        """
        shape = tuple(len(values) for values in domains.values())
        count = math.prod(shape)
        if count > most:
            raise MensuraError(f"Its table would have {count} tuples, over {most}.")
        grids = {name: _constant(value, count) for name, value in (constants or {}).items()}
        for axis, (name, values) in enumerate(domains.items()):
            inner = math.prod(shape[axis + 1 :])
            places = np.arange(count) // inner % shape[axis]
            whole = grid_of(values)
            texts = None if whole.texts is None else whole.texts[places]
            grids[name] = Grid(whole.numbers[places], texts)
        try:
            with np.errstate(all="raise", under="ignore"):
                found = _Evaluation(count, grids).value(self.tree)
        except FloatingPointError as error:
            what = "divides by zero" if "divide" in str(error) else "overflows or is undefined"
            raise MensuraError(f"It {what} for some values of its variables.") from None
        costs = _number(found, "a cost").reshape(shape)
        return check_costs((-costs if utilities else costs) + 0.0)

    def negated(self) -> str:
        """Minus the expression, as text; without a minus before the whole where there is one already."""
        match self.tree:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return ast.unparse(operand)
        return f"-({self.source})"

    def renamed(self, names: Mapping[str, str]) -> str:
        """The expression with other names of variables, as text."""
        return ast.unparse(_Renaming(names).visit(ast.parse(self.source, mode="eval")))


def check_costs(costs: Costs) -> Costs:
    """Raise where costs are not numbers, minus infinity, or too large to be added up."""
    if bool(np.isnan(costs).any()):
        raise MensuraError("A cost is not a number.")
    if bool((costs == -math.inf).any()):
        raise MensuraError("A cost is minus infinity; what is forbidden costs plus infinity.")
    finite = costs[np.isfinite(costs)]
    if finite.size and float(np.abs(finite).max()) > LARGEST_COST:
        raise MensuraError(
            f"A cost of {float(np.abs(finite).max()):g} overflows; costs are at most {LARGEST_COST:g}, or infinite."
        )
    return costs


def parse(source: str) -> Expression:
    """An expression, if it is in the safe part; the sentence says what is not."""
    if len(source) > LONGEST:
        raise MensuraError(f"An expression of {len(source)} characters is over {LONGEST}.")
    text = source.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MensuraError(f"{_short(text)} is not an expression; there are {_SUBSET}.") from None
    names: dict[str, None] = {}
    _check(tree, names, 0)
    return Expression(text, tree, tuple(names))


# The check ------------------------------------------------------------------------------


def _check(node: ast.AST, names: dict[str, None], depth: int) -> None:
    """Raise at the first part that is not in the safe part; gather names."""
    if depth > DEEPEST:
        raise MensuraError(f"An expression has more than {DEEPEST} operations within one another.")
    children: Sequence[ast.AST]
    match node:
        case ast.Constant(value=bool() | str()):
            children = ()
        case ast.Constant(value=int() | float() as value):
            if not math.isfinite(_as_float(value)):
                raise MensuraError("A number in an expression overflows.")
            children = ()
        case ast.Name(id=name):
            names[name] = None
            children = ()
        case ast.UnaryOp(op=op, operand=operand) if isinstance(op, _UNARY):
            children = (operand,)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            children = (left, right)
        case ast.BoolOp(values=values):
            children = values
        case ast.IfExp(test=test, body=body, orelse=orelse):
            children = (test, body, orelse)
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            children = [left]
            for comparison, other in zip(ops, comparators, strict=True):
                if isinstance(comparison, _MEMBERSHIPS) and isinstance(
                    other, ast.List | ast.Tuple | ast.Set
                ):
                    children += other.elts
                elif isinstance(comparison, _EQUALITIES) or type(comparison) in _COMPARISONS:
                    children.append(other)
                else:
                    raise MensuraError(f"{_written(node)} is not understood; there are {_SUBSET}.")
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            least, most = FUNCTIONS[name]
            if not least <= len(args) <= most:
                raise MensuraError(f"{_written(node)} has {len(args)} arguments.")
            children = args
            if name == "float" and _infinite(node) is None:
                raise MensuraError(f'{_written(node)} is not understood; write float("inf").')
        case _:
            raise MensuraError(f"{_written(node)} is not understood; there are {_SUBSET}.")
    for child in children:
        _check(child, names, depth + 1)


def _infinite(node: ast.Call) -> float | None:
    """What ``float("inf")`` and its like stand for."""
    argument = node.args[0]
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        word = argument.value.strip().lower().lstrip("+")
        return {
            "inf": math.inf,
            "infinity": math.inf,
            "-inf": -math.inf,
            "-infinity": -math.inf,
        }.get(word)
    return None


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _written(node: ast.AST) -> str:
    try:
        return _short(ast.unparse(node))
    except (RecursionError, ValueError):
        return "This"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


class _Renaming(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), ast.Load())


# The evaluation -------------------------------------------------------------------------


class _Evaluation:
    """The values of an expression for ``count`` tuples, by the values of variables in each."""

    def __init__(self, count: int, grids: Mapping[str, Grid]) -> None:
        self._count = count
        self._grids = grids

    def _where(self, chosen: npt.NDArray[np.bool_], node: ast.AST) -> Grid:
        """The values for some of the tuples."""
        grids = {name: grid.part(chosen) for name, grid in self._grids.items()}
        return _Evaluation(int(chosen.sum()), grids).value(node)

    def value(self, node: ast.AST) -> Grid:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return _constant(value, self._count)
            case ast.Name(id=name):
                return self._grids[name]
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return _truth(~_true(self.value(operand)))
            case ast.UnaryOp(op=op, operand=operand):
                numbers = _number(self.value(operand), "a sign")
                return Grid(-numbers if isinstance(op, ast.USub) else numbers)
            case ast.BinOp(left=left, op=op, right=right):
                sides = (_number(self.value(side), "arithmetic") for side in (left, right))
                return Grid(_OPERATORS[type(op)](*sides))
            case ast.BoolOp(op=op, values=values):
                return self._logic(isinstance(op, ast.And), values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._choice(_true(self.value(test)), body, orelse)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return _truth(self._compare(left, ops, comparators))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, node, args)
        raise AssertionError(f"The check lets no {node} through.")

    def _choice(self, chosen: npt.NDArray[np.bool_], then: ast.AST, otherwise: ast.AST) -> Grid:
        if chosen.all() and self._count:
            return self.value(then)
        if not chosen.any():
            return self.value(otherwise)
        return _merge(chosen, self._where(chosen, then), self._where(~chosen, otherwise))

    def _logic(self, conjunction: bool, values: Sequence[ast.expr]) -> Grid:
        """As in Python, the first value that decides, else the last one."""
        first = self.value(values[0])
        if len(values) == 1:
            return first
        goes_on = _true(first) if conjunction else ~_true(first)
        if not goes_on.any():
            return first
        grids = {name: grid.part(goes_on) for name, grid in self._grids.items()}
        rest = _Evaluation(int(goes_on.sum()), grids)._logic(conjunction, values[1:])
        return rest if goes_on.all() else _merge(goes_on, rest, first.part(~goes_on))

    def _compare(
        self, left: ast.expr, ops: Sequence[ast.cmpop], comparators: Sequence[ast.expr]
    ) -> npt.NDArray[np.bool_]:
        holds = np.ones(self._count, bool)
        one = self.value(left)
        for op, node in zip(ops, comparators, strict=True):
            if isinstance(op, _MEMBERSHIPS) and isinstance(node, ast.List | ast.Tuple | ast.Set):
                among = np.zeros(self._count, bool)
                for element in node.elts:
                    among |= _equal(one, self.value(element))
                holds &= among if isinstance(op, ast.In) else ~among
                continue
            other = self.value(node)
            if isinstance(op, _EQUALITIES):
                same = _equal(one, other)
                holds &= same if isinstance(op, ast.Eq) else ~same
            else:
                sides = (_number(side, "a comparison") for side in (one, other))
                holds &= _COMPARISONS[type(op)](*sides)
            one = other
        return holds

    def _call(self, name: str, node: ast.Call, args: Sequence[ast.expr]) -> Grid:
        if name == "float":
            return Grid(np.full(self._count, _infinite(node)))
        numbers = [_number(self.value(argument), name) for argument in args]
        if name == "abs":
            return Grid(np.abs(numbers[0]))
        if name == "round":
            if len(args) == 1:
                return Grid(np.rint(numbers[0]))
            match args[1]:
                case ast.Constant(value=int() as decimals) if 0 <= decimals <= 15:
                    return Grid(numbers[0].round(decimals))
            raise MensuraError("The second argument of round is a number of decimals from 0 to 15.")
        return Grid(reduce(np.minimum if name == "min" else np.maximum, numbers))


def _constant(value: Value, count: int) -> Grid:
    if isinstance(value, str):
        return Grid(np.full(count, math.nan), np.full(count, value, object))
    return Grid(np.full(count, float(value)))


def _truth(holds: npt.NDArray[np.bool_]) -> Grid:
    return Grid(holds.astype(np.float64))


def _number(grid: Grid, what: str) -> npt.NDArray[np.float64]:
    if grid.texts is not None and any(text is not None for text in grid.texts):
        raise MensuraError(f"A text stands where {what} needs a number.")
    return grid.numbers


def _true(grid: Grid) -> npt.NDArray[np.bool_]:
    nonzero: npt.NDArray[np.bool_] = grid.numbers != 0
    if grid.texts is None:
        return nonzero
    return np.array(
        [
            bool(number if text is None else text)
            for text, number in zip(grid.texts, nonzero, strict=True)
        ],
        bool,
    )


def _equal(one: Grid, other: Grid) -> npt.NDArray[np.bool_]:
    same: npt.NDArray[np.bool_] = one.numbers == other.numbers
    if one.texts is None or other.texts is None:
        return same
    for i, (a, b) in enumerate(zip(one.texts, other.texts, strict=True)):
        same[i] |= a is not None and a == b
    return same


def _merge(chosen: npt.NDArray[np.bool_], then: Grid, otherwise: Grid) -> Grid:
    numbers = np.empty(len(chosen))
    numbers[chosen], numbers[~chosen] = then.numbers, otherwise.numbers
    if then.texts is None and otherwise.texts is None:
        return Grid(numbers)
    texts = np.full(len(chosen), None, object)
    if then.texts is not None:
        texts[chosen] = then.texts
    if otherwise.texts is not None:
        texts[~chosen] = otherwise.texts
    return Grid(numbers, texts)
