"""Who may write to a run: one process at a time, and the lock dies with it.

With SQLite it is a lock on a small file beside the database, removed when it is given back; with PostgreSQL an advisory
lock of the session. Neither can stop a process that lost its lock without noticing, as when a connection
breaks; that is what the epoch of the run is for (:mod:`mensura.records.lease`).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

RUNS = 0x6D656E74
"""The first half of our advisory locks; the second is the number of the run."""


class FileLock:
    """A lock on a file; whoever opens the file anew after it was removed takes the new one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Take it, if nobody has it."""
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return False
            if _is(descriptor, self.path):
                self._descriptor = descriptor
                try:
                    os.ftruncate(descriptor, 0)
                    os.write(descriptor, str(os.getpid()).encode())
                except OSError:  # a full disk: it is ours without our name in it
                    pass
                return True
            os.close(descriptor)

    def is_taken(self) -> bool:
        """Whether somebody has it; asking takes nothing but a moment's share of it."""
        try:
            descriptor = os.open(self.path, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def holder(self) -> str:
        """Who has it, as far as the file tells."""
        try:
            return self.path.read_text().strip()
        except OSError:
            return ""

    def give(self) -> None:
        """Give it back, and remove the file."""
        if self._descriptor is not None:
            self.path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = None


def _is(descriptor: int, path: Path) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    here = os.fstat(descriptor)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)


def take_advisory(connection: Connection, run: int) -> bool:
    """Take the lock of a run for as long as the connection lives, if nobody has it."""
    taken = connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({RUNS}, {run})").scalar()
    connection.rollback()
    return bool(taken)


def give_advisory(connection: Connection, run: int) -> None:
    """Give the lock of a run back now; else the server does it some time after the connection was closed."""
    connection.rollback()
    connection.exec_driver_sql(f"SELECT pg_advisory_unlock({RUNS}, {run})")
    connection.rollback()


def is_advisory_taken(connection: Connection, run: int) -> bool:
    """Whether some session has the lock of a run."""
    found = connection.exec_driver_sql(
        f"SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database "
        f"WHERE locktype = 'advisory' AND datname = current_database() AND granted "
        f"AND classid = {RUNS} AND objid = {run}"
    )
    return bool(found.scalar())


@contextmanager
def sharing(folder: Path, *, alone: bool) -> Iterator[None]:
    """Keep writers of files and those who clear up apart: many may write, one clears up alone."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)
