"""What a room knows of its seats: how strong they may be, what they have been through, and what they say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mensura.worlds.pagi.contract import Event


class Forces(NamedTuple):
    """The largest forces that a seat may use, each way."""

    body: float = 1000.0
    lift: float = 400.0
    """Upwards and downwards, on the body: less than its weight, or it would fly."""
    hand: float = 200.0
    turn: float = 30.0
    """Degrees in one step."""


USUAL_FORCES = Forces()


@dataclass
class Bubble:
    """What somebody said, while it can be seen."""

    text: str
    owner: int | None
    """The number of the item that said it, -1 - seat, or nobody."""
    x: float
    y: float
    until: int
    """The step at which it is gone."""


@dataclass
class SeatState:
    """What a seat has been through."""

    endorphins: float = 0.0
    """All that it has felt."""
    eaten: list[str] = field(default_factory=list)
    """The kinds of what it has eaten."""
    said: str = ""
    """What it said last."""
    first: str = ""
    """What it said first."""
    speeches: int = 0
    hot: float = 0.0
    """The longest time in seconds for which it touched something hot, where somebody measures it."""
    burning: list[int] = field(default_factory=lambda: [0] * 18)
    """For how many steps each sensor has touched something hot."""
    dumb: bool = False
    """It cannot speak."""
    drive: tuple[float, float] = (0.0, 0.0)
    """A force that drives its body at every step, whatever the seat does."""
    events: list[Event] = field(default_factory=list)
