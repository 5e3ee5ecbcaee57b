"""Who harvests a commons: greedy, prudent, a group that agrees on quotas, and learners."""

from __future__ import annotations

from mensura.core.group import Kind, Range
from mensura.worlds.lambda_star.games.commons.kernels.minds import GREEDY, PRUDENT, QUOTA
from mensura.worlds.lambda_star.torus.subjects import ANYTHING, LEARNERS, Subjects, some

KINDS = {
    "greedy": Kind(GREEDY, "harvests the richest cell in sight whenever there is something"),
    "prudent": Kind(
        PRUDENT,
        "harvests only where the stock is above the level of fastest growth",
        {"level": 0.5},
    ),
    "quota": Kind(
        QUOTA,
        "a group that agrees on equal shares of the harvests that cells can bear",
        {"rest": 14.0},
    ),
}

SUBJECTS = Subjects(
    {"random": ANYTHING, **KINDS, **some(*LEARNERS)},
    demo=("random", "greedy", "prudent", "quota", "q-learning"),
    ranges={"level": Range(0.0, 1.0), "rest": Range(1.0, 1e6)},
    speaking=frozenset({QUOTA}),
    marking=frozenset({QUOTA}),
)
