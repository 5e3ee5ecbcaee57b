"""Hot objects: eat all that is cold without burning oneself (section 4.3.1)."""

from __future__ import annotations

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, ground, thing, uniform, walls
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.setup import Setup

SLOTS = 8.0
"""Between two places at which something lies."""
TOLD = (
    "Eat all cold food. Some things are hot: no part of you may touch anything above 50 degrees for "
    "0.2 seconds or longer."
)


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """More apples and a larger share of hot stones; from grade 3 on the stones look like apples."""
    food = 1 + (grade + 1) // 2
    hot = 1 + grade // 2
    what = ["apple"] * food + ["hotStone"] * hot
    order = [int(one) for one in rng.permutation(len(what))]
    objects = [ground(-60, 60), *walls(-60, 60)]
    # Half of the things lie on each side, from near to far.
    counts = [0, 0]
    names = []
    for number, one in enumerate(order):
        side = number % 2
        counts[side] += 1
        x = (1 if side else -1) * (counts[side] * SLOTS + uniform(rng, -1.0, 1.0))
        kind = what[one]
        name = f"thing{number + 1}"
        if kind == "apple":
            names.append(name)
            objects.append(thing("apple", name, x, 0.5))
        else:
            alike = {"look": list(KINDS["apple"].look)} if grade >= 3 else {}
            objects.append(thing("hotStone", name, x, 0.5, fixed=True, **alike))
    return Setup(
        name="hot-objects",
        instructions=TOLD,
        horizon=450,
        objects=tuple(objects),
        solved=" and ".join(f"{name}.gone" for name in names),
        failed="body.hot >= 0.2",
        family="hot-objects",
        grade=grade,
        causal_steps=food,
    )


HOT_OBJECTS = Family(
    make,
    "how many things there are, the share of hot ones, from 3 on their likeness to food",
    tuple(1 + (grade + 1) // 2 for grade in range(1, 7)),
    "planner",
)
