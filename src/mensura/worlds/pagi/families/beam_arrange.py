"""Balance beam, to be arranged: put weights on a beam that is held so that it stays in balance (section 4.1.2)."""

from __future__ import annotations

from itertools import combinations

from numpy.random import Generator

from mensura.worlds.pagi.families.balance_beam import MASSES, NOTCH, WORDS, torque
from mensura.worlds.pagi.families.parts import Family, Objects, ground, thing, walls
from mensura.worlds.pagi.setup import Setup, Trigger

PIVOT = 2.8
THICKNESS = 0.5
TOP = PIVOT + THICKNESS / 2
END = 0.5
"""From the last notch to the end of the beam."""
NEAR, APART = 3.6, 1.0
"""From the end of the beam to the first spare weight, and from one to the next."""
SPARES = ((1, 2, 4), (1, 2), (1, 2))
"""By grade: how heavy those weights may be that are needed."""
SECONDS = 3.0
TOLD = (
    "A beam above your head is held, and the weights on it are not in balance. Put some of the weights that lie beyond "
    "its ends on it, but move none that is on it already, and then grip the switch, which releases the beam: it has to "
    "stay within one degree for 3 seconds."
)


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """One, two or three weights that have to be put on a beam with 2, 3 or 4 notches a side."""
    hooks = grade + 1
    mass = int(rng.choice(SPARES[grade - 1]))
    places = _places(rng, hooks, grade)
    heavy, light = _sides(rng, hooks, mass * sum(places), places)
    # Lighter ones beside those that are needed: even all but one of these, at the very end, are too light.
    spares = [mass] * grade + [one for one in MASSES if one < mass][-1:]
    sign = 1 if rng.integers(2) else -1
    half = round(hooks * NOTCH + END, 2)
    objects: Objects = [
        ground(),
        *walls(),
        thing("beam", "beam", 0, PIVOT, width=2 * half, height=THICKNESS, mass=10, locked=True, material=2),
        thing("switch", "switch", 0, 1.8),
    ]  # fmt: skip
    still = []
    for way, side in ((sign, heavy), (-sign, light)):
        for one, notch in side:
            name, x = f"{'right' if way > 0 else 'left'}{notch}", way * notch * NOTCH
            objects.append(
                thing(f"weight{one}", name, x, TOP + _height(one) / 2, material=2),
            )
            still.append(f"abs({name}.x - {x:.3f}) < 0.6 and {name}.y > {TOP:g}")
    for way in (-1, 1):
        order = [spares[int(k)] for k in rng.permutation(len(spares))]
        for k, one in enumerate(order):
            name = f"spare{'Right' if way > 0 else 'Left'}{k + 1}"
            x = way * (half + NEAR + APART * k)
            objects.append(thing(f"weight{one}", name, x, _height(one) / 2, material=2))
    return Setup(
        name="balance-beam-arrange",
        instructions=TOLD,
        horizon=300 + 250 * grade,
        bodies=((0.0, 1.14),),
        words=WORDS,
        objects=tuple(objects),
        triggers=(Trigger("switch.on", ("release beam",)),),
        solved=" and ".join(["switch.on", "not beam.locked", "abs(beam.angle) < 1", *still]),
        solved_for=SECONDS,
        failed="switch.on and abs(beam.angle) > 5",
        family="balance-beam-arrange",
        grade=grade,
        causal_steps=grade + 1,
    )


def _height(mass: int) -> float:
    return 0.8 + 0.1 * mass


def _places(rng: Generator, hooks: int, count: int) -> tuple[int, ...]:
    """Notches for equal weights such that one weight fewer would not do, wherever on the beam it were put."""
    reach = (count - 1) * (hooks + END / NOTCH)
    enough = [one for one in combinations(range(1, hooks + 1), count) if sum(one) > reach]
    return enough[int(rng.integers(len(enough)))]


def _sides(
    rng: Generator, hooks: int, difference: int, free: tuple[int, ...]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Mass and notch of the weights on the heavier and on the lighter side, where some notches have to stay free."""
    while True:
        notches = sorted(int(one) + 1 for one in rng.permutation(hooks)[: rng.integers(1, 4)])
        heavy = [(int(rng.choice(MASSES)), notch) for notch in notches]
        light = [
            (int(rng.choice(MASSES[:3])), notch)
            for notch in range(1, hooks + 1)
            if notch not in free and rng.integers(2)
        ]
        if torque(heavy) - torque(light) == difference:
            return heavy, light


BEAM_ARRANGE = Family(
    make,
    "one, two or three weights to be put on a beam with 2, 3 or 4 notches a side",
    (2, 3, 4),
    "planner",
)
