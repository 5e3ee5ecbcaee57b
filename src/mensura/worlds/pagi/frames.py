"""A room as plain numbers, and a room made of them again.

A space of the engine that is copied goes on differently, since what it remembers of contacts is lost. So every 50
interactions a room is written down and goes on as one that was rebuilt from that, and a snapshot is the last such
keyframe with the actions since.
"""

from __future__ import annotations

from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.numbers import is_number
from mensura.worlds.pagi.arranging import LONGEST_SPEECH, MOST_BUBBLES
from mensura.worlds.pagi.contract import Event
from mensura.worlds.pagi.items import MOST, Item, item_from_plain
from mensura.worlds.pagi.room import MOST_EVENTS, MOST_ITEMS, PagiRoom
from mensura.worlds.pagi.seat_state import Bubble, Forces
from mensura.worlds.pagi.water import MOST as MOST_WATER

MOST_STEPS = 10**8


def to_plain(room: PagiRoom) -> dict[str, Any]:
    """All of a room, as it is between two steps."""
    bodies = room.bodies
    for item in room.items.values():
        body = bodies.of[item.number]
        item.x, item.y = body.position
        item.angle = body.angle
        if not item.fixed:
            item.vx, item.vy = body.velocity
            item.spin = body.angular_velocity
    figures = []
    for figure, state in zip(bodies.figures, room.seats, strict=True):
        numbers = [*figure.body.position, figure.body.angle, *figure.body.velocity]
        for side in "LR":
            hand = figure.hands[side]
            numbers += [*hand.body.position, *hand.body.velocity, hand.held, *hand.anchors]
        figures.append(
            {
                "pose": numbers,
                "endorphins": state.endorphins,
                "eaten": list(state.eaten),
                "said": state.said,
                "first": state.first,
                "hot": state.hot,
                "burning": list(state.burning),
                "speeches": state.speeches,
                "dumb": state.dumb,
                "drive": list(state.drive),
                "events": [[one.kind, *one.fields] for one in state.events],
            }
        )
    return {
        "steps": room.steps,
        "next": room.next_number,
        "items": [one.to_plain() for one in room.items.values()],
        "seats": figures,
        "bubbles": [[one.text, one.owner, one.x, one.y, one.until] for one in room.bubbles],
        "inside": [[number, [list(one) for one in who]] for number, who in room.inside.items()],
        "kits": [list(pair) for pair in bodies.kits],
        "ropes": [[*pair, length, stiff] for pair, (length, stiff, _) in bodies.ropes.items()],
        "water": [[*one.position, *one.velocity] for one in bodies.water],
        "poured": room.water.there,
        "solved": room.solved,
        "spoken": [list(one) for one in room.spoken],
    }


class _Reader:
    """Reads plain data that anybody may have changed."""

    def number(self, value: Any, most: float = MOST) -> float:
        if not is_number(value) or abs(value) > most:
            raise MensuraError("a number is none, or too large")
        return float(value)

    def whole(self, value: Any, least: int = 0, most: int = MOST_STEPS) -> int:
        if type(value) is not int or not least <= value <= most:
            raise MensuraError("a whole number is none, or too large")
        return value

    def text(self, value: Any) -> str:
        if type(value) is not str or len(value) > LONGEST_SPEECH:
            raise MensuraError("a text is none, or too long")
        return value

    def true(self, value: Any) -> bool:
        if type(value) is not bool:
            raise MensuraError("something is neither true nor false")
        return value

    def listed(self, value: Any, most: int) -> list[Any]:
        if type(value) is not list or len(value) > most:
            raise MensuraError("a list is none, or too long")
        return value


