"""Environments whose whole state is one row of memory that a compiled kernel moves: what they have in common.

A world gives the row, its parts and three doors; here are the checks that compiled rules do not make, turns made
quickly from the row, snapshots, and copies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key
from mensura.agent.spaces import Discrete, Record
from mensura.agent.task import Seat
from mensura.core.contract import Ended, Turn

Allowed: TypeAlias = tuple[npt.NDArray[Any], Any, Any]
"""Numbers of a state, the least and the most that each may be."""

MOST = 1e9
"""A number beyond this is in no state; nor is one that is no number."""

NO_STATE = "This snapshot is no state of its environment: it has numbers that no episode comes to. Somebody changed it."


class RowEnvironment(ABC):
    """An environment in which all seats act together, for a fixed number of interactions."""

    def __init__(
        self,
        description: Any,
        seats: tuple[Seat, ...],
        spaces: tuple[Record, np.dtype[np.void], Discrete],
        row: npt.NDArray[np.int64],
        parts: Any,
        fixed: int,
        step_door: Callable[[npt.NDArray[np.int64]], None],
    ) -> None:
        """``parts`` name views of the row: action, obs and reward by seat. ``fixed``: so much of it never changes.

        ``step_door`` plays one interaction in the row.
        """
        self.description = description
        self.horizon: int = description.horizon
        self.seats = seats
        self.row = row
        self._parts = parts
        self._space, self._dtype, self._actions = spaces
        self._seen_within = _bounds(self._space)
        self._fixed = fixed
        self._step_door = step_door
        # A step is played millions of times. A memoryview takes an action, and gives the bytes of the
        # observations, several times as fast as an array does; bound methods save looking them up.
        self._slots = memoryview(parts.action)
        self._seen = memoryview(parts.obs).cast("B")
        self._rows = parts.obs.copy
        self._rewards = parts.reward.tolist
        self._due = tuple(range(len(seats)))
        self._lowest = self._actions.start
        self._highest = self._actions.start + self._actions.n - 1
        self._left = -1
        self._rights = _place_of(getattr(parts, "rights", row[:0]), row)
        # Rules begin an episode by writing what they need; a state from elsewhere may have more in the row.
        self._before_restoring: npt.NDArray[np.int64] | None = None

    @abstractmethod
    def _start(self, key: Key) -> None:
        """Let the kernel begin an episode in the row."""

    @abstractmethod
    def _opened(self, row: npt.NDArray[np.int64]) -> Any:
        """The parts of another row of this environment, whose fixed part is there."""

    @abstractmethod
    def _allowed(self, parts: Any) -> Iterator[Allowed]:
        """The least and the most that each number of a state may be, part by part, so that the rules find their places.

        Compiled rules check no bounds. Whatever they read as a place, or as a number of times, stands here; a state
        from elsewhere that has other numbers is refused.
        """

    def _show_again(self) -> None:
        """Show all seats what they may see now, where seats have rights."""
        raise NotImplementedError("these seats have no rights")

    @property
    @abstractmethod
    def iteration(self) -> int:
        """How many interactions have passed."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are rebuilt, since the parts of a row are views of its memory."""
        return _continued, (type(self), self.description, self.snapshot(), self._left)

    def spaces(self, seat: int) -> tuple[Record, Discrete]:
        """The observation and action spaces, the same for every seat."""
        return self._space, self._actions

    def reset(self, key: Key) -> Turn:
        """Start an episode; the key draws whatever is left to chance."""
        if self._before_restoring is not None:
            self.row[:] = self._before_restoring
            self._before_restoring = None
        self._start(key)
        self._left = self.horizon
        return self._turn()

    def step(self, actions: Sequence[Any], seconds: Sequence[float] = ()) -> Turn:
        """All move at once; the time that subjects took does not matter here."""
        self._advance(actions)
        return self._turn()

    def step_rows(
        self, actions: Sequence[Any]
    ) -> tuple[npt.NDArray[np.float64], list[float], Ended | None]:
        """:meth:`step` for callers who take observations as rows of numbers: (seats, size), rewards, end."""
        self._advance(actions)
        ended: Ended | None = None if self._left else "terminated"
        return self._rows(), self._rewards(), ended

    def _advance(self, actions: Sequence[Any]) -> None:
        """Play one interaction, after checking what the compiled rules do not."""
        if self._left <= 0:
            raise RuntimeError("the episode has ended or not begun: reset first")
        if len(actions) != len(self._due):
            raise ValueError(f"{len(actions)} actions for {len(self._due)} seats")
        slots, lowest, highest = self._slots, self._lowest, self._highest
        for seat, action in enumerate(actions):
            try:
                if lowest <= action <= highest:
                    slots[seat] = action
                    continue
            except TypeError:
                pass  # not a whole number
            raise ValueError(f"{action!r} is not an action; actions are {lowest} to {highest}")
        self._step_door(self.row)
        self._left -= 1

    def last_rewards(self) -> list[float]:
        """What the last interaction brought each seat."""
        return list(self._rewards())

    def observation(self, seat: int) -> Any:
        """What a seat observed last."""
        return np.frombuffer(bytes(self._seen), self._dtype)[seat]

    def _turn(self) -> Turn:
        records: Any = np.ndarray(len(self._due), self._dtype, bytearray(self._seen))
        ended: Ended | None = None if self._left else "terminated"
        return Turn(self._due, records, self._rewards(), ended)

    def legal(self, seat: int, action: Any) -> bool:
        """Whether the action is one of the action space."""
        return self._actions.contains(action)

    def snapshot(self) -> bytes:
        """The whole row, the last observations included."""
        return self.row.tobytes()

    def restore(self, state: bytes) -> Turn:
        """Take the row back from a snapshot of an environment with the same description.

        Rights may differ, which are the seats' own and no part of the state: then all are shown what they may see now.
        """
        if len(state) != self.row.nbytes:
            raise MensuraError("This snapshot belongs to another environment: its size differs.")
        row = np.frombuffer(bytearray(state), np.int64)
        own_rights = self.row[self._rights]
        is_shown = np.array_equal(row[self._rights], own_rights)
        row[self._rights] = own_rights
        if not np.array_equal(row[: self._fixed], self.row[: self._fixed]):
            raise MensuraError("This snapshot belongs to another environment: its rules differ.")
        parts = self._opened(row)
        seen = ((parts.obs, *self._seen_within), (parts.reward, -MOST, MOST))
        for values, least, most in (*seen, *self._allowed(parts)):
            if not ((values >= least) & (values <= most)).all():
                raise MensuraError(NO_STATE)
        if self._before_restoring is None:
            self._before_restoring = self.row.copy()
        self.row[:] = row
        if not is_shown:
            self._show_again()
        self._left = self.horizon - self.iteration
        return self._turn()


