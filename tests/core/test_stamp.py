"""The stamp of compiled code: whatever is compiled changes it, and no name of our own does."""

import ast
import dis
import importlib
import inspect
import re
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.test_house import HOUSE, NAMED

from mensura.core import compiled, stamp

SOURCE = """
import enum
import math
from typing import NamedTuple
import numba
import numpy as np
import rules
from mensura.core.compiled import door, rule, span, uint64

class Row(NamedTuple):
    left: int
    right: int = 1

class Face(enum.IntEnum):
    HEAD = 0
    TAIL = 1

TABLE = np.array([1, 2, 3])
STEP = 3
PLACE = Row(4, 5)

@rule
def innermost(x, y):
    return x - y * STEP

@rule
def inner(x, y=5):
    return innermost(x, y) + TABLE[1] + Face.TAIL

@rule
def other(x, y=5):
    return innermost(y, x) + rules.outside(x)

def made(first, second):
    @rule
    def outer(row, scale):
        low = first(row.left, 1)
        high = second(row.right) if scale < 7 else second(y=row.right, x=2)
        return math.sin(low) + scale * high + PLACE.left
    return outer

outer = made(inner, other)

@door
def entry(a, b):
    total = uint64(0)
    for i in range(a):
        total += outer(Row(i, a), b)
    return total
"""
"""Rules of several levels, called by name, from another module and closed over, and all that they may refer to."""

NAMES = [
    *(
        "Row",
        "Face",
        "TABLE",
        "STEP",
        "PLACE",
        "innermost",
        "inner",
        "other",
        "made",
        "first",
        "second",
        "outer",
    ),
    *("row", "scale", "low", "high", "entry", "a", "b", "total", "i", "rules", "outside"),
]
"""All of them are ours, and no attribute; `x` and `y` are passed by name."""

CHANGES = {
    "math.sin": "math.cos",
    "row.left": "row.right",
    "x - y": "y - x",
    "y=5": "y=6",
    "y * STEP": "y * STEP * 1",
    "STEP = 3": "STEP = 3.0",
    "[1, 2, 3]": "[1, 2, 4]",
    "np.array([1, 2, 3])": "np.array([1, 2, 3], np.int32)",
    "TABLE[1]": "TABLE[2]",
    "TAIL = 1": "TAIL = 2",
    "Face.TAIL": "Face.HEAD",
    "Row(4, 5)": "Row(4, 6)",
    "PLACE.left": "PLACE.right",
    "made(inner, other)": "made(other, inner)",
    "innermost(y, x)": "innermost(x, y)",
    "left: int\n    right": "right: int\n    left",
    "right: int = 1": "right: int = 2",
    "range(a)": "range(b)",
    "first(row.left": "second(row.left",
    "row.left, 1": "row.left, 1.0",
    "y=row.right, x=2": "x=row.right, y=2",
    "uint64(0)": "uint64(False)",
    "rules.outside(x)": "rules.outside_too(x)",
    "@rule\ndef inner(": "@numba.njit\ndef inner(",
    "@rule\ndef other(": "@numba.njit(fastmath=True, forceinline=True)\ndef other(",
    "def entry(a, b)": "def entry(b, a)",
    "def entry(a, b):\n": "def entry(a, *b):\n",
}

RULES = """
from mensura.core.compiled import rule
@rule
def outside(x):
    return x + 1
@rule
def outside_too(x):
    return x + 2
"""


def module(source: str, **names: Any) -> types.ModuleType:
    """A module made from text, with `names` defined in it."""
    result = types.ModuleType("module_of_a_test")
    result.__dict__.update(names)
    exec(source, result.__dict__)
    return result


def stamp_of(source: str, entry: str = "entry", rules: str = "rules", other: str = RULES) -> str:
    """The stamp of the door of a source that imports ``rules``."""
    source = source.replace(f"import {rules}\n", "").replace("import numba\n", "")
    return stamp.stamp(vars(module(source, numba=numba, **{rules: module(other)}))[entry])


def renamed(source: str, names: dict[str, str]) -> str:
    """A source with other names, where they are no attributes of others' modules."""
    return re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), source)


BASE = stamp_of(SOURCE)


@pytest.mark.parametrize("change", CHANGES.items(), ids=str)
def test_what_is_compiled_changes_the_stamp(change: tuple[str, str]) -> None:
    assert SOURCE.count(change[0]) >= 1
    assert stamp_of(SOURCE.replace(*change)) != BASE


def test_a_callee_in_another_module_changes_the_stamp() -> None:
    assert stamp_of(SOURCE, other=RULES.replace("x + 1", "x + 3")) != BASE


@given(st.permutations(NAMES))
def test_names_leave_no_trace(order: list[str]) -> None:
    names = {name: f"name_{order.index(name)}" for name in NAMES}
    new = renamed(SOURCE, names)
    other = renamed(RULES, names)
    assert stamp_of(new, names["entry"], names["rules"], other) == BASE


