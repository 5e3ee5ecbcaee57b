"""What a seat observes when it acts by forces or moves: all its sensors as one record of numbers."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.core.spaces import Box, Record
from mensura.worlds.pagi.contract import Field
from mensura.worlds.pagi.kinds import WATER_KIND
from mensura.worlds.pagi.senses import HOTTEST, SENSORS, SHAPES

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom

FAR = 1000.0
"""Places, speeds and endorphins beyond it are told as this."""
FIELDS: dict[str, Field] = {"vision": "V", "periphery": "P"}
SEEN = {
    "all": ("vision", "periphery"),
    "vision": ("vision",),
    "periphery": ("periphery",),
    "nothing": (),
}
"""The visual fields that are part of an observation, by the parameter ``sees``."""


@lru_cache(maxsize=256)
def observation_space(sees: str, names: bool, seats: int, words: int) -> Record:
    """The record of a seat: touch, sight, pose, what it holds and felt, the time, and what was said."""
    fields: list[tuple[str, Box]] = [("touch", Box(-HOTTEST, HOTTEST, (SENSORS, 7)))]
    for name in SEEN[sees]:
        fields.append((name, Box(0.0, 1.0, (*SHAPES[FIELDS[name]], 4))))
        if names:
            fields.append((f"{name}_kinds", Box(0.0, float(WATER_KIND), SHAPES[FIELDS[name]])))
    fields += [
        ("velocity", Box(-FAR, FAR, (2,))),
        ("place", Box(-FAR, FAR, (2,))),
        ("left_hand", Box(-FAR, FAR, (2,))),
        ("right_hand", Box(-FAR, FAR, (2,))),
        ("rotation", Box(-math.pi, math.pi, (1,))),
        ("holding", Box(0.0, 1.0, (2,))),
        ("endorphins", Box(-FAR, FAR, (1,))),
        ("time", Box(0.0, 1e9, (1,))),
    ]
    if words:
        fields += [("asked", Box(0.0, 1.0, (1,))), ("heard", Box(0.0, 1.0, (seats, words)))]
    return Record(tuple(fields))


@lru_cache(maxsize=256)
def _layout(space: Record) -> tuple[dict[str, tuple[int, int, tuple[int, ...]]], int, int]:
    """Where each field stands in the numbers of a record, where the pose begins, and how many numbers there are."""
    places, at = {}, 0
    for name, box in space.boxes.items():
        places[name] = (at, at + box.size, box.shape)
        at += box.size
    return places, places["velocity"][0], at


def observe(
    room: PagiRoom, seat: int, space: Record, felt: float, heard: Any, words: tuple[str, ...]
) -> Any:
    """What a seat observes now; ``heard`` is who said what since it acted last."""
    places, pose, size = _layout(space)
    flat = np.zeros(size)
    senses = room.senses
    first, last, shape = places["touch"]
    senses.write_touch(seat, flat[first:last].reshape(shape))
    for name, field in FIELDS.items():
        if name in places:
            first, last, shape = places[name]
            senses.write_looks(seat, field, flat[first:last].reshape(shape))
            if f"{name}_kinds" in places:
                first, last, _ = places[f"{name}_kinds"]
                flat[first:last] = senses.kinds(seat, field).ravel()
    hands = room.bodies.figures[seat].hands
    x, y, angle, hands_x, hands_y = senses.pose(seat)
    c, s = math.cos(angle), math.sin(angle)
    vx, vy = room.velocity(seat)
    left_x, right_x = hands_x[0] - x, hands_x[1] - x
    left_y, right_y = hands_y[0] - y, hands_y[1] - y
    numbers: tuple[float, ...] = (
        *(vx, vy, x, y, left_x * c + left_y * s, left_y * c - left_x * s),
        *(right_x * c + right_y * s, right_y * c - right_x * s),
    )
    if not all(-FAR < one < FAR for one in numbers):
        numbers = tuple(min(max(one, -FAR), FAR) for one in numbers)
    flat[pose : pose + 13] = (
        *numbers,
        angle,
        hands["L"].grip is not None,
        hands["R"].grip is not None,
        min(max(felt, -FAR), FAR),
        room.seconds,
    )
    if words:
        _hear(flat, places, heard, words)
    return np.ndarray((), space.dtype, flat.data)[()]


def _hear(flat: Any, places: Any, heard: Any, words: tuple[str, ...]) -> None:
    """Write down who said which words."""
    first, last, shape = places["heard"]
    said = flat[first:last].reshape(shape)
    for speaker, text in heard:
        if speaker < 0:
            flat[places["asked"][0]] = 1.0
        else:
            for word in text.lower().split():
                if word in words:
                    said[speaker, words.index(word)] = 1.0