def _place_of(part: npt.NDArray[np.int64], row: npt.NDArray[np.int64]) -> slice:
    """Where in a row a part of it lies."""
    first = (part.ctypes.data - row.ctypes.data) // row.itemsize if part.size else 0
    return slice(first, first + part.size)


@lru_cache(maxsize=256)
def _bounds(space: Record) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    return space.bounds()


def _continued(kind: type[Any], description: Any, state: bytes, left: int) -> RowEnvironment:
    """The environment of a description in the middle of an episode, or before its first."""
    environment: RowEnvironment = kind(description)
    environment.row[:] = np.frombuffer(
        state, np.int64
    )  # a copy of our own, so that nothing has to be checked
    environment._left = left
    return environment


def described(
    kind: type[Any], noun: str, data: dict[str, Any], lists: Sequence[str]
) -> dict[str, Any]:
    """The fields of a description from plain data, those named in ``lists`` as tuples; a sentence where they misfit."""
    known = {field.name: field for field in fields(kind)}
    for name in data:
        if name not in known:
            raise MensuraError(
                f"A {noun} environment has no field {name!r}; {neighbors(name, list(known))}"
            )
    missing = [n for n, field in known.items() if field.default is MISSING and n not in data]
    if missing:
        raise MensuraError(f"The description of a {noun} environment lacks {', '.join(missing)}.")
    values = dict(data)
    for name in lists:
        if not isinstance(values.get(name, ()), list | tuple):
            raise MensuraError(f"{name} is {values[name]!r}; it must be a list.")
        values[name] = tuple(values.get(name, ()))
    return values
