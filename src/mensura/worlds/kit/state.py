"""The state of an episode as data: JSON with marks for what JSON has no form for, and no code in it."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.kit.description import BaseDescription

MARK = "~"
"""An object with this one key is a tuple, an array, a number of NumPy's or a mapping whose keys are no texts."""


class State:
    """What changes in an episode. Rules put their own attributes here: ``state.shown = [3]``.

    It may hold numbers, texts, lists, tuples, mappings, and arrays of numbers; the kit writes it down and reads it back
    to the last bit. Whatever is in it twice is there once each after that: two names for one list become two lists.
    """

    description: BaseDescription
    interaction: int
    """How many interactions were played."""

    def __init__(self, description: BaseDescription, interaction: int = 0, **values: Any) -> None:
        self.description = description
        self.interaction = interaction
        self.__dict__.update(values)

    if TYPE_CHECKING:

        def __getattribute__(self, name: str) -> Any:
            """Whatever the rules have put here."""

        def __setattr__(self, name: str, value: Any) -> None:
            """Put something here."""

    else:

        def __getattr__(self, name: str) -> Any:
            """Say where a missing attribute should have come from."""
            raise AttributeError(
                f"the state has no {name!r}: start puts it there, before other rules use it"
            )

    def __repr__(self) -> str:
        """Its attributes."""
        return f"State({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


def to_bytes(values: Any) -> bytes:
    """Values as JSON; an error names what is no data, and where it is."""
    return json.dumps(_packed(values, "")).encode()


def from_bytes(text: bytes) -> Any:
    """The values of :func:`to_bytes`."""
    return _unpacked(json.loads(text))


def _packed(value: Any, where: str) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return [_packed(one, where) for one in value]
    if kind is dict:
        if MARK not in value and all(type(name) is str for name in value):
            return {name: _packed(one, f"{where}.{name}") for name, one in value.items()}
        pairs = [[_packed(name, where), _packed(one, where)] for name, one in value.items()]
        return {MARK: ["mapping", pairs]}
    if kind is tuple:
        return {MARK: ["tuple", [_packed(one, where) for one in value]]}
    if kind is bytes:
        return {MARK: ["bytes", base64.b64encode(value).decode()]}
    if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        sort = "array" if isinstance(value, np.ndarray) else "number"
        return {MARK: [sort, np.lib.format.dtype_to_descr(value.dtype), list(value.shape), data]}
    raise MensuraError(
        f"{where.removeprefix('.state.') or 'A value'} in the state of an episode is a {kind.__name__}; a state holds "
        "numbers, texts, lists, tuples, mappings and arrays of numbers, so that it can be written down."
    )


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    if MARK not in value:
        return {name: _unpacked(one) for name, one in value.items()}
    kind, *rest = value[MARK]
    if kind == "bytes":
        return base64.b64decode(rest[0])
    if kind in ("array", "number"):
        dtype = np.lib.format.descr_to_dtype(_descr(rest[0]))
        array = np.frombuffer(base64.b64decode(rest[2]), dtype).reshape(rest[1]).copy()
        return array if kind == "array" else array[()]
    inside = [_unpacked(one) for one in rest[0]]
    return tuple(inside) if kind == "tuple" else dict(inside)


def _descr(value: Any) -> Any:
    """A type of NumPy's as it was before JSON made lists of its tuples."""
    if isinstance(value, str):
        return value
    return [(name, _descr(inner), *(tuple(one) for one in shape)) for name, inner, *shape in value]
