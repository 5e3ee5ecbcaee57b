"""What learners know at places where their ways part, as files named by a hash of who they are and what they did.

They lie beside the store while a run needs them, so that one that was killed goes on from them; those of subjects that
are kept (:mod:`mensura.records.lives`) lie in the folder of their lives::

    mensura.db.files/journals/7/memories/1f0c9a…      what a learner of run 7 knew after some phases

A file that was cut or changed is taken for none: what it held is learned anew.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mensura.agent.errors import MensuraError
from mensura.agent.memory import sealed, unsealed
from mensura.records.files import write_safely

FOLDER = "memories"
"""The folder of a run's memories, in that of its journals."""


TRAINED, TRAINING_FAULTS = "training [interactions]", "faults in training"
ANEW = "trained anew for each test"
"""Measures of sittings of those who were trained before."""


def memory_name(*told: Any) -> str:
    """The name of a memory: a hash of whatever decides what it holds."""
    return blake2b(repr(told).encode(errors="surrogateescape"), digest_size=16).hexdigest()


class Memory(NamedTuple):
    """What a learner knows, and what it took to get there."""

    content: bytes
    about: Mapping[str, Any] = {}
    """Numbers that belong to it, as the interactions of training."""


class Memories(Protocol):
    """Where memories are kept, by name."""

    def get(self, name: str) -> Memory | None:
        """The memory of a name; None where there is none."""

    def put(self, name: str, memory: Memory) -> None:
        """Keep a memory, in the place of one of that name."""

    def drop(self, name: str) -> None:
        """Keep it no longer; nothing happens where there is none."""


class MemoriesAtHand:
    """Memories in this process."""

    def __init__(self) -> None:
        self._held: dict[str, Memory] = {}

    def get(self, name: str) -> Memory | None:
        """The memory of a name; None where there is none."""
        return self._held.get(name)

    def put(self, name: str, memory: Memory) -> None:
        """Keep a memory, in the place of one of that name."""
        self._held[name] = memory

    def drop(self, name: str) -> None:
        """Keep it no longer; nothing happens where there is none."""
        self._held.pop(name, None)


class MemoriesOnDisk:
    """Memories of one subject in a folder, each file whole or not there."""

    def __init__(self, folder: Path, subject: str) -> None:
        self.folder = folder
        self.subject = subject

    def get(self, name: str) -> Memory | None:
        """The memory of a name; None where there is none that can be used. Another subject's is refused."""
        try:
            told = json.loads(unsealed((self.folder / name).read_bytes()))
            found = Memory(b64decode(told["content"]), told["about"])
            owner = told["subject"]
        except (OSError, ValueError, KeyError, TypeError, MensuraError):
            return None
        if owner != self.subject:
            raise MensuraError(
                f"The memory {self.folder / name} is that of {owner}, and {self.subject} is to go on from it; remove "
                "the file, so that it is trained anew."
            )
        return found

    def put(self, name: str, memory: Memory) -> None:
        """Keep a memory, in the place of one of that name."""
        told = {
            "subject": self.subject,
            "about": dict(memory.about),
            "content": b64encode(memory.content).decode(),
        }
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_safely(self.folder / name, sealed(json.dumps(told).encode()))
        except OSError as error:
            raise MensuraError(
                f"What {self.subject} learned cannot be kept in {self.folder}: {error.strerror}."
            ) from error

    def drop(self, name: str) -> None:
        """Keep it no longer; nothing happens where there is none."""
        (self.folder / name).unlink(missing_ok=True)
