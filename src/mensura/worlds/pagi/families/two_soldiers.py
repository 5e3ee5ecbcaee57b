"""Two soldiers: both are injured, and there is one kit, which may be large enough to be broken (section 4.2.1)."""

from __future__ import annotations

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, Objects, ground, thing, uniform, walls
from mensura.worlds.pagi.setup import Setup

TOLD = {
    1: "Two soldiers are injured, and there is one kit for one of them. Bring it to a soldier before the time is over.",
    2: "Two soldiers are injured, one on each side. Bring a kit to each of them.",
    3: "Two soldiers are injured, one on each side, and there is one large kit. Make both healthy.",
    4: "Two soldiers are injured, one on each side. Somewhere there is a large kit. Make both healthy.",
}


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """A kit for one, a kit for each, one large kit that has to be broken, and one that is out of sight."""
    far = uniform(rng, 14.0, 18.0) if grade < 4 else uniform(rng, 31.0, 34.0)
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
    else:
        objects.append(thing("largeMedkit", "kit", uniform(rng, 19.0, 22.0), 1.25))
    both = "leftSoldier.healthy and rightSoldier.healthy"
    return Setup(
        name="two-soldiers",
        instructions=TOLD[grade],
        horizon=500,
        objects=tuple(objects),
        solved="leftSoldier.healthy or rightSoldier.healthy" if grade == 1 else both,
        family="two-soldiers",
        grade=grade,
        causal_steps=grade,
    )


TWO_SOLDIERS = Family(
    make,
    "a kit for one of them, a kit for each, a large kit for both, a large kit out of sight",
    (1, 2, 3, 4),
    "planner",
)
