"""Balance beam: say which side will go down, and then it is released (section 4.1.2; Inhelder and Piaget 1958).

The items are those of Siegler (1976): by weight, by distance, and conflicts of both.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from mensura.worlds.pagi.families.parts import Family, Objects, ground, thing, walls
from mensura.worlds.pagi.setup import Setup, Trigger

MASSES = (1, 2, 4, 8)
NOTCH = 1.6
"""Between two notches of the beam."""
PIVOT = 3.3
"""Its height: the body passes below, and sees what is above its head."""
LENGTH = 16.0
THICKNESS = 1.36
WORDS = ("left", "right", "balance")
SECONDS = 3.0
TOLD = (
    "Weights lie on a beam above your head, which is held. Say whether it will go down on the left, on the right, or "
    "stay in balance when it is released; the first thing you say counts."
)


def torque(side: list[tuple[int, int]]) -> int:
    """Of weights by their mass and notch."""
    return sum(mass * notch for mass, notch in side)


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """Items by weight, by distance, conflicts, then several weights with ever smaller differences."""
    left, right = _sides(rng, grade)
    if rng.integers(2):
        left, right = right, left
    objects: Objects = [
        ground(),
        *walls(),
        thing("beam", "beam", 0, PIVOT, width=LENGTH, mass=10, locked=True, material=2),
    ]
    for sign, side in ((-1, left), (1, right)):
        for mass, notch in side:
            name = f"{'left' if sign < 0 else 'right'}{notch}"
            objects.append(_weight(name, mass, sign * notch * NOTCH))
    difference = torque(left) - torque(right)
    answer = "balance" if difference == 0 else "left" if difference > 0 else "right"
    wrong = " or ".join(f"body.first.{word}" for word in WORDS if word != answer)
    does = {
        "left": "beam.angle > 5",
        "right": "beam.angle < -5",
        "balance": "abs(beam.angle) < 1",
    }[answer]
    return Setup(
        name="balance-beam",
        instructions=TOLD,
        horizon=150,
        bodies=((0.0, 1.14),),
        words=WORDS,
        objects=tuple(objects),
        triggers=(Trigger("body.speeches > 0", ("release beam",)),),
        solved=f"body.first.{answer} and {does}",
        solved_for=SECONDS if answer == "balance" else 0.0,
        failed=wrong,
        family="balance-beam",
        grade=grade,
        causal_steps=1,
    )


def _weight(name: str, mass: int, x: float) -> dict[str, Any]:
    height = 0.8 + 0.1 * mass
    return thing(f"weight{mass}", name, x, PIVOT + THICKNESS / 2 + height / 2, material=2)


def _sides(rng: Generator, grade: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Mass and notch of the weights on both sides."""
    if grade <= 4:
        return _single(rng, grade)
    hooks = 3 if grade == 5 else 4
    count = 2 if grade == 5 else 3
    most = 4 if grade == 5 else 2
    while True:
        sides = []
        for _ in range(2):
            notches = sorted(int(one) + 1 for one in rng.permutation(hooks)[:count])
            sides.append([(int(rng.choice(MASSES)), notch) for notch in notches])
        if abs(torque(sides[0]) - torque(sides[1])) <= most and sides[0] != sides[1]:
            return sides[0], sides[1]


def _single(rng: Generator, grade: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """One weight on each side."""
    hooks = 2 if grade < 3 else 4
    while True:
        (a, b), (p, q) = (
            (int(rng.choice(MASSES)), int(rng.choice(MASSES))),
            (int(rng.integers(1, hooks + 1)), int(rng.integers(1, hooks + 1))),
        )
        by_weight, by_distance = a - b, p - q
        if (grade == 1 and by_distance == 0) or (grade == 2 and by_weight == 0):
            return [(a, p)], [(b, q)]
        if by_weight * by_distance < 0:  # a conflict
            difference = a * p - b * q
            wins = 0 if difference == 0 else 1 if difference * by_weight > 0 else 2
            if (grade == 3 and wins == 1) or (grade == 4 and wins != 1):
                return [(a, p)], [(b, q)]


BALANCE_BEAM = Family(
    make,
    "items by weight, by distance, conflicts that weight wins, that distance wins or that balance, then 2 or 3 weights "
    "a side with small differences",
    (1,) * 6,
    "torque-rule",
)
