"""What a seat may know of a problem, as text that it is told once.

An agent knows its own variables, the constraints that touch them, who owns the other ends and how many values those
have (Muscalagiu, Popa and Vidal, section 2). Beside that it is told what public preprocessing found: its rank in a
static order and who comes before and after it, its place in a pseudo-tree, and what a forbidden tuple counts as where
costs are added up. :class:`mensura.worlds.constraints.agent_base.knowledge.Knowledge` reads it back.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mensura.worlds.constraints.agent_base.knowledge import Place
from mensura.worlds.constraints.network import NOTHING
from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable


def plain_costs(relation: Relation) -> list[float | None]:
    """The costs of a table's tuples, the last variable's value changing first; None: forbidden."""
    return [None if math.isinf(one) else _whole(one) for one in relation.costs.ravel().tolist()]


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def told_of(
    problem: Problem, seat: int, *, place: Place, ranks: Sequence[int], synchronous: bool
) -> str:
    """What a seat is told before it begins, as JSON."""
    own = problem.variables_of[seat]
    position = {v: at for group in problem.variables_of for at, v in enumerate(group)}
    touching = sorted({one for variable in own for one in problem.constraints_of[variable]})
    relations = sorted({problem.constraints[one].relation for one in touching})
    number = {one: at for at, one in enumerate(relations)}
    rank = ranks[seat]
    told = {
        "seat": seat,
        "variables": [_variable(problem.variables[one]) for one in own]
        or [{"name": NOTHING, "values": [0]}],
        "neighbors": {
            str(other): [len(problem.variables[v].values) for v in problem.variables_of[other]]
            for other in problem.neighbors_of[seat]
        },
        "constraints": [
            {
                "name": problem.constraints[one].name,
                "scope": [
                    [problem.variables[v].agent, position[v]]
                    for v in problem.constraints[one].scope
                ],
                "table": number[problem.constraints[one].relation],
            }
            for one in touching
        ],
        "infinity": _whole(problem.infinity),
        "satisfaction": problem.satisfaction,
        "synchronous": synchronous,
        "agents": len(problem.agents),
        "rank": rank,
        "before": ranks.index(rank - 1) if rank else None,
        "after": ranks.index(rank + 1) if rank + 1 < len(ranks) else None,
        "parent": place.parent,
        "children": list(place.children),
        "pseudo_parents": list(place.pseudo_parents),
        "pseudo_children": list(place.pseudo_children),
        "depth": place.depth,
    }
    if list(ranks) != list(range(len(ranks))):
        told["ranks"] = list(ranks)
    written = ",".join(table_text(problem.relations[one]) for one in relations)
    return f'{json.dumps(told, separators=(",", ":"))[:-1]},"tables":[{written}]}}'


@lru_cache(maxsize=4096)
def table_text(relation: Relation) -> str:
    """A relation as JSON; many seats are told the same ones."""
    told = {"shape": list(relation.costs.shape), "costs": plain_costs(relation)}
    return json.dumps(told, separators=(",", ":"))


def _variable(one: Variable) -> dict[str, Any]:
    told: dict[str, Any] = {"name": one.name, "values": list(one.values)}
    if any(one.costs):
        told["costs"] = [None if math.isinf(c) else c for c in one.costs]
    return told


def whole_problem(problem: Problem) -> dict[str, Any]:
    """All of a problem as plain data, for seats with the right to see it."""
    return {
        "agents": list(problem.agents),
        "variables": [
            {
                "name": one.name,
                "values": list(one.values),
                "agent": one.agent,
                "costs": [None if math.isinf(c) else c for c in one.costs],
            }
            for one in problem.variables
        ],
        "relations": [
            {"shape": list(one.costs.shape), "costs": plain_costs(one)} for one in problem.relations
        ],
        "constraints": [[one.name, list(one.scope), one.relation] for one in problem.constraints],
    }


def problem_from(told: Mapping[str, Any]) -> Problem:
    """The problem that :func:`whole_problem` wrote."""
    return Problem(
        "",
        tuple(told["agents"]),
        tuple(
            Variable(
                one["name"],
                tuple(one["values"]),
                one["agent"],
                tuple(math.inf if c is None else c for c in one["costs"]),
            )
            for one in told["variables"]
        ),
        tuple(
            Relation(
                np.array([math.inf if c is None else c for c in one["costs"]], np.float64).reshape(
                    one["shape"]
                )
            )
            for one in told["relations"]
        ),
        tuple(
            Constraint(name, tuple(scope), relation)
            for name, scope, relation in told["constraints"]
        ),
    )