def test_comments_types_lines_and_the_order_of_definitions_leave_no_trace() -> None:
    notes = SOURCE.replace(
        "(row, scale):", '(row: int, scale: "float") -> float:\n        """Text."""\n\n'
    )
    assert stamp_of("# a comment\n\n" + notes) == BASE
    (inner,) = re.findall(r"@rule\ndef inner\(.*?\n\n", SOURCE, re.DOTALL)
    assert stamp_of(SOURCE.replace(inner, "").replace("def made", f"{inner}def made")) == BASE


EXPRESSIONS = st.recursive(
    st.sampled_from(["x", "y", "1", "2", "1.0", "STEP", "TABLE[0]"]),
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from("+-*"), part).map(lambda three: f"({' '.join(three)})"),
        st.tuples(st.sampled_from(["f", "g", "math.sin", "math.cos", "abs"]), part).map(
            "{0[0]}({0[1]})".format
        ),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS, EXPRESSIONS)
def test_expressions_have_the_same_stamp_exactly_if_they_are_the_same(
    first: str, second: str
) -> None:
    def stamp_with(expression: str) -> str:
        header = "import math\nSTEP, TABLE = 3, (4, 5)\ndef f(x):\n    return x\ndef g(x):\n    return -x\n"
        return stamp.stamp(module(f"{header}def entry(x, y):\n    return {expression}").entry)

    def code(expression: str) -> str:
        # Python computes what is constant when it compiles.
        return (
            ast.dump(ast.parse(expression))
            if re.search("[a-zA-Z]", expression)
            else repr(eval(expression))
        )

    same = code(first) == code(second)
    assert (stamp_with(first) == stamp_with(second)) == same


def test_functions_that_need_each_other_have_a_stamp_each() -> None:
    rounds = module(
        "from mensura.core.compiled import rule\n"
        "@rule\ndef odd(n):\n    return n != 0 and even(n - 1)\n"
        "@rule\ndef even(n):\n    return n == 0 or odd(n - 1)\n"
    )
    assert stamp.stamp(rounds.odd) != stamp.stamp(rounds.even)


def test_variables_that_are_closed_over_count_by_their_first_use_though_python_sorts_them() -> None:
    text = (
        "def make({0}, {1}):\n    def entry(x):\n        return {0}(x) - {1}(x)\n    return entry"
    )

    def closed(first: str, second: str, *functions: Callable[..., Any]) -> str:
        return stamp.stamp(module(text.format(first, second)).make(*functions))

    assert closed("a", "b", abs, int) == closed("b", "a", abs, int)
    assert closed("a", "b", abs, int) != closed("a", "b", int, abs)


def test_functions_within_functions_count_and_their_variables_do_not() -> None:
    text = "def entry({0}, {1}):\n    {2} = {0}\n    return (lambda y: y + {2} - {1})(2)"

    def inside(*names: str) -> str:
        return stamp.stamp(module(text.format(*names)).entry)

    assert inside("a", "b", "c") == inside("b", "a", "c") == inside("c", "b", "a")
    assert inside("a", "b", "c") != stamp.stamp(
        module(text.format("a", "b", "c").replace("- b", "- a")).entry
    )
    assert inside("a", "b", "c") != stamp.stamp(
        module(text.format("a", "b", "c").replace("y +", "y -")).entry
    )


def test_a_module_that_is_held_in_a_variable_is_refused() -> None:
    with pytest.raises(TypeError, match=r"has to name what it takes from a module as module\.name"):
        stamp.stamp(
            module(
                "def entry(x):\n    held = rules\n    return held.f(x)", rules=module(RULES)
            ).entry
        )


# Everything that kernels of the package reach


def kernel_modules() -> list[str]:
    """All modules that are compiled, by the folder or by name (see `tests/test_house.py`)."""
    paths = [path for path in HOUSE.rglob("kernels/*.py") if path.stem != "__init__"]
    paths += [HOUSE / name for name in sorted(NAMED)]
    return [".".join(path.relative_to(HOUSE.parent).with_suffix("").parts) for path in paths]


def function_of(value: Any) -> types.FunctionType | None:
    function = getattr(value, "py_func", getattr(value, "_defn", value))
    ours = isinstance(function, types.FunctionType) and not stamp.of_others(function.__module__)
    return function if ours else None


def unwrapped(value: Any) -> Any:
    """The function that `functools.cache` is put around."""
    return getattr(value, "__wrapped__", value)


def kernels_of(name: str) -> Iterator[types.FunctionType]:
    """All rules and doors of a module, those too that other functions make."""
    loaded = importlib.import_module(name)
    decorated = set(re.findall(r"@(?:rule|door)\s+def (\w+)", inspect.getsource(loaded)))
    functions = [
        fn
        for fn in map(function_of, map(unwrapped, vars(loaded).values()))
        if fn and fn.__module__ == name
    ]
    codes = [(fn.__code__, fn) for fn in functions]
    while codes:
        code, around = codes.pop()
        codes += [(each, around) for each in code.co_consts if isinstance(each, types.CodeType)]
        if code.co_name in decorated:
            cells = tuple(types.CellType(0) for _ in code.co_freevars)
            made = types.FunctionType(code, around.__globals__, closure=cells)
            yield around if code is around.__code__ else made


