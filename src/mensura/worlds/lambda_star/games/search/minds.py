"""Who searches: all that the torus knows, a planner, and where coverage is tracked, who goes where nobody has been."""

from __future__ import annotations

from mensura.core.group import Kind, Range
from mensura.worlds.lambda_star.games.search.kernels.explorers import DISPERSAL
from mensura.worlds.lambda_star.games.search.kernels.planner import PLANNER, plan_size
from mensura.worlds.lambda_star.torus.kernels.row import LOOKS_REWARDS
from mensura.worlds.lambda_star.torus.subjects import DEMO, KINDS, Subjects

SUBJECTS = Subjects(
    {
        **KINDS,
        "planner": Kind(
            PLANNER,
            "keeps track of Good and Evil by what it sees, predicts them from their past, and looks ahead",
            {"gamma": 0.9, "lookahead": 4.0, "training": 0.0},
        ),
    },
    DEMO,
    exploring={
        "dispersal": Kind(DISPERSAL, "goes to the nearest cell that nobody of its group has seen"),
    },
    ranges={"lookahead": Range(1, 50, whole=True)},
    looks={DISPERSAL: 0, PLANNER: LOOKS_REWARDS},
    speaking=frozenset({DISPERSAL}),
    marking=frozenset({DISPERSAL}),
    rooms={
        PLANNER: lambda one, cells, horizon: plan_size(cells, horizon, int(one.rate("lookahead")))
    },
)
