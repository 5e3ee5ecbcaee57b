"""Values of spaces with noise, or distorted in a fixed way; whatever comes out belongs to the space."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from mensura.agent.keys import Key, fold
from mensura.agent.spaces import PRINTABLE, Box, Discrete, Record, Several, Space, Text
from mensura.core.chance import generator

UNBOUNDED = 1e6
"""A range of so much and more is none to take a share of."""
NONE: frozenset[str] = frozenset()


def noisy(
    space: Space,
    value: Any,
    strength: float,
    rng: np.random.Generator,
    whole: frozenset[str] = NONE,
) -> Any:
    """A value with noise: numbers by a normal deviation of ``strength`` of their range, symbols redrawn by chance.

    ``whole`` are the fields of records in which numbers are symbols. Numbers without bounds have noise in shares of
    their own size, and of 1 at least.
    """
    if not strength:
        return value
    if isinstance(space, Discrete):
        return space.start + int(rng.integers(space.n)) if rng.random() < strength else value
    if isinstance(space, Box):
        numbers = np.asarray(value, np.float64)
        scale = _width(space) or np.maximum(1.0, np.abs(numbers))
        return _within(space, numbers + strength * scale * rng.standard_normal(space.shape))
    if isinstance(space, Text):
        letters = space.characters or PRINTABLE
        redrawn = rng.random(len(value)) < strength
        others = rng.integers(len(letters), size=len(value))
        return "".join(
            letters[other] if changes else letter
            for letter, changes, other in zip(value, redrawn, others, strict=True)
        )
    if isinstance(space, Several):
        return [noisy(space.space, item, strength, rng, whole) for item in value]
    if space.flat:
        return _noisy_row(space, value, strength, rng, whole)
    return {name: noisy(item, value[name], strength, rng, whole) for name, item in space.fields}


def _noisy_row(
    space: Record, value: Any, strength: float, rng: np.random.Generator, whole: frozenset[str]
) -> np.void:
    """A flat record with noise: all of its numbers at once, since every turn of every seat comes here."""
    low, high, width, named = _row_of(space, whole)
    numbers = np.frombuffer(value.tobytes(), np.float64)
    scale = np.where(width > 0.0, width, np.maximum(1.0, np.abs(numbers)))
    moved = numbers + strength * scale * rng.standard_normal(len(numbers))
    other = np.floor(low + rng.random(len(numbers)) * (high - low + 1.0))
    kept = np.where(rng.random(len(numbers)) < strength, other, numbers)
    changed = np.clip(np.where(named, kept, moved), low, high)
    found: np.void = np.frombuffer(changed.tobytes(), space.dtype)[0]
    return found


@lru_cache(maxsize=64)
def _row_of(space: Record, whole: frozenset[str]) -> tuple[Any, Any, Any, Any]:
    """Of each number of a flat record the bounds, the range (0: none to speak of), and whether it is a name."""
    low, high = space.bounds()
    width = np.concatenate([np.full(box.size, _width(box)) for box in space.boxes.values()])
    named = np.concatenate([np.full(box.size, name in whole) for name, box in space.boxes.items()])
    return low, high, width, named


def distorted(
    space: Space, value: Any, strength: float, key: Key, whole: frozenset[str] = NONE
) -> Any:
    """A value as a fixed distortion shows it: symbols permuted, numbers bent."""
    if not strength:
        return value
    if isinstance(space, Discrete):
        return space.start + _permuted(space.n, strength, key)[value - space.start]
    if isinstance(space, Box):
        return _bent(space, value, strength)
    if isinstance(space, Text):
        letters = space.characters or PRINTABLE
        order = _permuted(len(letters), strength, key)
        places = _places(letters)
        return "".join(
            letters[order[places[letter]]] if letter in places else letter for letter in value
        )
    if isinstance(space, Several):
        return [distorted(space.space, one, strength, key, whole) for one in value]

    def change(name: str, one: Space, own: Any) -> Any:
        place = _place_key(space, name, key)
        if name in whole and isinstance(one, Box):
            return _moved(one, own, strength, place)
        return distorted(one, own, strength, place, whole)

    return _each(space, value, change)


@lru_cache(maxsize=1024)
def _place_key(space: Record, name: str, key: Key) -> Key:
    """The key of a field of a record."""
    return fold(key, next(at for at, (label, _) in enumerate(space.fields) if label == name))


def _moved(space: Box, value: Any, strength: float, key: Key) -> Any:
    """Whole numbers under a fixed permutation."""
    low = int(space.low)
    order = np.array(_permuted(int(space.high) - low + 1, strength, key))
    return space.array(low + order[np.asarray(value, np.int64) - low])


def _width(space: Box) -> float:
    """The range of numbers; 0 where they have no bounds to speak of."""
    width = space.high - space.low
    return width if width < UNBOUNDED else 0.0


def _bent(space: Box, value: Any, strength: float) -> Any:
    """x^(1 + strength), x from 0 at the lowest to 1 at the highest; without bounds, its size to that power."""
    width = _width(space)
    if space.high == space.low:
        return value
    if not width:
        numbers = np.asarray(value, np.float64)
        return _within(space, np.sign(numbers) * np.abs(numbers) ** (1.0 + strength))
    x = (np.asarray(value, np.float64) - space.low) / width
    return _within(space, space.low + width * np.clip(x, 0.0, 1.0) ** (1.0 + strength))


def _within(space: Box, moved: Any) -> Any:
    moved = np.clip(moved, space.low, space.high)
    return space.array(np.rint(moved).astype(np.uint8) if space.dtype == "uint8" else moved)


@lru_cache(maxsize=1024)
def _permuted(count: int, strength: float, key: Key) -> tuple[int, ...]:
    """Where each of so many symbols goes: of a share of them every one to the place of another, of the rest none."""
    moved = round(strength * count)
    order = list(range(count))
    if moved < 2:
        return tuple(order)
    rng = generator(key)
    chosen = rng.permutation(count)[:moved].tolist()
    for one, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
        order[one] = other
    return tuple(order)


@lru_cache(maxsize=64)
def _places(letters: str) -> Mapping[str, int]:
    return {letter: place for place, letter in enumerate(letters)}


def _each(space: Record, value: Any, change: Any) -> Any:
    """A record with every field changed; ``change`` is told its name, its space and its value."""
    if not space.flat:
        return {name: change(name, one, value[name]) for name, one in space.fields}
    out = np.zeros((), space.dtype)
    for name, one in space.fields:
        out[name] = change(name, one, value[name])
    return out[()]
