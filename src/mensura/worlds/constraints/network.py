"""One problem made ready to be played: what an assignment costs step by step, and who may write to whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from mensura.worlds.constraints.agent_base.knowledge import Place
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.pseudo_tree import pseudo_tree
from mensura.worlds.constraints.travelling import are_robots
from mensura.worlds.kit import State

if TYPE_CHECKING:
    from mensura.worlds.constraints.agent_base.knowledge import Knowledge

NOTHING = "nothing"
"""What an agent without variables is asked for: it has one value."""


class Network:
    """What never changes in an episode."""

    def __init__(self, problem: Problem, ranks: Sequence[int]) -> None:
        self.problem = problem
        self.ranks = tuple(ranks)
        self.count = len(problem.agents)
        self.order = tuple(sorted(range(self.count), key=self.ranks.__getitem__))
        self._known: dict[int, tuple[Knowledge, str]] = {}
        self.names = [tuple(problem.variables[v].name for v in own) for own in problem.variables_of]

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The pseudo-tree."""
        return pseudo_tree(self.problem.neighbors_of)

    @cached_property
    def robots(self) -> bool:
        """Whether agents are robots, of which is counted how far they travel."""
        return are_robots(self.problem)

    @cached_property
    def books(self) -> tuple[frozenset[int], ...]:
        """To whom each agent may write from the beginning."""
        books = [set(one) for one in self.problem.neighbors_of]
        for one, other in pairwise(self.order):
            books[one].add(other)
            books[other].add(one)
        return tuple(map(frozenset, books))

    def known_by(self, seat: int, told: Callable[[], str]) -> tuple[Knowledge, str]:
        """What a seat knows, read once from what it is told, and that text."""
        if seat not in self._known:
            from mensura.worlds.constraints.agent_base.knowledge import Knowledge

            text = told()
            self._known[seat] = Knowledge(text), text
        return self._known[seat]

    # Costs, for agents who act one by one: plain lists are quicker than arrays to look up a single number in

    @cached_property
    def _costs(self) -> list[tuple[tuple[int, ...], tuple[int, ...], list[float]]]:
        problem, flat = self.problem, self.problem.flat
        ends = zip(flat.first.tolist(), (flat.first + flat.sizes).tolist(), strict=True)
        tables = [problem.counted[first:end].tolist() for first, end in ends]
        return [
            (one.scope, problem.relations[one.relation].costs.shape, tables[one.relation])
            for one in problem.constraints
        ]

    @cached_property
    def _own(self) -> list[list[float]]:
        infinity = self.problem.infinity
        return [
            [infinity if c == math.inf else c for c in one.costs] for one in self.problem.variables
        ]

    def cost_of(self, constraint: int, values: Sequence[int]) -> float:
        """What a constraint costs; what is forbidden counts as the problem says."""
        scope, shape, costs = self._costs[constraint]
        at = 0
        for variable, size in zip(scope, shape, strict=True):
            at = at * size + values[variable]
        return costs[at]

    def open(self, state: State) -> None:
        """Begin to keep count of costs in a state that has values."""
        values = state.values
        state.paid = [self.cost_of(one, values) for one in range(len(self._costs))]
        own = [own[value] for own, value in zip(self._own, values, strict=True) if own]
        state.cost = math.fsum([*state.paid, *own])

    def assign(self, state: State, seat: int, chosen: dict[str, int]) -> None:
        """Give the variables of an agent their values."""
        values, paid = state.values, state.paid
        for variable, value in zip(self.problem.variables_of[seat], chosen.values(), strict=False):
            old = values[variable]
            if value == old:
                continue
            values[variable] = value
            own = self._own[variable]
            if own:
                state.cost += own[value] - own[old]
            for one in self.problem.constraints_of[variable]:
                cost = self.cost_of(one, values)
                if cost != paid[one]:
                    state.cost += cost - paid[one]
                    paid[one] = cost
