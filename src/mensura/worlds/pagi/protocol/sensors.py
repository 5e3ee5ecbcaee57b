"""The codes of sensors and effectors, and the numbers that expressions read from them.

The codes are those of the manual of PAGI World (Atreya et al. 2016): B0 to B7, L0 to L4, R0 to R4 (touch), V0.0 to
V30.20 and P0.0 to P15.10 (vision), MDN and MPN (all names of a field), S, BP, LP, RP and A.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, cast

from mensura.worlds.pagi.contract import POSE_ASPECTS, READINGS, SENSORS, Field, Room, Side

Part: TypeAlias = Literal["B", "L", "R"]
Reading: TypeAlias = Callable[[Room, int], float]
"""What gives a number for a seat of a room."""

POINTS: dict[str, int] = {"B": 8, "L": 5, "R": 5}
"""Sensors of touch on the body and on each hand."""
FIELDS: dict[str, tuple[int, int]] = {"V": (31, 21), "P": (16, 11)}
"""Columns and rows of both visual fields."""


class TouchCode(NamedTuple):
    """A sensor of touch."""

    part: Part
    number: int


class SightCode(NamedTuple):
    """A point of a visual field."""

    field: Field
    x: int
    y: int


class NamesCode(NamedTuple):
    """All names of a visual field."""

    field: Field


class PlainCode(NamedTuple):
    """S, BP, LP, RP or A."""

    code: str


SensorCode: TypeAlias = TouchCode | SightCode | NamesCode | PlainCode

PAIRS: dict[str, Callable[[Room, int], tuple[float, float]]] = {
    "S": lambda room, seat: room.velocity(seat),
    "BP": lambda room, seat: room.place(seat),
    "LP": lambda room, seat: room.hand(seat, "L"),
    "RP": lambda room, seat: room.hand(seat, "R"),
}
"""Sensors that read x and y."""

_KINDS = ("p", "tmp", "tx1", "tx2", "tx3", "tx4", "e")
"""The readings of a sensor of touch, in order."""
_TOUCH = re.compile(r"([BLR])([0-9]{1,2})")
_SIGHT = re.compile(r"([VP])([0-9]{1,2})\.([0-9]{1,2})")


@lru_cache(maxsize=4096)
def sensor(code: str) -> SensorCode | None:
    """The sensor of a code; None where there is none."""
    if code in PAIRS or code == "A":
        return PlainCode(code)
    if code in ("MDN", "MPN"):
        return NamesCode("V" if code == "MDN" else "P")
    if (match := _TOUCH.fullmatch(code)) and int(match[2]) < POINTS[match[1]]:
        return TouchCode(cast(Part, match[1]), int(match[2]))
    if match := _SIGHT.fullmatch(code):
        width, height = FIELDS[match[1]]
        if int(match[2]) < width and int(match[3]) < height:
            return SightCode(cast(Field, match[1]), int(match[2]), int(match[3]))
    return None


# Aspects ------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def aspect(name: str) -> Reading | None:
    """What reads an aspect such as B0_tmp, Sx or V3.4_vq1; None where there is none."""
    if name == "A":
        return lambda room, seat: room.rotation(seat)
    if name[:-1] in PAIRS and name[-1:] in ("x", "y"):
        read, axis = PAIRS[name[:-1]], "xy".index(name[-1])
        return lambda room, seat: read(room, seat)[axis]
    code, _, kind = name.partition("_")
    found = sensor(code)
    if isinstance(found, TouchCode):
        part, index = found
        if kind == "p":
            return lambda room, seat: float(room.touch(seat, part, index).touches)
        if kind == "tmp":
            return lambda room, seat: room.touch(seat, part, index).temperature
        if kind == "e":
            return lambda room, seat: room.touch(seat, part, index).endorphins
        if kind in ("tx1", "tx2", "tx3", "tx4"):
            which = int(kind[2]) - 1
            return lambda room, seat: room.touch(seat, part, index).texture[which]
    if isinstance(found, SightCode) and kind in ("vq1", "vq2", "vq3", "vq4"):
        field, x, y = found
        which = int(kind[2]) - 1
        return lambda room, seat: room.look(seat, field, x, y).qualities[which]
    return None


@lru_cache(maxsize=4096)
def aspect_number(name: str) -> int | None:
    """The place of an aspect of touch or pose in the row of all of them; None where it is none of these."""
    if name in POSE_ASPECTS:
        return SENSORS * READINGS + POSE_ASPECTS.index(name)
    code, _, kind = name.partition("_")
    found = sensor(code)
    if not isinstance(found, TouchCode) or kind not in _KINDS:
        return None
    first = {"B": 0, "L": POINTS["B"], "R": POINTS["B"] + POINTS["L"]}[found.part]
    return (first + found.number) * READINGS + _KINDS.index(kind)


# Effectors ----------------------------------------------------------------------


class Push(NamedTuple):
    """A force on the body or a hand: along x, along y, or both."""

    part: Part
    axes: Literal["x", "y", "xy"]


class Grip(NamedTuple):
    """A hand closes or opens."""

    side: Side
    closes: bool


Effector: TypeAlias = Push | Grip | Literal["turn", "jump"]

EFFECTORS: dict[str, Effector] = {
    **{f"{code}H": Push(part, "x") for code, part in (("BM", "B"), ("LH", "L"), ("RH", "R"))},  # type: ignore[arg-type]
    **{f"{code}V": Push(part, "y") for code, part in (("BM", "B"), ("LH", "L"), ("RH", "R"))},  # type: ignore[arg-type]
    **{f"{code}vec": Push(part, "xy") for code, part in (("BM", "B"), ("LH", "L"), ("RH", "R"))},  # type: ignore[arg-type]
    "BR": "turn",
    "J": "jump",
    "LHG": Grip("L", True),
    "RHG": Grip("R", True),
    "LHR": Grip("L", False),
    "RHR": Grip("R", False),
}
"""By their codes."""
