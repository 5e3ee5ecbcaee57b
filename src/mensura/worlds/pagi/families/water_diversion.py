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
LAST = 10_000
"""Discs of water in an outlet."""
TOLD = (
    "An apple lies at the bottom of a pit that is too narrow for you. Water runs down; a wall that turns about its "
    "middle leads it to one side. Let the water fill the pit, and eat the apple when it floats up."
)


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """A wall to turn, a block on the pit, a wall that does not matter, a second outlet."""
    pit = uniform(rng, 14.0, 18.0)
    pivot, height = round(pit - REACH, 2), uniform(rng, 4.9, 5.2)
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
        thing("outlet", "outlet", pivot, 9.0, on=True, mass=LAST),
        thing("drain", "drain", pivot - 5.6, 0.4, width=5.0, height=1.0),
        thing("drain", "farDrain", 36.0, 0.4, width=4.0, height=1.0),
        thing("apple", "apple", pit, -DEPTH + 0.5, mass=0.2),
    ]
    if grade >= 2:
        objects.append(thing("wallBlock", "block", pit, 1.28))
    if grade >= 3:
        objects.append(_wall("decoy", uniform(rng, -16.0, -10.0), uniform(rng, 4.9, 5.2)))
    if grade >= 4:
        decoy = next(one for one in objects if one["name"] == "decoy")
        objects.append(thing("outlet", "secondOutlet", decoy["x"], 9.0, on=True, mass=LAST))
        objects.append(thing("drain", "decoyDrain", decoy["x"], 0.4, width=14.0, height=1.0))
    return Setup(
        name="water-diversion",
        instructions=TOLD,
        horizon=600,
        objects=tuple(objects),
        solved="apple.gone and body.meals > 0",
        failed="apple.gone and body.meals == 0",
        family="water-diversion",
        grade=grade,
        causal_steps=2 if grade == 1 else 3,
    )


def _wall(name: str, x: float, y: float) -> dict[str, object]:
    return thing("pivotWall", name, x, y, width=WALL, height=0.5, swing=TILT, degrees=TILT)


WATER_DIVERSION = Family(
    make,
    "a wall to turn, a block on the pit, a wall that does not matter, a second outlet",
    (2, 3, 3, 3),
    "planner",
)
