"""The files of SQLite databases that this process has open, which nothing but SQLite may open in it.

Whoever closes a descriptor of a file gives up all POSIX locks that the process has on that file, those of SQLite's
connections in other threads with them; whoever then takes them harms the database (SQLite, How To Corrupt An SQLite
Database File, 2.2). So a process reads a file that may be a database through :func:`head`, which leaves out those that
it has open, under whatever name, and names each database to :func:`add` before SQLite opens it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import TypeAlias

Identity: TypeAlias = tuple[int, int]
"""Which file it is, whatever its name: its device and its number there."""

BESIDE = ("-wal", "-shm", "-journal")
"""The ends of the names of what SQLite writes beside a database, and locks too."""

_databases: dict[Identity, str] = {}
"""Each database with a path of it."""
looking = RLock()
"""Held while a file is looked at, so that nobody opens it as a database meanwhile."""


def add(path: str | Path) -> None:
    """This database is open from now on, as long as it exists."""
    identity = identity_of(path)
    if identity is not None:
        with looking:
            _databases[identity] = os.path.realpath(path)


def is_open(path: str | Path) -> bool:
    """Whether a path leads to one of these databases, or to what SQLite writes beside one."""
    identity = identity_of(path)
    with looking:
        if identity is None:
            return False
        return _is_database(identity) or identity in map(identity_of, _beside())


def head(path: str | Path, length: int) -> bytes | None:
    """The first bytes of a file; None of a file that belongs to an open database. OSError as from reading."""
    with looking:
        if is_open(path):
            return None
        with open(path, "rb", buffering=0) as file:
            return file.read(length)


def identity_of(path: str | Path) -> Identity | None:
    """Which file a path leads to; None where there is none, or an empty one, which is no database."""
    try:
        return _identity(os.stat(path))
    except OSError:
        return None


def _identity(status: os.stat_result) -> Identity | None:
    return (status.st_dev, status.st_ino) if status.st_size else None


def _is_database(identity: Identity) -> bool:
    """Whether it is one of them. A number that a deleted database had may be another file's today."""
    path = _databases.get(identity)
    if path is None or identity_of(path) == identity:
        return path is not None
    if any(identity == opened for opened in _opened()):
        return True
    del _databases[identity]
    return False


def _opened() -> Iterator[Identity | None]:
    """All files that this process has open."""
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):
            yield _identity(os.fstat(int(name)))


def _beside() -> Iterator[str]:
    return (path + end for path in _databases.values() for end in BESIDE)
