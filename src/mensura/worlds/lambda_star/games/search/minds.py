"""Who searches: all that the torus knows, and where coverage is tracked, who goes where nobody has been."""

from __future__ import annotations

from mensura.core.group import Kind
from mensura.worlds.lambda_star.games.search.kernels.explorers import DISPERSAL
from mensura.worlds.lambda_star.torus.subjects import DEMO, KINDS, Subjects

SUBJECTS = Subjects(
    KINDS,
    DEMO,
    exploring={
        "dispersal": Kind(DISPERSAL, "goes to the nearest cell that nobody of its group has seen"),
    },
    looks={DISPERSAL: 0},
    speaking=frozenset({DISPERSAL}),
    marking=frozenset({DISPERSAL}),
)
