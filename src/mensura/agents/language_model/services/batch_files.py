"""Batches under way, on disk, so that nobody pays twice: whoever goes on after a kill awaits them.

A file for each batch, in the folder of the user's state, for nobody else to read. Its lines are JSON: which requests
are in it (by the hash of what they say, never the words), then the id that the service gave it, then each request whose
answer is safe elsewhere by now. Whoever awaits a batch holds a lock on its file, which ends with the process, so that
two commands side by side do not take each other's answers. When every answer is safe the file is removed.
"""

from __future__ import annotations

import fcntl
import json
import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any

from mensura.core.players import Unanswered
from mensura.core.private_files import make_private

FORGOTTEN = 30 * 86_400
"""After so many seconds no service knows the results of a batch any longer."""


def folder() -> Path:
    """Where batches under way are noted."""
    named = os.environ.get("XDG_STATE_HOME", "").strip() or "~/.local/state"
    return Path(named).expanduser() / "mensura" / "batches"


class BatchFile:
    """The file of one batch, which this process has for itself."""

    def __init__(self, path: Path, descriptor: int, open_items: Iterable[str], batch: str) -> None:
        self.path = path
        self.batch = batch
        """The id of the batch; nothing before the service gave it one."""
        self.open_items = set(open_items)
        """The requests whose answers are not safe yet."""
        self._descriptor = descriptor

    @classmethod
    def prepared(cls, place: str, items: Iterable[str]) -> BatchFile:
        """A new file for requests that are going to be sent; what is wrong with the disk shows before that."""
        found = sorted(items)
        try:
            folder().mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(folder())
            path = folder() / f"{place}-{uuid.uuid4().hex}.jsonl"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            made = cls(path, descriptor, found, "")
            made._write({"items": found})
        except OSError as error:
            raise Unanswered(f"Batches cannot be noted in {folder()}: {error.strerror}.") from None
        return made

    def sent(self, batch: str) -> None:
        """The service took the batch and gave it this id."""
        self.batch = batch
        with suppress(OSError):  # a disk that is full by now: it goes on all the same
            self._write({"batch": batch, "sent": time()})

    def safe(self, item: str) -> None:
        """The answer to a request is safe elsewhere."""
        self.open_items.discard(item)
        if self.open_items:
            with suppress(OSError):
                self._write({"safe": item}, sync=False)
        else:
            self.remove()

    def remove(self) -> None:
        """The batch is nobody's any more."""
        self.path.unlink(missing_ok=True)
        self.let_go()

    def let_go(self) -> None:
        """Leave the file to whoever comes next."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, line: dict[str, Any], *, sync: bool = True) -> None:
        os.write(self._descriptor, json.dumps(line).encode() + b"\n")
        if sync:
            os.fsync(self._descriptor)


def left_behind(place: str) -> list[BatchFile]:
    """The batches that were sent to a place by processes that are gone, with answers that nobody has taken."""
    found = []
    for path in sorted(folder().glob(f"{place}-*.jsonl")):
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # somebody awaits it
            os.close(descriptor)
            continue
        batch, items = _read(path)
        one = BatchFile(path, descriptor, items, batch)
        if batch and items:
            found.append(one)
        else:  # it ended, or was never sent, or is forgotten
            one.remove()
    return found


def _read(path: Path) -> tuple[str, set[str]]:
    """The id of a batch and its requests whose answers are not safe; nothing where it is of no use any more."""
    batch, items = "", set[str]()
    try:
        for text in path.read_bytes().split(b"\n"):
            line = json.loads(text) if text else {}
            items |= set(line.get("items", ()))
            items.discard(line.get("safe"))
            batch = line.get("batch", batch)
            if time() - line.get("sent", time()) > FORGOTTEN:
                return "", set()
    except (OSError, ValueError, TypeError, AttributeError):
        pass  # the last line of a process that died while writing it
    return batch, items
