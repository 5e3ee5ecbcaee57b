"""Any observation in words, from its space alone: for worlds that have no words of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from mensura.core.abilities import own_words
from mensura.core.contract import Task, World
from mensura.core.spaces import Box, Discrete, Record, Space
from mensura.core.words import Words, counted, number

LISTED = 24
"""So many numbers of one thing are written on a line; rows of more stand below each other."""


class Plain:
    """Words for every world: the names in its spaces, and its numbers."""

    def rules(self, task: Task) -> str:
        """What is observed and what can be done, as far as the spaces tell."""
        company = ""
        if task.seats > 1:
            company = f" There are {task.seats} subjects; you have seat {task.seat.index}."
        return (
            f"You are in an environment of the world {task.world}.{company} You observe "
            f"{space_in_words(task.observation_space)}. After each action you get a reward."
        )

    def observation(self, task: Task, observation: Any) -> str:
        """A line for each named thing, or the numbers alone."""
        space = task.observation_space
        if isinstance(space, Record):
            return "\n".join(f"{name}: {_value(observation[name])}" for name, _ in space.fields)
        return _value(observation)


def words_of(world: World) -> Words:
    """The words of a world, or plain ones."""
    own: Words | None = own_words(world)
    return Plain() if own is None else own


def space_in_words(space: Space) -> str:
    """What the values of a space are."""
    if isinstance(space, Discrete):
        return f"a whole number from {space.start} to {space.start + space.n - 1}"
    if isinstance(space, Box):
        return _box(space)
    return "; ".join(f"{name}, {_box(box)}" for name, box in space.fields)


def _box(box: Box) -> str:
    reach = f"from {number(box.low)} to {number(box.high)}"
    if not box.shape:
        return f"a number {reach}"
    if len(box.shape) == 1:
        return f"a list of {counted(box.size, 'number')} {reach}"
    return f"{' x '.join(map(str, box.shape))} numbers {reach}"


def _value(value: Any) -> str:
    array = np.asarray(value)
    if array.ndim > 1 and array.size > LISTED:
        return "".join(f"\n  {_nested(row)}" for row in array.tolist())
    return _nested(array.tolist())


def _nested(value: Any) -> str:
    """Numbers, or lists of them in brackets."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{', '.join(map(_nested, value))}]"
    return number(value) if isinstance(value, int | float) else json.dumps(value)
