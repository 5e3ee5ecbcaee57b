"""How good an assignment is: where it lies between what chance gives and the best there is."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass

from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.truth import SECONDS, Verdict, brute_force, certify

MOST_BITS = 10
"""Problems of so many bits are decided by looking at all assignments."""


@dataclass(frozen=True)
class Yardstick:
    """What costs of a problem are compared with."""

    expected: float
    """Of an assignment whose values are drawn evenly."""
    optimum: float
    proven: bool
    """Whether that is the optimum; else it is a bound that no assignment can be better than."""

    def quality(self, cost: float) -> float:
        """1 at the optimum, 0 for what chance gives, clipped to [-1, 1]; 0 where these are equal."""
        reach = self.expected - self.optimum
        if reach == 0.0:
            return 0.0
        return max(-1.0, min(1.0, (self.expected - cost) / reach))


_found: dict[tuple[str, float], Yardstick] = {}


def yardstick(problem: Problem, seconds: float = SECONDS) -> Yardstick:
    """What costs of a problem are compared with; computed once for each problem.

    Of a DisCSP the optimum is 0 violations, whether it has a solution or not.
    """
    if problem.satisfaction:
        return Yardstick(problem.expected_cost, *Verdict("unknown").reference(problem))
    name = problem.digest, seconds
    if name not in _found:
        verdict = _verdict(problem, seconds)
        _found[name] = Yardstick(problem.expected_cost, *verdict.reference(problem))
    return _found[name]


def privacy_loss(problem: Problem, nogoods: int, costs: int) -> float:
    """Bits of others' constraints that agents were told by letters, estimated.

    A nogood is one bit: these values cannot all be. A cost or a bound is as many as it takes to say one of the whole
    numbers up to what a forbidden tuple counts as.
    """
    return nogoods + costs * math.log2(1.0 + problem.infinity) if costs else float(nogoods)


def solvable(problem: Problem, seconds: float = SECONDS) -> bool | None:
    """Whether any assignment has nothing forbidden in it; None: not known."""
    verdict = _verdict(problem, seconds)
    if verdict.assignment is not None:
        return True
    return False if verdict.status == "unsatisfiable" else None


def _verdict(problem: Problem, seconds: float) -> Verdict:
    """By brute force where that is quick, else by CP-SAT; unknown where that is not installed or not wanted."""
    if problem.size <= MOST_BITS:
        return brute_force(problem)
    if not seconds or not importlib.util.find_spec("ortools"):
        return Verdict("unknown")
    return certify(problem, seconds)
