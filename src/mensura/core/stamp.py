"""A fingerprint of all that is compiled into a door, whatever it is called.

Machine code that is kept has to be that of the sources that stand there, and no rename is to compile anything anew. So
the stamp covers the code of a door and of all that it reaches, and the modules that compile it, but no names of our own
functions, rows, modules and variables: they are numbered in the order of their first use in the code. What Numba knows
by its name stays: attributes, and whatever belongs to Python, NumPy and Numba.

Functions are taken as they were loaded, since files may have changed since.
"""

# mypy: allow-untyped-calls

import ast
import builtins
import dis
import hashlib
import inspect
import pkgutil
import sys
import types
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps
from numba.core.types import Type
from numba.extending import _Intrinsic

__all__ = ["Spelling", "module_text", "of_others", "spelled", "stamp"]

COMPILERS = "compiled.py", "call_types.py"
"""Beside this file: what compiles rules and doors."""

_SOURCES = tuple(pkgutil.get_data(__package__, name) for name in COMPILERS)

OTHERS = frozenset({*sys.stdlib_module_names, "llvmlite", "numba", "numpy"})
"""Packages that Numba knows by their names."""


def stamp(fn: Callable[..., Any]) -> str:
    """The fingerprint of a door or of any function that can be compiled, in hexadecimal digits."""
    reached = _Reached()
    reached.number(fn)
    digest = hashlib.sha256()
    for text in (_compilers(), *map(reached.text, reached), reached.keywords()):
        digest.update(len(text).to_bytes(8, "little") + text.encode())
    return digest.hexdigest()[:16]


@cache
def _compilers() -> str:
    """What the modules that compile are made of."""
    return repr([module_text(source.decode()) for source in _SOURCES if source])


