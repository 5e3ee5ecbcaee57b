"""Writes streams of .NET's BinaryFormatter, so that tests have task files of their own."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple


class Saved(NamedTuple):
    name: str
    number: int
    x: float
    y: float
    turned: float = 0.0


def text(value: str) -> bytes:
    data = value.encode()
    length, out = len(data), b""
    while length >= 0x80:
        out += bytes([length & 0x7F | 0x80])
        length >>= 7
    return out + bytes([length]) + data


def integer(value: int) -> bytes:
    return struct.pack("<i", value)


def _class(number: int, name: str, members: Sequence[tuple[str, bytes, bytes]]) -> bytes:
    """Record 5 with the types of its members; the values come after it."""
    names = b"".join(text(one) for one, _, _ in members)
    kinds = b"".join(kind for _, kind, _ in members)
    more = b"".join(rest for _, _, rest in members)
    head = b"\x05" + integer(number) + text(name) + integer(len(members))
    return head + names + kinds + more + integer(2)


SINGLE = (b"\x00", b"\x0b")
INT = (b"\x00", b"\x08")
STRING = (b"\x01", b"")


def stream(
    objects: Sequence[Saved],
    described: str = "",
    body: Sequence[float] = (0, 1.14, 0),
    **more: float,
) -> bytes:
    """A task file as the authors' program would write it."""
    places = ("bodyX", "bodyY", "bodyRotation")
    members: list[tuple[str, bytes, bytes]] = [("taskDescriptor", *STRING)]
    members += [(name, *SINGLE) for name in places]
    members.append(("worldObjects", b"\x03", text("System.Collections.Generic.List`1")))
    members += [(name, *SINGLE) for name in more]
    out = b"\x00" + integer(1) + integer(-1) + integer(1) + integer(0)
    out += b"\x0c" + integer(2) + text("Assembly-CSharp") + _class(1, "FileSaving", members)
    out += b"\x06" + integer(3) + text(described) + struct.pack("<3f", *body) + b"\x09" + integer(4)
    out += struct.pack(f"<{len(more)}f", *more.values())
    # The list: record 4, with its array (record 7) of references, longer than what it counts.
    out += b"\x04" + integer(4) + text("System.Collections.Generic.List`1") + integer(3)
    out += text("_items") + text("_size") + text("_version") + b"\x04\x00\x00"
    out += text("worldObjectSavedToFile[]") + integer(2) + b"\x08\x08"
    out += b"\x09" + integer(5) + integer(len(objects)) + integer(1)
    out += b"\x07" + integer(5) + b"\x00" + integer(1) + integer(len(objects) + 2)
    out += b"\x04" + text("worldObjectSavedToFile") + integer(2)
    out += b"".join(b"\x09" + integer(10 + k) for k in range(len(objects))) + b"\x0d\x02"
    for k, one in enumerate(objects):
        out += _object(10 + k, 1000 + k, one, like=None if k == 0 else 10)
    return out + b"\x0b"


def _object(number: int, name: int, one: Saved, like: int | None) -> bytes:
    fields: list[Any] = [
        ("assetPath", *STRING),
        ("prefabID", *INT),
        ("positionX", *SINGLE),
        ("positionY", *SINGLE),
    ]
    fields += [("rotation", *SINGLE), ("objName", *STRING)]
    head = _class(number, "worldObjectSavedToFile", fields)
    if like is not None:
        head = b"\x01" + integer(number) + integer(like)
    numbers = integer(one.number) + struct.pack("<3f", one.x, one.y, one.turned)
    return head + b"\x0a" + numbers + b"\x06" + integer(name) + text(one.name)
