"""Scale-free problems (n, m, t, md, gamma), as in section 3 of Muscalagiu, Popa and Vidal.

How they draw the graph is not said there. Here degrees follow P(k) ~ k**-gamma from md to the square root of n, ends
are joined by the configuration model, and loops and doubles are dropped; or the graph grows as Barabasi and Albert
have it.
"""

from __future__ import annotations

import math

import numpy as np

from mensura.worlds.constraints.generators.family import Family, Parameter, number, one_of, whole
from mensura.worlds.constraints.generators.graphs import (
    configuration,
    power_law_degrees,
    preferential,
)
from mensura.worlds.constraints.generators.random_binary import random_tables
from mensura.worlds.constraints.problem import Problem


def draw(
    rng: np.random.Generator,
    n: int,
    m: int,
    t: float,
    md: int,
    gamma: float,
    graph: str,
    planted: bool = False,
) -> Problem:
    """In each constraint round(t m m) tuples are forbidden."""
    if graph == "barabasi-albert":
        pairs = preferential(rng, n, md)
    else:
        pairs = configuration(rng, power_law_degrees(rng, n, md, math.isqrt(n), gamma))
    name = f"scale-free ({n}, {m}, {t:g}, {md}, {gamma:g})"
    return random_tables(rng, name, n, m, pairs, t, planted)


SCALE_FREE = Family(
    "scale-free",
    "random binary constraints on a scale-free graph (n, m, t, md, gamma)",
    {
        "n": Parameter(100, "Variables, each an agent.", whole(1)),
        "m": Parameter(10, "Values of each variable.", whole(1, 1000)),
        "t": Parameter(
            0.3, "Share of the tuples that are forbidden in each constraint.", number(0, 1)
        ),
        "md": Parameter(4, "The least degree, before loops and doubles are dropped.", whole(1)),
        "gamma": Parameter(1.8, "The exponent of the degrees' law.", number(0, 10)),
        "graph": Parameter(
            "power-law",
            "power-law, or barabasi-albert, where each node brings md links and gamma is not used.",
            one_of("power-law", "barabasi-albert"),
        ),
    },
    draw,
    plants=True,
    agents="n",
    satisfaction=True,
)
