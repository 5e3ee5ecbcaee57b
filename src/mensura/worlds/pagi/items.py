"""One object of a room as data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.numbers import is_number
from mensura.worlds.pagi.kinds import KINDS, Kind, Outline, Quality

MOST = 1e6
"""No place, speed or mass of an object is beyond this."""
SMALLEST = 0.05
LARGEST = 1000.0


@dataclass(slots=True)
class Item:
    """An object: what its kind says unless it says otherwise, and where it is. It is changed by the room alone."""

    kind: str
    name: str
    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    spin: float = 0.0
    outline: Outline = "box"
    width: float = 1.0
    height: float = 1.0
    mass: float = 1.0
    fixed: bool = False
    upright: bool = False
    solid: bool = True
    seen: bool = True
    material: int = 1
    endorphins: float = 0.0
    eaten: bool = False
    temperature: float = 0.0
    look: Quality = (0.5, 0.5, 0.5, 0.5)
    texture: Quality = (0.5, 0.0, 0.0, 0.0)
    pivot: bool = False
    swing: float = 0.0
    note: str = ""
    """What a dispenser gives, what a locked box holds, what a rope ties."""
    locked: bool = False
    """It is held at its angle until it is released."""
    on: bool = False
    """Of buttons, switches and levers; of soldiers: healthy."""
    locked_out: bool = False
    """Of levers: it was toggled, and is not armed again yet."""
    count: int = 0
    """How often it has done something."""
    hidden: bool = False
    """Nobody feels its endorphins."""
    pivot_x: float = 0.0
    pivot_y: float = 0.0
    number: int = field(default=-1)
    """Which one it is in the order of creation."""

    @property
    def role(self) -> str:
        """What it is for."""
        return KINDS[self.kind].role

    @property
    def corners(self) -> list[tuple[float, float]]:
        """The corners around its middle, counterclockwise; none of a disc."""
        w, h = self.width / 2, self.height / 2
        if self.outline == "left ramp":  # rises to the left
            return [(-w, -h), (w, -h), (-w, h)]
        if self.outline == "right ramp":
            return [(-w, -h), (w, -h), (w, h)]
        return [] if self.outline == "disc" else [(-w, -h), (w, -h), (w, h), (-w, h)]

    @property
    def area(self) -> float:
        """What of the room it covers."""
        if self.outline == "disc":
            return math.pi * self.width * self.width / 4
        return self.width * self.height * (1.0 if self.outline == "box" else 0.5)

    def to_plain(self) -> list[Any]:
        """Its values in the order of its fields."""
        return list(_VALUES(self))


NAMES = tuple(one.name for one in fields(Item))
_VALUES = attrgetter(*NAMES)
_DEFAULTS = Item("item", "")
_OF_KIND = tuple(one.name for one in fields(Kind) if one.name not in ("role", "gripped"))


def make_item(kind: str, name: str, **changes: Any) -> Item:
    """An object of a kind, with values of its own where they are given; a sentence where there cannot be one."""
    known = KINDS.get(kind)
    if known is None:
        raise MensuraError(
            f"There is no kind of object {kind!r:.60}; {neighbors(kind, list(KINDS))}"
        )
    values = {one: getattr(known, one) for one in _OF_KIND}
    for one in changes:
        if one not in NAMES or one in ("kind", "name", "outline", "number"):
            settable = [n for n in NAMES if n not in ("kind", "name", "outline", "number")]
            raise MensuraError(f"{name or kind} has no {one!r:.60}; {neighbors(one, settable)}")
    values.update(changes)
    item = Item(kind, name, **values)
    if "pivot_x" not in changes:
        item.pivot_x, item.pivot_y = item.x, item.y
    check_item(item)
    return item


def check_item(item: Item) -> None:
    """Raise with a sentence where a value is none that an object can have."""
    for name in NAMES:
        value, usual = getattr(item, name), getattr(_DEFAULTS, name)
        if isinstance(usual, tuple):
            whole = isinstance(value, (tuple, list)) and len(value) == len(usual)
            if not whole or not all(is_number(one) and abs(one) <= MOST for one in value):
                raise MensuraError(
                    f"{name} of {item.name!r:.60} is {value!r:.60}; it must be four numbers."
                )
            setattr(item, name, tuple(float(one) for one in value))
        elif isinstance(usual, bool):
            if not isinstance(value, bool):
                raise MensuraError(
                    f"{name} of {item.name!r:.60} is {value!r:.60}; it must be true or false."
                )
        elif isinstance(usual, str):
            if not isinstance(value, str) or len(value) > 200:
                raise MensuraError(
                    f"{name} of an object is {value!r:.60}; it must be a text of at most 200 characters."
                )
        elif isinstance(usual, int):
            if type(value) is not int or abs(value) > MOST:
                raise MensuraError(
                    f"{name} of {item.name!r:.60} is {value!r:.60}; it must be a whole number."
                )
        elif not is_number(value) or not abs(value) <= MOST:
            raise MensuraError(
                f"{name} of {item.name!r:.60} is {value!r:.60}; it must be a number from -{MOST:g} to {MOST:g}."
            )
        else:
            setattr(item, name, float(value))
    if not (SMALLEST <= item.width <= LARGEST and SMALLEST <= item.height <= LARGEST):
        raise MensuraError(
            f"{item.name!r:.60} is {item.width:g} by {item.height:g}; sizes are from {SMALLEST:g} to {LARGEST:g}."
        )
    if not item.mass >= 1e-6:
        raise MensuraError(
            f"The mass of {item.name!r:.60} is {item.mass:g}; it must be at least 0.000001."
        )
    if not 0 <= item.material <= 5:
        raise MensuraError(
            f"The material of {item.name!r:.60} is {item.material}; it must be from 0 to 5."
        )
    if item.outline not in ("box", "disc", "left ramp", "right ramp"):
        raise MensuraError(f"The outline of {item.name!r:.60} is {item.outline!r}.")


def item_from_plain(values: Any) -> Item:
    """What :meth:`Item.to_plain` gave; a sentence where it is none."""
    if not isinstance(values, list) or len(values) != len(NAMES) or values[0] not in KINDS:
        raise MensuraError("This is no object of a room.")
    item = Item(*values)
    check_item(item)
    return item
