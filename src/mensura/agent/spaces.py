"""What observations and actions look like: small, frozen, serializable descriptions of sets of values.

The values are integers (:class:`Discrete`), arrays (:class:`Box`), strings (:class:`Text`), several of these side by
side (:class:`Record`) and lists (:class:`Several`). ``contains`` of every space takes whatever a subject may have
answered and never raises.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError


@dataclass(frozen=True)
class Discrete:
    """The integers start, start + 1, ..., start + n - 1."""

    n: int
    start: int = 0

    @property
    def bound(self) -> int:
        """How many numbers and characters one value holds at most."""
        return 1

    def contains(self, value: Any) -> bool:
        """Whether value is one of the integers; booleans and floats are not."""
        if type(value) is int:
            return self.start <= value < self.start + self.n
        try:
            if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
                return False
            return bool(self.start <= int(value) < self.start + self.n)
        except Exception:  # an object may fail even at being looked at
            return False

    def sample(self, rng: np.random.Generator) -> int:
        """One of the integers, drawn evenly."""
        return self.start + int(rng.integers(self.n))

    def to_json(self) -> dict[str, Any]:
        """The description that goes over the wire."""
        return {"kind": "discrete", "n": self.n, "start": self.start}


_DTYPES: dict[str, type[np.generic]] = {
    "float64": np.float64,
    "float32": np.float32,
    "uint8": np.uint8,
}


@dataclass(frozen=True)
class Box:
    """Arrays of one shape, each number within [low, high].

    ``dtype`` is float64, float32 or uint8, the last of which suits screens. The bounds of a box of float32 are rounded
    to that type, so that its values lie within them in any precision.
    """

    low: float
    high: float
    shape: tuple[int, ...] = ()
    dtype: str = "float64"

    def __post_init__(self) -> None:
        """Raise if no array fits."""
        if not self.low <= self.high:
            raise MensuraError(f"A box from {self.low} to {self.high} is empty.")
        if self.dtype == "float64":  # as nearly always
            return
        if not isinstance(self.dtype, str) or self.dtype not in _DTYPES:
            raise MensuraError(
                f"The dtype of a box is {self.dtype!r:.60}; it must be one of {', '.join(_DTYPES)}."
            )
        low: float
        high: float
        if self.dtype == "uint8":
            if self.low < 0 or self.high > 255 or self.low % 1 or self.high % 1:
                raise MensuraError(
                    f"A box of uint8 from {self.low} to {self.high} is none; bounds are whole numbers from 0 to 255."
                )
            low, high = int(self.low), int(self.high)
        else:
            with np.errstate(over="ignore"):
                low, high = (float(np.float32(bound)) for bound in (self.low, self.high))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def size(self) -> int:
        """How many numbers one value holds."""
        return math.prod(self.shape)

    @property
    def bound(self) -> int:
        """How many numbers and characters one value holds at most."""
        return self.size

    def contains(self, value: Any) -> bool:
        """Whether value has the shape and stays within the bounds; NaN does not.

        Lists of numbers will do for an array. A number with a fraction or a point is none of uint8.
        """
        try:
            if type(value) in _LISTS and _unlike(value, self.shape):
                return False
            array = np.asarray(value)
            if array.shape != self.shape or array.dtype.kind not in "iuf":
                return False
            if array.dtype.kind == "f" and self.dtype == "uint8" and array.size:
                return False
            return bool(((array >= self.low) & (array <= self.high)).all())
        except Exception:  # lists of different lengths, or an object that fails at being looked at
            return False

    def sample(self, rng: np.random.Generator) -> npt.NDArray[Any]:
        """An array drawn evenly from a bounded box."""
        if self.dtype == "uint8":
            return np.asarray(
                rng.integers(int(self.low), int(self.high) + 1, self.shape), dtype=np.uint8
            )
        drawn = np.asarray(rng.uniform(self.low, self.high, self.shape))
        return drawn if self.dtype == "float64" else drawn.astype(np.float32)

    def array(self, numbers: Any) -> npt.NDArray[Any]:
        """Numbers as an array of this type; ValueError, TypeError or OverflowError where they are none."""
        found: npt.NDArray[Any]
        if self.dtype == "float64":
            found = np.asarray(numbers, np.float64)
        elif self.dtype == "float32":
            with np.errstate(over="ignore"):
                found = np.asarray(numbers, np.float32)
        else:
            found = np.asarray(numbers)
            if found.size and (
                found.dtype.kind not in "iu" or not 0 <= found.min() <= found.max() <= 255
            ):
                raise ValueError("not all of them are whole numbers from 0 to 255")
            found = found.astype(np.uint8)
        # Lists of no numbers do not tell how many of them there are.
        return found if found.size or self.size else found.reshape(self.shape)

    def to_json(self) -> dict[str, Any]:
        """The description that goes over the wire."""
        told = {"kind": "box", "low": self.low, "high": self.high, "shape": list(self.shape)}
        return told if self.dtype == "float64" else {**told, "dtype": self.dtype}


_LISTS = frozenset((list, tuple))


def _unlike(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether lists are longer or nested deeper than a shape is, where NumPy might have to read for hours."""
    if not shape or len(value) != shape[0]:
        return True
    if _LISTS.isdisjoint(map(type, value)):
        return False
    if len(shape) == 2:
        length = shape[1]
        for one in value:
            if type(one) in _LISTS and (
                len(one) != length or not _LISTS.isdisjoint(map(type, one))
            ):
                return True
        return False
    return any(type(one) in _LISTS and _unlike(one, shape[1:]) for one in value)


