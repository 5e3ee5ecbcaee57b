"""What a room looks like now, as plain data: for pages that draw it themselves, many times a second."""

from __future__ import annotations

from typing import Any

from mensura.worlds.pagi.items import Item
from mensura.worlds.pagi.kinds import Quality
from mensura.worlds.pagi.outlines import ROPE_LOOK, WIRE_LOOK
from mensura.worlds.pagi.room import PagiRoom
from mensura.worlds.pagi.seat_state import Bubble
from mensura.worlds.pagi.setup import Setup
from mensura.worlds.pagi.water import RADIUS


def scene(room: PagiRoom) -> dict[str, Any]:
    """All objects, ropes, bodies, speech and water of a room."""
    return {
        "seconds": round(room.seconds, 2),
        "items": [_item(room, one) for one in room.items.values()],
        "ropes": [
            {
                "from": _pair(room.bodies.of[one].position),
                "to": _pair(room.bodies.of[other].position),
                "color": color(WIRE_LOOK if stiff else ROPE_LOOK),
            }
            for (one, other), (_, stiff, _) in room.bodies.ropes.items()
        ],
        "bodies": [_body(room, seat) for seat in range(len(room.seats))],
        "bubbles": [_bubble(room, one) for one in room.bubbles],
        "water": [[round(x, 2), round(y, 2)] for x, y in room.bodies.water_places().tolist()],
        "water_radius": RADIUS,
    }


def scene_of(setup: Setup) -> dict[str, Any]:
    """A task as it begins."""
    return scene(setup.build(0, "paper"))


def sensed(room: PagiRoom, seat: int) -> dict[str, Any]:
    """All that a seat senses: touch, both visual fields as colors by rows from the bottom, and its pose."""
    senses = room.senses
    return {
        "touch": [[round(one, 3) for one in row] for row in senses.touched(seat).tolist()],
        "vision": [_colors(row) for row in senses.looks(seat, "V").tolist()],
        "periphery": [_colors(row) for row in senses.looks(seat, "P").tolist()],
        "velocity": _pair(room.velocity(seat)),
        "place": _pair(room.place(seat)),
        "left_hand": _pair(room.hand(seat, "L")),
        "right_hand": _pair(room.hand(seat, "R")),
        "rotation": round(room.rotation(seat), 3),
        "endorphins": round(room.seats[seat].endorphins, 3),
    }


def color(look: Quality) -> str:
    """How something looks, as a color of pages."""
    red, green, blue = (round(255 * min(max(one, 0.0), 1.0)) for one in look[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"


def _colors(row: list[Any]) -> list[str]:
    return [color(tuple(one)) for one in row]


def _pair(pair: tuple[float, float]) -> list[float]:
    return [round(one, 3) for one in pair]


def _item(room: PagiRoom, item: Item) -> dict[str, Any]:
    body = room.bodies.of[item.number]
    return {
        "name": item.name,
        "kind": item.kind,
        "outline": item.outline,
        "width": item.width,
        "height": item.height,
        "x": round(body.position.x, 3),
        "y": round(body.position.y, 3),
        "angle": round(body.angle, 4),
        "color": color(item.look),
        "seen": item.seen,
        "solid": item.solid,
        "fixed": item.fixed,
        "on": item.on,
    }


def _body(room: PagiRoom, seat: int) -> dict[str, Any]:
    figure = room.bodies.figures[seat]
    hands = figure.hands
    return {
        "name": room.names_of_seats[seat],
        "x": round(figure.body.position.x, 3),
        "y": round(figure.body.position.y, 3),
        "angle": round(figure.body.angle, 4),
        "hands": [_pair(hands[side].body.position) for side in ("L", "R")],
        "holds": [hands[side].grip is not None for side in ("L", "R")],
    }


def _bubble(room: PagiRoom, bubble: Bubble) -> dict[str, Any]:
    x, y = bubble.x, bubble.y
    if bubble.owner is not None:
        bodies = room.bodies
        own = bubble.owner >= 0
        body = bodies.of[bubble.owner] if own else bodies.figures[-1 - bubble.owner].body
        x, y = body.local_to_world((x, y))
    return {"text": bubble.text, "x": round(x, 3), "y": round(y, 3)}
