"""What PAGI World takes: a standard room with all sensors, the same by point queries, water, and a restore."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from measure import Figure, best_rate

REAL = 10.0
"""Interactions of a second in real time."""
REFLEXES = [f"B{k % 8}_tmp|>|{900 + k},addForce|LHH|1" for k in range(10)]


def standard_room() -> dict[str, Any]:
    """Body, hands, 20 objects and 10 reflexes."""
    objects: list[dict[str, Any]] = [{"kind": "ground", "name": "ground", "x": 0, "y": -2}]
    for name, x in (("west", -41), ("east", 41)):
        objects.append({"kind": "ledge", "name": name, "x": x, "y": 18, "width": 2, "height": 44})
    kinds = ("wallBlock", "apple", "bowlingBall", "medkit", "weight4", "baseball", "soldier")
    places = [-38 + 4.5 * k for k in range(18) if abs(-38 + 4.5 * k) > 4]
    for k, x in enumerate(places[:17]):
        objects.append({"kind": kinds[k % len(kinds)], "name": f"thing{k}", "x": x, "y": 4})
    return {"name": "standard", "horizon": 100_000, "objects": objects}


def pagi_room(quick: bool) -> Iterator[Figure]:
    """Interactions a second through the step door, beside the version that asks the engine for each point."""
    import pymunk

    from mensura.worlds.pagi.world import Pagi

    everything = pymunk.ShapeFilter()
    count = 100 if quick else 1000
    rates = {}
    for name, sees, reflexes in (
        ("all sensors, 10 reflexes", "all", True),
        ("all sensors", "all", False),
        ("point queries", "nothing", True),
    ):
        task = standard_room()
        if reflexes:
            task["reflexes"] = [f"setReflex,r{k},{one}" for k, one in enumerate(REFLEXES)]
        world = Pagi(task=json.dumps(task), sees=sees)
        environment = world.build(world.sample(0))
        environment.reset(0)
        action = np.zeros(10)
        action[0] = 0.3
        points = [(-2.25 + 0.15 * i, 1.65 + 0.15 * j) for j in range(21) for i in range(31)]
        points += [(-14.5 + 2.0 * i, 0.5 + 2.0 * j) for j in range(11) for i in range(16)]

        def played(environment: Any = environment, by_points: bool = sees == "nothing") -> int:
            for _ in range(count // 10 if by_points else count):
                environment.step([action], [0.0])
                if by_points:
                    space = environment.room.bodies.space
                    x, y = environment.room.place(0)
                    for dx, dy in points:
                        space.point_query((x + dx, y + dy), 0.0, everything)
            return count // 10 if by_points else count

        rates[name] = best_rate(played)
    all_of_it = rates["all sensors, 10 reflexes"]
    yield Figure(
        "PAGI World, one core: standard room, all sensors, 10 reflexes",
        all_of_it / REAL,
        "x real time",
        300.0,
    )
    yield Figure(
        "PAGI World, one core: the same without reflexes",
        rates["all sensors"] / REAL,
        "x real time",
    )
    yield Figure(
        "PAGI World: against the version by point queries",
        all_of_it / rates["point queries"],
        "x",
        15.0,
    )


def pagi_water(quick: bool) -> Iterator[Figure]:
    """A room with 300 discs of water."""
    from mensura.worlds.pagi.room import PagiRoom

    room = PagiRoom(((20.0, 1.14),))
    room.put("ground", "ground", y=-2.0)
    for x in (-6.5, 6.5):
        room.put("ledge", f"side{x > 0:d}", x=x, y=5.0, width=1.0, height=10.0)
    discs = [
        (-5.6 + 0.62 * i + 0.01 * (j % 2), 0.4 + 0.62 * j, 0.0, 0.0)
        for j in range(17)
        for i in range(18)
    ]
    room.water.pour(discs[:300])
    room.put("apple", "apple", x=0.0, y=13.0, mass=0.2)
    steps = 50 if quick else 500

    def played() -> int:
        for _ in range(steps):
            room.step()
        return steps

    yield Figure(
        "PAGI World, one core: 300 discs of water", best_rate(played) / 50.0, "x real time", 20.0
    )


def pagi_restore(quick: bool) -> Iterator[Figure]:
    """The longest restore: from just before a keyframe."""
    from mensura.worlds.pagi.world import Pagi

    world = Pagi(task=json.dumps(standard_room()))
    environment = world.build(world.sample(0))
    environment.reset(0)
    action = np.zeros(10)
    for _ in range(99):
        environment.step([action], [0.0])
    state = environment.snapshot()
    best = math.inf
    for _ in range(3 if quick else 10):
        begun = time.perf_counter()
        environment.restore(state)
        best = min(best, time.perf_counter() - begun)
    yield Figure(
        "PAGI World: a restore from 49 interactions after a keyframe", best * 1e3, "ms", 20.0, False
    )


PARTS = (pagi_room, pagi_water, pagi_restore)
