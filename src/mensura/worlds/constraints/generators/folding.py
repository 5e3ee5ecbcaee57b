"""Protein folding in the HP model (Dill, 1985; Lau and Dill, 1989), on square and cubic lattices.

A chain of hydrophobic (H) and polar (P) residues is laid on a lattice, neighbors in the chain on neighboring sites, no
two on one. Each residue is an agent and each site a value. The energy is minus the number of pairs of H that touch
without being neighbors in the chain; here the cost is the number of pairs of H that could touch and do not, which
differs by a constant and is never negative.
"""

from __future__ import annotations

import math

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.generators.family import (
    Family,
    Parameter,
    letters_of,
    number,
    whole,
)
from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable

MOST_TUPLES = 4_000_000
"""Of a table, whose sides are the sites of the lattice."""


def draw(
    rng: np.random.Generator, sequence: str, n: int, h: float, dimensions: int, side: int
) -> Problem:
    """A given chain, or one of n residues of which round(h n) are H; on a lattice with so many sites a side."""
    if not sequence:
        kinds = np.array(["P"] * n)
        kinds[rng.choice(n, round(h * n), replace=False)] = "H"
        sequence = "".join(kinds.tolist())
    n = len(sequence)
    if not side:
        side = 1
        while side**dimensions < n:
            side += 1
        side += 1
    sites = side**dimensions
    if sites < n:
        raise MensuraError(f"A lattice of {sites} sites has no room for {n} residues.")
    if sites * sites > MOST_TUPLES:
        raise MensuraError(
            f"A lattice of {sites} sites has {sites * sites} pairs of them, over {MOST_TUPLES}; take a smaller side."
        )
    places = np.stack(np.unravel_index(np.arange(sites), (side,) * dimensions), axis=1)
    apart = sum(np.abs(places[:, None, axis] - places[None, :, axis]) for axis in range(dimensions))
    relations = (
        Relation(np.where(apart == 1, 0.0, math.inf)),
        Relation(np.where(apart == 0, math.inf, 0.0)),
        Relation(np.select([apart == 0, apart == 1], [math.inf, 0.0], 1.0)),
    )
    constraints = [
        Constraint(f"c{i}_{j}", (i, j), kind(sequence, i, j))
        for i in range(n)
        for j in range(i + 1, n)
    ]
    values = tuple(",".join(map(str, place)) for place in places.tolist())
    return Problem(
        f"folding of {sequence} on a lattice of {dimensions} dimensions",
        tuple(f"a{i}" for i in range(n)),
        tuple(Variable(f"{letter}{i}", values, i) for i, letter in enumerate(sequence)),
        relations,
        tuple(constraints),
        places=tuple((float(i), 0.0) for i in range(n)),
    )


def kind(sequence: str, i: int, j: int) -> int:
    """Which relation holds between two residues.

    On these lattices the parity of a site tells the parity of a residue's number, so only residues at an odd distance
    in the chain can touch.
    """
    if j == i + 1:
        return 0
    return 2 if sequence[i] == sequence[j] == "H" and (j - i) % 2 else 1


FOLDING = Family(
    "folding",
    "folding of a protein in the HP model, on a square or cubic lattice",
    {
        "sequence": Parameter(
            "", "The chain, as HPPHPH; empty: one is drawn.", letters_of("HP", 200)
        ),
        "n": Parameter(8, "Residues of a chain that is drawn.", whole(1, 200)),
        "h": Parameter(0.5, "Share of H in a chain that is drawn.", number(0, 1)),
        "dimensions": Parameter(2, "2: a square lattice, 3: a cubic one.", whole(2, 3)),
        "side": Parameter(
            0, "Sites of a side of the lattice; 0: one more than the chain needs.", whole(0, 100)
        ),
    },
    draw,
)
