"""Spaces and values as Gymnasium has them, and actions back.

Numbers are rows of float64 and actions are counted from 0, as learners expect. What has a type or a structure of its
own keeps it: images, texts, lists, and records that hold them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from mensura.agent.fitting import bounds_of, is_row
from mensura.agent.spaces import (
    PRINTABLE,
    UNFIT,
    Box,
    Discrete,
    Several,
    Space,
    Text,
    from_plain,
)


class AnyText(gymnasium.spaces.Text):
    """Texts of any characters; samples are of printable ones, since Gymnasium lists those that it draws from."""

    def __init__(self, space: Text) -> None:
        super().__init__(space.longest, min_length=0, charset=PRINTABLE)
        self._space = space

    def contains(self, x: Any) -> bool:
        """Whether it is a text of the space."""
        return self._space.contains(x)

    def __eq__(self, other: object) -> bool:
        """Whether the texts are the same."""
        return isinstance(other, AnyText) and self._space == other._space

    def __repr__(self) -> str:
        """The length, and not all characters."""
        return f"AnyText(0, {self.max_length})"


class UpTo(gymnasium.spaces.Sequence):
    """Tuples of at most so many values; Gymnasium's own have no such bound."""

    def __init__(self, space: gymnasium.Space[Any], most: int) -> None:
        super().__init__(space)
        self.most = most

    def contains(self, x: Any) -> bool:
        """Whether it is a tuple of so many values."""
        return super().contains(x) and len(x) <= self.most

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A tuple of any length that is drawn evenly, unless somebody gives it."""
        if mask is None and probability is None:
            mask = (int(self.np_random.integers(self.most + 1)), None)
        return super().sample(mask, probability)

    def __eq__(self, other: object) -> bool:
        """Whether the values and their number are the same."""
        return isinstance(other, UpTo) and super().__eq__(other) and self.most == other.most

    def __repr__(self) -> str:
        """What is in it and how much."""
        return f"UpTo({self.feature_space}, {self.most})"


def observation_space(space: Space) -> gymnasium.Space[Any]:
    """What is observed in the view: one float64 for each number in the order of fields, or what has a structure."""
    if is_row(space):
        low, high = bounds_of(space)
        return gymnasium.spaces.Box(low, high, dtype=np.float64)
    return _structured(space, widened=True)


def action_space(space: Space) -> gymnasium.Space[Any]:
    """Numbered actions counted from 0, to which the view adds what the world's own count starts with; or others."""
    if isinstance(space, Discrete):
        return gymnasium.spaces.Discrete(space.n)
    return _structured(space, widened=False)


def _structured(space: Space, widened: bool) -> gymnasium.Space[Any]:
    """The space with the same values; ``widened`` where bounds of boxes are not to be equal."""
    if isinstance(space, Discrete):
        return gymnasium.spaces.Discrete(space.n, start=space.start)
    if isinstance(space, Box):
        kind: Any = np.dtype(space.dtype).type
        if not widened:
            return gymnasium.spaces.Box(space.low, space.high, space.shape, kind)
        low, high = bounds_of(space)
        return gymnasium.spaces.Box(
            low.reshape(space.shape), high.reshape(space.shape), space.shape, kind
        )
    if isinstance(space, Text):
        if space.characters is None:
            return AnyText(space)
        return gymnasium.spaces.Text(space.longest, min_length=0, charset=space.characters)
    if isinstance(space, Several):
        return UpTo(_structured(space.space, widened), space.most)
    return gymnasium.spaces.Dict(
        OrderedDict((name, _structured(one, widened)) for name, one in space.fields)
    )


def to_gymnasium(space: Space, value: Any) -> Any:
    """A value that has a structure, in memory of its own."""
    if isinstance(space, Discrete):
        return int(value)
    if isinstance(space, Box):
        return space.array(value).copy()
    if isinstance(space, Text):
        return str(value)
    if isinstance(space, Several):
        return tuple(to_gymnasium(space.space, one) for one in value)
    return {name: to_gymnasium(one, value[name]) for name, one in space.fields}


def from_gymnasium(space: Space, action: Any) -> Any:
    """The world's own action for one that is not counted; None where it has not the form of one."""
    if isinstance(space, Several):
        if not isinstance(action, list | tuple):
            return None
        return [from_gymnasium(space.space, one) for one in action]
    if isinstance(space, Discrete | Box | Text):
        return action
    if not isinstance(action, Mapping) or set(action) != {name for name, _ in space.fields}:
        return None
    if not space.flat:
        return {name: from_gymnasium(one, action[name]) for name, one in space.fields}
    try:
        return from_plain(space, action)
    except UNFIT:
        return None