def from_plain(
    plain: Any, *, preset: str, gravity: float, forces: Forces, key: int, own: bool = False
) -> PagiRoom:
    """The room of :func:`to_plain`; a MensuraError where it is none. Objects are not looked at if it is our ``own``."""
    read = _Reader()
    room = PagiRoom((), preset=preset, gravity=gravity, forces=forces, key=key)
    room.steps = read.whole(plain["steps"])
    room.next_number = read.whole(plain["next"])
    for values in read.listed(plain["items"], MOST_ITEMS):
        item = Item(*values) if own else item_from_plain(values)
        read.whole(item.number, 0, room.next_number - 1)
        if item.number in room.items:
            raise MensuraError("an object is there twice")
        room.enter(item)
    seats = read.listed(plain["seats"], 100)
    # Seats come after items, as items do not depend on them.
    for one in seats:
        _read_seat(room, read, one)
    for left, right in (read.listed(one, 2) for one in read.listed(plain["kits"], MOST_ITEMS)):
        room.bodies.join(room.items[left], room.items[right])
    for one, other, length, stiff in (
        read.listed(one, 4) for one in read.listed(plain["ropes"], MOST_ITEMS)
    ):
        room.bodies.tie(one, other, read.number(length), read.true(stiff))
    for text, owner, x, y, until in (
        read.listed(one, 5) for one in read.listed(plain["bubbles"], MOST_BUBBLES)
    ):
        if (
            owner is not None
            and owner not in room.items
            and not -len(seats) <= read.whole(owner, -100, -1) <= -1
        ):
            raise MensuraError("a bubble is nobody's")
        bubble = Bubble(read.text(text), owner, read.number(x), read.number(y), read.whole(until))
        room.bubbles.append(bubble)
    for number, who in (read.listed(one, 2) for one in read.listed(plain["inside"], MOST_ITEMS)):
        if number not in room.items:
            raise MensuraError("a box is none")
        room.inside[number] = [(read.text(a), read.text(b)) for a, b in read.listed(who, 1000)]
    water = read.listed(plain["water"], MOST_WATER)
    room.water.pour([[read.number(one) for one in read.listed(values, 4)] for values in water])
    room.water.there = read.true(plain["poured"])
    room.solved = read.true(plain["solved"])
    room.spoken = [
        (read.whole(a, -1, 100), read.text(b)) for a, b in read.listed(plain["spoken"], MOST_EVENTS)
    ]
    return room


def _read_seat(room: PagiRoom, read: _Reader, plain: Any) -> None:
    numbers = [read.number(one) for one in read.listed(plain["pose"], 19)]
    if len(numbers) != 19:
        raise MensuraError("a pose is none")
    x, y, angle, vx, vy = numbers[:5]
    room.add_seat(x, y, angle)
    figure, state = room.bodies.figures[-1], room.seats[-1]
    figure.body.velocity = (vx, vy)
    for side, at in (("L", 5), ("R", 12)):
        hand = figure.hands[side]
        hand.body.position, hand.body.velocity = (
            (numbers[at], numbers[at + 1]),
            (numbers[at + 2], numbers[at + 3]),
        )
        held = int(numbers[at + 4])
        if held >= 0:
            if held not in room.items:
                raise MensuraError("a hand holds what is not there")
            room.bodies.hold(hand, held, (numbers[at + 5], numbers[at + 6]))
    state.endorphins = read.number(plain["endorphins"])
    state.eaten = [read.text(one) for one in read.listed(plain["eaten"], 10_000)]
    state.said = read.text(plain["said"])
    state.first = read.text(plain["first"])
    state.hot = read.number(plain["hot"])
    state.burning = [read.whole(one) for one in read.listed(plain["burning"], 18)]
    if len(state.burning) != 18:
        raise MensuraError("the sensors are not those of a body")
    state.speeches = read.whole(plain["speeches"])
    state.dumb = read.true(plain["dumb"])
    drive = read.listed(plain["drive"], 2)
    state.drive = (read.number(drive[0]), read.number(drive[1]))
    for kind, *fields in read.listed(plain["events"], MOST_EVENTS):
        if kind not in ("RD", "TB", "SC"):
            raise MensuraError("an event is none")
        state.events.append(Event(kind, tuple(read.text(one) for one in fields)))
