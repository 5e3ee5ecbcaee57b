"""Water: discs that run down and fill pits, through which objects pass, lifted and slowed by the water around them.

Discs that collide with objects jam: a light apple stays at the bottom. Here an object covers columns of the room, and
in each the water stands as high as the highest disc that is in it and not above the object; lift is the weight of the
water that the object takes the place of, and drag slows what is under water.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.worlds.pagi.items import Item
from mensura.worlds.pagi.kernels.water import soak

if TYPE_CHECKING:
    from mensura.worlds.pagi.room import PagiRoom

RADIUS = 0.3
DENSITY = 1.0
"""Mass of a square unit."""
DRAG = 3.0
"""The share of its velocity that something wholly under water loses in a second."""
LOWEST = -60.0
"""Water below this is gone."""
MOST = 600
"""Discs of a room."""


class Water:
    """The water of a room: outlets let it in, drains let it out."""

    def __init__(self, room: PagiRoom) -> None:
        self._room = room
        self._outlets: list[Item] = []
        self._drains: list[Item] = []
        self.there = False

    def look_for(self, item: Item) -> None:
        """Take note of an outlet or a drain."""
        if item.role == "outlet":
            self._outlets.append(item)
            self.there = True
        elif item.role == "drain":
            self._drains.append(item)

    def forget(self, item: Item) -> None:
        """It is gone."""
        self._outlets = [one for one in self._outlets if one is not item]
        self._drains = [one for one in self._drains if one is not item]

    def pour(self, values: Any) -> None:
        """Put discs of water where they are: x, y and velocity of each."""
        for x, y, vx, vy in values:
            self._room.bodies.add_water(x, y, RADIUS, vx, vy)
            self.there = True

    def flow(self) -> None:
        """Let water in by outlets that are on, a disc each 0.1 s until they are empty, and out by drains."""
        room = self._room
        if room.steps % 5:
            return
        for item in self._outlets:
            if item.on and item.count < int(item.mass) and len(room.bodies.water) < MOST:
                # Not all at one place, or they would stand on each other.
                side = ((item.count * 7) % 5 - 2) * 0.1 * item.width
                room.bodies.add_water(item.x + side, item.y - item.height / 2, RADIUS, 0.0, -2.0)
                item.count += 1
        places = room.bodies.water_places()
        away = places[:, 1] < LOWEST
        for one in self._drains:
            away |= (np.abs(places[:, 0] - one.x) <= one.width / 2) & (
                np.abs(places[:, 1] - one.y) <= one.height / 2
            )
        if away.any():
            room.bodies.remove_water([room.bodies.water[k] for k in np.flatnonzero(away).tolist()])

    def lift(self) -> None:
        """Lift and slow what is in the water."""
        room = self._room
        if not room.bodies.water:
            return
        bodies = [
            (room.bodies.of[one.number], one.area, math.sqrt(one.area), one.mass)
            for one in room.items.values()
            if one.solid and not one.fixed and not one.pivot
        ]
        if not bodies:
            return
        sizes = np.array([(*body.position, side) for body, _, side, _ in bodies], np.float64)
        shares = np.zeros(len(bodies))
        soak(room.bodies.water_places(), RADIUS, sizes, shares)
        gravity = room.bodies.gravity
        for (body, area, _, mass), share in zip(bodies, shares.tolist(), strict=True):
            if share > 0.0:
                x, y = body.force
                vx, vy = body.velocity
                # The water that moves along counts with it, so that light things are not shaken.
                drag = DRAG * (mass + DENSITY * area) * share
                most = mass / 0.02  # never more than would stop it within a step
                drag = min(drag, most)
                up = DENSITY * area * share * gravity
                up = min(up, (mass + DENSITY * area * share) * gravity * 0.5 + mass * gravity)
                scale = mass / (mass + DENSITY * area * share)
                lift = (up - mass * gravity) * scale + mass * gravity
                body.force = (x - drag * vx, y + lift - drag * vy)
