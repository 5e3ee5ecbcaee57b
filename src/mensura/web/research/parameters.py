"""The parameters of a world as a form: what each may be, known from its type, and values read from forms."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.meanings import meanings


@dataclass(frozen=True)
class Field:
    """One parameter of a world."""

    name: str
    meaning: str
    kinds: tuple[str, ...]
    """What a value may be, the usual first: flag, whole, number, word, text, none, or several of one of them as
    "several whole"; "pair" is the least and the most."""
    words: tuple[str, ...]
    """The words that may be chosen."""
    default: Any


def known(kind: Any) -> dict[str, Any]:
    """The fields of a world, or of a kind of them, by name; a world need not have any."""
    return {one.name: one for one in fields(kind)} if is_dataclass(kind) else {}


def fields_of(kind: Any) -> list[Field]:
    """The parameters of a world, in their order."""
    found = []
    told = meanings(kind)
    for one in known(kind).values():
        hint = _hint(kind, one)
        default = None if one.default is MISSING else one.default
        meaning = told.get(one.name, "")
        found.append(
            Field(one.name, meaning, tuple(kinds(hint)), tuple(words(hint)), plain(default))
        )
    return found


def plain(value: Any) -> Any:
    """A parameter as JSON writes it."""
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def read_parameters(kind: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters that a form sends, checked against their types; a sentence where one does not fit."""
    own = known(kind)
    read = {}
    for name, value in given.items():
        if name not in own:
            raise MensuraError(f"{kind.id} has no parameter {name!r}; {neighbors(name, list(own))}")
        read[name] = read_value(name, value, _hint(kind, own[name]))
    return read


def read_value(name: str, value: Any, hint: Any) -> Any:
    """A value of plain data as one of a type; a sentence where it does not fit."""
    fitting = _fitting(value, hint)
    if fitting is _MISFIT:
        raise MensuraError(f"{name} is {_shown(value)}; it is {' or '.join(_spoken(hint))}.")
    return fitting


def fits(kind: Any, name: str, value: Any) -> bool:
    """Whether a world has a parameter of that name that may have such a value."""
    own = known(kind)
    return name in own and _fitting(plain(value), _hint(kind, own[name])) is not _MISFIT


_MISFIT = object()


def _hint(kind: Any, field: Any) -> Any:
    """The type of a parameter; that of its default where its annotation cannot be read."""
    try:
        return get_type_hints(kind)[field.name]
    except (NameError, TypeError):
        return type(field.default)


def _fitting(value: Any, hint: Any) -> Any:
    """A value of plain data as one of a type, or the misfit."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        tried = (_fitting(value, one) for one in inner)
        return next((one for one in tried if one is not _MISFIT), _MISFIT)
    if origin is Literal:
        return value if isinstance(value, str) and value in inner else _MISFIT
    if hint in (None, NoneType):
        return None if value is None else _MISFIT
    if hint is bool:
        return value if isinstance(value, bool) else _MISFIT
    if hint is int:
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
        return value if whole else _MISFIT
    if hint is float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if number and abs(value) < 1e300 else _MISFIT
    if hint is str:
        return value if isinstance(value, str) else _MISFIT
    if origin is tuple or hint is tuple:
        if not isinstance(value, list | tuple):
            return _MISFIT
        if not inner or inner[-1] is Ellipsis:
            inner = (inner[0] if inner else int,) * len(value)
        if len(inner) != len(value):
            return _MISFIT
        read = [_fitting(one, own) for one, own in zip(value, inner, strict=True)]
        return _MISFIT if any(one is _MISFIT for one in read) else tuple(read)
    return _MISFIT


def kinds(hint: Any) -> list[str]:
    """What values of a type are, in words for forms."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return list(dict.fromkeys(kind for one in inner for kind in kinds(one)))
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return [f"several {kinds(inner[0])[0]}"]
        return ["pair"]
    if origin is Literal:
        return ["word"]
    names = {bool: "flag", int: "whole", float: "number", str: "text", NoneType: "none"}
    return [names.get(hint, "text")]


def words(hint: Any) -> list[str]:
    """The words among which a value of a type is chosen."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return [word for one in inner for word in words(one)]
    return [str(one) for one in inner] if origin is Literal else []


def _spoken(hint: Any) -> list[str]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return [word for one in inner for word in _spoken(one)]
    if origin is Literal:
        return [repr(word) for word in inner]
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return [f"a list, each of {' or '.join(_spoken(inner[0]))}"]
        return ["a list of the least and the most"]
    names = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "a text",
        NoneType: "none",
    }
    return [names.get(hint, str(hint))]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
