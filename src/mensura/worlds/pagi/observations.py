"""What a seat observes when it acts by forces or moves: all its sensors as one record of numbers."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.core.spaces import Box, Record
from mensura.worlds.pagi.contract import Field
from mensura.worlds.pagi.kinds import WATER_KIND
from mensura.worlds.pagi.senses import SENSORS, SHAPES

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom

FAR = 1000.0
"""Places, speeds and endorphins beyond it are told as this."""
HOTTEST = 2000.0
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


def observe(
    room: PagiRoom, seat: int, space: Record, felt: float, heard: Any, words: tuple[str, ...]
) -> Any:
    """What a seat observes now; ``heard`` is who said what since it acted last."""
    out = np.zeros((), space.dtype)
    senses = room.senses
    names = space.dtype.names or ()
    np.clip(senses.touched(seat), -HOTTEST, HOTTEST, out=out["touch"])
    for name, field in FIELDS.items():
        if name in names:
            out[name] = senses.looks(seat, field)
            if f"{name}_kinds" in names:
                out[f"{name}_kinds"] = senses.kinds(seat, field)
    for name, pair in (
        ("velocity", room.velocity(seat)),
        ("place", room.place(seat)),
        ("left_hand", room.hand(seat, "L")),
        ("right_hand", room.hand(seat, "R")),
    ):
        x, y = pair
        out[name] = (min(max(x, -FAR), FAR), min(max(y, -FAR), FAR))
    out["rotation"] = room.rotation(seat)
    hands = room.bodies.figures[seat].hands
    out["holding"] = (hands["L"].grip is not None, hands["R"].grip is not None)
    out["endorphins"] = min(max(felt, -FAR), FAR)
    out["time"] = room.seconds
    if words:
        for speaker, text in heard:
            if speaker < 0:
                out["asked"] = 1.0
            else:
                for word in text.lower().split():
                    if word in words:
                        out["heard"][speaker, words.index(word)] = 1.0
    return out[()]
