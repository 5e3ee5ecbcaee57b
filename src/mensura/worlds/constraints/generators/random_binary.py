"""Random binary problems (n, m, p1, p2), as in section 3 of Muscalagiu, Popa and Vidal, with exact counts."""

from __future__ import annotations

import numpy as np

from mensura.worlds.constraints.generators.family import Family, Parameter, number, whole
from mensura.worlds.constraints.generators.graphs import Pairs, distinct_pairs
from mensura.worlds.constraints.generators.tables import binary_problem, forbidden_tables
from mensura.worlds.constraints.problem import Problem, Relation


def draw(
    rng: np.random.Generator, n: int, m: int, p1: float, p2: float, planted: bool = False
) -> Problem:
    """round(p1 n (n-1) / 2) pairs are constrained, and in each round(p2 m m) tuples are forbidden."""
    pairs = distinct_pairs(rng, n, round(p1 * (n * (n - 1) // 2)))
    return random_tables(rng, f"random binary ({n}, {m}, {p1:g}, {p2:g})", n, m, pairs, p2, planted)


def random_tables(
    rng: np.random.Generator, name: str, n: int, m: int, pairs: Pairs, share: float, planted: bool
) -> Problem:
    """A graph whose links are constraints, each with its own forbidden tuples."""
    allowed = rng.integers(m, size=n)[pairs] if planted else None
    tables = forbidden_tables(rng, len(pairs), m, share, allowed)
    return binary_problem(
        name, [tuple(range(m))] * n, pairs, [Relation(one) for one in tables], range(len(pairs))
    )


RANDOM_BINARY = Family(
    "random-binary",
    "random binary constraints (n, m, p1, p2)",
    {
        "n": Parameter(10, "Variables, each an agent.", whole(1)),
        "m": Parameter(5, "Values of each variable.", whole(1, 1000)),
        "p1": Parameter(0.5, "Share of the pairs that are constrained.", number(0, 1)),
        "p2": Parameter(0.3, "Share of the tuples that are forbidden in each.", number(0, 1)),
    },
    draw,
    plants=True,
    agents="n",
    satisfaction=True,
)
