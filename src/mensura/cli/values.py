"""Values of parameters as people type them: from a text to a value of the type of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mensura.agent.errors import MensuraError


class _MisfitError(Exception):
    """A text that is no value of a type; says what one looks like."""


def hint(kind: Any, field: Any) -> Any:
    """The type of a parameter; that of its default where its annotation cannot be read."""
    try:
        return get_type_hints(kind)[field.name]
    except (NameError, TypeError):
        return type(field.default)


def kinds(wanted: Any) -> list[str]:
    """What values of a type look like, in a few words each."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return [words for one in inner for words in kinds(one)]
    if origin is Literal:
        return list(map(str, inner))
    if origin is tuple:
        if len(inner) == 2 and inner[-1] is Ellipsis:
            return [f"{' or '.join(kinds(inner[0]))}, ..."]
        return [f"({', '.join(' or '.join(kinds(one)) for one in inner)})"]
    names = {bool: "true or false", int: "whole number", float: "number", str: "word"}
    return [names.get(wanted, "none" if wanted is NoneType else str(wanted))]


def value_of(name: str, text: str, wanted: Any) -> Any:
    """The value of a parameter of such a type that a text stands for."""
    try:
        return _read(text, wanted)
    except _MisfitError as misfit:
        raise MensuraError(f"{name} is {text!r}; it must be {misfit}.") from None


def read_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Parameters of an assessment from texts as interactions=1000, with values as a study file writes them."""
    from mensura.core.yaml_text import Form, parse_yaml

    form = Form("value", "something", most_bytes=100_000, most_values=10_000)
    found: dict[str, Any] = {}
    for one in pairs:
        name, equals, value = one.partition("=")
        if not equals:
            raise MensuraError(f"--with {one!r} is not understood; write NAME=VALUE.")
        try:
            found[name.strip()] = parse_yaml(value, name, form)[0] if value.strip() else None
        except MensuraError:  # whoever wants something else than this text says so
            found[name.strip()] = value
    return found


def _read(text: str, hint: Any) -> Any:
    """A text as a value of a type; of several types, as the first that it fits."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        wanted = []
        for one in inner:
            try:
                # Words are told apart from misspelled ones here, as nobody else knows that they were meant.
                return (
                    _word(text, get_args(one)) if get_origin(one) is Literal else _read(text, one)
                )
            except _MisfitError as misfit:
                wanted.append(str(misfit))
        raise _MisfitError(" or ".join(wanted))
    if hint is bool:
        if text.lower() in ("true", "yes", "1", "on"):
            return True
        if text.lower() in ("false", "no", "0", "off"):
            return False
        raise _MisfitError("true or false")
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            raise _MisfitError("a whole number" if hint is int else "a number") from None
    if hint in (None, NoneType):
        return _word(text, ("none",)) and None
    if origin is tuple or hint is tuple:
        return _several([item.strip() for item in text.split(",") if item.strip()], inner)
    return text  # words and names: the world says which it knows


def _word(text: str, words: Sequence[str]) -> str:
    if text.lower() not in words:
        raise _MisfitError(" or ".join(words))
    return text.lower()


def _several(items: list[str], inner: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values between commas: any number of one type, or one of each type."""
    if not inner or inner[-1] is Ellipsis:
        inner = (inner[0] if inner else int,) * len(items)
    example = "numbers as 0,1,2" if inner in ((), (int,) * len(inner)) else "values as a,b"
    if float in inner:
        example = "numbers as 0.5,0.25"
    if len(inner) == 2 and not all(one is str for one in inner):
        example = "two numbers as 2,9"
    if len(items) != len(inner):
        raise _MisfitError(example)
    try:
        return tuple(_read(item, one) for item, one in zip(items, inner, strict=True))
    except _MisfitError:
        raise _MisfitError(example) from None
