"""Coloring of graphs: neighbors must differ in color."""

from __future__ import annotations

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.generators.family import Family, Parameter, whole
from mensura.worlds.constraints.generators.graphs import distinct_pairs, pairs_across
from mensura.worlds.constraints.generators.tables import binary_problem, not_equal
from mensura.worlds.constraints.problem import Problem


def draw(
    rng: np.random.Generator, nodes: int, colors: int, links: int, planted: bool = False
) -> Problem:
    """A graph with exactly so many links; planted: between nodes that differ in a hidden coloring."""
    possible = nodes * (nodes - 1) // 2
    if links > possible:
        raise MensuraError(
            f"A graph of {nodes} nodes has at most {possible} links; coloring was asked for {links}."
        )
    if planted:
        hidden = rng.permutation(np.arange(nodes) % colors)
        pairs = pairs_across(rng, hidden, links)
    else:
        pairs = distinct_pairs(rng, nodes, links)
    return binary_problem(
        f"coloring of {nodes} nodes with {colors} colors",
        [tuple(range(colors))] * nodes,
        pairs,
        [not_equal(colors)],
        [0] * len(pairs),
    )


COLORING = Family(
    "coloring",
    "coloring of a random graph",
    {
        "nodes": Parameter(20, "Nodes, each an agent.", whole(1)),
        "colors": Parameter(3, "Colors of each node.", whole(1, 1000)),
        "links": Parameter(40, "Links between nodes, exactly so many.", whole(0)),
    },
    draw,
    plants=True,
    agents="nodes",
    satisfaction=True,
)
