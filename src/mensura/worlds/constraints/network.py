"""One problem made ready to be played: what an assignment costs, step by step, and how letters travel.

Letters are lines: ``"3 nogood #1=4 #2=0"`` is one to agent 3 of the kind ``nogood``; whatever follows is up to the kind, and
``#1`` in it names agent 1. On the way the number of the receiver is replaced by that of the sender. Channels are FIFO for each
ordered pair of agents. An agent may write to its neighbors, to those before and after it in the static order, to whoever wrote
to it, and to those whom letters that it read have named.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from functools import cached_property

from mensura.core.keys import Key, draw, fold
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.pseudo_tree import Place, pseudo_tree
from mensura.worlds.kit import State

KIND = re.compile(r"[a-z][a-z0-9?!-]{0,23}")
NAMED = re.compile(r"#(\d{1,9})\b")
CLAIM = "claim no solution"
"""The line by which an agent says that the problem has no solution."""
REPORTS = ("checks", "obsolete")
"""Lines that report to the environment, as ``"checks 57"``: constraint checks, and letters that came too late."""

_DELAY, _LOSS = 0, 1


class Network:
    """What never changes in an episode."""

    def __init__(self, problem: Problem, ranks: Sequence[int]) -> None:
        self.problem = problem
        self.ranks = tuple(ranks)
        self.count = len(problem.agents)
        self.order = tuple(sorted(range(self.count), key=self.ranks.__getitem__))
        tables = [
            [problem.infinity if one == float("inf") else one for one in each.costs.ravel().tolist()]
            for each in problem.relations
        ]
        self._costs = [
            (one.scope, problem.relations[one.relation].costs.shape, tables[one.relation])
            for one in problem.constraints
        ]
        self._own = [
            [problem.infinity if c == float("inf") else c for c in one.costs]
            for one in problem.variables
        ]
        self.names = [
            tuple(problem.variables[v].name for v in own) for own in problem.variables_of
        ]

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The pseudo-tree."""
        return pseudo_tree(self.problem.neighbors_of)

    @cached_property
    def books(self) -> tuple[frozenset[int], ...]:
        """To whom each agent may write from the beginning."""
        books = [set(one) for one in self.problem.neighbors_of]
        for one, other in zip(self.order, self.order[1:], strict=False):
            books[one].add(other)
            books[other].add(one)
        return tuple(map(frozenset, books))

    # Costs

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
        state.cost = sum(state.paid) + sum(
            own[value] for own, value in zip(self._own, values, strict=True) if own
        )

    def assign(self, state: State, seat: int, chosen: dict[str, int]) -> None:
        """Give the variables of an agent their values."""
        values, paid = state.values, state.paid
        for variable, value in zip(
            self.problem.variables_of[seat], chosen.values(), strict=True
        ):
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

    # Letters

    def may_write(self, state: State, seat: int, to: int) -> bool:
        """Whether an agent may write to another."""
        return to in self.books[seat] or to in state.known[seat]

    def deliver(self, state: State, to: int, sender: int, line: str, counter: float) -> None:
        """Put a letter into a box."""
        state.boxes[to].append(line)
        state.stamps[to].append(counter)
        known, book = state.known[to], self.books[to]
        if sender not in book:
            known[sender] = 1
        if "#" in line:
            for name in NAMED.findall(line):
                other = int(name)
                if other not in book and other != to and other < self.count:
                    known[other] = 1

    def arrive(self, state: State) -> None:
        """Let time go on until a letter arrives, where all boxes are empty and one is under way."""
        way = state.way
        if way and not any(state.boxes):
            state.time = way[0][0]
        while way and way[0][0] <= state.time:
            _, _, to, sender, line, counter = heapq.heappop(way)
            self.deliver(state, to, sender, line, counter)


def letter(line: str) -> tuple[int, str] | None:
    """To whom a line is addressed and what it says, from its kind on; None where it is no letter."""
    to, _, rest = line.partition(" ")
    if not to.isdecimal() or not to.isascii() or len(to) > 9:
        return None
    if KIND.fullmatch(rest.partition(" ")[0]) is None:
        return None
    return int(to), rest


def delay(kind: str, spread: int, key: Key, number: int) -> int:
    """How long a letter takes, at least 1; the same for the same key and number."""
    if kind == "fixed":
        return spread
    unit = (draw(key, number, _DELAY) >> 11) / (1 << 53)
    if kind == "random":
        return 1 + int(unit * spread)
    pareto: float = (1.0 - unit) ** (-1.0 / 1.5)  # which has a mean but no variance
    return min(int(pareto * max(1, spread // 2)), 1000 * spread)


def lost(loss: float, key: Key, number: int) -> bool:
    """Whether a letter is lost."""
    return loss > 0.0 and (draw(key, number, _LOSS) >> 11) / (1 << 53) < loss


def channel(key: Key, sender: int, to: int) -> Key:
    """The stream of draws of an ordered pair."""
    return fold(fold(key, sender), to)
