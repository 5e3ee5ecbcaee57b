"""What one seat knows of a problem, read from the text that it is told once."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError

MOST_VALUES = 100_000
"""An agent with several variables is treated as one with their combined values; so many at most."""

Numbers = list[float]


@dataclass(frozen=True)
class Place:
    """Where one agent is in the tree; all others are given by index."""

    parent: int | None
    children: tuple[int, ...]
    pseudo_parents: tuple[int, ...]
    """Neighbors above the parent."""
    pseudo_children: tuple[int, ...]
    """Neighbors below the children."""
    depth: int


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
