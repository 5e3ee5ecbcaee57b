"""Archives of others, read within bounds: what is small on the disk may be huge unpacked.

A member is never unpacked beyond what it says of its size, and what it says is checked before anything is unpacked.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy.typing as npt
from numpy.lib import format as npy

RATIO = 200
"""A member that is so many times as large as it is packed is refused, unless it is small."""

SMALL = 16 << 20
"""Bytes that a member may have however well it is packed."""

BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RecursionError),
    *(RuntimeError, AttributeError, KeyError, TypeError, ValueError, MemoryError),
)
"""What reading an archive raises that is cut off, was changed, or is too large."""


@dataclass(frozen=True)
class Bounds:
    """How much an archive may hold."""

    members: int = 10_000
    unpacked: int = 4 << 30
    """Bytes of all members together."""


class Archive:
    """A ZIP archive whose members were counted and weighed; nothing of it is unpacked yet."""

    def __init__(self, opened: zipfile.ZipFile, bounds: Bounds) -> None:
        self._opened = opened
        members = opened.infolist()
        if len(members) > bounds.members:
            raise ValueError(
                f"it has {len(members):,} members; at most {bounds.members:,} are read"
            )
        size = sum(member.file_size for member in members)
        if size > bounds.unpacked:
            raise ValueError(
                f"unpacked it has {size:,} bytes; at most {bounds.unpacked:,} are read"
            )
        for member in members:
            if member.file_size > max(SMALL, RATIO * member.compress_size):
                raise ValueError(
                    f"{member.filename!r:.80} is packed to less than a {RATIO}th of its {member.file_size:,} bytes"
                )
        self.names = frozenset(opened.namelist())

    def read(self, name: str, most: int) -> bytes:
        """A member of so many bytes at most; KeyError where there is none."""
        with self._opened.open(name) as member:
            data = member.read(most + 1)
        if len(data) > most:
            raise ValueError(f"{name} has more than {most:,} bytes")
        return data

    def json(self, name: str, most: int) -> Any:
        """What a member says as JSON."""
        return json.loads(self.read(name, most))

    def array(self, name: str, most: int) -> npt.NDArray[Any]:
        """A member that is an array of NumPy's, without objects."""
        return array_of(self.read(f"{name}.npy", most))


@contextmanager
def opened(source: Path | IO[bytes], bounds: Bounds | None = None) -> Iterator[Archive]:
    """The archive in a file; it raises what is in :data:`BROKEN`."""
    with zipfile.ZipFile(source) as file:
        yield Archive(file, bounds or Bounds())


def arrays(source: Path | IO[bytes], most: int = 4 << 30) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a file that ``numpy.savez`` wrote, of so many bytes in all, by name."""
    with opened(source, Bounds(unpacked=most)) as archive:
        names = [name.removesuffix(".npy") for name in archive.names]
        return {name: archive.array(name, most) for name in names}


def array_of(data: bytes) -> npt.NDArray[Any]:
    """An array from the bytes of a ``.npy`` file that has all the numbers that it says it has."""
    file = BytesIO(data)
    read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, _, dtype = read[npy.read_magic(file)](file)
    if dtype.hasobject or prod(shape) * dtype.itemsize > len(data):
        raise ValueError(f"an array of shape {shape} does not fit into {len(data):,} bytes")
    file.seek(0)
    array: npt.NDArray[Any] = npy.read_array(file, allow_pickle=False)
    return array


def unpacked(data: bytes, most: int) -> bytes:
    """What zlib packed, of so many bytes at most."""
    stream = zlib.decompressobj()
    whole = stream.decompress(data, most)
    if not stream.eof:
        raise ValueError(f"unpacked it has more than {most:,} bytes, or it is cut off")
    return whole
