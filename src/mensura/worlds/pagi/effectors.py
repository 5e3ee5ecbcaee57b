"""What a body can do: push, turn, jump, grip and release."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from mensura.agent.errors import MensuraError
from mensura.agent.keys import choice
from mensura.worlds.pagi.contract import Side
from mensura.worlds.pagi.happenings import tell_grip
from mensura.worlds.pagi.items import Item
from mensura.worlds.pagi.kinds import KINDS

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom

JUMP = 30_000.0


def push(room: PagiRoom, seat: int, part: Literal["B", "L", "R"], x: float, y: float) -> None:
    """A force for the coming physics step, in the frame of the body; a hand's acts on the body in reverse."""
    if not (math.isfinite(x) and math.isfinite(y)):
        raise MensuraError(f"A force of ({x}, {y}) is none; it must be two finite numbers.")
    figure = room.bodies.figures[seat]
    limits = room.forces
    most_x, most_y = (limits.body, limits.lift) if part == "B" else (limits.hand, limits.hand)
    before = room.pushed.get((seat, part))
    if before is not None or not (-most_x <= x <= most_x and -most_y <= y <= most_y):
        # Several pushes of one step add up, and their sum is limited.
        before_x, before_y = before or (0.0, 0.0)
        sum_x = max(-most_x, min(most_x, before_x + x))
        sum_y = max(-most_y, min(most_y, before_y + y))
        room.pushed[seat, part] = (sum_x, sum_y)
        x, y = sum_x - before_x, sum_y - before_y
    else:
        room.pushed[seat, part] = (x, y)
    if figure.angle:
        c, s = math.cos(figure.angle), math.sin(figure.angle)
        x, y = x * c - y * s, x * s + y * c
    if part == "B":
        figure.push(x, y)
        return
    hand = figure.hands[part]
    hand.force = (hand.force[0] + x, hand.force[1] + y)
    figure.push(-x, -y)


def turn(room: PagiRoom, seat: int, degrees: float) -> None:
    """Turn a body with its hands, within a step no farther than the task allows."""
    if not math.isfinite(degrees):
        raise MensuraError(f"A turn of {degrees} degrees is none; it must be a finite number.")
    figure = room.bodies.figures[seat]
    most = room.forces.turn
    before, _ = room.pushed.get((seat, "turn"), (0.0, 0.0))
    total = max(-most, min(most, before + degrees))
    room.pushed[seat, "turn"] = (total, 0.0)
    figure.angle = math.remainder(figure.angle + math.radians(total - before), math.tau)
    figure.body.angle = figure.angle
    for hand in figure.hands.values():
        hand.body.angle = figure.angle
    room.senses.forget()


def jump(room: PagiRoom, seat: int) -> bool:
    """Jump once in a step, if there is something to jump from, which gets the reverse force."""
    below_it = room.senses.feet(seat)
    if below_it is None:
        return False
    if seat in room.jumped:
        return True
    room.jumped.add(seat)
    number, place = below_it
    figure = room.bodies.figures[seat]
    x, y = -math.sin(figure.angle) * JUMP, math.cos(figure.angle) * JUMP
    figure.push(x, y)
    if number >= 0 and not room.items[number].fixed and room.items[number].solid:
        room.bodies.of[number].apply_force_at_world_point((-x, -y), place)
    return True


def grip(room: PagiRoom, seat: int, side: Side) -> bool:
    """Grip the foremost object under the middle of a hand."""
    hand = room.bodies.figures[seat].hands[side]
    if hand.grip is not None:
        return False
    x, y = hand.body.position
    item = room.senses.item_at(x, y, seat)
    if item is None or not KINDS[item.kind].gripped:
        return False
    tell_grip(room, seat, side, "G", x, y)
    if item.role == "switch":
        item.on = not item.on
        item.count += 1
    elif item.role == "dispenser":
        _dispense(room, item)
    local = room.bodies.of[item.number].world_to_local((x, y))
    room.bodies.hold(hand, item.number, (local.x, local.y))
    return True


def release(room: PagiRoom, seat: int, side: Side) -> bool:
    """Let go of what a hand holds."""
    hand = room.bodies.figures[seat].hands[side]
    if hand.grip is None:
        return False
    room.bodies.let_go(hand)
    x, y = hand.body.position
    tell_grip(room, seat, side, "R", x, y)
    return True


def _dispense(room: PagiRoom, item: Item) -> None:
    """Give an apple or poison: as its note says, "always", "1 in n" (an apple, else poison), or "n times"."""
    item.count += 1
    kind, words = "apple", item.note.split()
    if len(words) == 3 and words[:2] == ["1", "in"] and words[2].isdecimal():
        chance = max(int(words[2]), 1)
        drawn = choice(room.key, item.count, item.number & 0xFFFF, chance)
        kind = "apple" if drawn == 0 else "poison"
    elif (
        len(words) == 2
        and words[1] == "times"
        and words[0].isdecimal()
        and item.count > int(words[0])
    ):
        kind = "poison"
    if not room.is_full:
        room.put(kind, "", x=item.x, y=item.y - item.height / 2 - 0.6)
