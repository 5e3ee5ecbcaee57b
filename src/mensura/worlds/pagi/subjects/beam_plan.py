"""How the planner arranges a balance beam."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np

from mensura.worlds.pagi.families.balance_beam import NOTCH
from mensura.worlds.pagi.families.beam_arrange import END, TOP
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.subjects.skills import Action, Limbs, Skill

BESIDE = 2.1
"""From the body to the first of the weights that it takes."""
ABOVE = 0.3
"""From the middle of a weight to where it is gripped, so that it hangs."""
OVER = 5.3
"""The height at which it carries a weight over those that lie on the beam."""


def beam_arrange(me: Limbs, task: dict[str, Any]) -> Iterator[Action]:
    """Put on the lighter side what is missing there, from the inside to the outside, then grip the switch."""
    side, moves = _missing(task)
    hand = 1 if side > 0 else 0
    spares = [one for one in task["objects"] if _is_spare(one) and one["x"] * side > 0]
    nearest = min(abs(one["x"]) for one in spares)
    for spare, notch in moves:
        yield from me.walk(side * (nearest - BESIDE), 0.1, fastest=4.0)
        yield from me.wait(0.3)
        yield from _take(me, hand, spare)
        yield from _put(me, hand, spare, side * notch * NOTCH)
    yield from me.walk(0.0, 0.2)
    yield from me.wait(0.5)
    yield from me.grip(hand, -me.x, 1.8 - me.y)
    yield from me.release(hand)


def _is_spare(one: dict[str, Any]) -> bool:
    return str(one["name"]).startswith("spare")


def _mass(one: dict[str, Any]) -> float:
    return float(one.get("mass", KINDS[one["kind"]].mass))


def _missing(task: dict[str, Any]) -> tuple[int, list[tuple[dict[str, Any], int]]]:
    """The lighter side, and which spare weight goes to which notch of it; as few as will do."""
    weights = [one for one in task["objects"] if one["kind"].startswith("weight")]
    lying = [one for one in weights if not _is_spare(one)]
    difference = sum(_mass(one) * round(one["x"] / NOTCH) for one in lying)
    side = -1 if difference > 0 else 1
    taken = {round(abs(one["x"]) / NOTCH) for one in lying if one["x"] * side > 0}
    beam = next(one for one in task["objects"] if one["name"] == "beam")
    hooks = round((beam["width"] / 2 - END) / NOTCH)
    free = [notch for notch in range(1, hooks + 1) if notch not in taken]
    spares = [one for one in weights if _is_spare(one) and one["x"] * side > 0]
    for count in range(1, len(free) + 1):
        for chosen in combinations(spares, count):
            for notches in permutations(free, count):
                total = sum(_mass(one) * notch for one, notch in zip(chosen, notches, strict=True))
                if total == abs(difference):
                    return side, sorted(zip(chosen, notches, strict=True), key=lambda one: one[1])
    return side, []


def _take(me: Limbs, hand: int, spare: dict[str, Any]) -> Skill:
    """Grip a weight on the ground, and lift it."""
    x, y = spare["x"] - me.x, spare["y"] + ABOVE - me.y
    yield from me.reach(hand, x, y, 4.0, 0.02)
    yield from me.grip(hand, x, y, _mass(spare))
    yield from _carry(me, hand, me.hands[hand][0], OVER - me.y, 4.0, 0.2)
    yield from _carry(me, hand, 2.4 * (1 if hand else -1), OVER - me.y, 4.0, 0.2)


def _carry(me: Limbs, hand: int, x: float, y: float, seconds: float, near: float) -> Skill:
    """Bring what a hand holds to a place in the frame of the body, slowly."""
    until = me.time + seconds
    while me.time < until and (
        np.abs(np.array([x, y]) - me.hands[hand]).max() > near
        or np.abs(me.speeds[hand]).max() > 0.3
    ):
        yield me.reaching(me.at_speed(0.0), hand, x, y, 3.0)


def _put(me: Limbs, hand: int, spare: dict[str, Any], x: float) -> Skill:
    """Carry a weight over the beam, lower it at a place, and let it go."""
    held = 2.4 * (1 if hand else -1)
    until = me.time + 12.0
    while (abs(x - held - me.x) > 0.1 or abs(me.vx) > 0.1) and me.time < until:
        yield me.reaching(me.toward(x - held, 2.0), hand, held, OVER - me.y, 3.0)
    lowest = TOP + spare["y"] + ABOVE + 0.03
    for height, near in ((lowest + 0.4, 0.02), (lowest, 0.02)):
        yield from _carry(me, hand, x - me.x, height - me.y, 4.0, near)
    yield from me.release(hand)
    yield from me.reach(hand, me.hands[hand][0], OVER - me.y, 2.0, 0.3)
    yield from me.wait(0.3)