_NEVER = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters other than tab and newline, and halves of characters."""

PRINTABLE = "".join(map(chr, range(32, 127)))
"""What texts of any characters are drawn from."""


@dataclass(frozen=True)
class Text:
    """Strings of at most ``longest`` characters, all of them among ``characters`` where these are named.

    Control characters other than newline and tab belong to it only if they are named, and halves of characters
    (surrogates), which no file can hold, never do.
    """

    longest: int
    characters: str | None = None
    """In any order; kept sorted, each once."""

    def __post_init__(self) -> None:
        """Raise if the parameters make no sense."""
        _check_count(self.longest, "A text space has the longest length")
        if self.characters is None:
            return
        if not isinstance(self.characters, str) or not self.characters:
            raise MensuraError(
                f"The characters of a text space are {self.characters!r:.60}; they must be a string of at least one."
            )
        if any("\ud800" <= one <= "\udfff" for one in self.characters):
            raise MensuraError("The characters of a text space include half a character.")
        object.__setattr__(self, "characters", "".join(sorted(set(self.characters))))

    @property
    def bound(self) -> int:
        """How many numbers and characters one value holds at most."""
        return self.longest

    @cached_property
    def _alphabet(self) -> frozenset[str]:
        return frozenset(self.characters or "")

    def contains(self, value: Any) -> bool:
        """Whether value is a string of these characters that is not too long."""
        if (type(value) is not str and type(value) is not np.str_) or len(value) > self.longest:
            return False
        if self.characters is None:
            return value.isprintable() or _NEVER.search(value) is None
        return self._alphabet.issuperset(value)

    def sample(self, rng: np.random.Generator) -> str:
        """A string of any length, drawn evenly, of printable characters where none are named."""
        letters = PRINTABLE if self.characters is None else self.characters
        count = int(rng.integers(self.longest + 1))
        return "".join([letters[i] for i in rng.integers(len(letters), size=count).tolist()])

    def to_json(self) -> dict[str, Any]:
        """The description that goes over the wire."""
        told: dict[str, Any] = {"kind": "text", "longest": self.longest}
        return told if self.characters is None else {**told, "characters": self.characters}


@dataclass(frozen=True)
class Record:
    """Named values side by side: ``observation["rewards"]``.

    Where all are boxes of float64 the record is flat: one NumPy record, which is one piece of memory with the flat
    row of the same numbers, so that a learner that wants a vector and a person who wants names are served by the same
    bytes. Any other is a plain dictionary of the values of its fields.
    """

    fields: tuple[tuple[str, Space], ...]

    def __post_init__(self) -> None:
        """Raise if the names are none, or not different."""
        named = dict(self.fields)
        if not named or len(named) < len(self.fields) or not all(named):
            names = [name for name, _ in self.fields]
            raise MensuraError(
                f"The fields of a record space are called {names!r:.200}; there must be at least one, and all need "
                "names, each another."
            )

    @cached_property
    def flat(self) -> bool:
        """Whether it is held by a NumPy record of float64."""
        return all(isinstance(one, Box) and one.dtype == "float64" for _, one in self.fields)

    @cached_property
    def boxes(self) -> dict[str, Box]:
        """The boxes of a flat record by name."""
        if not self.flat:
            raise MensuraError(
                "A record is taken for one of float64 boxes alone, and has other fields."
            )
        return cast("dict[str, Box]", dict(self.fields))

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """The NumPy type of a flat record."""
        return np.dtype([(name, np.float64, box.shape) for name, box in self.boxes.items()])

    @property
    def size(self) -> int:
        """How many numbers a flat record holds."""
        return sum(box.size for box in self.boxes.values())

    @property
    def bound(self) -> int:
        """How many numbers and characters one value holds at most."""
        return sum(space.bound for _, space in self.fields)

    def bounds(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The lowest and the highest row of a flat record."""
        low = np.concatenate([np.full(box.size, box.low) for box in self.boxes.values()])
        high = np.concatenate([np.full(box.size, box.high) for box in self.boxes.values()])
        return low, high

    def contains(self, value: Any) -> bool:
        """Whether value is a record of this type, or a dictionary of these names, with every field in its space."""
        if not self.flat:
            if type(value) is not dict or len(value) != len(self.fields):
                return False
            for name, one in self.fields:  # noqa: SIM110 - every action passes here; a generator takes longer
                if name not in value or not one.contains(value[name]):
                    return False
            return True
        try:
            if getattr(value, "dtype", None) != self.dtype:
                return False
            return all(box.contains(value[name]) for name, box in self.fields)
        except Exception:  # an object that fails at being looked at
            return False

    def sample(self, rng: np.random.Generator) -> Any:
        """A record with every field drawn evenly."""
        if not self.flat:
            return {name: space.sample(rng) for name, space in self.fields}
        out = np.zeros((), self.dtype)
        for name, box in self.fields:
            out[name] = box.sample(rng)
        return out[()]

    def to_json(self) -> dict[str, Any]:
        """The description that goes over the wire."""
        return {"kind": "record", "fields": {name: space.to_json() for name, space in self.fields}}


