"""The kinds of objects: size, mass, how they feel and look, and what they are for.

Values are those of the authors' program where it has them; how things look and how rough they are is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Outline: TypeAlias = Literal["box", "disc", "left ramp", "right ramp"]
Quality: TypeAlias = tuple[float, float, float, float]

MATERIALS = (
    *((0.1, 0.0), (1.0, 0.0), (10.0, 0.0)),
    *((0.1, 0.75), (1.0, 0.75), (10.0, 0.75)),
)
"""Friction and bounce of the materials 0 to 5."""


@dataclass(frozen=True)
class Kind:
    """What objects of a kind have in common."""

    outline: Outline
    width: float
    height: float
    mass: float = 1.0
    fixed: bool = False
    """It stays where it is."""
    upright: bool = False
    """It moves but never turns."""
    solid: bool = True
    """Others touch it; what is not solid is in the background."""
    seen: bool = True
    material: int = 1
    endorphins: float = 0.0
    """What a body feels that touches it; food is then gone."""
    eaten: bool = False
    temperature: float = 0.0
    look: Quality = (0.5, 0.5, 0.5, 0.5)
    """Red, green, blue and roughness."""
    texture: Quality = (0.5, 0.0, 0.0, 0.0)
    gripped: bool = True
    """A hand can grip it."""
    pivot: bool = False
    """It turns about its place."""
    swing: float = 0.0
    """How many degrees it turns at most to each side; 0: all the way around."""
    role: str = ""
    """What it does: kit, soldier, dynamite, wall of dynamite, dispenser, trigger, lever, button, switch, key..."""


def _food(look: Quality, endorphins: float) -> Kind:
    return Kind("disc", 1.0, 1.0, endorphins=endorphins, eaten=True, look=look)


def _fixed(kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    return {
        f"floating{name[0].upper()}{name[1:]}": replace(kind, fixed=True)
        for name, kind in kinds.items()
    }


_STONE = (0.6, 0.6, 0.6, 0.8)
_WALLS = {
    "wallBlock": Kind("box", 2.55, 2.55, 50, look=_STONE),
    "horizontalWall": Kind("box", 7.9, 2.66, 50, look=_STONE),
    "verticalWall": Kind("box", 2.66, 7.9, 50, look=_STONE),
    "leftRamp": Kind("left ramp", 4.0, 4.0, 50, look=_STONE),
    "rightRamp": Kind("right ramp", 4.0, 4.0, 50, look=_STONE),
}
_COLORS: dict[str, Quality] = {
    "red": (0.9, 0.1, 0.1, 0.6),
    "green": (0.1, 0.8, 0.1, 0.6),
    "blue": (0.1, 0.2, 0.9, 0.6),
}
_WEIGHT = (0.2, 0.2, 0.2, 0.2)

KINDS: Mapping[str, Kind] = {
    "apple": _food((0.9, 0.1, 0.2, 0.1), 10),
    "bacon": _food((0.8, 0.4, 0.4, 0.4), 100),
    "steak": _food((0.6, 0.2, 0.1, 0.5), 5),
    "bluePill": _food((0.2, 0.3, 1.0, 0.0), 5),
    "redPill": _food((1.0, 0.2, 0.2, 0.0), -5),
    "poison": _food((0.5, 0.9, 0.1, 0.1), -10),
    **_WALLS,
    **_fixed(_WALLS),
    "iceBlock": Kind("box", 6, 6, 5, material=0, temperature=-1000, look=(0.7, 0.9, 1.0, 0.0)),
    "lavaBlock": Kind("box", 6, 6, 5, temperature=1000, look=(1.0, 0.4, 0.0, 0.9)),
    **{f"{color}Wall": Kind("box", 6, 6, fixed=True, look=look, role="wall") for color, look in _COLORS.items()},
    **{f"{color}Dynamite": Kind("box", 0.8, 1.6, 1, look=look, role="dynamite") for color, look in _COLORS.items()},
    "medkit": Kind("box", 2.5, 2.5, 1, look=(1.0, 1.0, 1.0, 0.3), role="kit"),
    "largeMedkit": Kind("box", 5.0, 2.5, 2, look=(1.0, 0.9, 0.9, 0.3), role="large kit"),
    "halfMedkit": Kind("box", 2.5, 2.5, 1, look=(1.0, 0.9, 0.9, 0.3), role="kit"),
    "soldier": Kind("box", 1.6, 3.2, 60, upright=True, look=(0.3, 0.4, 0.2, 0.7), role="soldier"),
    "bowlingBall": Kind("disc", 5.94, 5.94, 100, look=(0.1, 0.1, 0.2, 0.0)),
    "triggerBox": Kind("box", 4, 4, fixed=True, solid=False, seen=False, role="trigger"),
    "dispenser": Kind("box", 2, 3, fixed=True, solid=False, look=(0.8, 0.7, 0.2, 0.2), role="dispenser"),
    "breakingBox": Kind("box", 2, 2, 5, look=(0.6, 0.4, 0.2, 0.6), role="breaking box"),
    "lockedBox": Kind("box", 2, 2, 5, look=(0.5, 0.3, 0.1, 0.6), role="locked box"),
    "key": Kind("box", 0.9, 0.4, 0.5, look=(0.9, 0.8, 0.1, 0.1), role="key"),
    **{f"weight{mass}": Kind("box", 0.8, 0.8 + 0.1 * mass, mass, look=_WEIGHT, role="weight") for mass in (1, 2, 4, 8)},
    "beam": Kind("box", 50, 1.36, 40, look=(0.6, 0.5, 0.3, 0.5), pivot=True, swing=10, role="beam"),
    "lever": Kind("box", 0.5, 5, 2, look=(0.7, 0.7, 0.8, 0.1), pivot=True, swing=45, role="lever"),
    "pivotWall": Kind("box", 1.0, 8.0, 20, look=_STONE, pivot=True, role="pivoted wall"),
    "flame": Kind("disc", 1, 1, fixed=True, solid=False, temperature=800, look=(1.0, 0.7, 0.1, 1.0)),
    "hotPlate": Kind("box", 4, 0.5, fixed=True, temperature=200, look=(0.8, 0.3, 0.3, 0.1)),
    "hotStone": Kind("disc", 1.0, 1.0, temperature=300, look=(0.8, 0.3, 0.2, 0.5)),
    "button": Kind("box", 1.5, 0.6, fixed=True, solid=False, look=(0.9, 0.2, 0.2, 0.2), role="button"),
    "switch": Kind("box", 0.8, 1.2, fixed=True, solid=False, look=(0.2, 0.8, 0.8, 0.2), role="switch"),
    "hook": Kind("disc", 0.5, 0.5, fixed=True, solid=False, look=(0.4, 0.4, 0.4, 0.2), role="hook"),
    "baseball": Kind("disc", 0.7, 0.7, 0.15, material=4, look=(0.95, 0.95, 0.9, 0.4)),
    "ground": Kind("box", 120, 4, fixed=True, look=(0.3, 0.25, 0.2, 0.9), gripped=False),
    "ledge": Kind("box", 10, 1, fixed=True, look=(0.3, 0.25, 0.2, 0.9), gripped=False),
    "outlet": Kind("box", 1, 1, fixed=True, solid=False, look=(0.3, 0.3, 0.7, 0.2), role="outlet"),
    "drain": Kind("box", 2, 1, fixed=True, solid=False, look=(0.1, 0.1, 0.1, 0.2), role="drain"),
    "post": Kind("box", 0.6, 4, fixed=True, solid=False, look=(0.5, 0.4, 0.3, 0.6)),
    "item": Kind("box", 1, 1),
}  # fmt: skip
"""All kinds by name; ``item`` is what somebody creates with a picture."""

NUMBERS = {name: number for number, name in enumerate(KINDS, 1)}
"""Kinds as numbers, for seats that may know them; 0 is nothing."""
BODY_KIND, BUBBLE_KIND, WATER_KIND, ROPE_KIND, WIRE_KIND = range(len(KINDS) + 1, len(KINDS) + 6)
LAST_KIND = WIRE_KIND
