"""Speech, and what those may do who arrange a room."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError
from mensura.worlds.pagi.contract import STEP
from mensura.worlds.pagi.kinds import KINDS

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom

LONGEST_SPEECH = 200
MOST_BUBBLES = 40
MOST_SPOKEN = 1000
LONGEST_SECONDS = 3600.0
STRONGEST = 1e6


def say(
    room: PagiRoom, seat: int, speaker: str, text: str, seconds: float, x: float, y: float
) -> bool:
    """Let somebody say something for some time; whether there is such a speaker."""
    from mensura.worlds.pagi.seat_state import Bubble

    owner: int | None = None
    text = text[:LONGEST_SPEECH]
    if speaker == "P":
        owner = -1 - seat
        state = room.seats[seat]
        if state.dumb:
            return True  # it tries, and nothing is heard
        state.said = text
        state.first = state.first or text
        state.speeches += 1
    elif speaker != "N":
        item = room.find(speaker)
        if item is None:
            return False
        owner = item.number
    seconds = min(max(seconds, 0.0), LONGEST_SECONDS) if math.isfinite(seconds) else LONGEST_SECONDS
    x, y = (max(-100.0, min(100.0, one)) if math.isfinite(one) else 0.0 for one in (x, y))
    until = room.steps + max(round(seconds / STEP), 1)
    room.bubbles = [*room.bubbles[-MOST_BUBBLES + 1 :], Bubble(text, owner, x, y, until)]
    if len(room.spoken) < MOST_SPOKEN:
        room.spoken.append((seat if speaker == "P" else -1, text))
    room.bodies.changed = True
    return True


def create(room: PagiRoom, name: str, image: str, kind: int, values: dict[str, Any]) -> str:
    """Put an item with a picture into the room; why not, or nothing."""
    size: tuple[float, float] | str = "fileNotFound"
    look = KINDS["item"].look
    if image in KINDS:
        like = KINDS[image]
        size, look = (like.width, like.height), like.look
    elif room.pictures is not None:
        size = room.pictures(image)
    if isinstance(size, str):
        return size
    if not 0 <= kind <= 6:
        return f"{kind} is no kind of item; they are 0 to 6"
    try:
        room.put(
            "item",
            name,
            **values,
            look=look,
            width=size[0],
            height=size[1],
            fixed=kind in (0, 1, 6),
            upright=kind in (2, 3),
            solid=kind in (1, 3, 5),
            seen=kind not in (0, 2, 4),
        )
    except MensuraError as error:
        return str(error)
    return ""


def push_item(room: PagiRoom, name: str, x: float, y: float, torque: float) -> bool:
    """Push and turn an object for one step; whether there is such an item."""
    item = room.find(name)
    if item is None:
        return False
    if not all(map(math.isfinite, (x, y, torque))):
        raise MensuraError(
            f"A force of ({x}, {y}) and {torque} is none; it must be finite numbers."
        )
    body = room.bodies.of[item.number]
    if not item.fixed and item.solid:
        x, y, torque = (max(-STRONGEST, min(STRONGEST, one)) for one in (x, y, torque))
        fx, fy = body.force
        body.force = (fx + x, fy + y)
        body.torque += torque
    return True
