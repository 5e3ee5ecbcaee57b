"""What the seats of a room sense: touch and sight, computed only when somebody asks, once for each moment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mensura.worlds.pagi.contract import POSE_ASPECTS, READINGS, SENSORS, Field, Sight, Touch
from mensura.worlds.pagi.items import Item
from mensura.worlds.pagi.kernels.senses import feel, look_at, see, sense
from mensura.worlds.pagi.kinds import ROPE_KIND, WIRE_KIND
from mensura.worlds.pagi.outlines import Outlines

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom

BODY_SENSORS = np.array(
    [(0, 1.2), (0.9, 0.9), (1.2, 0), (0.9, -0.9), (0, -1.2), (-0.9, -0.9), (-1.2, 0), (-0.9, 0.9)],
    np.float64,
)
HAND_SENSORS = np.array([(0, 0.65), (0.6, 0), (0, -0.65), (-0.6, 0), (0, 0)], np.float64)
FEET = np.array([(-0.9, -0.9), (0.9, -0.9), (-0.5, -1.2), (0.5, -1.2), (0, -1.2)], np.float64)
"""Where a body has to have something under it to jump."""
_ALL_SENSORS = np.concatenate([BODY_SENSORS, HAND_SENSORS, HAND_SENSORS])
FIRST_SENSOR = {"B": 0, "L": 8, "R": 13}
TOUCHES = SENSORS * READINGS
"""Numbers of touch among the aspects of a seat."""
ASPECTS = TOUCHES + len(POSE_ASPECTS)
HANDS = {side: TOUCHES + POSE_ASPECTS.index(f"{side}Px") for side in "LR"}
"""Where the places of hands are among them."""
GRIDS: dict[str, dict[str, npt.NDArray[np.float64]]] = {
    "paper": {"V": np.array([-2.25, 1.65, 0.15, 0.15]), "P": np.array([-14.5, 0.5, 2.0, 2.0])},
    "authors": {"V": np.array([-2.25, 1.65, 0.148, 0.1475]), "P": np.array([-14.5, 0.5, 2.0, 2.0])},
}
SHAPES: dict[Field, tuple[int, int]] = {"V": (21, 31), "P": (11, 16)}
"""Rows and columns of the visual fields."""
BLANK = Sight((0.0, 0.0, 0.0, 0.0), "", "")


class Senses:
    """The senses of all seats of one room."""

    def __init__(self, room: PagiRoom, preset: str) -> None:
        self._room = room
        self._grids = GRIDS[preset]
        self._poses: npt.NDArray[np.float64] | None = None
        self._felt: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]] = []
        """What each sensor of a seat is in, and all its aspects, if they are fresh."""
        self._fresh: set[int] = set()
        self._points = np.empty((SENSORS, 2))
        self._seen: dict[tuple[int, Field], npt.NDArray[np.int32]] = {}
        self.outlines: Outlines
        """As of when things came or went last; whoever asks for the poses first finds it up to date."""

    def forget(self) -> None:
        """Time has passed, or something was moved."""
        self._poses = None
        if self._seen:
            self._seen = {}
        self._fresh.clear()

    @property
    def poses(self) -> npt.NDArray[np.float64]:
        """Where everything is, row by row."""
        if self._room.bodies.changed:
            self.outline()
        if self._poses is None:
            self._poses = self._room.bodies.poses()
            self.outlines.stretch(self._poses)
        return self._poses

    def outline(self) -> None:
        """List what can be felt and seen."""
        self.outlines = Outlines(self._room)
        self._felt = [
            (np.empty(SENSORS, np.int32), np.empty(ASPECTS)) for _ in self._room.bodies.figures
        ]
        self._room.bodies.changed = False
        self.forget()

    # Touch

    def at(self, points: npt.NDArray[np.float64], seat: int) -> list[int]:
        """The foremost thing that can be felt at each of some points of the room, not counting the seat's own body."""
        poses = self.poses
        out = np.empty(len(points), np.int32)
        feel(self.outlines.solid, poses, self.outlines.own[seat], points, out)
        found: list[int] = out.tolist()
        return found

    def item_at(self, x: float, y: float, seat: int) -> Item | None:
        """The foremost item that can be felt at a point."""
        found = self.at(np.array([(x, y)]), seat)[0]
        return self.outlines.things[found].item if found >= 0 else None

    def _feel(self, seat: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        poses = self.poses
        found, aspects = self._felt[seat]
        if seat in self._fresh:
            return found, aspects
        outlines = self.outlines
        sense(
            outlines.solid,
            poses,
            outlines.body_rows[seat],
            outlines.own[seat],
            outlines.hand_rows[seat],
            _ALL_SENSORS,
            outlines.readings,
            self._points,
            found,
            aspects,
        )
        self._fresh.add(seat)
        return found, aspects

    def aspects(self, seat: int) -> npt.NDArray[np.float64]:
        """All readings of touch, sensor by sensor, and the pose."""
        return self._feel(seat)[1]

    def touched(self, seat: int) -> npt.NDArray[np.float64]:
        """All sensors of touch: whether they touch, temperature, texture, endorphins."""
        return self._feel(seat)[1][:TOUCHES].reshape(SENSORS, READINGS)

    def touch(self, seat: int, sensor: int) -> Touch:
        """What one sensor of touch reads, with the name of what it touches."""
        found, _ = self._feel(seat)
        return self.outlines.named[int(found[sensor])]

    def feet(self, seat: int) -> tuple[int, tuple[float, float]] | None:
        """What is under a body, if anything, and where it stands on it."""
        body = self._room.bodies.figures[seat].body
        c, s = math.cos(body.angle), math.sin(body.angle)
        points = FEET @ np.array([(c, s), (-s, c)]) + body.position
        for number, place in zip(self.at(points, seat), points.tolist(), strict=True):
            if number >= 0:
                thing = self.outlines.things[number]
                if thing.kind in (ROPE_KIND, WIRE_KIND):  # nobody stands on these
                    continue
                item = thing.item
                return (-1 if item is None else item.number), (place[0], place[1])
        return None

    # Sight

    def numbers(self, seat: int, field: Field) -> npt.NDArray[np.int32]:
        """What is seen at each point of a visual field, rows from the bottom; -1: nothing."""
        poses = self.poses
        found = self._seen.get((seat, field))
        if found is None:
            found = np.empty(SHAPES[field], np.int32)
            own = self.outlines.own[seat]
            see(
                self.outlines.visible,
                poses,
                self.outlines.body_rows[seat],
                own,
                self._grids[field],
                found,
            )
            self._seen[seat, field] = found
        return found

    def looks(self, seat: int, field: Field) -> npt.NDArray[np.float64]:
        """Red, green, blue and roughness at each point."""
        found = self.numbers(seat, field)
        return np.asarray(self.outlines.looks[found])

    def write_looks(
        self, seat: int, field: Field, first: int, out: npt.NDArray[np.float64]
    ) -> None:
        """The same, into memory of somebody's, from a place on."""
        found = self.numbers(seat, field)
        look_at(found, self.outlines.looks, first, out)

    def kinds(self, seat: int, field: Field) -> npt.NDArray[np.float64]:
        """The kind at each point as a number; 0: nothing."""
        found = self.numbers(seat, field)
        return np.asarray(self.outlines.kinds[found])

    def look(self, seat: int, field: Field, x: int, y: int) -> Sight:
        """What is seen at one point."""
        number = int(self.numbers(seat, field)[y, x])
        if number < 0:
            return BLANK
        thing = self.outlines.things[number]
        return Sight(thing.look, thing.type, thing.name)

    def names(self, seat: int, field: Field) -> list[str]:
        """Names at all points."""
        found = self.numbers(seat, field).ravel().tolist()
        things = self.outlines.things
        return ["" if one < 0 else things[one].name for one in found]
