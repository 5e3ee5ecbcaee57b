"""Any observation in words, from its space alone: for worlds that have no words of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text
from mensura.agent.task import Task
from mensura.core.abilities import own_words
from mensura.core.contract import World
from mensura.core.observation_words import Words, counted, number

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
        """A line for each named thing, or the numbers or the text alone."""
        space = task.observation_space
        if isinstance(space, Record):
            return "\n".join(
                f"{name}: {_value(one, observation[name])}" for name, one in space.fields
            )
        if isinstance(space, Text):
            return str(observation)
        said = _value(space, observation)
        return said.removeprefix("\n") if isinstance(space, Several) else said


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
    if isinstance(space, Text):
        of = "" if space.characters is None else f" out of {_quoted(space.characters)}"
        return f"a text of at most {counted(space.longest, 'character')}{of}"
    if isinstance(space, Several):
        return f"a list of at most {counted(space.most, 'item')}, each {_within(space.space)}"
    return "; ".join(f"{name}, {_within(one)}" for name, one in space.fields)


def _within(space: Space) -> str:
    """What the values of a space in another one are."""
    words = space_in_words(space)
    return f"a record of ({words})" if isinstance(space, Record) else words


def _box(box: Box) -> str:
    reach = f"from {number(box.low)} to {number(box.high)}"
    noun = "whole number" if box.dtype == "uint8" else "number"
    if not box.shape:
        return f"a {noun} {reach}"
    if len(box.shape) == 1:
        return f"a list of {counted(box.size, noun)} {reach}"
    return f"{' x '.join(map(str, box.shape))} {noun}s {reach}"


def _value(space: Space, value: Any) -> str:
    """A value on a line, or in rows below it."""
    if isinstance(space, Several):
        return "".join(f"\n  {_line(space.space, one)}" for one in value) or "none"
    if not isinstance(space, Box | Discrete):
        return _line(space, value)
    array = np.asarray(value)
    if array.ndim > 1 and array.size > LISTED:
        return "".join(f"\n  {_nested(row)}" for row in array.tolist())
    return _nested(array.tolist())


def _line(space: Space, value: Any) -> str:
    """A value on a line."""
    if isinstance(space, Text):
        return _quoted(value)
    if isinstance(space, Several):
        return f"[{', '.join(_line(space.space, one) for one in value)}]"
    if isinstance(space, Record):
        parts = (f"{_quoted(name)}: {_line(one, value[name])}" for name, one in space.fields)
        return f"{{{', '.join(parts)}}}"
    return _nested(np.asarray(value).tolist())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _nested(value: Any) -> str:
    """Numbers, or lists of them in brackets."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{', '.join(map(_nested, value))}]"
    return number(value) if isinstance(value, int | float) else json.dumps(value)
