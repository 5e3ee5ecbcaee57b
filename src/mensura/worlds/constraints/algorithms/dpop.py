"""DPOP: dynamic programming along a pseudo-tree, with tables up and values down.

Petcu and Faltings ("A Scalable Method for Multiagent Constraint Optimization", 2005), as remembered. It takes two
letters for each agent but the roots; its tables have an axis for each agent of a separator, so they may be huge.
"""

from __future__ import annotations

from itertools import islice, takewhile
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.agent_base.algorithm import (
    MOST_ROWS,
    Algorithm,
    Values,
    on,
    read,
    text_of,
    written,
)
from mensura.worlds.constraints.agent_base.algorithm import Table as Shown

Table = npt.NDArray[np.float64]


def added(
    agents: list[int], table: Table, others: list[int], more: Table
) -> tuple[list[int], Table]:
    """The sum of two tables whose axes are agents: those of the first, then those that only the second has."""
    axes = agents + [one for one in others if one not in agents]
    own = table.reshape(*table.shape, *[1] * (len(axes) - len(agents)))
    where = [axes.index(one) for one in others]
    order = sorted(range(len(others)), key=where.__getitem__)
    shape = [1] * len(axes)
    for at in order:
        shape[where[at]] = more.shape[at]
    return axes, own + more.transpose(order).reshape(shape)


class DPOP(Algorithm):
    """Dynamic programming on a pseudo-tree: exact, few letters, tables as large as the separators make them."""

    def __init__(self, cells: float = 1_000_000) -> None:
        self.cells = int(cells)
        """The most that a table may have."""

    def start(self) -> None:
        """Leaves begin."""
        knows = self.knows
        self.above = {*knows.pseudo_parents, *([] if knows.parent is None else [knows.parent])}
        self.agents = [self.seat]
        """The axes of the table: this agent, then the separator."""
        self.table: Table = np.array(knows.own)
        self.separators: dict[int, list[int]] = {}
        """What each child's table depends on, beside this agent."""
        for group in knows.groups:
            if self.above.issuperset(group.others):
                self.checks += group.checks * prod(group.table().shape)
                self.join([*group.others, self.seat], group.table())
        if not knows.children:
            self.pass_up()

    def join(self, agents: list[int], table: Table) -> None:
        """Add a table to the own one."""
        new = [one for one in agents if one not in self.agents]
        sizes = dict(zip(agents, table.shape, strict=True))
        cells = self.table.size * prod(sizes[one] for one in new)
        if cells > self.cells:
            raise MensuraError(
                f"The table of agent {self.seat} would have {cells:,} cells, over {len(self.agents) + len(new)} "
                f"agents; dpop is allowed {self.cells:,}, and adopt or sync-bb need no tables."
            )
        self.agents, self.table = added(self.agents, self.table, agents, table)

    @on("util")
    def hear_table(self, sender: int, words: list[str]) -> None:
        """The table of a child: what the best below it costs, by the values of its separator."""
        named = list(takewhile(lambda word: word[0] == "#", words))
        sizes = read(named)
        costs = np.array(words[len(named) :], np.float64)
        self.learned_costs += costs.size
        self.separators[sender] = [one for one in sizes if one != self.seat]
        self.join(list(sizes), costs.reshape(list(sizes.values())))
        if len(self.separators) == len(self.knows.children):
            self.pass_up()

    def inside(self) -> list[Shown]:
        """The table that it has so far: what the best at and below it costs, by its own value and those above."""
        columns = (*(f"agent {one}" for one in self.agents), "cost")
        cells = islice(np.ndenumerate(self.table), MOST_ROWS)
        rows: list[tuple[str | int, ...]] = [(*at, text_of(float(cost))) for at, cost in cells]
        return [Shown(f"table of {self.table.size:,} cells", columns, tuple(rows))]

    def pass_up(self) -> None:
        """All tables of children are there: take the own variable out, and tell the parent."""
        if self.knows.parent is None:
            self.settle({})
            return
        best = self.table.min(axis=0)
        sizes = dict(zip(self.agents[1:], best.shape, strict=True))
        costs = " ".join(map(text_of, best.ravel().tolist()))
        self.because("All tables of children are there: the parent is told what the best below costs, by the values "
                     "of {}.", ", ".join(f"agent {one}" for one in sizes))  # fmt: skip
        self.send(self.knows.parent, "util", written(sizes), costs)

    @on("value")
    def hear_values(self, sender: int, words: list[str]) -> None:
        """The parent has chosen, and all of the separator."""
        self.settle(read(words))

    def settle(self, values: Values) -> None:
        """Take the best value for these, and tell the children."""
        index: tuple[Any, ...] = (slice(None), *(values[one] for one in self.agents[1:]))
        costs = self.table[index]
        self.value = int(costs.argmin())
        if costs[self.value] == np.inf:
            self.because("Every value is forbidden, whatever others have: there is no solution.")
            self.claim()
            return
        self.because("Value {} costs least here and below {}: {}.", self.value, values,
                     float(costs[self.value]))  # fmt: skip
        known = {**values, self.seat: self.value}
        for child, separator in self.separators.items():
            self.send(child, "value", written({one: known[one] for one in (*separator, self.seat)}))
