"""Who plays the dilemma: the known strategies, and learners."""

from __future__ import annotations

from mensura.core.group import Kind, Range
from mensura.worlds.lambda_star.games.dilemma.kernels.minds import (
    ALWAYS_COOPERATE,
    ALWAYS_DEFECT,
    GENEROUS,
    TIT_FOR_TAT,
    WIN_STAY_LOSE_SHIFT,
)
from mensura.worlds.lambda_star.torus.kernels.row import LOOKS_DEEDS
from mensura.worlds.lambda_star.torus.subjects import ANYTHING, LEARNERS, WALKING, Subjects, some

KINDS = {
    "always-cooperate": Kind(ALWAYS_COOPERATE, "cooperates whatever happens", WALKING),
    "always-defect": Kind(ALWAYS_DEFECT, "defects whatever happens", WALKING),
    "tit-for-tat": Kind(TIT_FOR_TAT, "does what was done to it last time", WALKING),
    "generous": Kind(
        GENEROUS,
        "tit for tat that forgives now and then",
        {**WALKING, "generosity": 1 / 3},
    ),
    "win-stay-lose-shift": Kind(
        WIN_STAY_LOSE_SHIFT, "repeats what paid well, else does the contrary (Pavlov)", WALKING
    ),
}
"""The generosity is the highest that pays against defectors under 5, 3, 1, 0: min(1 - (T-R)/(R-S), (R-P)/(T-P)), of
Nowak and Sigmund (1992)."""

SUBJECTS = Subjects(
    {"random": ANYTHING, **KINDS, **some(*LEARNERS)},
    demo=("random", *KINDS, "shared-q-learning"),
    ranges={"generosity": Range(0.0, 1.0)},
    looks={kind.code: LOOKS_DEEDS for kind in KINDS.values()},
)
