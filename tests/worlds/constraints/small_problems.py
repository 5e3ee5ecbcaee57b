"""Small problems of all sorts, from a seed: with and without costs, of several variables an agent, of three ends."""

from __future__ import annotations

import numpy as np

from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable


def hard_problem(seed: int) -> Problem:
    """A random binary DisCSP of two to six agents, about half of them solvable."""
    rng = np.random.default_rng(seed)
    return FAMILIES["random-binary"].problem(
        rng,
        n=int(rng.integers(2, 7)),
        m=int(rng.integers(2, 4)),
        p1=float(rng.uniform(0.2, 1.0)),
        p2=float(rng.uniform(0.1, 0.7)),
    )


def soft_problem(seed: int) -> Problem:
    """A DCOP: some with negative costs, some with forbidden tuples, some with two variables of one agent."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    sort = rng.random()
    relations: list[Relation] = []
    scopes: list[tuple[int, ...]] = []
    for i in range(n):
        for j in range(i):
            if rng.random() < 0.6:
                costs = rng.integers(-3 if sort < 0.3 else 0, 10, size=(m, m)).astype(float)
                if sort > 0.6:
                    costs[rng.random((m, m)) < 0.25] = np.inf
                relations.append(Relation(costs))
                scopes.append((i, j))
    if n >= 3 and rng.random() < 0.3:
        relations.append(Relation(rng.integers(0, 10, size=(m, m, m)).astype(float)))
        scopes.append((0, 1, 2))
    agents = n if rng.random() < 0.6 else max(1, n - 1)
    own = [
        tuple(map(float, rng.integers(0, 4, size=m))) if rng.random() < 0.3 else ()
        for _ in range(n)
    ]
    return Problem(
        "small",
        tuple(f"a{i}" for i in range(agents)),
        tuple(Variable(f"x{i}", tuple(range(m)), i % agents, own[i]) for i in range(n)),
        tuple(relations),
        tuple(Constraint(f"c{k}", scope, k) for k, scope in enumerate(scopes)),
    )


def tree_problem(seed: int) -> Problem:
    """A DCOP whose graph is a tree."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 7)), int(rng.integers(2, 4))
    relations = tuple(
        Relation(rng.integers(0, 100, size=(m, m)).astype(float)) for _ in range(n - 1)
    )
    return Problem(
        "tree",
        tuple(f"a{i}" for i in range(n)),
        tuple(Variable(f"x{i}", tuple(range(m)), i) for i in range(n)),
        relations,
        tuple(Constraint(f"c{i}", (int(rng.integers(i)), i), i - 1) for i in range(1, n)),
    )


def mixed_problem(seed: int) -> Problem:
    """A DisCSP, some with constraints of three, some with two variables of one agent."""
    soft = soft_problem(seed)
    limit = float(np.random.default_rng([seed, 1]).integers(3, 7))
    return Problem(
        "mixed",
        soft.agents,
        tuple(Variable(one.name, one.values, one.agent) for one in soft.variables),
        tuple(Relation(np.where(one.costs > limit, np.inf, 0.0)) for one in soft.relations),
        soft.constraints,
    )
