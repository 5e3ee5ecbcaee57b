"""What happens in a room when things touch, turn or are pressed: after each physics step, in a fixed order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mensura.worlds.pagi.anatomy import RADIUS
from mensura.worlds.pagi.contract import Event
from mensura.worlds.pagi.items import Item
from mensura.worlds.pagi.senses import BODY_SENSORS

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom

HOT = 50.0
"""Degrees from which something burns."""
BREAKS_AT = 6.0
"""The speed of a blow that opens a breaking box."""
LEVER = math.radians(30)
"""A lever toggles at minus this angle, and is armed again at plus this angle."""
DEEPEST = -60.0
"""What falls below this is gone."""


def happen(room: PagiRoom) -> None:
    """Let all happen that the last physics step has brought about."""
    bodies = room.bodies
    for first, second, x, y, speed in bodies.take_touches() if bodies.touches else ():
        if second not in room.items or (first >= 0 and first not in room.items):
            continue  # it is gone already
        item = room.items[second]
        if first < 0:
            _meet_body(room, -1 - first, item, x, y, speed)
        else:
            _meet(room, room.items[first], item, speed)
            if second in room.items and first in room.items:
                _meet(room, item, room.items[first], speed)
    for pair in bodies.broken() if bodies.kits else ():
        bodies.part(pair)
    for item in room.with_roles:
        if item.number in room.items:
            _ACTS[item.role](room, item)
    if room.steps % 25 == 0 and room.senses.poses[:, 1].min() < DEEPEST:
        for item in list(room.items.values()):
            if not item.fixed and item.solid and room.bodies.of[item.number].position.y < DEEPEST:
                room.remove(item)


def _meet_body(room: PagiRoom, seat: int, item: Item, x: float, y: float, speed: float) -> None:
    """The body of a seat begins to touch an item."""
    if item.endorphins and not item.hidden:
        place = room.bodies.figures[seat].body.world_to_local((x, y))
        near = ((BODY_SENSORS - (place.x, place.y)) ** 2).sum(axis=1)
        room.feel(seat, item.endorphins, int(near.argmin()))
    if item.eaten:
        room.seats[seat].eaten.append(item.kind)
        room.remove(item)
    elif item.role == "breaking box" and speed >= BREAKS_AT:
        _open(room, item)


def _meet(room: PagiRoom, one: Item, other: Item, speed: float) -> None:
    """Two items begin to touch; it is called for both orders."""
    if one.role == "kit" and other.role == "soldier" and not other.on:
        other.on = True
        for pair in [pair for pair in room.bodies.kits if one.number in pair]:
            for number in pair:
                if number != one.number:
                    room.remove(room.items[number])
        room.remove(one)
    elif one.role == "soldier" and other.temperature > HOT:
        one.count += 1
    elif one.role == "dynamite" and other.role == "wall" and one.kind[:3] == other.kind[:3]:
        room.remove(other)
        room.remove(one)
    elif one.role == "key" and other.role == "locked box" and one.note in ("", other.name):
        _open(room, other)
        room.remove(one)
    elif one.role == "breaking box" and speed >= BREAKS_AT:
        _open(room, one)


def _open(room: PagiRoom, box: Item) -> None:
    """A box is gone, and what was in it is there."""
    body = room.bodies.of[box.number]
    x, y = body.position
    room.remove(box)
    if box.note:
        room.put(box.note, "", x=x, y=y)


def _lever(room: PagiRoom, item: Item) -> None:
    angle = room.bodies.of[item.number].angle
    if angle <= -LEVER and not item.locked_out:
        item.on = not item.on
        item.locked_out = True
        item.count += 1
    elif angle >= LEVER:
        item.locked_out = False


def _button(room: PagiRoom, item: Item) -> None:
    pressed = any(kind for kind, _ in _within(room, item))
    if pressed and not item.on:
        item.count += 1
    item.on = pressed


def _within(room: PagiRoom, box: Item) -> list[tuple[str, str]]:
    """Who is in an upright box: hands and bodies of seats, and items, as the protocol's letters and names."""
    found = []
    w, h = box.width / 2, box.height / 2
    for seat, figure in enumerate(room.bodies.figures):
        name = room.names_of_seats[seat]
        for side in "LR":
            x, y = figure.hands[side].body.position
            if abs(x - box.x) <= w and abs(y - box.y) <= h:
                found.append((side, name))
        x, y = figure.body.position
        dx, dy = max(abs(x - box.x) - w, 0.0), max(abs(y - box.y) - h, 0.0)
        if dx * dx + dy * dy <= RADIUS * RADIUS:
            found.append(("B", name))
    for item in room.items.values():
        if item.solid and not item.fixed:
            for shape in room.bodies.of[item.number].shapes:
                bb = shape.bb
                if (
                    bb.left <= box.x + w
                    and bb.right >= box.x - w
                    and bb.bottom <= box.y + h
                    and bb.top >= box.y - h
                ):
                    found.append(("O", str(item.number)))
    return found


def _trigger(room: PagiRoom, item: Item) -> None:
    """Tell seats who comes into a trigger box and who leaves it."""
    now = _within(room, item)
    before = room.inside.get(item.number, [])
    if now == before:
        return
    came = [("E", one) for one in now if one not in before]
    left = [("X", one) for one in before if one not in now]
    for way, (letter, name) in came + left:
        for seat, own in enumerate(room.names_of_seats):
            if letter == "O" or name == own:
                room.tell(seat, Event("TB", (item.name, letter + way)))
    item.on = bool(now)
    item.count += len(came)
    room.inside[item.number] = now


def tell_grip(room: PagiRoom, seat: int, side: str, letter: str, x: float, y: float) -> None:
    """Tell a seat that it gripped or released something within a trigger box."""
    for item in room.with_roles:
        if (
            item.role == "trigger"
            and abs(x - item.x) <= item.width / 2
            and abs(y - item.y) <= item.height / 2
        ):
            room.tell(seat, Event("TB", (item.name, side + letter)))


_ACTS = {"lever": _lever, "button": _button, "trigger": _trigger}
ACTING = frozenset(_ACTS)
"""Roles of what is looked after at every step."""
