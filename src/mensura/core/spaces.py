"""What observations and actions look like: small, frozen, serializable descriptions of sets of values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mensura.core.errors import MensuraError


@dataclass(frozen=True)
class Discrete:
    """The integers start, start + 1, ..., start + n - 1."""

    n: int
    start: int = 0

    def contains(self, value: Any) -> bool:
        """Whether value is one of the integers; booleans and floats are not."""
        if type(value) is int:
            return self.start <= value < self.start + self.n
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            return False
        return self.start <= int(value) < self.start + self.n

    def sample(self, rng: np.random.Generator) -> int:
        """One of the integers, drawn evenly."""
        return self.start + int(rng.integers(self.n))

    def to_json(self) -> dict[str, Any]:
        """The description that goes over the wire."""
        return {"kind": "discrete", "n": self.n, "start": self.start}


@dataclass(frozen=True)
class Box:
    """Arrays of one shape, each number within [low, high]."""

    low: float
    high: float
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many numbers one value holds."""
        return math.prod(self.shape)

    def contains(self, value: Any) -> bool:
        """Whether value has the shape and stays within the bounds; NaN does not."""
        try:
            array = np.asarray(value)
        except ValueError:  # lists of different lengths
            return False
        if array.shape != self.shape or array.dtype.kind not in "iuf":
            return False
        return bool(np.all((array >= self.low) & (array <= self.high)))

    def sample(self, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """An array drawn evenly from a bounded box."""
        return np.asarray(rng.uniform(self.low, self.high, self.shape))

    def to_json(self) -> dict[str, Any]:
        """The description that goes over the wire."""
        return {"kind": "box", "low": self.low, "high": self.high, "shape": list(self.shape)}


@dataclass(frozen=True)
class Record:
    """Named boxes side by side, held by one NumPy record of float64: ``observation["rewards"]``.

    A record and the flat row of the same numbers are one piece of memory, so that a learner that wants a
    vector and a person who wants names are served by the same bytes.
    """

    fields: tuple[tuple[str, Box], ...]

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """The NumPy type of one record."""
        return np.dtype([(name, np.float64, box.shape) for name, box in self.fields])

    @property
    def size(self) -> int:
        """How many numbers one record holds."""
        return sum(box.size for _, box in self.fields)

    def bounds(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The lowest and the highest flat row."""
        low = np.concatenate([np.full(box.size, box.low) for _, box in self.fields])
        high = np.concatenate([np.full(box.size, box.high) for _, box in self.fields])
        return low, high

    def contains(self, value: Any) -> bool:
        """Whether value is a record of this type with every field within its box."""
        if getattr(value, "dtype", None) != self.dtype:
            return False
        return all(box.contains(value[name]) for name, box in self.fields)

    def sample(self, rng: np.random.Generator) -> np.void:
        """A record with every field drawn evenly."""
        out = np.zeros((), self.dtype)
        for name, box in self.fields:
            out[name] = box.sample(rng)
        return cast(np.void, out[()])

    def to_json(self) -> dict[str, Any]:
        """The description that goes over the wire."""
        return {"kind": "record", "fields": {name: box.to_json() for name, box in self.fields}}


Space: TypeAlias = Discrete | Box | Record


def space_from_json(data: Mapping[str, Any]) -> Space:
    """The space that ``to_json`` described."""
    kind = data.get("kind")
    if kind == "discrete":
        return Discrete(int(data["n"]), int(data["start"]))
    if kind == "box":
        return Box(float(data["low"]), float(data["high"]), tuple(data["shape"]))
    if kind == "record":
        fields = []
        for name, box in data["fields"].items():
            inner = space_from_json(box)
            if not isinstance(inner, Box):
                raise MensuraError(
                    f"Field {name!r} of a record space is a {box['kind']}, not a box."
                )
            fields.append((name, inner))
        return Record(tuple(fields))
    raise MensuraError(f"A space of kind {kind!r} is unknown; known are discrete, box and record.")


def to_plain(value: Any) -> Any:
    """The value as JSON can write it: records become mappings, arrays lists, NumPy numbers Python's."""
    if isinstance(value, np.void):
        return {name: to_plain(value[name]) for name in value.dtype.names or ()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(name): to_plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    return value


def from_plain(space: Space, value: Any) -> Any:
    """The value of a space from what ``to_plain`` made of it."""
    if isinstance(space, Record):
        out = np.zeros((), space.dtype)
        for name, _ in space.fields:
            out[name] = value[name]
        return out[()]
    if isinstance(space, Box):
        return np.asarray(value, np.float64)
    return value
