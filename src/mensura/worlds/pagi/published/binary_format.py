"""Reads streams of .NET's BinaryFormatter (MS-NRBF) as data. Nothing in them is executed, and no class is looked up.

What comes out is a graph of :class:`Thing` (a class with its members), lists, texts and numbers. Streams may lie about
every length, so all of them are bounded, and whatever is wrong is said with the place of the byte.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mensura.agent.errors import MensuraError

LARGEST = 1_000_000
"""Bytes of a stream."""
MOST_VALUES = 100_000
"""Members and elements of a stream in all."""
DEEPEST = 50
"""How many things may be written inside one another."""

_PRIMITIVES: dict[int, str] = {
    1: "<?", 2: "<B", 6: "<d", 7: "<h", 8: "<i", 9: "<q", 10: "<b", 11: "<f", 12: "<q", 13: "<q", 14: "<H", 15: "<I",
    16: "<Q",
}  # fmt: skip
"""By the number of their type (section 2.1.2.3 of MS-NRBF)."""
_PRIMITIVE, _STRING, _OBJECT, _SYSTEM, _CLASS, _OBJECTS, _STRINGS, _PRIMITIVES_IN_A_ROW = range(8)


class BrokenStream(MensuraError):
    """What is wrong with a stream, and where."""


class Reference(NamedTuple):
    """Stands for a thing that is written elsewhere in the stream."""

    number: int


@dataclass
class Thing:
    """A class with its members; only its name is known of the class."""

    name: str
    members: dict[str, Any] = field(default_factory=dict)


class _Layout(NamedTuple):
    """The members of a class and the types of their values."""

    name: str
    members: tuple[str, ...]
    types: tuple[tuple[int, int], ...]
    """Each with the number of the primitive where it is one."""


class _Nulls(NamedTuple):
    """So many empty elements."""

    many: int


def read_stream(data: bytes) -> Any:
    """The thing that a stream is about, with whatever it holds; :class:`BrokenStream` where it is none."""
    return _Stream(data).graph()


class _Stream:
    def __init__(self, data: bytes) -> None:
        if len(data) > LARGEST:
            raise BrokenStream(f"It has {len(data)} bytes; at most {LARGEST} are read.")
        self._data = data
        self._at = 0
        self._things: dict[int, Any] = {}
        self._layouts: dict[int, _Layout] = {}
        self._values = 0
        self._records: dict[int, Callable[[int], Any]] = {
            1: self._same_class,
            4: self._system_class,
            5: self._class,
            6: self._string,
            7: self._array,
            8: lambda depth: self._primitive(self._byte()),
            9: lambda depth: Reference(self._int()),
            10: lambda depth: None,
            13: lambda depth: _Nulls(self._byte()),
            14: lambda depth: _Nulls(self._int()),
            15: self._primitives,
            16: self._objects,
            17: self._objects,
        }

    # The whole ------------------------------------------------------------------

    def graph(self) -> Any:
        if self._byte() != 0:
            raise self._broken("it does not begin as one")
        root, _, major, minor = (self._int() for _ in range(4))
        if (major, minor) != (1, 0):
            raise self._broken(f"its version is {major}.{minor} and not 1.0")
        while (kind := self._byte()) != 11:
            self._record(kind, 0)
        if root not in self._things:
            raise self._broken("what it is about is not in it")
        return self._resolved(self._things[root])

    def _resolved(self, root: Any) -> Any:
        """The graph with things in the place of references; a thing that holds itself stays the same thing."""
        seen: set[int] = set()
        open_ones = [root]
        while open_ones:
            one = open_ones.pop()
            if id(one) in seen or not isinstance(one, (Thing, list)):
                continue
            seen.add(id(one))
            held = one.members if isinstance(one, Thing) else one
            for key in list(held) if isinstance(held, dict) else range(len(held)):
                value = held[key]  # type: ignore[index]
                if isinstance(value, Reference):
                    if value.number not in self._things:
                        raise self._broken(f"it names a thing {value.number} that is not in it")
                    value = held[key] = self._things[value.number]  # type: ignore[index]
                open_ones.append(value)
        return root

    # Records --------------------------------------------------------------------

    def _record(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise self._broken(f"over {DEEPEST} things are written inside one another")
        while kind == 12:  # the library of classes that follow
            self._int()
            self._text()
            kind = self._byte()
        read = self._records.get(kind)
        if read is None:
            raise self._broken(f"there is no record of kind {kind} here")
        return read(depth + 1)

    def _class(self, depth: int) -> Thing:
        return self._of_class(self._layout(library=True), depth)

    def _system_class(self, depth: int) -> Thing:
        return self._of_class(self._layout(library=False), depth)

    def _same_class(self, depth: int) -> Thing:
        number, like = self._int(), self._int()
        if like not in self._layouts:
            raise self._broken(f"it names a class {like} that is not in it")
        return self._of_class((number, self._layouts[like]), depth)

    def _layout(self, library: bool) -> tuple[int, _Layout]:
        number, name, count = self._int(), self._text(), self._count()
        members = tuple(self._text() for _ in range(count))
        kinds = [self._byte() for _ in range(count)]
        types = tuple((kind, self._more_of(kind)) for kind in kinds)
        if library:
            self._int()
        self._layouts[number] = _Layout(name, members, types)
        return number, self._layouts[number]

    def _more_of(self, kind: int) -> int:
        """What follows the type of a member; the number of the primitive where it is one."""
        if kind in (_PRIMITIVE, _PRIMITIVES_IN_A_ROW):
            return self._byte()
        if kind in (_SYSTEM, _CLASS):
            self._text()
        if kind == _CLASS:
            self._int()
        if kind > _PRIMITIVES_IN_A_ROW:
            raise self._broken(f"there is no type {kind}")
        return 0

    def _of_class(self, numbered: tuple[int, _Layout], depth: int) -> Thing:
        number, layout = numbered
        made = self._things[number] = Thing(layout.name)
        for name, (kind, primitive) in zip(layout.members, layout.types, strict=True):
            made.members[name] = self._value(kind, primitive, depth)
        return made

    def _value(self, kind: int, primitive: int, depth: int) -> Any:
        self._spend(1)
        if kind == _PRIMITIVE:
            return self._primitive(primitive)
        value = self._record(self._byte(), depth)
        return None if isinstance(value, _Nulls) else value

    def _string(self, depth: int) -> str:
        number = self._int()
        text = self._things[number] = self._text()
        return text

    def _array(self, depth: int) -> list[Any]:
        number, kind, rank = self._int(), self._byte(), self._int()
        if kind not in (0, 1) or rank != 1:
            raise self._broken("only arrays of one dimension are read")
        count, type_ = self._count(), self._byte()
        primitive = self._more_of(type_)
        return self._filled(number, count, type_, primitive, depth)

    def _primitives(self, depth: int) -> list[Any]:
        number, count, primitive = self._int(), self._count(), self._byte()
        return self._filled(number, count, _PRIMITIVE, primitive, depth)

    def _objects(self, depth: int) -> list[Any]:
        number, count = self._int(), self._count()
        return self._filled(number, count, _OBJECT, 0, depth)

    def _filled(self, number: int, count: int, kind: int, primitive: int, depth: int) -> list[Any]:
        self._spend(count)
        found: list[Any] = []
        self._things[number] = found
        while len(found) < count:
            if kind == _PRIMITIVE:
                found.append(self._primitive(primitive))
                continue
            value = self._record(self._byte(), depth)
            if not isinstance(value, _Nulls):
                found.append(value)
            elif 0 < value.many <= count - len(found):
                found += [None] * value.many
            else:
                raise self._broken("an array has another number of elements than it says")
        return found

    # Values ---------------------------------------------------------------------

    def _primitive(self, kind: int) -> Any:
        if kind in _PRIMITIVES:
            (value,) = struct.unpack(
                _PRIMITIVES[kind], self._bytes(struct.calcsize(_PRIMITIVES[kind]))
            )
            return value
        if kind == 17:
            return None
        if kind in (5, 18):  # decimals are written as texts
            return self._text()
        if kind == 3:
            lead = self._byte()
            more = 0 if lead < 0x80 else 1 if lead < 0xE0 else 2
            return self._decoded(bytes([lead]) + self._bytes(more))
        raise self._broken(f"there is no primitive of kind {kind}")

    def _text(self) -> str:
        """A text with its length before it, in groups of seven bits."""
        length = 0
        for shift in range(0, 35, 7):
            byte = self._byte()
            length |= (byte & 0x7F) << shift
            if byte < 0x80:
                return self._decoded(self._bytes(length))
        raise self._broken("the length of a text has no end")

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise self._broken("a text is not UTF-8") from None

    def _count(self) -> int:
        count = self._int()
        if not 0 <= count <= MOST_VALUES:
            raise self._broken(f"something has {count} parts; at most {MOST_VALUES} are read")
        return count

    def _spend(self, values: int) -> None:
        self._values += values
        if self._values > MOST_VALUES:
            raise self._broken(f"it holds over {MOST_VALUES} values")

    def _int(self) -> int:
        return int.from_bytes(self._bytes(4), "little", signed=True)

    def _byte(self) -> int:
        return self._bytes(1)[0]

    def _bytes(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            self._at = len(self._data)
            raise self._broken("it ends in the middle")
        self._at += count
        return self._data[self._at - count : self._at]

    def _broken(self, why: str) -> BrokenStream:
        return BrokenStream(f"It is no stream of .NET that can be read: {why} (byte {self._at}).")
