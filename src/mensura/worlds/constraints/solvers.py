"""Ways to solve a problem that is at hand as a whole, by name: what ``mensura constraints solve`` can be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mensura.core.errors import MensuraError, neighbors
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.truth import brute_force, certify


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    assignment: tuple[int, ...] | None
    """By indices of values; None where there is none."""
    sentence: str
    """What is known of it."""


def central(problem: Problem, seconds: float) -> Outcome:
    """CP-SAT, which sees everything."""
    verdict = certify(problem, seconds)
    return Outcome(verdict.assignment, verdict.sentence(problem))


def brute(problem: Problem, seconds: float) -> Outcome:
    """Every assignment, one after another."""
    del seconds
    verdict = brute_force(problem)
    return Outcome(verdict.assignment, verdict.sentence(problem).replace("CP-SAT", "brute force"))


SOLVERS: Mapping[str, Callable[[Problem, float], Outcome]] = {"central": central, "brute": brute}


def solve_with(name: str, problem: Problem, seconds: float) -> Outcome:
    """What the solver of this name makes of a problem, verified."""
    if name not in SOLVERS:
        raise MensuraError(
            f"Nothing called {name!r} solves problems; {neighbors(name, list(SOLVERS))}"
        )
    outcome = SOLVERS[name](problem, seconds)
    if outcome.assignment is not None and len(outcome.assignment) != len(problem.variables):
        raise MensuraError(f"{name} gave no value to some variables.")
    return outcome
