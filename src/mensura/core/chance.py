"""NumPy's generator over a stream of chance that may be shown: SHAKE128 of a key.

What worlds and wrappers that are written in Python draw, they show, floats in full. NumPy's own bit generators are made
for speed: who sees some of their output can compute the rest. From SHAKE128 (FIPS 202) nobody knows how to. A number
takes about half a microsecond more.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mensura.agent.keys import MASK, Key, fold

WORDS = 64
"""So many words of 64 bits are computed at once."""

_POINTER = ctypes.c_void_p
_Word = ctypes.CFUNCTYPE(ctypes.c_uint64, _POINTER)
_Half = ctypes.CFUNCTYPE(ctypes.c_uint32, _POINTER)
_Float = ctypes.CFUNCTYPE(ctypes.c_double, _POINTER)
_address: Callable[..., int] = ctypes.PYFUNCTYPE(_POINTER, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_SEEDS = np.random.SeedSequence(0)
"""What NumPy wants every bit generator to have; nothing is drawn from it."""
_unpacked = struct.Struct(f"<{WORDS}Q").unpack


class _Interface(ctypes.Structure):
    """What NumPy calls of a bit generator, `bitgen_t` of its random/bitgen.h."""

    _fields_ = (
        ("state", _POINTER),
        ("next_uint64", _Word),
        ("next_uint32", _Half),
        ("next_double", _Float),
        ("next_raw", _Word),
    )


class Shake(np.random.BitGenerator):
    """A bit generator for NumPy: block n of a key is SHAKE128 of both."""

    def __init__(self, key: Key) -> None:
        super().__init__(_SEEDS)
        self._key = int(key)
        self._block = 0
        """The next block."""
        self._words: list[int] = []
        """What is left of the last one, the next word at the end."""
        self._half: int | None = None
        """The half of a word that is left over."""
        word = _Word(self._word)
        self._calls = word, _Half(self._half_word), _Float(self._float), word
        interface = _Interface.from_address(_address(self.capsule, b"BitGenerator"))
        for (name, _), call in zip(_Interface._fields_[1:], self._calls, strict=True):
            setattr(interface, name, call)

    def _fill(self, block: int) -> None:
        name = b"mensura: chance" + self._key.to_bytes(8, "little") + block.to_bytes(8, "little")
        self._words = list(_unpacked(hashlib.shake_128(name).digest(8 * WORDS)))
        self._block = block + 1

    def _word(self, _: Any = None) -> int:
        if not self._words:
            self._fill(self._block)
        return self._words.pop()

    def _half_word(self, _: Any = None) -> int:
        half, self._half = self._half, None
        if half is None:
            word = self._word()
            half, self._half = word & 0xFFFFFFFF, word >> 32
        return half

    def _float(self, _: Any = None) -> float:
        return (self._word() >> 11) * 2.0**-53

    @property
    def state(self) -> Mapping[str, Any]:
        """Where it is, as plain data."""
        left = len(self._words)
        return {"key": self._key, "block": self._block, "left": left, "half": self._half}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        block, left, half = int(state["block"]), int(state["left"]), state["half"]
        key, half = int(state["key"]), None if half is None else int(half)
        fits = 0 <= key <= MASK and 0 <= left < WORDS and (left > 0) <= block <= MASK
        if not fits or not (half is None or 0 <= half < 1 << 32):
            raise ValueError("no state of this bit generator")
        self._key, self._half = key, half
        self._words, self._block = [], block
        if left:
            self._fill(block - 1)
            del self._words[left:]

    def spawn(self, count: int) -> list[Shake]:
        """Generators of streams of their own."""
        root = self._word()
        return [Shake(fold(root, number)) for number in range(count)]

    def __reduce__(self) -> Any:
        """As a copy that goes on from here."""
        return _restored, (self.state,)


def _restored(state: Mapping[str, Any]) -> Shake:
    restored = Shake(0)
    restored.state = state
    return restored


def generator(key: Key) -> np.random.Generator:
    """NumPy's generator of the chance under a key, for whatever may be shown."""
    return np.random.Generator(Shake(key))


def generator_at(state: Mapping[str, Any]) -> np.random.Generator:
    """The generator that was at this state of its bit generator."""
    return np.random.Generator(_restored(state))
