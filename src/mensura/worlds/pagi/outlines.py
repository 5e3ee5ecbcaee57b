"""What of a room can be felt and seen, as tables for kernels: a row for each thing, those in front last.

Water comes first, then bodies, ropes and wires, items, and speech bubbles. Each table of what things are like has one
row more, which is nothing: -1 finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.worlds.pagi.anatomy import FELT, RADIUS
from mensura.worlds.pagi.contract import Touch
from mensura.worlds.pagi.items import Item
from mensura.worlds.pagi.kernels.senses import CORNERS, FIRST, MOST_CORNERS, POSE, WIDTH, stretch
from mensura.worlds.pagi.kernels.senses import RADIUS as _RADIUS
from mensura.worlds.pagi.kinds import (
    BODY_KIND,
    BUBBLE_KIND,
    NUMBERS,
    ROPE_KIND,
    WATER_KIND,
    WIRE_KIND,
    Quality,
)

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom
    from mensura.worlds.pagi.seat_state import Bubble

BODY_LOOK: Quality = (0.2, 0.6, 0.9, 0.3)
BUBBLE_LOOK: Quality = (1.0, 1.0, 1.0, 0.0)
WATER_LOOK: Quality = (0.2, 0.4, 0.9, 0.0)
ROPE_LOOK: Quality = (0.7, 0.6, 0.4, 0.9)
WIRE_LOOK: Quality = (0.6, 0.6, 0.7, 0.1)
HOTTEST = 2000.0
"""Temperatures beyond it are felt as this."""
ROPE_WIDTH = 0.2
NOTHING = Touch(False, 0.0, (0.0, 0.0, 0.0, 0.0), 0.0, "")
_OF_BODIES = (1.0, 37.0, 0.5, 0.0, 0.0, 0.0, 0.0)
_OF_ROPES = (1.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.0)


class Thing(NamedTuple):
    """What one row of the outlines stands for."""

    look: Quality
    type: str
    name: str
    kind: int
    item: Item | None


_WATER = Thing(WATER_LOOK, "water", "water", WATER_KIND, None)


class Outlines:
    """All things of a room as it is composed now; they move with the poses of their bodies."""

    def __init__(self, room: PagiRoom) -> None:
        bodies = room.bodies
        row_of = bodies.rows()
        loose = len(row_of)
        self._outlines: list[list[float]] = []
        self._feels: list[bool] = []
        self._sees: list[bool] = []
        self.things: list[Thing] = [_WATER] * len(bodies.water_rows)
        self.body_rows = [row_of[one.body.id] for one in bodies.figures]
        self.hand_rows = [
            np.array([row_of[one.hands[side].body.id] for side in "LR"], np.int64)
            for one in bodies.figures
        ]
        self.own = [len(self.things) + seat for seat in range(len(self.body_rows))]
        """The rows of the bodies of seats."""
        for seat, row in enumerate(self.body_rows):
            thing = Thing(BODY_LOOK, "body", room.names_of_seats[seat], BODY_KIND, None)
            self._put(thing, _disc(row, RADIUS))
        ropes = []
        for (one, other), (_, stiff, _) in bodies.ropes.items():
            ends = (row_of[bodies.of[one].id], row_of[bodies.of[other].id])
            ropes.append((len(self.things), *ends))
            wire = Thing(WIRE_LOOK, "wire", "wire", WIRE_KIND, None)
            rope = Thing(ROPE_LOOK, "rope", "rope", ROPE_KIND, None)
            self._put(wire if stiff else rope, _polygon(loose, [(0.0, 0.0)] * MOST_CORNERS))
        for item in room.items.values():
            row = row_of[bodies.of[item.number].id]
            is_disc = item.outline == "disc"
            outline = _disc(row, item.width / 2) if is_disc else _polygon(row, item.corners)
            feels = item.solid or item.role in FELT or bool(item.temperature)
            thing = Thing(item.look, item.kind, item.name, NUMBERS[item.kind], item)
            self._put(thing, outline, feels, item.seen)
        for bubble in room.bubbles:
            row = loose if bubble.owner is None else _owner_row(room, bubble, row_of)
            thing = Thing(BUBBLE_LOOK, "speechBubble", bubble.text, BUBBLE_KIND, None)
            self._put(thing, _bubble(row, bubble), False)
        self._ropes = np.array(ropes, np.int64).reshape(len(ropes), 3)
        self._list(bodies.water_rows, room.water_radius)

    def _put(
        self, thing: Thing, outline: list[float], feels: bool = True, sees: bool = True
    ) -> None:
        self.things.append(thing)
        self._outlines.append(outline)
        self._feels.append(feels)
        self._sees.append(sees)

    def _list(self, water: npt.NDArray[np.intp], radius: float) -> None:
        """Make the tables; water is seen and not felt."""
        discs = len(water)
        others = self.things[discs:]
        table = np.zeros((len(self.things), WIDTH))
        table[:discs, POSE], table[:discs, _RADIUS] = water, radius
        if others:
            table[discs:] = self._outlines
        feels = np.array([False] * discs + self._feels)
        sees = np.array([True] * discs + self._sees)
        self.solid = np.where(feels[:, None], table, -1.0)
        """Those that can be felt."""
        self.visible = np.where(sees[:, None], table, -1.0)
        readings = [_reading(one) for one in others]
        self.looks = _table(discs, WATER_LOOK, [one.look for one in others])
        self.kinds = _table(discs, (WATER_KIND,), [(one.kind,) for one in others])[:, 0]
        self.readings = _table(discs, _OF_BODIES, readings)
        """Of sensors of touch."""
        self.named = [
            *[NOTHING] * discs,
            *(Touch(True, row[1], (row[2], row[3], row[4], row[5]), row[6], one.name)
              for row, one in zip(readings, others, strict=True)),
            NOTHING,
        ]  # fmt: skip
        """The same with names."""

    def stretch(self, poses: npt.NDArray[np.float64]) -> None:
        """Let ropes and wires be between what they tie."""
        if len(self._ropes):
            stretch(self._ropes, poses, ROPE_WIDTH / 2, self.solid, self.visible)


def _owner_row(room: PagiRoom, bubble: Bubble, row_of: dict[int, int]) -> int:
    owner = bubble.owner
    assert owner is not None
    bodies = room.bodies
    body = bodies.of[owner] if owner >= 0 else bodies.figures[-1 - owner].body
    return row_of[body.id]


def _reading(thing: Thing) -> tuple[float, ...]:
    if thing.item is None:
        return _OF_ROPES if thing.kind in (ROPE_KIND, WIRE_KIND) else _OF_BODIES
    item = thing.item
    temperature = max(-HOTTEST, min(HOTTEST, item.temperature))
    return (1.0, temperature, *item.texture, 0.0 if item.hidden else item.endorphins)


def _table(discs: int, of_water: Sequence[float], others: list[Any]) -> npt.NDArray[np.float64]:
    """A row for each disc of water, one for each other thing, and one of zeros."""
    made = np.zeros((discs + len(others) + 1, len(of_water)))
    made[:discs] = of_water
    if others:
        made[discs:-1] = others
    return made


def _disc(row: int, radius: float) -> list[float]:
    out = [0.0] * WIDTH
    out[POSE], out[_RADIUS] = row, radius
    return out


def _polygon(row: int, corners: list[tuple[float, float]]) -> list[float]:
    out = [0.0] * WIDTH
    out[POSE], out[CORNERS] = row, len(corners)
    for k, (x, y) in enumerate(corners):
        out[FIRST + 2 * k], out[FIRST + 2 * k + 1] = x, y
    return out


def _bubble(row: int, bubble: Bubble) -> list[float]:
    w, h = 1.5, 0.75
    x, y = bubble.x, bubble.y
    return _polygon(row, [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)])
