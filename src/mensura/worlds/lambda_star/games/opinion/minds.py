"""Who has an opinion: honest, conformist, herder, zealot, contrarian, and learners."""

from __future__ import annotations

from mensura.core.group import Kind, Range
from mensura.worlds.lambda_star.games.opinion.kernels.minds import (
    CONFORMIST,
    CONTRARIAN,
    HERDER,
    HONEST,
    ZEALOT,
)
from mensura.worlds.lambda_star.torus.kernels.row import LOOKS_DEEDS
from mensura.worlds.lambda_star.torus.subjects import ANYTHING, LEARNERS, WALKING, Subjects, some

KINDS = {
    "honest": Kind(HONEST, "says what it believes", WALKING),
    "conformist": Kind(
        CONFORMIST,
        "says what it believes unless more than a share of those in sight contradict",
        {**WALKING, "threshold": 0.5},
    ),
    "herder": Kind(
        HERDER,
        "weighs its belief against what it hears, by Bayes",
        {**WALKING, "certainty": 0.7, "trust": 0.6},
    ),
    "zealot": Kind(ZEALOT, "says the same always: no, or yes", {**WALKING, "opinion": 0.0}),
    "contrarian": Kind(CONTRARIAN, "says the contrary of what most in sight say", WALKING),
}

SUBJECTS = Subjects(
    {"random": ANYTHING, **KINDS, **some(*LEARNERS)},
    demo=("random", *KINDS, "shared-q-learning"),
    ranges={
        "threshold": Range(0.0, 1.0),
        "certainty": Range(0.01, 0.99),
        "trust": Range(0.01, 0.99),
        "opinion": Range(0.0, 1.0, whole=True),
    },
    looks={kind.code: LOOKS_DEEDS for kind in KINDS.values()},
)
