"""How values become columns and come back: keys of 64 bits, plain data, text from anywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import BITS, MASK, Key


def signed(key: Key) -> int:
    """A key as the signed integer with the same bits."""
    return key - (1 << BITS) if key >> (BITS - 1) else key


def unsigned(value: int) -> Key:
    """The key that `signed` stored."""
    return value & MASK


def to_text(value: Any) -> str:
    """Plain data as JSON of ASCII characters, which every database takes."""
    return json.dumps(value, separators=(",", ":"), default=_number)


def from_text(text: str) -> Any:
    """The plain data that `to_text` wrote."""
    return json.loads(text)


def digest(values: Mapping[str, Any]) -> bytes:
    """What tells rows apart: sixteen bytes of BLAKE2b over their columns."""
    return hashlib.blake2b(to_text(values).encode(), digest_size=16).digest()


def clean(text: str) -> str:
    """Text that databases take: what a subject says may hold a zero byte or half a character."""
    if text.isascii():
        return text.replace("\0", "\\0") if "\0" in text else text
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def or_none(column: npt.NDArray[np.float64]) -> list[float | None]:
    """A column with None where it is nan."""
    values: list[float | None] = column.tolist()
    for at in np.flatnonzero(np.isnan(column)).tolist():
        values[at] = None
    return values


def counts_or_none(column: npt.NDArray[np.float64]) -> list[int | None]:
    """A column of whole numbers with None where it is nan."""
    return [None if value != value else int(value) for value in column.tolist()]


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is not plain data")
