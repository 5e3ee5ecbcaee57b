"""Ways to solve a problem that is at hand as a whole, by name: what ``mensura constraints solve`` can be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.truth import brute_force, certify

if TYPE_CHECKING:
    from mensura.worlds.constraints.solving import Solution

MOST_CYCLES = 100_000
"""Of an algorithm that ends by itself."""
CYCLES = 200
"""Of an algorithm that goes on forever."""


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    assignment: tuple[int, ...] | None
    """By indices of values; None where there is none."""
    sentence: str
    """What is known of it."""
    effort: Mapping[str, float] = field(default_factory=dict)
    """What it took, by name, where agents wrote messages."""


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


def distributed(name: str, problem: Problem) -> Outcome:
    """An algorithm whose agents write letters, in synchronous cycles."""
    from mensura.worlds.constraints.agent_base.algorithm import refused
    from mensura.worlds.constraints.algorithms.table import MINDS
    from mensura.worlds.constraints.solving import COMPLETE, solve

    if getattr(MINDS[name].make, "satisfaction_only", False) and not problem.satisfaction:
        raise MensuraError(refused(name, f"of {problem.name!r:.80} {problem.first_costs}"))
    found = solve(problem, name, limit=MOST_CYCLES if name in COMPLETE else CYCLES)
    effort = _effort(found)
    talk = f"{found.metrics['messages']:.0f} messages in {found.metrics['cycles']:.0f} cycles"
    if found.verdict == "no solution":
        return Outcome(None, f"It cannot be solved: {name} proved it by {talk}.", effort)
    cost = (-1.0 if problem.maximize else 1.0) * found.cost
    what = "utility" if problem.maximize else "cost"
    ends = {
        "solved": f"{name} is done",
        "assignment": f"{name}, which proves nothing, is done",
        "unfinished": f"{name} was stopped and is not done",
    }
    sentence = f"{ends[found.verdict]}: {what} {cost:.12g}, by {talk}."
    return Outcome(found.assignment, sentence, effort)


def _effort(found: Solution) -> dict[str, float]:
    """Messages in all and by kind, cycles, checks, and checks that no other ran beside."""
    told = found.metrics
    return {
        "messages": told["messages"],
        **{f"messages of the kind {kind}": count for kind, count in found.kinds.items()},
        "numbers in them": told["numbers"],
        "obsolete messages": told["obsolete"],
        "cycles": told["cycles"],
        "constraint checks": told["checks"],
        "checks of learned nogoods": told["nogood_checks"],
        "non-concurrent constraint checks": told["nccc"],
        "bits of others' constraints that were told": told["privacy_loss"],
        **({"distance travelled": told["distance"]} if "distance" in told else {}),
    }


def solve_with(name: str, problem: Problem, seconds: float) -> Outcome:
    """What the solver of this name makes of a problem, verified."""
    if name in SOLVERS:
        outcome = SOLVERS[name](problem, seconds)
    else:
        from mensura.worlds.constraints.algorithms.table import MINDS

        if name not in MINDS:
            known = list(dict.fromkeys([*SOLVERS, *MINDS]))
            raise MensuraError(f"Nothing called {name!r} solves problems; {neighbors(name, known)}")
        outcome = distributed(name, problem)
    if outcome.assignment is not None and len(outcome.assignment) != len(problem.variables):
        raise MensuraError(f"{name} gave no value to some variables.")
    return outcome
