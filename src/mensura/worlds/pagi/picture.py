"""The room as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mensura.pictures.picture import Picture

if TYPE_CHECKING:
    from mensura.worlds.pagi.environment import PagiEnvironment


def moment(environment: PagiEnvironment) -> Picture:
    """All of the room."""
    return Picture([], (10, 7.5), "room")


def sensed(environment: PagiEnvironment, seat: int) -> Picture:
    """What a seat senses."""
    return Picture([], (10, 7.5), "room")
