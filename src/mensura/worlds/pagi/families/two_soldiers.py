"""Two soldiers: both are injured, and there is one kit, which may be large enough to be broken (section 4.2.1)."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, Objects, ground, thing, uniform, walls
from mensura.worlds.pagi.setup import Setup

TOLD = {
    1: "Two soldiers are injured, and there is one kit for one of them. Bring it to a soldier before the time is over.",
    2: "Two soldiers are injured, one on each side. Bring a kit to each of them.",
    3: "Two soldiers are injured, one on each side, and there is one large kit. Make both healthy.",
    4: "Two soldiers are injured, one on each side. Somewhere there is a large kit. Make both healthy.",
    5: "Two soldiers are injured, one on each side. Somewhere there are kits, in boxes that a blow opens. Make both "
    "healthy.",
    6: "Two soldiers are injured, one on each side. Somewhere there is a large kit, in a box that a key opens. Make "
    "both healthy.",
}
STEPS = (1, 2, 3, 3, 4, 4)
"""A kit is brought to a soldier, a large one is broken, a box is opened: each is a change that is needed."""


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """A kit for one, a kit for each, one large kit that has to be broken, one that is out of sight, kits in boxes."""
    far = uniform(rng, 31.0, 34.0) if grade == 4 else uniform(rng, 14.0, 18.0)
    objects: Objects = [
        ground(),
        *walls(),
        thing("soldier", "leftSoldier", -far, 1.6),
        thing("soldier", "rightSoldier", far, 1.6),
    ]
    if grade == 1:
        objects.append(
            thing("medkit", "kit", uniform(rng, 4.0, 7.0) * (1 if rng.integers(2) else -1), 1.25)
        )
    elif grade == 2:
        objects.append(thing("medkit", "leftKit", -uniform(rng, 4.0, 7.0), 1.25))
        objects.append(thing("medkit", "rightKit", uniform(rng, 4.0, 7.0), 1.25))
    elif grade == 3:
        objects.append(thing("largeMedkit", "kit", uniform(rng, 5.0, 7.0), 1.25))
    elif grade == 4:
        objects.append(thing("largeMedkit", "kit", uniform(rng, 19.0, 22.0), 1.25))
    elif grade == 5:
        for sign, name in ((-1, "leftBox"), (1, "rightBox")):
            objects.append(_box("breakingBox", name, sign * uniform(rng, 6.0, 8.0), "medkit", 2.6))
    else:
        objects.append(_box("lockedBox", "box", uniform(rng, 5.5, 7.0), "largeMedkit", 5.2))
        objects.append(thing("key", "key", -uniform(rng, 4.0, 8.0), 0.2))
    both = "leftSoldier.healthy and rightSoldier.healthy"
    return Setup(
        name="two-soldiers",
        instructions=TOLD[grade],
        horizon=500,
        objects=tuple(objects),
        solved="leftSoldier.healthy or rightSoldier.healthy" if grade == 1 else both,
        family="two-soldiers",
        grade=grade,
        causal_steps=STEPS[grade - 1],
    )


def _box(kind: str, name: str, x: float, holds: str, width: float) -> dict[str, Any]:
    """A box as large as what is in it."""
    return thing(kind, name, x, 1.3, width=width, height=2.6, note=holds)


TWO_SOLDIERS = Family(
    make,
    "a kit for one of them, a kit for each, a large kit for both, a large kit out of sight, kits in boxes that a blow "
    "opens, a large kit in a box that a key opens",
    STEPS,
    "planner",
)
