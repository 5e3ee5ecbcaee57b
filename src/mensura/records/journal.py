"""The answers of an episode, packed: what replay needs where a subject cannot be asked again."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from mensura.core import archives

MOST = 4 << 30
"""Bytes of the answers of one episode."""


class Entry(NamedTuple):
    """One answer to one ask."""

    kind: str
    seat: int
    value: Any
    """As JSON can write it."""
    seconds: float
    fault: tuple[str, str] | None
    at: float | None = None
    """When it came, where the episode had a slot of physical time."""
    attachment: Any = None
    """What the subject attached to it, where it did: of a language model, what it said and what that took."""


_NOTHING = [None, None, None]
_encode = json.JSONEncoder(separators=(",", ":")).encode


def pack(entries: Sequence[Entry]) -> bytes:
    """Entries as compressed lines of JSON."""
    return zlib.compress("\n".join(map(_line, entries)).encode(), 6)


def _line(entry: Entry) -> str:
    """An entry as JSON; nearly all are whole numbers that came in good time."""
    kind, seat, value, seconds, *more = entry
    if more == _NOTHING and type(value) is int and type(seconds) is float and isfinite(seconds):
        return f'["{kind}",{seat},{value},{seconds!r},null]'
    return _encode(_short(entry))


def _short(entry: Entry) -> tuple[Any, ...]:
    """An entry without what is not there at its end."""
    if entry.attachment is not None:
        return entry
    return entry[:5] if entry.at is None else entry[:6]


def unpack(content: bytes) -> list[Entry]:
    """The entries that :func:`pack` wrote."""
    entries = []
    for line in archives.unpacked(content, MOST).decode().splitlines():
        kind, seat, value, seconds, fault, *more = json.loads(line)
        entries.append(Entry(kind, seat, value, seconds, tuple(fault) if fault else None, *more))
    return entries
