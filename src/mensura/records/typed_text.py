"""Dataclasses as JSON and back, by the types of their fields: for results that a store keeps whole.

What comes back is equal to what was written: numbers to the bit, arrays with shape and type.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from mensura.records.encoding import from_text, to_text

T = TypeVar("T")


def write_typed(value: Any) -> str:
    """A value as JSON: dataclasses, arrays, tuples, mappings by text, numbers, texts and None."""
    return to_text(_plain(value))


def read_typed(kind: type[T], text: str) -> T:
    """The value of this type that :func:`write_typed` wrote."""
    found: T = _typed(kind, from_text(text))
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, np.ndarray):
        return {
            "dtype": value.dtype.str,
            "shape": list(value.shape),
            "values": value.ravel().tolist(),
        }
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _typed(kind: Any, plain: Any) -> Any:
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if plain is None:
            return None
        (kind,) = [one for one in inside if one is not type(None)]
        return _typed(kind, plain)
    if kind is Any or origin is Literal:
        return plain
    if origin is np.ndarray:
        return np.array(plain["values"], plain["dtype"]).reshape(plain["shape"])
    if origin is tuple:
        several = inside[:1] * len(plain) if inside[-1:] == (Ellipsis,) else inside
        return tuple(_typed(one, value) for one, value in zip(several, plain, strict=True))
    if origin in (list, Sequence):
        return [_typed(inside[0], value) for value in plain]
    if origin in (dict, Mapping):
        return {name: _typed(inside[1], value) for name, value in plain.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: _typed(hints[name], value) for name, value in plain.items()})
    return kind(plain)
