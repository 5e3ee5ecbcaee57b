"""What a subject has learned, as bytes, so that it can go on with it in another sitting.

An agent that can be kept has two more methods::

    def save(self) -> bytes: ...
    def load(self, memory: bytes) -> None: ...     # before begin, what save gave

Players and subjects pass that on: a player has ``save``, and its subject sits down with a memory.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

from mensura.core.errors import MensuraError


def pack(parts: Sequence[bytes | None]) -> bytes | None:
    """The memories of several as one; none where nobody has any."""
    if all(part is None for part in parts):
        return None
    texts = [None if part is None else b64encode(part).decode() for part in parts]
    return json.dumps(texts).encode()


def unpack(memory: bytes, count: int) -> list[bytes | None]:
    """What :func:`pack` packed, of so many."""
    try:
        texts = json.loads(memory)
        parts = [None if text is None else b64decode(text, validate=True) for text in texts]
    except (ValueError, TypeError) as error:
        raise MensuraError(
            "The memory is not one that a subject saved; begin anew, without it."
        ) from error
    if len(parts) != count:
        raise MensuraError(
            f"The memory is that of {len(parts)} members and this subject has {count}; give it as many seats "
            "as before."
        )
    return parts


def sealed(data: bytes) -> bytes:
    """The data of a compiled mind with a digest, so that what was cut or changed on disk is not run on."""
    return blake2b(data, digest_size=16).digest() + data


def unsealed(memory: bytes) -> bytes:
    """The data of :func:`sealed`."""
    if memory[:16] != blake2b(memory[16:], digest_size=16).digest():
        raise MensuraError("The memory is damaged; begin anew, without it.")
    return memory[16:]


OTHER_MIND = (
    "The memory is that of another mind, of other seats or parameters; name the same as before."
)


def saved(player: Any) -> bytes | None:
    """The memory of a subject in its seats; None where it has none to save."""
    save: Callable[[], bytes | None] | None = getattr(player, "save", None)
    return None if save is None else save()


def seat(subject: Any, seats: int, memory: bytes | None) -> Any:
    """Let a subject sit down, with a memory where there is one."""
    return subject.sit(seats) if memory is None else subject.sit(seats, memory)
