"""n queens: agent i has the queen of row i, whose columns are the values; no two may attack each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import as_strided

from mensura.worlds.constraints.generators.family import Family, Parameter, whole
from mensura.worlds.constraints.generators.graphs import pairs_of
from mensura.worlds.constraints.generators.tables import binary_problem
from mensura.worlds.constraints.problem import Problem, Relation


def attack(n: int, rows: int) -> Relation:
    """Two queens so many rows apart: neither in one column nor on one diagonal.

    A tuple's cost depends on how far apart the columns are, so the table is a view of 2 n - 1 numbers.
    """
    apart = np.zeros(2 * n - 1)
    for columns in (-rows, 0, rows):
        if abs(columns) < n:
            apart[columns + n - 1] = math.inf
    step = apart.strides[0]
    table = as_strided(apart[n - 1 :], (n, n), (-step, step))
    return Relation(table, f'float("inf") if x0 == x1 or abs(x0 - x1) == {rows} else 0')


def draw(rng: np.random.Generator, n: int) -> Problem:
    """The problem of n queens; nothing in it is drawn."""
    del rng
    pairs = pairs_of(np.arange(n * (n - 1) // 2, dtype=np.int64), n)
    return binary_problem(
        f"{n} queens",
        [tuple(range(n))] * n,
        pairs,
        [attack(n, rows) for rows in range(1, n)],
        (pairs[:, 1] - pairs[:, 0] - 1).tolist(),
        tuple((0.0, float(row)) for row in range(n)),
    )


QUEENS = Family(
    "queens",
    "n queens on a board of n by n, one for each row and agent",
    {"n": Parameter(8, "Queens, rows and columns.", whole(1, 2000))},
    draw,
    agents="n",
    satisfaction=True,
)
