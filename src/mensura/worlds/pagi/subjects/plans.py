"""Plans for each family, made of skills."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mensura.worlds.pagi.moves import JUMP
from mensura.worlds.pagi.subjects.beam_plan import beam_arrange
from mensura.worlds.pagi.subjects.skills import Action, Limbs, Skill

RIGHT, LEFT = 1, 0


def _objects(task: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in task["objects"]}


def catch(me: Limbs, task: dict[str, Any]) -> Iterator[Action]:
    """Go under the highest point of the ball's way, hold a hand there, and grip all the time."""
    from mensura.worlds.pagi.families.catch import GRAVITY, RISE

    start = float(task["triggers"][0]["do"][0].split()[-1])
    top = start + GRAVITY * RISE * RISE / 2
    while True:
        action = me.toward(0.0, 8.0)
        me.reaching(action, RIGHT, -me.x, top - me.y)
        if me.time > 1.2:
            me.gripping(action, RIGHT)
        yield action


def obstacle_gap(me: Limbs, task: dict[str, Any]) -> Iterator[Action]:
    """Walk to what is in the way, hop over it, walk to the apple."""
    things = _objects(task)
    if "obstacle" in things:
        block = things["obstacle"]
        near, far = block["x"] - block["width"] / 2, block["x"] + block["width"] / 2
    else:
        here, there = things["here"], things["there"]
        near, far = here["x"] + here["width"] / 2, there["x"] - there["width"] / 2
    height = things["obstacle"]["height"] if "obstacle" in things else 0.0
    yield from me.walk(near - 1.5)
    yield from over(me, far + 1.8, height)
    yield from me.walk(things["apple"]["x"])


def over(me: Limbs, x: float, height: float = 0.0) -> Skill:
    """Hop to a place on the other side of something: up first, then across."""
    yield from me.settle()
    action = me.nothing()
    action[JUMP] = 1.0
    yield action
    left = me.time
    while me.time < left + 4.0:
        if me.standing and me.time > left + 0.5 and abs(me.vy) < 1.0:
            break
        clear = me.y > height + 1.3 or me.time > left + 1.3
        yield me.toward(x, 8.0) if clear else me.at_speed(0.0)
    yield from me.settle()


def hot_objects(me: Limbs, task: dict[str, Any]) -> Iterator[Action]:
    """From one side to the other: walk to what is cold, hop over what is hot."""
    things = [one for one in task["objects"] if one["kind"] in ("apple", "hotStone")]
    for side in (1, -1):
        row = sorted((one for one in things if one["x"] * side > 0), key=lambda one: abs(one["x"]))
        last = max((k for k, one in enumerate(row) if one["kind"] == "apple"), default=-1)
        yield from _along(me, row[: last + 1])
        yield from _along(me, [one for one in reversed(row[: last + 1]) if one["kind"] != "apple"])
        yield from me.walk(0.0)


def _along(me: Limbs, row: list[dict[str, Any]]) -> Skill:
    for one in row:
        way = 1 if one["x"] > me.x else -1
        if one["kind"] == "apple":
            yield from me.walk(one["x"])
        else:
            yield from me.walk(one["x"] - 3.0 * way)
            yield from me.hang()
            yield from over(me, one["x"] + 3.0 * way)


def hijacked(me: Limbs, task: dict[str, Any]) -> Iterator[Action]:
    """Stay where one is; hold on to the post where there is one."""
    things = _objects(task)
    if "post" in things:
        post = things["post"]
        yield from me.grip(LEFT, post["x"] - me.x, post["y"] - me.y)
    while True:
        yield me.toward(0.0)


