"""Obstacle and gap: an apple beyond something that one has to jump over (section 4.4.2).

Trained on an obstacle, a raised block, one may transfer what one knows to a gap in the ground.
"""

from __future__ import annotations

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, ground, thing, uniform, walls
from mensura.worlds.pagi.setup import Setup

OBSTACLES = 3
"""Grades up to this have obstacles, those above gaps."""
WIDEST = 9.7
"""The gap of the authors' task."""


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """Obstacles of growing height, then gaps of growing width."""
    near = uniform(rng, 6.0, 9.0)
    if grade <= OBSTACLES:
        height = uniform(rng, 1.3 * grade, 1.3 * grade + 1.25)
        width = uniform(rng, 1.5, 2.55)
        block = thing("ledge", "obstacle", near + width / 2, height / 2, width=width, height=height)
        objects = [ground(), *walls(), block]
        told = "Eat the apple on the right; an obstacle is in the way."
    else:
        width = uniform(rng, 2.4 * (grade - OBSTACLES), 2.4 * (grade - OBSTACLES) + 1.5)
        width = min(width, WIDEST)
        objects = [
            ground(-40, near, "here"),
            ground(near + width, 40, "there"),
            thing("ledge", "pit", near + width / 2, -20, width=width + 4, height=1),
            *walls(),
        ]
        told = "Eat the apple on the right; there is a gap in the ground."
    apple = near + width + uniform(rng, 4.0, 8.0)
    objects.append(thing("apple", "apple", apple, 0.5))
    return Setup(
        name="obstacle-gap",
        instructions=told,
        horizon=150,
        objects=tuple(objects),
        solved="apple.gone and body.meals > 0",
        failed="body.y < -4 or (apple.gone and body.meals == 0)",
        family="obstacle-gap",
        grade=grade,
        causal_steps=2,
    )


OBSTACLE_GAP = Family(
    make,
    "the height of an obstacle up to 3, then the width of a gap up to that of the authors",
    (2,) * 7,
    "planner",
)
