"""How good an assignment is: where it lies between what chance gives and the best there is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from mensura.worlds.constraints.problem import Problem

MOST_TRIED = 1 << 14
"""So many assignments are tried one by one where nothing else tells the optimum."""

BUDGETS = tuple(2**k for k in range(11))
"""Letters, or numbers in them, for each agent, after which the quality of an episode is told."""


@dataclass(frozen=True)
class Yardstick:
    """What costs of a problem are compared with."""

    expected: float
    """Of an assignment whose values are drawn evenly."""
    optimum: float
    proven: bool
    """Whether that is the optimum; else it is a bound that no assignment can be better than."""
    solvable: bool | None
    """Whether any assignment has nothing forbidden in it; None: not known."""

    def quality(self, cost: float) -> float:
        """1 at the optimum, 0 for what chance gives, clipped to [-1, 1]; 0 where these are equal."""
        reach = self.expected - self.optimum
        if reach == 0.0:
            return 0.0
        return max(-1.0, min(1.0, (self.expected - cost) / reach))


@lru_cache(maxsize=256)
def _yardstick(digest: str, problem: _Same) -> Yardstick:
    one = problem.problem
    expected = one.expected_cost
    if one.satisfaction:
        return Yardstick(expected, 0.0, True, _solvable(one))
    found = _tried(one)
    if found is None:
        return Yardstick(expected, _bound(one), False, None)
    return Yardstick(expected, found, True, found < one.infinity)


@dataclass(frozen=True)
class _Same:
    """A problem that is not looked at when compared: its digest is."""

    problem: Problem

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same)

    def __hash__(self) -> int:
        return 0


def yardstick(problem: Problem) -> Yardstick:
    """What costs of a problem are compared with; computed once for each problem."""
    return _yardstick(problem.digest, _Same(problem))


def _solvable(problem: Problem) -> bool | None:
    """Whether a DisCSP has a solution."""
    if any(one.tightness == 1.0 for one in problem.relations):
        return False
    found = _tried(problem)
    return None if found is None else found == 0.0


def _tried(problem: Problem) -> float | None:
    """The least cost of all assignments that have nothing forbidden, or of all where each has; None: too many."""
    if problem.size > math.log2(MOST_TRIED):
        return None
    best, allowed = math.inf, math.inf
    for values in product(*(range(len(one.values)) for one in problem.variables)):
        cost = problem.cost(values)
        best = min(best, cost)
        if cost < allowed and problem.allowed(values):
            allowed = cost
    return allowed if math.isfinite(allowed) else best


def _bound(problem: Problem) -> float:
    """No assignment costs less: every constraint and value at its cheapest."""
    least = [float(np.min(one.costs)) for one in problem.relations]
    costs = [least[one.relation] for one in problem.constraints]
    costs += [min(one.costs) for one in problem.variables if one.costs]
    return math.fsum(problem.infinity if math.isinf(one) else one for one in costs)
