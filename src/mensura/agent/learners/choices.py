"""Which actions a learner chooses from, made from the action space alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import product
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete, Record, Space, from_plain

UNBOUNDED = 1e6
"""Bounds from here on are no bounds."""
TOGETHER = 27
"""Up to so many combinations of levels are offered together; with more, one number is set at a time."""
MOST = 10_000
"""A learner with more choices would never have tried them all."""


class Choices:
    """The actions of a learner, by number.

    A discrete value is itself, a number of a box has a few levels between its bounds, and a record combines those of
    its fields. Where there are too many combinations, a choice sets one number and the others are held; then what is
    held belongs to what the learner knows (:attr:`held`).
    """

    def __init__(self, space: Space, levels: int = 3) -> None:
        """Raise if nothing can be chosen from the space."""
        self._space = space
        self._levels = list(_levels_of(space, levels))
        combinations = math.prod(map(len, self._levels))
        several = len(self._levels) > 1
        self.count = sum(map(len, self._levels)) if several else combinations
        self.held: list[float] = []
        """The level of each number, where one is set at a time; else nothing."""
        self._actions: list[Any] = []
        if combinations <= TOGETHER or not several:
            self.count = combinations
        if not 1 <= self.count <= MOST:
            raise MensuraError(
                f"The learners cannot choose among {self.count} actions; they need 1 to {MOST}."
            )
        if self.count == combinations:
            self._actions = [self._made(one) for one in product(*self._levels)]
            self._copied = not isinstance(space, Discrete)
        else:
            self._single = [(i, k) for i, own in enumerate(self._levels) for k in range(len(own))]
            self.begin()

    def begin(self) -> None:
        """An episode begins: numbers that are set one at a time are in the middle again."""
        if not self._actions:
            self.held = [float(len(own) // 2) for own in self._levels]

    def action(self, choice: int) -> Any:
        """The action of a choice, for the environment to keep."""
        if self._actions:
            return deepcopy(self._actions[choice]) if self._copied else self._actions[choice]
        number, level = self._single[choice]
        self.held[number] = float(level)
        return self._made([own[int(k)] for own, k in zip(self._levels, self.held, strict=True)])

    def _made(self, numbers: Sequence[float]) -> Any:
        return from_plain(self._space, _plain(self._space, iter(numbers)))


def _levels_of(space: Space, levels: int) -> Iterator[Sequence[float]]:
    """What each number of an action can be, in the order of the action's numbers."""
    if isinstance(space, Discrete):
        yield range(space.start, space.start + space.n)
    elif isinstance(space, Box):
        if not max(-space.low, space.high) < UNBOUNDED:
            raise MensuraError(
                f"The learners cannot choose from a box from {space.low:g} to {space.high:g}; its bounds must be "
                f"within {UNBOUNDED:g} of 0."
            )
        if space.size > MOST:
            raise MensuraError(
                f"The learners cannot choose from a box of {space.size} numbers; {MOST} is the most."
            )
        own = _between(space, levels)
        yield from [own] * space.size
    elif isinstance(space, Record):
        for _, inner in space.fields:
            yield from _levels_of(inner, levels)
    else:
        raise MensuraError(
            f"The learners cannot choose from a space of the kind {type(space).__name__}; they choose from discrete "
            "values, bounded boxes and records of these."
        )


def _between(space: Box, levels: int) -> Sequence[float]:
    """So many levels of a box, both bounds among them; whole numbers where the box has those."""
    low, high = space.low, space.high
    if space.dtype == "uint8":
        low, high = math.ceil(low), math.floor(high)
        return sorted({low + round((high - low) * i / (levels - 1)) for i in range(levels)})
    inner = (low + (high - low) * i / (levels - 1) for i in range(1, levels - 1))
    return sorted({float(low), *(min(max(one, low), high) for one in inner), float(high)})


def _plain(space: Space, numbers: Iterator[float]) -> Any:
    """An action in plain data, from its numbers in order."""
    if isinstance(space, Record):
        return {name: _plain(inner, numbers) for name, inner in space.fields}
    if isinstance(space, Box):
        return _nested(space.shape, numbers)
    return next(numbers)


def _nested(shape: tuple[int, ...], numbers: Iterator[float]) -> Any:
    if not shape:
        return next(numbers)
    return [_nested(shape[1:], numbers) for _ in range(shape[0])]
