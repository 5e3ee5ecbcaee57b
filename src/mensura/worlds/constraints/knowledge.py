"""What a seat may know of a problem, as text that it is told once, and read back from it.

An agent knows its own variables, the constraints that touch them, who owns the other ends and how many values those
have (Muscalagiu, Popa and Vidal, section 2). Beside that it is told what public preprocessing found: its rank in a
static order and who comes before and after it, its place in a pseudo-tree, and what a forbidden tuple counts as where
costs are added up.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.network import NOTHING
from mensura.worlds.constraints.problem import Constraint, Problem, Relation, Variable
from mensura.worlds.constraints.pseudo_tree import Place

MOST_VALUES = 100_000
"""An agent with several variables is treated as one with their combined values; so many at most."""

Numbers = list[float]


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


@dataclass
class Group:
    """All constraints that an agent shares with exactly these others, as one table to look up by their values."""

    others: tuple[int, ...]
    parts: list[tuple[list[tuple[int, int]], Any]]
    """The scope of each, as (agent, position), and its costs."""
    seat: int
    domains: Mapping[int, list[tuple[int, ...]]]
    """The combined values of each agent, by number."""

    def __post_init__(self) -> None:
        self.checks = len(self.parts)
        """How many constraints are looked up for one value."""
        self.least = math.fsum(
            float(table[np.isfinite(table)].min(initial=math.inf)) for _, table in self.parts
        )
        """No values cost less; infinite: all are forbidden."""
        self.alone = self.others[0] if len(self.others) == 1 else None
        """The other, where there is but one."""
        self._found: dict[tuple[int, ...], Numbers] = {}
        self._forbidden: dict[tuple[int, ...], list[int]] = {}

    def told_by(self, values: Mapping[int, int]) -> tuple[int, ...] | None:
        """The values of the others; None where one of them is not known."""
        if self.alone is not None:
            value = values.get(self.alone)
            return None if value is None else (value,)
        try:
            return tuple([values[one] for one in self.others])
        except KeyError:
            return None

    def costs(self, values: tuple[int, ...]) -> Numbers:
        """What each own value costs where the others have these; infinite: forbidden."""
        found = self._found.get(values)
        if found is None:
            found = self._found[values] = self._costs(values)
        return found

    def forbidden(self, values: tuple[int, ...]) -> list[int]:
        """The own values that are forbidden where the others have these."""
        found = self._forbidden.get(values)
        if found is None:
            costs = self.costs(values)
            found = self._forbidden[values] = [at for at, c in enumerate(costs) if c == math.inf]
        return found

    def table(self) -> npt.NDArray[np.float64]:
        """What all values cost: an axis for each of the others, in order, and the last for the own."""
        order = [*self.others, self.seat]
        sizes = [len(self.domains[one]) for one in order]
        total = np.zeros(sizes)
        for scope, table in self.parts:
            index = []
            for agent, at in scope:
                shape = [1] * len(order)
                shape[order.index(agent)] = -1
                index.append(np.array(self.domains[agent])[:, at].reshape(shape))
            total = total + table[tuple(index)]
        return total

    def _costs(self, values: tuple[int, ...]) -> Numbers:
        fixed = {
            one: self.domains[one][value] for one, value in zip(self.others, values, strict=True)
        }
        own = np.array(self.domains[self.seat])
        total = np.zeros(len(own))
        for scope, table in self.parts:
            index = tuple(
                own[:, at] if agent == self.seat else fixed[agent][at] for agent, at in scope
            )
            total = total + table[index]
        found: Numbers = total.tolist()
        return found


class Knowledge:
    """What one seat knows, ready to be asked. An agent with several variables is one with their combined values.

    A value, here and in letters, is the number of a combination: of a single variable, the number of its value.
    """

    def __init__(self, text: str) -> None:
        told = json.loads(text)
        self.told: dict[str, Any] = told
        self.seat: int = told["seat"]
        self.infinity: float = told["infinity"]
        """What a forbidden tuple counts as where costs are added up."""
        self.satisfaction: bool = told["satisfaction"]
        self.synchronous: bool = told["synchronous"]
        self.agents: int = told["agents"]
        self.before: int | None = told["before"]
        self.after: int | None = told["after"]
        self.parent: int | None = told["parent"]
        self.children: list[int] = told["children"]
        self.pseudo_parents: list[int] = told["pseudo_parents"]
        self.pseudo_children: list[int] = told["pseudo_children"]
        self.names: list[str] = [one["name"] for one in told["variables"]]
        sizes = {int(one): sizes for one, sizes in told["neighbors"].items()}
        self.neighbors: list[int] = sorted(sizes)
        sizes[self.seat] = [len(one["values"]) for one in told["variables"]]
        for one, each in sizes.items():
            if prod(each) > MOST_VALUES:
                raise MensuraError(
                    f"The variables of agent {one} have {prod(each):,} values together; algorithms treat an agent as "
                    f"one variable and take at most {MOST_VALUES:,}."
                )
        self.domains: dict[int, list[tuple[int, ...]]] = {
            one: list(product(*map(range, each))) for one, each in sizes.items()
        }
        self.domain = self.domains[self.seat]
        self.size = len(self.domain)
        self._sort_constraints()

    def rank(self, seat: int) -> int:
        """The place of an agent in the static order, from 0, the highest."""
        ranks: list[int] | None = self.told.get("ranks")
        return seat if ranks is None else ranks[seat]

    def _sort_constraints(self) -> None:
        """Own costs, those of constraints inside the agent, and the rest by who else is in them."""
        tables = [
            np.array([math.inf if c is None else c for c in one["costs"]], np.float64).reshape(
                one["shape"]
            )
            for one in self.told["tables"]
        ]
        own = np.zeros(self.size)
        index = np.array(self.domain)
        for at, variable in enumerate(self.told["variables"]):
            costs = variable.get("costs")
            if costs:
                own += np.array([math.inf if c is None else c for c in costs])[index[:, at]]
        parts: dict[tuple[int, ...], list[Any]] = {}
        for one in self.told["constraints"]:
            scope = [(agent, at) for agent, at in one["scope"]]
            others = tuple(sorted({agent for agent, _ in scope} - {self.seat}))
            table = tables[one["table"]]
            if others:
                parts.setdefault(others, []).append((scope, table))
            else:
                own += table[tuple(index[:, at] for _, at in scope)]
        self.own: Numbers = own.tolist()
        """What each own value costs by itself."""
        self.groups = [
            Group(others, each, self.seat, self.domains) for others, each in parts.items()
        ]

    @cached_property
    def place(self) -> Place:
        """The place in the pseudo-tree."""
        told = self.told
        return Place(
            self.parent,
            tuple(self.children),
            tuple(self.pseudo_parents),
            tuple(self.pseudo_children),
            told["depth"],
        )


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
