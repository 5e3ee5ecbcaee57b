"""Problems made of arrays: agents with a variable each, and binary constraints between them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.generators.graphs import Pairs
from mensura.worlds.constraints.problem import (
    Constraint,
    Costs,
    Problem,
    Relation,
    Value,
    Variable,
)

AT_ONCE = 4_000_000
"""How many random numbers are drawn at a time."""


def forbidden_tables(
    rng: np.random.Generator,
    constraints: int,
    values: int,
    share: float,
    allowed: npt.NDArray[np.int64] | None = None,
) -> Costs:
    """(constraints, values, values): infinite in exactly round(share * values * values) tuples of each.

    ``allowed`` (constraints, 2) are tuples that stay allowed.
    """
    tuples = values * values
    count = round(share * tuples)
    if allowed is not None and count >= tuples:
        raise MensuraError(
            f"A share of {share:g} forbids all {tuples} tuples of a constraint, so that nothing can solve it."
        )
    costs = np.zeros((constraints, tuples))
    step = max(AT_ONCE // tuples, 1)
    for start in range(0, constraints if count else 0, step):
        part = costs[start : start + step]
        drawn = rng.random(part.shape, dtype=np.float32)
        if allowed is not None:
            ends = allowed[start : start + step]
            drawn[np.arange(len(part)), ends[:, 0] * values + ends[:, 1]] = 2.0
        if count == tuples:
            part[:] = math.inf
            continue
        chosen = np.argpartition(drawn, count - 1, axis=1)[:, :count]
        np.put_along_axis(part, chosen, math.inf, axis=1)
    return costs.reshape(constraints, values, values)


def not_equal(values: int) -> Relation:
    """Equal values are forbidden."""
    return Relation(
        np.where(np.eye(values, dtype=bool), math.inf, 0.0), 'float("inf") if x0 == x1 else 0'
    )


def binary_problem(
    name: str,
    domains: Sequence[tuple[Value, ...]],
    pairs: Pairs,
    relations: Sequence[Relation],
    relation_of: Sequence[int],
    places: tuple[tuple[float, ...], ...] = (),
) -> Problem:
    """An agent for each variable, a constraint for each pair."""
    return Problem(
        name,
        tuple(f"a{i}" for i in range(len(domains))),
        tuple(Variable(f"x{i}", values, i) for i, values in enumerate(domains)),
        tuple(relations),
        tuple(
            Constraint(f"c{i}", (one, other), relation)
            for i, ((one, other), relation) in enumerate(
                zip(pairs.tolist(), relation_of, strict=True)
            )
        ),
        places=places,
    )
