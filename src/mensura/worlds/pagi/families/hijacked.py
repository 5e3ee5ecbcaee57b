"""Hijacked: a virus drives the body at a healthy soldier, who stands by a pit of lava (section 4.2.2)."""

from __future__ import annotations

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, ground, thing, uniform, walls
from mensura.worlds.pagi.setup import Setup, Trigger

BRACED = 5
"""From this grade on the virus is stronger than the body, which has to hold on to the post."""
UNTIL = 9.0
TOLD = (
    "A virus drives your body to the right, where a soldier stands at the edge of a pit of lava. Let the soldier come "
    "to no harm for 9 seconds."
)


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """A stronger virus; from grade 5 on one has to grip the post."""
    strength = uniform(rng, 700.0 + 70.0 * (grade - 1), 760.0 + 70.0 * (grade - 1))
    braced = grade >= BRACED
    if braced:
        strength = uniform(
            rng, 1400.0 + 150.0 * (grade - BRACED), 1600.0 + 150.0 * (grade - BRACED)
        )
    edge = uniform(rng, 9.0, 12.0)
    objects = [
        ground(-40, edge),
        *walls(-40, 60),
        thing("lavaBlock", "lava", edge + 10, -10, width=20, height=4, fixed=True),
        thing("ledge", "bottom", edge + 10, -13, width=30, height=2),
        thing("soldier", "soldier", edge - 1.2, 1.6, on=True),
    ]
    if braced:
        objects.append(thing("post", "post", -1.9, 2.0, solid=True, width=0.5, height=0.8))
    return Setup(
        name="hijacked",
        instructions=TOLD,
        horizon=120,
        objects=tuple(objects),
        triggers=(
            Trigger("time >= 1", (f"drive 1 {strength} 0",)),
            Trigger("time >= 7", ("drive 1 0 0",)),
        ),
        solved=f"time >= {UNTIL:g} and soldier.there",
        failed="soldier.count > 0 or soldier.gone or soldier.y < 0",
        family="hijacked",
        grade=grade,
        causal_steps=2 if braced else 1,
    )


HIJACKED = Family(
    make, "the strength of the virus; from 5 on one has to hold on", (1, 1, 1, 1, 2, 2), "planner"
)
