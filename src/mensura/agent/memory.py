"""What a subject has learned, as bytes, so that it can go on with it in another sitting.

An agent that can be kept has two more methods::

    def save(self) -> bytes: ...
    def load(self, memory: bytes) -> None: ...     # before begin, what save gave

Players and subjects pass that on: a player has ``save``, and its subject sits down with a memory.

A memory is mostly opaque. An agent that holds tables of numbers may have a view of them in what it saved::

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        # the same memory, with each table as damage(table, newborn) gives it back

``newborn`` is what one that has learned nothing has in the place of these numbers. By this view memories are damaged
where robustness is measured; those of agents without it are damaged byte by byte.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key

Damage: TypeAlias = Callable[[npt.NDArray[Any], Any], npt.NDArray[Any]]
"""A table of numbers after some damage, in the same shape and type, from the table and what a newborn has there."""

_CHUNK = 1 << 20
"""So many bytes are damaged at a time."""


@dataclass(frozen=True)
class Loss:
    """A share of the entries is lost: they are again as a newborn has them.

    The same key loses the same entries, and at a larger share those and more.
    """

    share: float
    key: Key

    def __call__(self, table: npt.NDArray[Any], newborn: Any) -> npt.NDArray[Any]:
        """The table without them."""
        lost = np.zeros(table.size, np.bool_)
        lost[_generator(self.key).permutation(table.size)[: round(self.share * table.size)]] = True
        return np.where(lost.reshape(table.shape), newborn, table).astype(table.dtype)


@dataclass(frozen=True)
class Corruption:
    """Each bit is flipped with a probability."""

    probability: float
    key: Key

    def __call__(self, table: npt.NDArray[Any], newborn: Any) -> npt.NDArray[Any]:
        """The table with flipped bits."""
        generator = _generator(self.key)
        data = np.frombuffer(table.tobytes(), np.uint8).copy()
        for first in range(0, data.size, _CHUNK):
            part = data[first : first + _CHUNK]
            part ^= np.packbits(generator.random((part.size, 8)) < self.probability, axis=1)[:, 0]
        return np.frombuffer(data.tobytes(), table.dtype).reshape(table.shape)


def _generator(key: Key) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(key))


def damaged_bytes(memory: bytes, damage: Damage, blank: int = 0) -> bytes:
    """A memory of which nothing is known, after some damage; what is lost of it is blank."""
    return damage(np.frombuffer(memory, np.uint8), blank).tobytes()


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