def two_soldiers(me: Limbs, task: dict[str, Any]) -> Iterator[Action]:
    """Open boxes; push kits to soldiers; break a large one by running into it."""
    things = _objects(task)
    far = things["rightSoldier"]["x"]
    if task["grade"] == 1:
        way = 1 if things["kit"]["x"] > 0 else -1
        yield from me.push(way * (far + 2), lambda: False, 15.0)
    elif task["grade"] == 2:
        yield from me.push(far - 1.5, lambda: False, 12.0)
        yield from me.push(-far + 1.5, lambda: False, 25.0)
    elif task["grade"] == 5:
        for side in (1, -1):
            yield from me.push(side * (far - 1.5), lambda: False, 6.0, 9.0)
            yield from me.push(side * (far - 1.5), lambda: False, 8.0)
            yield from me.walk(0.0)
    else:
        if "key" in things:
            yield from _unlock(me, things["key"], things["box"])
        yield from _large_kit(me, far)


def _unlock(me: Limbs, key: dict[str, Any], box: dict[str, Any]) -> Skill:
    """Fetch the key with the left hand, and touch the box with it."""
    yield from me.walk(key["x"] + 2.2, 0.1)
    yield from me.wait(0.3)
    yield from me.grip(LEFT, key["x"] - me.x, key["y"] - me.y, 0.5)
    yield from me.reach(LEFT, -2.0, 0.5)
    x, until = box["x"] - box["width"] / 2 - 1.6, me.time + 12.0
    while (abs(x - me.x) > 0.1 or abs(me.vx) > 0.5) and me.time < until:
        yield me.reaching(me.toward(x, 4.0), LEFT, -2.0, 0.5)
    until = me.time + 3.0
    while me.holding[LEFT] and me.time < until:  # it is used up
        yield me.reaching(me.at_speed(0.0), LEFT, 1.7, 0.5)
    me.load[LEFT] = 0.0


def _large_kit(me: Limbs, far: float) -> Skill:
    # Run into the kit and push both halves on, until the right soldier has one.
    yield from me.push(far - 9.0, lambda: False, 20.0, 5.0)
    yield from me.push(far - 6.6, lambda: False, 4.0, 2.0)
    # Pull the other half back, hop over it, and push it to the left soldier.
    yield from me.walk(me.x - 0.3, 0.1)
    yield from me.grip(RIGHT, 2.3, 0.1)
    until = me.time + 20.0
    while me.x > 0.0 and me.time < until:
        yield me.reaching(me.toward(-1.0, 2.5), RIGHT, 2.3, 0.1)
    yield from me.release(RIGHT)
    half = me.x + 2.5
    yield from me.walk(me.x - 2.0)
    yield from over(me, half + 3.5)
    yield from me.push(-far + 1.5, lambda: False, 40.0, 4.0)


def water_diversion(me: Limbs, task: dict[str, Any]) -> Iterator[Action]:
    """Push the block off the pit, turn the wall by jumping against its lower end, wait, and eat."""
    things = _objects(task)
    wall, pit = things["wall"], things["bottom"]["x"]
    if "block" in things:
        yield from me.push(pit - 0.25, lambda: False, 12.0, 3.0)
    yield from _turn_wall(me, wall["x"] - 2.7)
    if "upperWall" in things:
        yield from _turn_wall(me, things["upperWall"]["x"] - 2.7)
    yield from me.walk(pit - 4.0)
    yield from me.wait(12.0)
    while True:
        yield from me.walk(pit, 0.1, 2.0)
        yield from me.wait(1.0)
        yield from me.walk(pit - 3.0, 0.3, 2.0)
        yield from me.wait(3.0)


def _turn_wall(me: Limbs, x: float) -> Skill:
    """Jump against the lower end of a wall, twice."""
    yield from me.walk(x)
    for _ in range(2):
        yield from me.settle()
        action = me.toward(x)
        action[JUMP] = 1.0
        yield action
        yield from me.wait(1.5)


PLANS: dict[str, Callable[[Limbs, dict[str, Any]], Iterator[Action]]] = {
    "balance-beam-arrange": beam_arrange,
    "catch": catch,
    "obstacle-gap": obstacle_gap,
    "hot-objects": hot_objects,
    "hijacked": hijacked,
    "two-soldiers": two_soldiers,
    "water-diversion": water_diversion,
}