@cache
def callees(function: types.FunctionType) -> set[types.FunctionType]:
    """What of ours the names in a function stand for, looked up in another way than by the stamp."""
    steps = dis.get_instructions(function)
    names = {step.argval for step in steps if step.opname == "LOAD_GLOBAL"}
    values = [function.__globals__.get(name) for name in names]
    values += [cell.cell_contents for cell in function.__closure__ or ()]
    return {callee for callee in map(function_of, values) if callee}


def reached_by(function: types.FunctionType) -> set[types.FunctionType]:
    """All that a function of ours calls, and what that calls."""
    reached, waiting = {function}, [function]
    while waiting:
        new = callees(waiting.pop()) - reached
        reached |= new
        waiting += new
    return reached


def edited(code: types.CodeType) -> types.CodeType:
    """Another body of the same variables."""
    return code.replace(co_code=code.co_code + bytes([dis.opmap["RETURN_VALUE"], 0]))


@pytest.mark.thorough
@pytest.mark.skipif(not compiled.JIT, reason="NUMBA_DISABLE_JIT is set")
def test_a_changed_body_of_whatever_a_kernel_reaches_changes_its_stamp(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernels = [kernel for name in kernel_modules() for kernel in kernels_of(name)]
    users = {kernel: kernel for kernel in kernels}
    for kernel in sorted(kernels, key=lambda kernel: len(reached_by(kernel)), reverse=True):
        users |= dict.fromkeys(reached_by(kernel) - {kernel}, kernel)  # the smallest is what counts
    assert {"span", "matrix", "cube", "writable", "fetch", "mix"} <= {fn.__name__ for fn in users}
    before = {kernel: stamp.stamp(kernel) for kernel in users.values()}
    for function, kernel in users.items():
        with monkeypatch.context() as patch:
            patch.setattr(function, "__code__", edited(function.__code__))
            assert stamp.stamp(kernel) != before[kernel], function.__qualname__


# The modules that compile

COMPILERS = [Path(stamp.__file__).with_name(name).read_text() for name in stamp.COMPILERS]
FUNCTIONS = [
    (source, node)
    for source in COMPILERS
    for node in ast.walk(ast.parse(source))
    if isinstance(node, ast.FunctionDef)
]


def edited_source(source: str, function: ast.FunctionDef) -> str:
    """A source with another body of one function."""
    lines = source.splitlines(keepends=True)
    first = function.body[0]
    lines.insert(first.lineno - 1, " " * first.col_offset + "another.body\n")
    return "".join(lines)


def assert_counts(source: str, node: ast.FunctionDef) -> None:
    assert stamp.module_text(edited_source(source, node)) != stamp.module_text(source), node.name


@pytest.mark.parametrize(
    "name", ["_typed", "_spanned", "_reshaped", "writable", "fetch", "_remembered"]
)
def test_what_lays_out_types_and_remembers_counts(name: str) -> None:
    (*_, (source, node)) = [each for each in FUNCTIONS if each[1].name == name][:1]
    assert_counts(source, node)


@pytest.mark.thorough
def test_every_function_of_the_modules_that_compile_counts() -> None:
    for source, node in FUNCTIONS:
        assert_counts(source, node)


def test_a_door_is_stamped_by_the_modules_that_compile_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(len(COMPILERS)):
        sources = [source.encode() for source in COMPILERS]
        sources[at] += b"another.body\n"
        monkeypatch.setattr(stamp, "_SOURCES", sources)
        stamp._compilers.cache_clear()
        assert stamp_of(SOURCE) != BASE
    monkeypatch.undo()
    stamp._compilers.cache_clear()
    assert stamp_of(SOURCE) == BASE


def test_names_of_functions_and_variables_in_modules_that_compile_leave_no_trace() -> None:
    for source in COMPILERS:
        tree = ast.parse(source)
        imported = {
            node.asname or node.name for node in ast.walk(tree) if isinstance(node, ast.alias)
        }
        inside_classes = {
            node.name
            for class_ in ast.walk(tree)
            if isinstance(class_, ast.ClassDef)
            for node in ast.walk(class_)
            if isinstance(node, ast.FunctionDef)
        }
        functions = {
            node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
        } - inside_classes
        variables = {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        names = (functions | variables) - imported - {"__all__"}
        new = ast.unparse(
            _Renamed({name: f"new_{name}" for name in names}).visit(ast.parse(source))
        )
        assert new.count("new_") > len(names)
        assert stamp.module_text(new) == stamp.module_text(source)


class _Renamed(ast.NodeTransformer):
    """Gives functions and variables other names."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self._names.get(node.arg, node.arg)
        return node
