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


def by_point_queries(environment: Any) -> None:
    """Let an environment ask the engine what is at each sensor, point by point, and observe the same."""
    import pymunk

    from mensura.worlds.pagi.senses import BODY_SENSORS, HAND_SENSORS, SHAPES, Senses

    everything = pymunk.ShapeFilter()

    class PointSenses(Senses):
        """The senses of a room of solid, visible objects."""

        def _found(self, x: float, y: float, seat: int) -> int:
            """The row of the foremost object at a point."""
            bodies = self._room.bodies
            own, found = bodies.figures[seat].body, -1
            for one in bodies.space.point_query((x, y), 0.0, everything):
                if one.shape is not None and one.shape.body is not own:
                    found = max(found, self._rows[one.shape.body.id])
            return found

        def outline(self) -> None:
            super().outline()
            self._asked: dict[int, Any] = {}
            bodies = self._room.bodies
            self._rows = {
                bodies.of[thing.item.number].id: row
                for row, thing in enumerate(self.outlines.things)
                if thing.item is not None
            }

        def aspects(self, seat: int) -> Any:
            poses = self.poses
            if seat in self._fresh:
                return self._asked[seat]
            x, y, angle, *speed = poses[self.outlines.body_rows[seat]].tolist()
            c, s = math.cos(angle), math.sin(angle)
            hands = [
                tuple(poses[row, :2].tolist()) for row in self.outlines.hand_rows[seat].tolist()
            ]
            parts = [((x, y), BODY_SENSORS), *((place, HAND_SENSORS) for place in hands)]
            felt = [
                self.outlines.readings[
                    self._found(px + dx * c - dy * s, py + dx * s + dy * c, seat)
                ]
                for (px, py), sensors in parts
                for dx, dy in sensors.tolist()
            ]
            moved = [(hx - x, hy - y) for hx, hy in hands]
            pose = [one for dx, dy in moved for one in (dx * c + dy * s, dy * c - dx * s)]
            self._asked[seat] = np.concatenate([*felt, (*speed, x, y, *pose, angle)])
            self._fresh.add(seat)
            return self._asked[seat]

        def write_looks(self, seat: int, field: Any, first: int, out: Any) -> None:
            x, y, angle = self.poses[self.outlines.body_rows[seat], :3].tolist()
            c, s = math.cos(angle), math.sin(angle)
            left, bottom, dx, dy = self._grids[field].tolist()
            rows, columns = SHAPES[field]
            for j in range(rows):
                gy = bottom + j * dy
                for i in range(columns):
                    gx = left + i * dx
                    found = self._found(x + gx * c - gy * s, y + gx * s + gy * c, seat)
                    out[first : first + 4] = self.outlines.looks[found]
                    first += 4

    rebuild = environment._rebuild

    def rebuilt(frame: Any, own: bool = False) -> None:
        rebuild(frame, own)
        environment.room.senses = PointSenses(environment.room, environment.room.preset)

    environment._rebuild = rebuilt


def standard_environment(reflexes: bool) -> Any:
    """The standard room with all sensors."""
    from mensura.worlds.pagi.world import Pagi

    task = standard_room()
    if reflexes:
        task["reflexes"] = [f"setReflex,r{k},{one}" for k, one in enumerate(REFLEXES)]
    world = Pagi(task=json.dumps(task))
    return world.build(world.sample(0))


def pagi_room(quick: bool) -> Iterator[Figure]:
    """Interactions a second through the step door, beside the version that asks the engine for each point."""
    count = 100 if quick else 1000
    action = np.zeros(10)
    action[0] = 0.3
    rates, last = {}, {}
    for name, reflexes, by_points in (
        ("all sensors, 10 reflexes", True, False),
        ("all sensors", False, False),
        ("point queries", True, True),
    ):
        environment = standard_environment(reflexes)
        if by_points:
            by_point_queries(environment)
        environment.reset(0)
        for _ in range(20):
            last[name] = environment.step([action], [0.0]).observations[0]
        steps = count // 10 if by_points else count

        def played(environment: Any = environment, steps: int = steps) -> int:
            for _ in range(steps):
                environment.step([action], [0.0])
            return steps

        rates[name] = best_rate(played)
    if last["point queries"] != last["all sensors, 10 reflexes"]:
        raise AssertionError("Both versions must observe the same.")
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