@dataclass(frozen=True)
class Several:
    """Lists of at most ``most`` values of a space, such as the letters in an inbox."""

    space: Space
    most: int

    def __post_init__(self) -> None:
        """Raise if there is no such list."""
        _check_count(self.most, "A space of several values has the most")

    @property
    def bound(self) -> int:
        """How many numbers and characters one value holds at most."""
        return self.most * self.space.bound

    def contains(self, value: Any) -> bool:
        """Whether value is a list of so many values of the space."""
        return (
            type(value) is list and len(value) <= self.most and all(map(self.space.contains, value))
        )

    def sample(self, rng: np.random.Generator) -> list[Any]:
        """A list of any length, drawn evenly, of drawn values."""
        return [self.space.sample(rng) for _ in range(int(rng.integers(self.most + 1)))]

    def to_json(self) -> dict[str, Any]:
        """The description that goes over the wire."""
        return {"kind": "several", "space": self.space.to_json(), "most": self.most}


Space: TypeAlias = Discrete | Box | Record | Text | Several


def _check_count(count: Any, what: str) -> None:
    if type(count) is not int or count < 1:
        raise MensuraError(f"{what} {count!r:.60}; it must be a whole number of at least 1.")


def default(space: Space) -> Any:
    """The plainest value of a space: what is nearest to 0 in a box, the first integer, no text, nothing in a list."""
    if isinstance(space, Discrete):
        return space.start
    if isinstance(space, Box):
        return np.full(space.shape, min(max(0.0, space.low), space.high), _DTYPES[space.dtype])
    if isinstance(space, Text):
        return ""
    if isinstance(space, Several):
        return []
    if not space.flat:
        return {name: default(one) for name, one in space.fields}
    out = np.zeros((), space.dtype)
    for name, box in space.fields:
        out[name] = default(box)
    return out[()]


# Descriptions read back -------------------------------------------------------

MOST_NESTED = 16
"""A description may hold others within others so deep."""


def space_from_json(data: Mapping[str, Any]) -> Space:
    """The space that ``to_json`` described."""
    return _space(data, 0)


def _space(data: Any, depth: int) -> Space:
    if not isinstance(data, Mapping):
        raise MensuraError(
            f"A space is described as {data!r:.60}; it must be an object with a kind."
        )
    kind = data.get("kind")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise MensuraError(
            f"A space of kind {kind!r:.60} is unknown; known are {', '.join(_READERS)}."
        )
    if depth == MOST_NESTED:
        raise MensuraError(f"A space holds others more than {MOST_NESTED} deep.")
    return read(data, depth)


