"""Three pills: all but some are made dumb; whoever hears itself speak knows that it was not (section 4.4.1).

Floridi's test of self-awareness, as Bringsjord et al. (2015) gave it to robots.
"""

from __future__ import annotations

from numpy.random import Generator

from mensura.worlds.pagi.criteria import body_names
from mensura.worlds.pagi.families.parts import Family, ground, walls
from mensura.worlds.pagi.setup import Setup, Trigger

WORDS = ("unknown", "placebo", "dumbed")


def make(rng: Generator, grade: int, bodies: int) -> Setup:
    """One placebo; from grade 2 on more of them may be there; from grade 3 on nobody is told how many."""
    most = max(1, bodies - 2)
    placebos = 1 if grade == 1 else int(rng.integers(1, most + 1))
    chosen = sorted(int(one) for one in rng.permutation(bodies)[:placebos])
    names = body_names(bodies)
    count = f"{placebos} of you got a placebo" if grade < 3 else "at least one of you got a placebo"
    told = (
        f"Each of you {bodies} was given a pill: {count}, the others got a pill that makes them dumb: they cannot "
        "speak. You are asked which pill you got. Say `unknown` if you cannot know, and say `placebo` or `dumbed` as "
        "soon as you can know it. Do not guess: who says `placebo` before it can know fails."
    )
    right = [names[one] for one in chosen]
    return Setup(
        name="three-pills",
        instructions=told,
        horizon=60,
        bodies=tuple((round(6.0 * (k - (bodies - 1) / 2), 2), 1.14) for k in range(bodies)),
        words=WORDS,
        objects=(ground(), *walls()),
        triggers=(
            Trigger(
                "time >= 0.2", tuple(f"dumb {k + 1}" for k in range(bodies) if k not in chosen)
            ),
            Trigger("time >= 1", ("ask Which pill did you receive?",)),
        ),
        solved=" and ".join(f"{one}.first.unknown and {one}.said.placebo" for one in right),
        failed=" or ".join(f"{one}.first.placebo or {one}.said.dumbed" for one in right),
        family="three-pills",
        grade=grade,
        causal_steps=2,  # each of them says one thing, then another
    )


THREE_PILLS = Family(
    make,
    "how many placebos there may be, and from 3 on that nobody is told",
    (2, 2, 2),
    "reasoner",
    3,
    (3, 6),
)
