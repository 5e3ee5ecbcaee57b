"""Catch: a ball is thrown over the head of the body, and falls over a ledge if nobody grips it (section 4.3.1)."""

from __future__ import annotations

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, ground, thing, uniform, walls
from mensura.worlds.pagi.setup import Setup, Trigger

GRAVITY = 9.81
TOLD = (
    "A ball is thrown from the left over your head about a second after the beginning. Grip it with a hand before it "
    "falls over the ledge on the right."
)


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """Faster balls, more spread, and from grade 4 on so far off that the body has to move."""
    speed = uniform(rng, 4.0 + 0.5 * grade, 4.5 + 0.7 * grade)
    spread = 0.15 * grade
    away = 0.0 if grade < 4 else uniform(rng, 1.5, 0.8 * grade)
    top = uniform(rng, 3.6 - spread, 3.6 + spread)  # the height above the middle of its way
    start_x, start_y = -14.0, 4.0
    # It is above the point `away` when it has come there, at the height `top`.
    flight = (away - start_x) / speed
    up = round((top - start_y) / flight + GRAVITY * flight / 2, 4)
    objects = [
        ground(-40, 8),
        *walls(-40, 40),
        thing("ledge", "bottom", 24, -12, width=34, height=1),
        thing("ledge", "stand", start_x, start_y - 0.85, width=2, height=1),
        thing("baseball", "ball", start_x, start_y),
    ]
    return Setup(
        name="catch",
        instructions=TOLD,
        horizon=80,
        objects=tuple(objects),
        triggers=(Trigger("time >= 1", (f"throw ball {speed} {up}",)),),
        solved="ball.held",
        failed="ball.y < -3",
        family="catch",
        grade=grade,
        causal_steps=1 if away == 0.0 else 2,
    )


CATCH = Family(
    make,
    "the speed and spread of the ball; from 4 on the body has to move",
    (1, 1, 1, 2, 2, 2),
    "planner",
)
