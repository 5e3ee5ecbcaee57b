"""Catch: a ball is thrown over the head of the body, and falls over a ledge if nobody grips it (section 4.3.1)."""

from __future__ import annotations

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, ground, thing, uniform, walls
from mensura.worlds.pagi.setup import Setup, Trigger

GRAVITY = 9.81
RISE = 0.85
"""Seconds from the throw to the highest point, which is over x = 0."""
TOLD = (
    "A ball is thrown from the left one second after the beginning; it soars over x = 0, at a height of 4 to 5, and "
    "falls over the ledge on the right. Grip it with a hand before."
)


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """Faster balls and more spread; from grade 4 on the body has to move first."""
    speed = uniform(rng, 5.0 + 0.4 * (grade - 1), 5.5 + 0.6 * (grade - 1))
    spread = 0.08 * grade
    top = uniform(rng, 4.4 - spread, 4.4 + spread)
    away = 0.0 if grade < 4 else uniform(rng, grade - 0.5, grade + 1.5)
    x, y = round(-speed * RISE, 3), round(top - GRAVITY * RISE * RISE / 2, 3)
    throw = (f"put baseball ball {x} {y}", f"throw ball {speed} {round(GRAVITY * RISE, 3)}")
    return Setup(
        name="catch",
        instructions=TOLD,
        horizon=60,
        bodies=((-away, 1.14),),
        objects=(
            ground(-40, 8),
            *walls(-40, 40),
            thing("ledge", "bottom", 24, -12, width=34, height=1),
        ),
        triggers=(Trigger("time >= 1", throw),),
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
