"""Actions as numbers: a box of forces, and named moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from mensura.worlds.pagi.contract import Side
from mensura.worlds.pagi.effectors import push

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom

PARTS = (
    *("body_x", "body_y", "left_x", "left_y", "right_x", "right_y"),
    *("turn", "jump", "left_grip", "right_grip"),
)
"""What the numbers of an action by forces mean, each from -1 to 1; words of the task come after them."""
(BODY_X, BODY_Y, LEFT_X, LEFT_Y, RIGHT_X, RIGHT_Y, TURN, JUMP, LEFT_GRIP, RIGHT_GRIP) = range(
    len(PARTS)
)
DEGREES = 6.0
"""A whole turn of the action is so many degrees in each physics step."""
THRESHOLD = 0.5
"""Above it a jump is made, or a word is said."""
SPOKEN_SECONDS = 2.0

_MOVES: dict[str, dict[int, float]] = {
    "nothing": {},
    "left": {BODY_X: -1.0},
    "right": {BODY_X: 1.0},
    "jump": {JUMP: 1.0},
    **{
        f"{name} hand {way}": {(first if way in ("left", "right") else first + 1): sign * 0.15}
        for name, first in (("left", LEFT_X), ("right", RIGHT_X))
        for way, sign in (("up", 1.0), ("down", -1.0), ("left", -1.0), ("right", 1.0))
    },
    "grip left": {LEFT_GRIP: 1.0},
    "grip right": {RIGHT_GRIP: 1.0},
    "release left": {LEFT_GRIP: -1.0},
    "release right": {RIGHT_GRIP: -1.0},
    "turn left": {TURN: 1.0},
    "turn right": {TURN: -1.0},
}


@lru_cache(maxsize=64)
def moves(words: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the discrete actions, in order."""
    return (*_MOVES, *(f"say {word}" for word in words))


@lru_cache(maxsize=64)
def _vectors(words: tuple[str, ...]) -> tuple[tuple[float, ...], ...]:
    size = len(PARTS) + len(words)
    found = []
    for values in (*_MOVES.values(), *({len(PARTS) + k: 1.0} for k in range(len(words)))):
        one = [0.0] * size
        for at, value in values.items():
            one[at] = value
        found.append(tuple(one))
    return tuple(found)


def vector_of(move: int, words: tuple[str, ...]) -> tuple[float, ...]:
    """A discrete action as forces."""
    return _vectors(words)[move]


def speak(room: PagiRoom, seat: int, forces: Sequence[float], words: tuple[str, ...]) -> None:
    """Say the words of an action, when it begins."""
    for word, value in zip(words, forces[len(PARTS) :], strict=True):
        if value > THRESHOLD:
            room.say(seat, "P", word, SPOKEN_SECONDS, 0.0, 2.5)


def act(room: PagiRoom, seat: int, forces: Sequence[float], first: bool) -> None:
    """Push, turn, grip and jump for one physics step; a jump is made in the first one only."""
    limits = room.forces
    if forces[BODY_X] or forces[BODY_Y]:
        push(room, seat, "B", forces[BODY_X] * limits.body, forces[BODY_Y] * limits.lift)
    if not any(forces[LEFT_X : len(PARTS)]):  # as mostly
        return
    sides: tuple[tuple[Any, int, int], ...] = (("L", LEFT_X, LEFT_GRIP), ("R", RIGHT_X, RIGHT_GRIP))
    for side, at, grip in sides:
        if forces[at] or forces[at + 1]:
            push(room, seat, side, forces[at] * limits.hand, forces[at + 1] * limits.hand)
        if forces[grip] > 0.0:
            room.grip(seat, cast(Side, side))
        elif forces[grip] < 0.0:
            room.release(seat, cast(Side, side))
    if forces[TURN]:
        room.turn(seat, forces[TURN] * DEGREES)
    if first and forces[JUMP] > THRESHOLD:
        room.jump(seat)
