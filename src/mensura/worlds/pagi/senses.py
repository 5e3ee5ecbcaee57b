"""What the seats of a room sense: touch and sight, computed only when somebody asks, once for each moment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.worlds.pagi.anatomy import FELT, RADIUS
from mensura.worlds.pagi.contract import POSE_ASPECTS, READINGS, SENSORS, Field, Sight, Touch
from mensura.worlds.pagi.items import Item
from mensura.worlds.pagi.kernels.senses import (
    CORNERS,
    FIRST,
    POSE,
    WIDTH,
    feel,
    look_at,
    see,
    sense,
)
from mensura.worlds.pagi.kernels.senses import RADIUS as _RADIUS
from mensura.worlds.pagi.kinds import BODY_KIND, BUBBLE_KIND, NUMBERS, WATER_KIND, Quality

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import Bubble, PagiRoom

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
HOTTEST = 2000.0
"""Temperatures beyond it are felt as this."""
GRIDS: dict[str, dict[str, npt.NDArray[np.float64]]] = {
    "paper": {"V": np.array([-2.25, 1.65, 0.15, 0.15]), "P": np.array([-14.5, 0.5, 2.0, 2.0])},
    "authors": {"V": np.array([-2.25, 1.65, 0.148, 0.1475]), "P": np.array([-14.5, 0.5, 2.0, 2.0])},
}
SHAPES: dict[Field, tuple[int, int]] = {"V": (21, 31), "P": (11, 16)}
"""Rows and columns of the visual fields."""
BODY_LOOK: Quality = (0.2, 0.6, 0.9, 0.3)
BUBBLE_LOOK: Quality = (1.0, 1.0, 1.0, 0.0)
WATER_LOOK: Quality = (0.2, 0.4, 0.9, 0.0)
NOTHING = Touch(False, 0.0, (0.0, 0.0, 0.0, 0.0), 0.0, "")
BLANK = Sight((0.0, 0.0, 0.0, 0.0), "", "")


class _Thing(NamedTuple):
    """What one row of the outlines stands for."""

    look: Quality
    type: str
    name: str
    kind: int
    item: Item | None


_WATER = _Thing(WATER_LOOK, "water", "water", WATER_KIND, None)


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
        self._things: list[_Thing] = []
        self._solid: npt.NDArray[np.float64] = np.zeros((0, WIDTH))
        self._visible: npt.NDArray[np.float64] = np.zeros((0, WIDTH))
        self._looks: npt.NDArray[np.float64] = np.zeros((1, 4))
        self._kinds: npt.NDArray[np.float64] = np.zeros(1)
        self._readings: npt.NDArray[np.float64] = np.zeros((1, 7))
        self._named: list[Touch] = [NOTHING]
        self._body_rows: list[int] = []
        self._hand_rows: list[npt.NDArray[np.int64]] = []
        self._own_outlines: list[int] = []

    def forget(self) -> None:
        """Time has passed, or something was moved."""
        self._poses = None
        if self._seen:
            self._seen = {}
        self._fresh.clear()

    # Outlines

    @property
    def poses(self) -> npt.NDArray[np.float64]:
        """Where everything is, row by row."""
        if self._room.bodies.changed:
            self._outline()
        if self._poses is None:
            self._poses = self._room.bodies.poses()
        return self._poses

    def _outline(self) -> None:
        """List what can be felt and seen, in the order of creation: others' bodies, items, bubbles; water is behind."""
        room, bodies = self._room, self._room.bodies
        row_of = bodies.rows()
        loose = len(row_of)
        self._body_rows = [row_of[one.body.id] for one in bodies.figures]
        self._hand_rows = [
            np.array([row_of[one.hands[side].body.id] for side in "LR"], np.int64)
            for one in bodies.figures
        ]
        self._felt = [(np.empty(SENSORS, np.int32), np.empty(ASPECTS)) for _ in bodies.figures]
        things: list[_Thing] = []
        outlines: list[list[float]] = []
        felt: list[bool] = []
        seen: list[bool] = []

        def put(thing: _Thing, outline: list[float], feels: bool, sees: bool) -> None:
            things.append(thing)
            outlines.append(outline)
            felt.append(feels)
            seen.append(sees)

        for seat, row in enumerate(self._body_rows):
            put(
                _Thing(BODY_LOOK, "body", room.names_of_seats[seat], BODY_KIND, None),
                _disc(row, RADIUS),
                True,
                True,
            )
        for item in room.items.values():
            row = row_of[bodies.of[item.number].id]
            outline = (
                _disc(row, item.width / 2)
                if item.outline == "disc"
                else _polygon(row, item.corners)
            )
            feels = item.solid or item.role in FELT or bool(item.temperature)
            put(
                _Thing(item.look, item.kind, item.name, NUMBERS[item.kind], item),
                outline,
                feels,
                item.seen,
            )
        for bubble in room.bubbles:
            row = loose if bubble.owner is None else self._owner_row(bubble, row_of)
            put(
                _Thing(BUBBLE_LOOK, "speechBubble", bubble.text, BUBBLE_KIND, None),
                _bubble(row, bubble),
                False,
                True,
            )
        self._list(things, outlines, felt, seen)
        bodies.changed = False
        self.forget()

    def _list(
        self,
        things: list[_Thing],
        outlines: list[list[float]],
        felt: list[bool],
        seen: list[bool],
    ) -> None:
        """Make tables of all that is there: water comes first, and is seen and not felt; the last row is nothing."""
        rows = self._room.bodies.water_rows
        discs = len(rows)
        self._own_outlines = [discs + seat for seat in range(len(self._body_rows))]
        table = np.zeros((discs + len(outlines), WIDTH))
        table[:discs, POSE], table[:discs, _RADIUS] = rows, self._room.water_radius
        if outlines:
            table[discs:] = outlines
        feels, sees = np.array([False] * discs + felt), np.array([True] * discs + seen)
        self._things = [_WATER] * discs + things
        self._solid = np.where(feels[:, None], table, -1.0)
        self._visible = np.where(sees[:, None], table, -1.0)
        readings = [_reading(one) for one in things]
        self._looks = _table(discs, WATER_LOOK, [one.look for one in things])
        self._kinds = _table(discs, (WATER_KIND,), [(one.kind,) for one in things])[:, 0]
        self._readings = _table(discs, _reading(_WATER), readings)
        self._named = [
            *[NOTHING] * discs,
            *(Touch(True, row[1], (row[2], row[3], row[4], row[5]), row[6], one.name)
              for row, one in zip(readings, things, strict=True)),
            NOTHING,
        ]  # fmt: skip

    def _owner_row(self, bubble: Bubble, row_of: dict[int, int]) -> int:
        owner = bubble.owner
        assert owner is not None
        bodies = self._room.bodies
        body = bodies.of[owner] if owner >= 0 else bodies.figures[-1 - owner].body
        return row_of[body.id]

    # Touch

    def at(self, points: npt.NDArray[np.float64], seat: int) -> list[int]:
        """The foremost thing that can be felt at each of some points of the room, not counting the seat's own body."""
        poses = self.poses
        out = np.empty(len(points), np.int32)
        feel(self._solid, poses, self._own_outlines[seat], points, out)
        found: list[int] = out.tolist()
        return found

    def item_at(self, x: float, y: float, seat: int) -> Item | None:
        """The foremost item that can be felt at a point."""
        found = self.at(np.array([(x, y)]), seat)[0]
        return self._things[found].item if found >= 0 else None

    def _feel(self, seat: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        poses = self.poses
        found, aspects = self._felt[seat]
        if seat in self._fresh:
            return found, aspects
        sense(
            self._solid,
            poses,
            self._body_rows[seat],
            self._own_outlines[seat],
            self._hand_rows[seat],
            _ALL_SENSORS,
            self._readings,
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
        return self._named[int(found[sensor])]

    def feet(self, seat: int) -> tuple[int, tuple[float, float]] | None:
        """What is under a body, if anything, and where it stands on it."""
        body = self._room.bodies.figures[seat].body
        c, s = math.cos(body.angle), math.sin(body.angle)
        points = FEET @ np.array([(c, s), (-s, c)]) + body.position
        for number, place in zip(self.at(points, seat), points.tolist(), strict=True):
            if number >= 0:
                item = self._things[number].item
                return (-1 if item is None else item.number), (place[0], place[1])
        return None

    # Sight

    def numbers(self, seat: int, field: Field) -> npt.NDArray[np.int32]:
        """What is seen at each point of a visual field, rows from the bottom; -1: nothing."""
        poses = self.poses
        found = self._seen.get((seat, field))
        if found is None:
            found = np.empty(SHAPES[field], np.int32)
            own = self._own_outlines[seat]
            see(self._visible, poses, self._body_rows[seat], own, self._grids[field], found)
            self._seen[seat, field] = found
        return found

    def looks(self, seat: int, field: Field) -> npt.NDArray[np.float64]:
        """Red, green, blue and roughness at each point."""
        found = self.numbers(seat, field)
        return np.asarray(self._looks[found])

    def write_looks(
        self, seat: int, field: Field, first: int, out: npt.NDArray[np.float64]
    ) -> None:
        """The same, into memory of somebody's, from a place on."""
        found = self.numbers(seat, field)
        look_at(found, self._looks, first, out)

    def kinds(self, seat: int, field: Field) -> npt.NDArray[np.float64]:
        """The kind at each point as a number; 0: nothing."""
        found = self.numbers(seat, field)
        return np.asarray(self._kinds[found])

    def look(self, seat: int, field: Field, x: int, y: int) -> Sight:
        """What is seen at one point."""
        number = int(self.numbers(seat, field)[y, x])
        if number < 0:
            return BLANK
        thing = self._things[number]
        return Sight(thing.look, thing.type, thing.name)

    def names(self, seat: int, field: Field) -> list[str]:
        """Names at all points."""
        found = self.numbers(seat, field).ravel().tolist()
        things = self._things
        return ["" if one < 0 else things[one].name for one in found]


def _reading(thing: _Thing) -> tuple[float, ...]:
    if thing.item is None:
        return (1.0, 37.0, 0.5, 0.0, 0.0, 0.0, 0.0)
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
