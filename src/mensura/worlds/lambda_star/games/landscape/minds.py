"""Who climbs a landscape: its own minds, and those of the torus that go by what cells are worth."""

from __future__ import annotations

from mensura.core.group import Kind, Range
from mensura.worlds.lambda_star.games.landscape.kernels.minds import ANNEALING, HILL_CLIMBING, SWARM
from mensura.worlds.lambda_star.torus.subjects import LEARNERS, LOOKING, Subjects, some

KINDS = {
    "hill-climbing": Kind(
        HILL_CLIMBING,
        "climbs to a summit, begins anew from random cells, ends on the best summit",
        {"restarts": 3.0},
    ),
    "annealing": Kind(
        ANNEALING,
        "simulated annealing: takes losses, ever more seldom",
        {"temperature": 0.5, "final": 0.01},
    ),
    "swarm": Kind(
        SWARM,
        "particle swarm: drawn to its own best and to the best that anybody tells of",
        {"inertia": 0.7, "own": 1.5, "social": 1.5},
    ),
}

SUBJECTS = Subjects(
    {**KINDS, **some(*LOOKING, *LEARNERS)},
    demo=(
        "random",
        "local-search",
        "hill-climbing",
        "annealing",
        "swarm",
        "stigmergy",
        "crowd",
        "auction",
        "autocracy",
        "hierarchy",
        "shared-q-learning",
    ),
    ranges={
        "restarts": Range(0.0, 1e6, whole=True),
        "temperature": Range(1e-6, 1e6),
        "final": Range(1e-6, 1e6),
        "inertia": Range(0.0, 1.0),
        "own": Range(0.0, 10.0),
        "social": Range(0.0, 10.0),
    },
    speaking=frozenset({SWARM}),
)
