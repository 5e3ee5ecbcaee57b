"""Water diversion: let water fill a pit, so that an apple floats up to where one can reach it (section 4.1.1)."""

from __future__ import annotations

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, Objects, ground, thing, uniform, walls
from mensura.worlds.pagi.setup import Setup

WIDTH = 1.6
"""Of the pit: too narrow for the body."""
DEPTH = 6.0
WALL = 7.0
TILT = 25.0
REACH = 5.2
"""From the pivot of the wall to the pit."""
BEHIND, ABOVE = 5.0, 3.4
"""From the wall to the one that leads water to it, where there are two."""
LAST = 10_000
"""Discs of water in an outlet."""
STEPS = (2, 3, 3, 3, 4, 4)
"""A wall is turned, a block is moved, the apple is eaten."""
TOLD = (
    "An apple lies at the bottom of a pit that is too narrow for you. Water runs down; walls that turn about their "
    "middles lead it to one side. Let the water fill the pit, and eat the apple when it floats up."
)


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """A wall to turn, a block on the pit, a wall that does not matter, a second outlet, then two walls to turn."""
    pit = uniform(rng, 14.0, 18.0)
    pivot, height = round(pit - REACH, 2), uniform(rng, 4.9, 5.2)
    two = grade >= 5
    spring = pivot - BEHIND if two else pivot
    objects: Objects = [
        ground(-40, pit - WIDTH / 2, "here", 8),
        ground(pit + WIDTH / 2, 40, "there", 8),
        thing("ledge", "bottom", pit, -DEPTH - 0.5, width=WIDTH, height=1),
        *walls(),
        # A funnel above the pit, high enough for the block to pass below.
        thing("floatingLeftRamp", "leftLip", pit - 1.1, 3.15, width=1.1, height=0.5),
        thing("floatingRightRamp", "rightLip", pit + 1.1, 3.25, width=1.1, height=0.7),
        thing("ledge", "board", pit + 1.65, 4.8, width=0.4, height=3.9),
        _wall("wall", pivot, height),
        thing("outlet", "outlet", spring, 10.2 if two else 9.0, on=True, mass=LAST),
        thing("drain", "drain", pivot - 5.6, 0.4, width=5.0, height=1.0),
        thing("drain", "farDrain", 36.0, 0.4, width=4.0, height=1.0),
        thing("apple", "apple", pit, -DEPTH + 0.5, mass=0.2),
    ]
    if grade >= 2:
        objects.append(thing("wallBlock", "block", pit, 1.28))
    if grade in (3, 4, 6):
        objects.append(_wall("decoy", uniform(rng, -16.0, -10.0), uniform(rng, 4.9, 5.2)))
    if grade in (4, 6):
        decoy = next(one for one in objects if one["name"] == "decoy")
        objects.append(thing("outlet", "secondOutlet", decoy["x"], 9.0, on=True, mass=LAST))
        objects.append(thing("drain", "decoyDrain", decoy["x"], 0.4, width=14.0, height=1.0))
    if two:
        objects.append(_wall("upperWall", spring, height + ABOVE))
        # What comes from the upper wall falls from here.
        objects.append(thing("ledge", "stop", spring + 5.2, height + 3.2, width=0.4, height=3.0))
        objects.append(thing("drain", "upperDrain", spring - 5.6, 0.4, width=5.0, height=1.0))
    return Setup(
        name="water-diversion",
        instructions=TOLD,
        horizon=800 if two else 600,
        objects=tuple(objects),
        solved="apple.gone and body.meals > 0",
        failed="apple.gone and body.meals == 0",
        family="water-diversion",
        grade=grade,
        causal_steps=STEPS[grade - 1],
    )


def _wall(name: str, x: float, y: float) -> dict[str, object]:
    return thing("pivotWall", name, x, y, width=WALL, height=0.5, swing=TILT, degrees=TILT)


WATER_DIVERSION = Family(
    make,
    "a wall to turn, a block on the pit, a wall that does not matter, a second outlet; then two walls to turn one "
    "after the other, without and with these",
    STEPS,
    "planner",
)