def _discrete(data: Mapping[str, Any], depth: int) -> Discrete:
    n, start = _part(data, "n", _is_whole), _part(data, "start", _is_whole)
    _check_count(n, "A discrete space has the n")
    return Discrete(n, start)


def _box(data: Mapping[str, Any], depth: int) -> Box:
    low, high = (float(_part(data, name, _is_number)) for name in ("low", "high"))
    shape = tuple(_part(data, "shape", _is_shape))
    return Box(low, high, shape, data.get("dtype", "float64"))


def _record(data: Mapping[str, Any], depth: int) -> Record:
    fields = _part(data, "fields", lambda value: isinstance(value, Mapping))
    return Record(tuple((name, _space(one, depth + 1)) for name, one in fields.items()))


def _text(data: Mapping[str, Any], depth: int) -> Text:
    return Text(_part(data, "longest", _is_whole), data.get("characters"))


def _several(data: Mapping[str, Any], depth: int) -> Several:
    most = _part(data, "most", _is_whole)
    return Several(_space(data.get("space"), depth + 1), most)


_READERS: dict[str, Callable[[Mapping[str, Any], int], Space]] = {
    "discrete": _discrete,
    "box": _box,
    "record": _record,
    "text": _text,
    "several": _several,
}


def _part(data: Mapping[str, Any], name: str, right: Callable[[Any], bool]) -> Any:
    """A part of a description."""
    value = data.get(name)
    if not right(value):
        raise MensuraError(
            f"The {name} of a {data['kind']} space is {value!r:.60}; it must be {_RIGHT[name]}."
        )
    return value


_RIGHT = {
    "n": "a whole number",
    "start": "a whole number",
    "low": "a number",
    "high": "a number",
    "shape": "a list of whole numbers from 0",
    "fields": "an object of spaces",
    "longest": "a whole number",
    "most": "a whole number",
}
"""What the parts of descriptions are."""


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    """Whether it is one, or a word for one that JSON cannot write."""
    if type(value) is int:
        return abs(value) < 1 << 1023
    return type(value) is float or value in ("Infinity", "-Infinity")


def _is_shape(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(type(one) is int and one >= 0 for one in value)


# Values as JSON can write them ------------------------------------------------


_PLAIN = frozenset({int, float, str, bool, type(None)})


def to_plain(value: Any) -> Any:
    """The value as JSON can write it: records become mappings, arrays lists, NumPy numbers Python's."""
    if type(value) in _PLAIN:  # most values are: no further questions
        return value
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


UNFIT = (ValueError, TypeError, KeyError, OverflowError)
"""What ``from_plain`` raises for what has not the form of a value."""


def from_plain(space: Space, value: Any) -> Any:
    """The value of a space from what ``to_plain`` made of it."""
    if isinstance(space, Record):
        if not space.flat:
            if not isinstance(value, dict) or len(value) != len(space.fields):
                raise ValueError("not an object with the names of the record")
            return {name: from_plain(one, value[name]) for name, one in space.fields}
        out = np.zeros((), space.dtype)
        for name, _ in space.fields:
            out[name] = value[name]
        return out[()]
    if isinstance(space, Box):
        if space.dtype == "float64":  # as nearly always
            found = np.asarray(value, np.float64)
            if found.size:
                return found
        return space.array(value)
    if isinstance(space, Several):
        if not isinstance(value, list):
            raise ValueError("not a list")
        return [from_plain(space.space, one) for one in value]
    return value


def action_from_plain(space: Space, value: Any) -> Any:
    """:func:`from_plain` for an action that came from outside: true, "1" and the like are no numbers.

    Observations may be written with words for what JSON has no numbers for; actions may not.
    """
    _check_numbers(space, value)
    return from_plain(space, value)


def _check_numbers(space: Space, value: Any) -> None:
    if isinstance(space, Box):
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, list):
                _check_numbers(space, one)
            elif type(one) is not float and type(one) is not int:
                raise ValueError("not a number")
    elif isinstance(space, Record) and isinstance(value, dict):
        for name, inner in space.fields:
            _check_numbers(inner, value[name])
    elif isinstance(space, Several) and isinstance(value, list):
        for one in value:
            _check_numbers(space.space, one)


def answer_from_plain(space: Space, value: Any) -> Any:
    """:func:`from_plain` for what a subject answered: what has not the form of a value stays as it is."""
    try:
        return from_plain(space, value)
    except UNFIT:
        return value