class _Reached:
    """Functions and classes of our own that a stamp covers, numbered as they are met."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[int, int] = {}

    def __iter__(self) -> Iterator[Any]:
        """All of them, those included that are met on the way."""
        at = 0
        while at < len(self.values):
            yield self.values[at]
            at += 1

    def number(self, value: Any) -> str:
        """Which it is."""
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.values)
            self.values.append(value)
        return f"#{self._numbers[id(value)]}"

    def text(self, value: Any) -> str:
        """What one of them is made of."""
        if isinstance(value, Dispatcher):
            options = sorted(value.targetoptions.items()), sorted(value.locals.items())
            said: Any = (options, self._function(value.py_func))
        elif isinstance(value, _Intrinsic):
            said = (sorted(value._ctor_kwargs.items()), self._function(value._defn))
        elif isinstance(value, types.FunctionType):
            said = self._function(value)
        elif issubclass(value, Enum):
            said = [(each.name, self.content(each.value)) for each in value]
        else:
            said = (value._fields, self.content(tuple(value._field_defaults.items())))
        return repr(said)

    def keywords(self) -> str:
        """Where arguments that are passed by name go: in a call only their names are seen."""
        spellings = [spelled(fn.__code__) for fn in map(_function_of, self) if fn]
        passed = {name for spelling in spellings for name in spelling.keywords}
        parameters = [enumerate(spelling.parameters) for spelling in spellings]
        return repr([[place for place in places if place[1] in passed] for places in parameters])

    def _function(self, fn: types.FunctionType) -> Any:
        spelling = spelled(fn.__code__)
        defaults = fn.__defaults__, tuple((fn.__kwdefaults__ or {}).items())
        return (
            spelling.text,
            self.content(defaults),
            [self._named(fn, path) for path in spelling.paths],
        )

    def _named(self, fn: types.FunctionType, path: tuple[str, ...]) -> Any:
        """What a name in a function stands for, and the attributes of it that are asked for."""
        value, rest = _value_of(fn, path[0]), path[1:]
        while rest and isinstance(value, types.ModuleType) and not of_others(value.__name__):
            value, rest = getattr(value, rest[0], _MISSING), rest[1:]
        if isinstance(value, types.ModuleType) and not of_others(value.__name__):
            raise TypeError(
                f"{fn.__module__}.{fn.__qualname__} holds the module {value.__name__} in a variable; compiled code "
                "has to name what it takes from a module as module.name."
            )
        return ("nothing", path) if value is _MISSING else (self.content(value), rest)

    def content(self, value: Any) -> Any:
        """What a global, a closed-over value, a default or an item of one of them says."""
        if isinstance(value, Enum):
            return self.number(type(value)), value.name
        if isinstance(value, bool | int | float | complex | str | bytes | None):
            return repr(value)
        if isinstance(value, np.ndarray | np.generic):
            return value.dtype.descr, value.shape, value.strides, value.tobytes()
        if isinstance(value, tuple):
            return getattr(value, "_fields", None), [self.content(item) for item in value]
        if isinstance(value, types.ModuleType):
            return value.__name__
        if isinstance(value, Type):
            return str(value)
        if isinstance(value, Dispatcher | _Intrinsic):
            return self.number(value)
        if _is_ours(value):
            return self.number(value)
        return dumps(value)


def _is_ours(value: Any) -> bool:
    """Whether it is a function, an enumeration or a class of rows that no library brings."""
    if of_others(getattr(value, "__module__", None) or ""):
        return False
    if isinstance(value, type):
        return issubclass(value, Enum) or hasattr(value, "_fields")
    return isinstance(value, types.FunctionType)


_MISSING = object()
"""Stands for what a name stands for that nothing has."""


def of_others(module: str) -> bool:
    """Whether Numba knows what is in this module by its name."""
    return module.partition(".")[0] in OTHERS


def _function_of(value: Any) -> types.FunctionType | None:
    """The Python function of something that is reached, if it has one."""
    for name in ("py_func", "_defn"):
        value = getattr(value, name, value)
    return value if isinstance(value, types.FunctionType) else None


def _value_of(fn: types.FunctionType, name: str) -> Any:
    """What a name that is no local stands for in a function."""
    if name in fn.__code__.co_freevars:
        return (fn.__closure__ or ())[fn.__code__.co_freevars.index(name)].cell_contents
    return fn.__globals__.get(name, getattr(builtins, name, _MISSING))


# Code


class Spelling(NamedTuple):
    """The instructions of a function or a module, with numbers for its names."""

    text: str
    """A digest of them."""
    paths: tuple[tuple[str, ...], ...]
    """Which names from outside the numbers stand for, each with the attributes that follow it."""
    keywords: frozenset[str]
    """By which arguments are passed."""
    parameters: tuple[str, ...]


@cache
def spelled(code: types.CodeType) -> Spelling:
    """Spell the code of a function, or of a module."""
    writer = _Writer()
    text = hashlib.sha256(repr(list(writer.write(code, ()))).encode()).hexdigest()
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return Spelling(text, tuple(writer.paths), frozenset(writer.keywords), parameters)


class _Scope(NamedTuple):
    """A function whose code is written down, and the numbers of its variables, those of arguments first."""

    code: types.CodeType
    numbers: dict[str, int]


class _Writer:
    """Writes instructions down, those of functions within a function too."""

    def __init__(self) -> None:
        self.paths: dict[tuple[str, ...], int] = {}
        self.keywords: set[str] = set()

    def write(self, code: types.CodeType, around: tuple[_Scope, ...]) -> Iterator[Any]:
        """The instructions, with the functions that are around them."""
        takes = (
            code.co_argcount,
            code.co_kwonlyargcount,
            *(bool(code.co_flags & rest) for rest in _REST),
        )
        numbers = {name: at for at, name in enumerate(code.co_varnames[: sum(takes)])}
        scopes = (*around, _Scope(code, numbers))
        yield takes, code.co_posonlyargcount, code.co_exceptiontable
        steps = [step for step in dis.get_instructions(code) if not _is_silent(step, code)]
        following = iter(zip(steps, [*steps[1:], None], strict=True))
        for step, then in following:
            path: tuple[str, ...] = (step.argval,)
            if not _is_outside(step, scopes):
                yield step.opname, self._operand(step, scopes)
                continue
            while then is not None and then.opname in _ATTRIBUTES and not then.is_jump_target:
                path = (*path, then.argval)
                _, then = next(following)
            yield step.opname, self.paths.setdefault(path, len(self.paths))

    def _operand(self, step: dis.Instruction, scopes: tuple[_Scope, ...]) -> Any:
        value = step.argval
        if step.opcode in _VARIABLES:
            names = value if isinstance(value, tuple) else (value,)
            return [_variable(name, scopes) for name in names]
        if step.opcode not in dis.hasconst:
            return value
        value = scopes[-1].code.co_consts[cast(int, step.arg)]
        if isinstance(value, types.CodeType):
            return list(self.write(value, scopes))
        if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
            self.keywords.update(value)
        return sorted(value, key=repr) if isinstance(value, frozenset) else value


def _owner(name: str, scopes: tuple[_Scope, ...]) -> int:
    """The place of the function that a variable belongs to; below 0 where it is around all of them."""
    depth = len(scopes) - 1
    while depth >= 0 and name in scopes[depth].code.co_freevars:
        depth -= 1
    return depth


def _variable(name: str, scopes: tuple[_Scope, ...]) -> tuple[int, int]:
    """A variable, as the place of the function that it belongs to and its number there."""
    depth = _owner(name, scopes)
    numbers = scopes[depth].numbers
    return depth, numbers.setdefault(name, len(numbers))


def _is_outside(step: dis.Instruction, scopes: tuple[_Scope, ...]) -> bool:
    """Whether an instruction names what is outside of the function: a global, or what it closes over.

    The names in the body of a class are its attributes.
    """
    if step.opcode in dis.hasfree:
        return _owner(step.argval, scopes) < 0
    return step.opname in _GLOBALS or (step.opname in _NAMES and len(scopes) == 1)


def _is_silent(step: dis.Instruction, code: types.CodeType) -> bool:
    """Whether an instruction says nothing, or only in which alphabetical order Python keeps variables."""
    passed_on = step.opname == "LOAD_FAST" and step.argval in code.co_cellvars + code.co_freevars
    return passed_on or step.opname in _SILENT


_REST = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS
_SILENT = {"CACHE", "COPY_FREE_VARS", "EXTENDED_ARG", "LOAD_CLOSURE", "MAKE_CELL", "NOP"}
_VARIABLES = {*dis.haslocal, *dis.hasfree}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL"}
_NAMES = {"STORE_NAME", "DELETE_NAME"}


# The modules that compile


def module_text(source: str) -> str:
    """What a module is made of: its names that are no attributes leave no trace."""
    tree = _Bare().visit(ast.parse(source))
    for node in ast.walk(tree):
        for place in node._attributes:  # lines play no part
            setattr(node, place, 1)
    code = compile(tree, "", "exec", dont_inherit=True, optimize=2)
    spelling = spelled(code)
    stored = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_NAME"}
    numbers: dict[str, int] = {}
    paths = [
        (numbers.setdefault(name, len(numbers)) if name in stored else name, attributes)
        for name, *attributes in spelling.paths
    ]
    return repr((spelling.text, paths))


class _Bare(ast.NodeTransformer):
    """Leaves out of a module what says nothing but names: types, what it exports, imports of our own modules."""

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        value = self.visit(node.value) if node.value else ast.Constant(None)
        return ast.Assign([node.target], value)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        exports = any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        )
        return None if exports else self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.AST]:
        if of_others(node.module or ""):
            return node
        names = [ast.Name(alias.asname or alias.name, ast.Store()) for alias in node.names]
        return [ast.Assign([name], ast.Constant(None)) for name in names]
