"""What a seat observes when it acts by forces or moves: all its sensors as one record of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.agent.spaces import Box, Record
from mensura.worlds.pagi.contract import POSE_ASPECTS, READINGS, SENSORS, Field
from mensura.worlds.pagi.kernels.senses import write_felt
from mensura.worlds.pagi.kinds import LAST_KIND
from mensura.worlds.pagi.outlines import HOTTEST
from mensura.worlds.pagi.senses import SHAPES, TOUCHES

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
def observation_space(sees: str, names: bool, seats: int, words: int, states: int) -> Record:
    """The record of a seat: touch, sight, pose, what it holds and felt, the time, its states, and what was said."""
    fields: list[tuple[str, Box]] = [("touch", Box(-HOTTEST, HOTTEST, (SENSORS, READINGS)))]
    for name in SEEN[sees]:
        fields.append((name, Box(0.0, 1.0, (*SHAPES[FIELDS[name]], 4))))
        if names:
            fields.append((f"{name}_kinds", Box(0.0, float(LAST_KIND), SHAPES[FIELDS[name]])))
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
    if states:
        fields.append(("states", Box(0.0, 1.0, (states,))))
    if words:
        fields += [("asked", Box(0.0, 1.0, (1,))), ("heard", Box(0.0, 1.0, (seats, words)))]
    return Record(tuple(fields))


class Observer:
    """Writes what a seat observes into one record of numbers, each time a new one."""

    def __init__(self, space: Record, words: tuple[str, ...]) -> None:
        self._space, self._words = space, words
        self._first: dict[str, int] = {}
        """Where each field begins among the numbers."""
        at = 0
        for name, box in space.boxes.items():
            self._first[name] = at
            at += box.size
        self._size, self._pose = at, self._first["velocity"]
        self._sights = [(self._first[n], f) for n, f in FIELDS.items() if n in self._first]
        self._kinds = [
            (self._first[f"{n}_kinds"], f) for n, f in FIELDS.items() if f"{n}_kinds" in self._first
        ]

    def observe(
        self, room: PagiRoom, seat: int, felt: float, heard: Any, states: Sequence[bool]
    ) -> Any:
        """What a seat observes now; ``heard`` is who said what since it acted last."""
        flat = np.zeros(self._size)
        senses, pose = room.senses, self._pose
        write_felt(senses.aspects(seat), TOUCHES, FAR, pose, flat)
        for first, field in self._sights:
            senses.write_looks(seat, field, first, flat)
        for first, field in self._kinds:
            kinds = senses.kinds(seat, field).ravel()
            flat[first : first + len(kinds)] = kinds
        hands = room.bodies.figures[seat].hands
        at = pose + len(POSE_ASPECTS)
        flat[at] = hands["L"].grip is not None
        flat[at + 1] = hands["R"].grip is not None
        flat[at + 2] = min(max(felt, -FAR), FAR)
        flat[at + 3] = room.seconds
        if states:
            flat[at + 4 : at + 4 + len(states)] = states
        if self._words:
            self._hear(flat, heard)
        return np.ndarray((), self._space.dtype, flat.data)[()]

    def _hear(self, flat: Any, heard: Any) -> None:
        """Write down who said which words."""
        words, first = self._words, self._first["heard"]
        for speaker, text in heard:
            if speaker < 0:
                flat[self._first["asked"]] = 1.0
            else:
                for word in text.lower().split():
                    if word in words:
                        flat[first + speaker * len(words) + words.index(word)] = 1.0
