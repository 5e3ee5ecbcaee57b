"""Small problems for tests, drawn by Hypothesis: any arity, several variables for an agent, hard and soft."""

import math

import numpy as np
from hypothesis import strategies as st

from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable

COSTS = st.sampled_from([0.0, 0.0, 1.0, 2.5, 7.0, -3.0, math.inf])
HARD = st.sampled_from([0.0, 0.0, math.inf])


@st.composite
def problems(draw: st.DrawFn, hard: bool = False) -> Problem:
    """Up to five variables and six constraints."""
    costs = HARD if hard else COSTS
    n = draw(st.integers(1, 5))
    agents = draw(st.integers(1, n))
    sizes = [draw(st.integers(1, 3)) for _ in range(n)]
    variables = tuple(
        Variable(
            f"v{i}",
            tuple(draw(st.sampled_from([[0, 1, 2], ["R", "G", "B"], [0.5, 2, "z"]]))[:size]),
            i if i < agents else draw(st.integers(0, agents - 1)),
            ()
            if hard or draw(st.booleans())
            else tuple(draw(st.lists(COSTS, min_size=size, max_size=size))),
            draw(st.none() | st.integers(0, size - 1)),
        )
        for i, size in enumerate(sizes)
    )
    relations, constraints = [], []
    for i in range(draw(st.integers(0, 6))):
        scope = tuple(draw(st.permutations(range(n)))[: draw(st.integers(1, min(n, 3)))])
        shape = tuple(sizes[v] for v in scope)
        count = math.prod(shape)
        table = draw(st.lists(costs, min_size=count, max_size=count))
        relations.append(Relation(np.array(table, np.float64).reshape(shape)))
        constraints.append(Constraint(f"c{i}", scope, i))
    return Problem(
        "drawn",
        tuple(f"a{i}" for i in range(agents)),
        variables,
        tuple(relations),
        tuple(constraints),
        draw(st.booleans()),
    )
