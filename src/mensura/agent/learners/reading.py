"""What a learner that knows no world takes from an observation: from the spaces and the values seen alone.

An observation of any kind becomes one flat row of numbers. Records are taken apart; a text, or whatever else is no
number, is a number by its hash, and a list is its length and the hash of the whole. Then:

1. A number is itself while it is whole or has had few values. Any other is *real*: it is cut into bins, and its change
   since the last observation is coded, too, for a velocity that is not shown.
2. A *clock* rises by equal steps from one observation to the next. A *counter*, as spent energy, has had many values
   and has never fallen. Neither is part of a state: with them no state ever comes back within an episode.
3. A number that is as it nearly always is tells little; which are not is kept for those who learn of single numbers.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from operator import itemgetter
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.learners.choices import UNBOUNDED
from mensura.agent.learners.data import finite, places, whole
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, to_plain

FINENESS = 2.0
"""How many bins a unit has near 0 where there are no bounds."""
PROOF = 3
"""After so many observations a clock is known as one."""
EPISODES, OBSERVATIONS = 2, 400
"""After so many of either a counter is known as one."""
KEEN = 1000
"""So many observations are all studied, later ones now and then."""
MOST = 100_000
"""The most numbers of an observation."""
_FARTHEST = 1e100


class Reader:
    """Turns observations into states: hashes of what is known of the numbers."""

    def __init__(self, space: Space, bins: int = 12, further: int = 0) -> None:
        """``further`` numbers come beside the observation's own, each one of a few kinds."""
        self._flat = _flattener(space)
        if _size(space) > MOST:
            raise MensuraError(
                f"The learners cannot read observations of {_size(space)} numbers; {MOST} is the most."
            )
        layout = [*_layout(space), *[(0.0, 1.0, "name")] * further]
        self.size = len(layout)
        self._bins = bins
        self._free = [not max(-low, high) < UNBOUNDED for low, high, _ in layout]
        self._low = [
            0.0 if free else low for free, (low, _, _) in zip(self._free, layout, strict=True)
        ]
        self._scale = [
            bins / (high - low) if not free and high - low > 1e-9 else float(bins)
            for free, (low, high, _) in zip(self._free, layout, strict=True)
        ]
        self._named = frozenset(i for i, (_, _, kind) in enumerate(layout) if kind == "name")
        self._observations = self._episodes = 0
        self._first: list[float] = []
        self._fixed = list(range(self.size))
        self._even = [i for i in range(self.size) if i not in self._named]
        self._rising = [i for i, (_, _, kind) in enumerate(layout) if kind == "number"]
        self._whole = self._even.copy()
        self._few: dict[int, set[float]] = {i: set() for i in self._even}
        self._usual = [0.0] * (2 * self.size)
        self._votes = [0] * (2 * self.size)
        self._arrange()
        self._last: list[float] | None = None
        self._steps: dict[int, float] = {}

    def begin(self) -> None:
        """An episode begins: nothing came before."""
        self._last = None
        self._steps = {}
        self._episodes += 1
        if self._episodes == EPISODES + 1:
            self._arrange()

    def read(self, observation: Any, further: Sequence[float] = ()) -> None:
        """Take an observation in; what it is can be asked until the next."""
        row: list[float] = self._flat(observation)
        row.extend(further)
        total = sum(row)
        if total - total != 0.0:
            row = [min(max(x, -_FARTHEST), _FARTHEST) if x == x else 0.0 for x in row]
        if self._observations < KEEN or not self._observations % 16:
            self._study(row)
        self._observations += 1
        scaled = []
        last = self._last or row
        for i in self._real:
            x = row[i]
            change = x - last[i]
            if self._free[i]:
                scaled.append(FINENESS * math.asinh(x))
            else:
                scale = self._scale[i]
                scaled.append(min(max((x - self._low[i]) * scale, -_FARTHEST), _FARTHEST))
                change *= 4 * scale
            scaled.append(FINENESS * math.asinh(min(max(change, -_FARTHEST), _FARTHEST)) + 0.5)
        self._row = self._last = row
        self._scaled = scaled

    # What was read

    @property
    def has_real(self) -> bool:
        """Whether a state has bins."""
        return bool(self._real)

    def state(self, tiling: int = 0, tilings: int = 1) -> bytes:
        """The hash of the state as a whole, the bins shifted by those of a tiling.

        Shifts of the first odd numbers keep tiles of several dimensions from being alike (Miller and Glanz, 1996).
        """
        plain = self._plain(self._row)
        if self._scaled:
            bins = [
                math.floor(x + (1 + 2 * j) * tiling / tilings % 1.0)
                for j, x in enumerate(self._scaled)
            ]
            return hash_of(self._prefix + bytes([tiling]) + self._pack(*plain, *bins))
        return hash_of(self._prefix + self._pack(*plain))

    def moment(self, state: bytes) -> bytes | None:
        """The hash of a state together with the clocks; None where there are none."""
        if not self._clocks:
            return None
        times = [self._row[i] for i in self._clocks]
        return hash_of(b"moment" + state + struct.pack(f"<{len(times)}d", *times))

    def unusual(self) -> list[tuple[int, float]]:
        """Which parts of the state are not as they nearly always are, each with its code.

        What is usual is a vote by Boyer and Moore (1981), for each number; so this is to be asked once an observation.
        """
        codes = [(i, self._row[i]) for i in self._varying]
        for j, i in enumerate(self._real):
            codes.append((i, float(math.floor(self._scaled[2 * j]))))
            codes.append((self.size + i, float(math.floor(self._scaled[2 * j + 1]))))
        usual, votes, observations = self._usual, self._votes, self._observations
        found = []
        for pair in codes:
            at, code = pair
            if code == usual[at]:
                votes[at] += 1
                if 4 * votes[at] < observations:
                    found.append(pair)
            else:
                found.append(pair)
                votes[at] -= 1
                if votes[at] < 0:
                    usual[at], votes[at] = code, 1
        return found

    # Learning what kind of number each is

    def _study(self, row: list[float]) -> None:
        if not self._first:
            self._first = row.copy()
        news = self._see_values(row)
        changed = [i for i in self._fixed if row[i] != self._first[i]]
        if changed:
            self._fixed = [i for i in self._fixed if row[i] == self._first[i]]
            for i in changed:
                self._usual[i], self._votes[i] = self._first[i], self._observations
        last = self._last
        suspects = len(self._even) + len(self._rising)
        if last is not None:
            steps = {i: row[i] - last[i] for i in self._even}
            before = self._steps
            self._even = [
                i
                for i, step in steps.items()
                if step > 0.0 and abs(step - before.get(i, step)) < 1e-9 + 1e-6 * step
            ]
            self._steps = steps
            self._rising = [i for i in self._rising if row[i] >= last[i]]
        fewer = len(self._even) + len(self._rising) < suspects
        if news or changed or fewer or self._observations in (PROOF, OBSERVATIONS):
            self._arrange()

    def _see_values(self, row: list[float]) -> bool:
        """Note which numbers are not whole and which have many values; whether that is news of any."""
        broken = [i for i in self._whole if row[i] % 1.0]
        if broken:
            self._whole = [i for i in self._whole if not row[i] % 1.0]
        many = []
        for i, known in self._few.items():
            if row[i] not in known:
                known.add(row[i])
                if len(known) > self._bins:
                    many.append(i)
        for i in many:
            del self._few[i]
        return bool(broken or many)

    def _arrange(self) -> None:
        """Say what a state is made of; called whenever anything that it depends on has changed."""
        fixed = set(self._fixed)
        self._clocks = (
            [i for i in self._even if i not in fixed] if self._observations >= PROOF else []
        )
        dropped = set(self._clocks)
        if self._episodes > EPISODES or self._observations >= OBSERVATIONS:
            dropped |= {i for i in self._rising if i not in fixed and i not in self._few}
        if len(dropped) == self.size:
            dropped, self._clocks = set(), []  # better than nothing
        integers = set(self._whole)
        kept = [i for i in range(self.size) if i not in dropped]
        many = [i for i in kept if i not in self._few and i not in self._named]
        self._real = [i for i in many if i not in integers or self._free[i]]
        real = set(self._real)
        plain = [i for i in kept if i not in real]
        self._varying = [i for i in plain if i not in fixed]
        self._plain = _picker(plain)
        self._pack = struct.Struct(f"<{len(plain) + 2 * len(real)}d").pack
        self._prefix = hash_of(repr((plain, self._real)).encode())

    # Keeping what is known

    def to_json(self) -> dict[str, Any]:
        """All that is known of the numbers, between two episodes."""
        return {
            "observations": self._observations,
            "episodes": self._episodes,
            "first": self._first,
            "fixed": self._fixed,
            "even": self._even,
            "rising": self._rising,
            "whole": self._whole,
            "few": [[i, sorted(known)] for i, known in self._few.items()],
            "usual": self._usual,
            "votes": self._votes,
        }

    def from_json(self, data: Any) -> None:
        """Know what :meth:`to_json` told of observations of the same space; raise ValueError if it makes no sense."""
        self._observations, self._episodes = (
            whole(data[name]) for name in ("observations", "episodes")
        )
        self._first = finite(data["first"], self.size if data["first"] else 0)
        self._fixed, self._even, self._rising, self._whole = (
            places(data[name], self.size) for name in ("fixed", "even", "rising", "whole")
        )
        few = places([i for i, _ in data["few"]], self.size)
        self._few = {i: set(finite(known)) for i, (_, known) in zip(few, data["few"], strict=True)}
        self._usual = finite(data["usual"], 2 * self.size)
        self._votes = [whole(one) for one in data["votes"]]
        if len(self._votes) != 2 * self.size or (self._observations > 0) != bool(self._first):
            raise ValueError
        self._arrange()


