"""What a seat observes, in words for subjects who read."""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Any

import numpy as np

from mensura.agent.spaces import Box, Discrete, Text
from mensura.agent.task import Task
from mensura.core.observation_words import number
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.moves import PARTS, moves
from mensura.worlds.pagi.observations import FIELDS

_LETTERS = ascii_letters + digits
_SENSORS = (
    *(f"B{k}" for k in range(8)),
    *(f"L{k}" for k in range(5)),
    *(f"R{k}" for k in range(5)),
)
_KIND_NAMES = ("nothing", *KINDS, "body", "speech bubble", "water", "rope", "wire")


def rules(task: Task) -> str:
    """What the seat finds itself in, and what its actions are."""
    space = task.action_space
    told = (
        "You are a body with two hands in a room under gravity, seen from the side; x grows to the right, y upward. "
        "An interaction is 0.1 seconds."
    )
    if isinstance(space, Text):
        return (
            f"{told} Your action is a text: commands of the PAGI protocol, one a line, as `sensorRequest,BP` or "
            "`addForce,BMH,500`, or nothing. What you observe is the answers and notifications since."
        )
    if isinstance(space, Discrete):
        known = moves(())
        named = ", ".join(f"{k} {name}" for k, name in enumerate(known))
        more = (
            ""
            if space.n == len(known)
            else f"; from {len(known)} to {space.n - 1} say the words of the task in their order"
        )
        return f"{told} Your action is a number: {named}{more}."
    assert isinstance(space, Box)
    count = space.shape[0] - len(PARTS)
    words = f", and {count} for the words of the task, said above 0.5" if count else ""
    return (
        f"{told} Your action is a list of numbers from -1 to 1: {', '.join(PARTS)}{words}. A grip above 0 grips what "
        "is under the middle of the hand, below 0 it releases; above 0.5 you jump."
    )


def observation(task: Task, observation: Any) -> str:
    """What the seat senses: all of it."""
    if isinstance(observation, str):
        return observation or "No answer, and nothing happened."
    lines = []
    names = observation.dtype.names
    for name in names:
        value = observation[name]
        if name == "touch":
            lines.append(_touch(value))
        elif name in FIELDS:
            lines.append(_sight(name, value))
        elif name.endswith("_kinds"):
            lines.append(_kinds(name, value))
        else:
            lines.append(
                f"{name.replace('_', ' ')}: {', '.join(number(one) for one in np.ravel(value))}"
            )
    return "\n".join(lines)


def _touch(readings: Any) -> str:
    felt = [
        f"{name} ({', '.join(number(one) for one in row[1:])})"
        for name, row in zip(_SENSORS, readings, strict=True)
        if row[0]
    ]
    if not felt:
        return "touch: nothing"
    return f"touch (temperature, four of texture, endorphins): {'; '.join(felt)}; the other sensors nothing"


def _sight(name: str, looks: Any) -> str:
    """A map of letters, a letter for each look, from the top row down."""
    rows, columns, _ = looks.shape
    flat = looks.reshape(-1, 4)
    kinds, which = np.unique(flat, axis=0, return_inverse=True)
    if not kinds.any():
        return f"{name} ({columns} x {rows} points): nothing"
    letters = {}
    free = iter(_LETTERS)
    for k, look in enumerate(kinds):
        letters[k] = next(free, "?") if look.any() else "."
    told = [
        f"{letters[k]} = {' '.join(number(one) for one in look)}"
        for k, look in enumerate(kinds)
        if look.any()
    ]
    grid = np.asarray(which).reshape(rows, columns)[::-1]
    drawn = "\n".join("".join(letters[int(one)] for one in row) for row in grid)
    return f"{name} ({columns} x {rows} points; red, green, blue, roughness: {'; '.join(told)}):\n{drawn}"


def _kinds(name: str, numbers: Any) -> str:
    """Where each kind is, as columns and rows from the left and from the bottom."""
    found: dict[str, list[str]] = {}
    for y, row in enumerate(numbers.tolist()):
        for x, kind in enumerate(row):
            if kind:
                found.setdefault(_KIND_NAMES[int(kind)], []).append(f"{x}.{y}")
    told = "; ".join(f"{kind} at {' '.join(places)}" for kind, places in found.items())
    return f"{name.replace('_', ' ')}: {told or 'nothing'}"