def _picker(places: Sequence[int]) -> Callable[[list[float]], Sequence[float]]:
    """A function that takes the numbers at these places out of a row."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda row: [row[i] for i in places]


def hash_of(data: bytes) -> bytes:
    """8 bytes that stand for more, on every machine the same."""
    return blake2b(data, digest_size=8).digest()


# Flat rows --------------------------------------------------------------------


def _size(space: Space) -> int:
    """How many numbers an observation becomes."""
    if isinstance(space, Box):
        return space.size
    if isinstance(space, Record):
        return sum(_size(inner) for _, inner in space.fields)
    return 2 if isinstance(space, Several) else 1


def _layout(space: Space) -> Iterator[tuple[float, float, str]]:
    """Of each number its lowest and highest value, and its kind: a "number", a "choice" of several, or but a "name"."""
    if isinstance(space, Box):
        for _ in range(space.size):
            yield space.low, space.high, "number"
    elif isinstance(space, Record):
        for _, inner in space.fields:
            yield from _layout(inner)
    elif isinstance(space, Discrete):
        yield space.start, space.start + space.n - 1, "choice"
    else:
        if isinstance(space, Several):
            yield 0.0, UNBOUNDED, "choice"
        yield 0.0, 1.0, "name"


def _flattener(space: Space) -> Callable[[Any], list[float]]:
    """A function from an observation to its numbers."""

    def flatten(observation: Any) -> list[float]:
        if isinstance(observation, np.void):  # a record of nothing but float64, one piece of memory
            # The sum makes 0.0 of -0.0, which is the same number with another hash.
            numbers: list[float] = (np.frombuffer(observation, np.float64) + 0.0).tolist()
            return numbers
        row: list[float] = []
        _append(space, observation, row)
        return row

    return flatten


def _append(space: Space, value: Any, row: list[float]) -> None:
    if isinstance(space, Box):
        row.extend((np.asarray(value, np.float64) + 0.0).reshape(-1).tolist())
    elif isinstance(space, Record):
        for name, inner in space.fields:
            _append(inner, value[name], row)
    elif isinstance(space, Discrete):
        row.append(float(value))
    else:
        if isinstance(space, Several):
            row.append(float(len(value)))
        text = json.dumps(to_plain(value), sort_keys=True, default=repr)
        row.append(float(int.from_bytes(blake2b(text.encode(), digest_size=6).digest())))
