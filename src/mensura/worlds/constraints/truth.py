"""What is true of a problem: whether it can be solved and at what cost, proven by CP-SAT or by looking at everything.

"Unknown" is a verdict of its own: whoever ran out of time has shown nothing. Effort is counted by the solver's own
deterministic clock, whose seconds are about those of one core, so that a verdict hardly depends on how busy a machine
is.
"""

from __future__ import annotations

import itertools
import json
import math
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.problem import Costs, Problem

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Status = Literal["satisfiable", "unsatisfiable", "optimal", "unknown"]

SECONDS = 10.0
"""Of the solver's deterministic clock, where nothing else is said."""
MOST_TUPLES = 20_000_000
"""That all constraints together list; beyond, a model would not fit into memory."""
MOST_ASSIGNMENTS = 5_000_000
"""That brute force looks at."""
MOST_DECIMALS = 12
ROUNDING = 1e-15
"""By which a cost may miss a decimal number and still be it, since 3 * 0.1 is not quite 0.3."""
LARGEST_SUM = 2**52
"""Of scaled costs, which the solver adds up as integers."""
VERSION = 1
"""Of the files of a cache."""


@dataclass(frozen=True)
class Verdict:
    """What was proven of a problem, and the best assignment that was found."""

    status: Status
    assignment: tuple[int, ...] | None = None
    """A solution or, in a DCOP, the best one found; by indices of values."""
    value: float | None = None
    """What the assignment costs."""
    bound: float | None = None
    """No assignment without forbidden tuples costs less."""
    within: float = 0.0
    """How far value and bound may be off because costs were rounded; 0: costs were exact."""
    seconds: float = 0.0
    """The effort that was allowed."""
    reason: str = ""
    """Why it is unknown, in a sentence."""

    def reference(self, problem: Problem) -> tuple[float, bool]:
        """The cost that quality is measured against, and whether it is proven: 0 violations, an optimum, or a bound."""
        if problem.satisfaction:
            return 0.0, True
        if self.status == "optimal" and self.value is not None:
            return self.value, True
        return lowest(problem) if self.bound is None else self.bound, False

    def sentence(self, problem: Problem) -> str:
        """In words, with utilities where the problem is one of utilities."""
        sign = -1.0 if problem.maximize else 1.0
        rounded = f", up to {self.within:g} by rounding" if self.within else ""
        if self.status == "satisfiable":
            return "It can be solved: CP-SAT found a solution."
        if self.status == "unsatisfiable":
            return (
                "It cannot be solved: CP-SAT proved that every assignment has something forbidden."
            )
        if self.status == "optimal" and self.value is not None:
            what = "largest utility" if problem.maximize else "least cost"
            return f"The {what} is {sign * self.value:.12g}{rounded}, proven by CP-SAT."
        known = ""
        if self.value is not None and self.bound is not None:
            known = f" The best found is {sign * self.value:.12g}, the bound {sign * self.bound:.12g}{rounded}."
        return f"Unknown: {self.reason or 'CP-SAT did not decide in its time.'}{known}"


_decided: dict[str, Verdict] = {}


def certify(
    problem: Problem, seconds: float = SECONDS, folder: Path | None = None, workers: int = 1
) -> Verdict:
    """The verdict of CP-SAT, from this process, from a folder of earlier ones, or computed now."""
    listed = [_listed(one.costs) for one in problem.relations]
    tuples = sum(listed[one.relation] for one in problem.constraints)
    if tuples > MOST_TUPLES:
        reason = f"its constraints list {tuples} tuples together, over {MOST_TUPLES}."
        return Verdict("unknown", seconds=seconds, reason=reason)
    digest = problem.digest
    kept = _read(folder, problem)
    for verdict in (kept, _decided.get(digest)):
        if verdict is not None and (verdict.status != "unknown" or verdict.seconds >= seconds):
            break
    else:
        verdict = _solve(problem, seconds, workers)
    _decided[digest] = verdict
    if verdict != kept:
        _write(folder, digest, verdict)
    return verdict


def brute_force(problem: Problem) -> Verdict:
    """The verdict after looking at every assignment, in plain Python: slow, and simple enough to be believed."""
    count = math.prod(len(one.values) for one in problem.variables)
    if count > MOST_ASSIGNMENTS:
        raise MensuraError(
            f"{problem.name} has {count:.3g} assignments; brute force looks at no more than {MOST_ASSIGNMENTS:.0e}."
        )
    best: tuple[float, tuple[int, ...]] | None = None
    for assignment in itertools.product(*(range(len(one.values)) for one in problem.variables)):
        costs = problem.costs_of(assignment)
        if any(map(math.isinf, costs)):
            continue
        value = math.fsum(costs)
        if best is None or value < best[0]:
            best = value, assignment
            if problem.satisfaction:
                break
    if best is None:
        return Verdict("unsatisfiable")
    status: Status = "satisfiable" if problem.satisfaction else "optimal"
    return Verdict(status, best[1], best[0], best[0])


def lowest(problem: Problem) -> float:
    """A bound that needs no solver: the least cost of each constraint and value, added up."""
    least = [float(one.costs.min()) for one in problem.relations]
    return math.fsum(
        cost
        for cost in (
            *(least[one.relation] for one in problem.constraints),
            *(min(one.costs) for one in problem.variables if one.costs),
        )
        if math.isfinite(cost)
    )


# The solver ----------------------------------------------------------------------------


def _solve(problem: Problem, seconds: float, workers: int) -> Verdict:
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise MensuraError(
            "Proofs about problems of constraints need the extra constraints: pip install 'mensura[constraints]'."
        ) from None
    scale, within = _scale(problem)
    model, variables = _model(problem, scale, cp_model)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = seconds
    solver.parameters.max_time_in_seconds = 4.0 * seconds + 5.0
    outcome = solver.solve(model)
    if outcome == cp_model.INFEASIBLE:
        return Verdict("unsatisfiable", seconds=seconds)
    if outcome not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Verdict("unknown", bound=lowest(problem), seconds=seconds)
    assignment = tuple(int(solver.value(one)) for one in variables)
    if not problem.allowed(assignment):
        raise AssertionError("CP-SAT gave an assignment that the problem forbids.")
    value = problem.cost(assignment)
    if problem.satisfaction:
        return Verdict("satisfiable", assignment, value, value, seconds=seconds)
    if outcome == cp_model.OPTIMAL:
        return Verdict("optimal", assignment, value, value, within, seconds)
    bound = max(solver.best_objective_bound / scale, lowest(problem))
    return Verdict("unknown", assignment, value, bound, within, seconds)


def _model(
    problem: Problem, scale: float, cp: Any
) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Hard constraints as tables of tuples, soft ones with their scaled cost as a further column."""
    model = cp.CpModel()
    variables = [model.new_int_var(0, len(one.values) - 1, "") for one in problem.variables]
    terms: list[Any] = []
    prepared = [_rows(one.costs, scale) for one in problem.relations]
    for one in problem.constraints:
        scope = [variables[v] for v in one.scope]
        kind, rows, costs = prepared[one.relation]
        if kind == "forbidden":
            if len(rows):
                model.add_forbidden_assignments(scope, rows)
        elif kind == "allowed":
            model.add_allowed_assignments(scope, rows)
        else:
            cost = model.new_int_var(int(costs.min()), int(costs.max()), "")
            model.add_allowed_assignments([*scope, cost], rows)
            terms.append(cost)
    for variable, one_variable in zip(variables, problem.variables, strict=True):
        if one_variable.costs:
            costs_of = np.asarray(one_variable.costs, np.float64)
            kind, rows, costs = _rows(costs_of, scale)
            if kind != "costs":
                model.add_allowed_assignments(
                    [variable], np.argwhere(np.isfinite(costs_of)).tolist()
                )
                continue
            cost = model.new_int_var(int(costs.min()), int(costs.max()), "")
            model.add_allowed_assignments([variable, cost], rows)
            terms.append(cost)
    if terms:
        model.minimize(sum(terms))
    return model, variables


def _rows(costs: Costs, scale: float) -> tuple[str, Any, Any]:
    """The shorter list of tuples where there are no costs, otherwise tuples with their cost."""
    finite = np.isfinite(costs)
    scaled = np.rint(costs[finite] * scale).astype(np.int64)
    if scaled.any():
        return "costs", np.column_stack([np.argwhere(finite), scaled]).tolist(), scaled
    if 2 * int(finite.sum()) > costs.size:
        return "forbidden", np.argwhere(~finite).tolist(), scaled
    return "allowed", np.argwhere(finite).tolist(), scaled


def _listed(costs: Costs) -> int:
    """How many tuples :func:`_rows` lists."""
    forbidden = int(np.isinf(costs).sum())
    if forbidden + int((costs == 0).sum()) < costs.size:
        return costs.size - forbidden
    return min(forbidden, costs.size - forbidden)


def _scale(problem: Problem) -> tuple[float, float]:
    """A power of ten that makes all costs whole, and how far a sum may be off where none does."""
    own = [c for one in problem.variables for c in one.costs]
    parts = [np.unique(one.costs) for one in problem.relations]
    costs = np.unique(np.concatenate([np.array(own, np.float64), *parts]))
    costs = costs[np.isfinite(costs)]
    total = problem.infinity + math.fsum(
        abs(float(np.min(one.costs, initial=0.0, where=np.isfinite(one.costs))))
        for one in (problem.relations[c.relation] for c in problem.constraints)
    )
    scale = 1.0
    for decimals in range(MOST_DECIMALS + 1):
        if total * 10.0**decimals > LARGEST_SUM:
            break
        scale = 10.0**decimals
        off = np.abs(np.rint(costs * scale) / scale - costs)
        if bool((off <= ROUNDING * np.abs(costs)).all()):
            return scale, 0.0
    if total > LARGEST_SUM:
        scale = LARGEST_SUM / total
    terms = len(problem.constraints) + sum(bool(one.costs) for one in problem.variables)
    return scale, terms / scale


# Earlier verdicts ------------------------------------------------------------------------


def _path(folder: Path, digest: str) -> Path:
    return folder / f"verdict-{VERSION}-{digest}.json"


def _read(folder: Path | None, problem: Problem) -> Verdict | None:
    """An earlier verdict whose assignment is what it says; None where there is none, or the file is damaged."""
    if folder is None:
        return None
    try:
        data = json.loads(_path(folder, problem.digest).read_text(encoding="utf-8"))
        if data["assignment"] is not None:
            data["assignment"] = tuple(data["assignment"])
        verdict = Verdict(**data)
        if verdict.assignment is not None and not (
            problem.allowed(verdict.assignment)
            and problem.cost(verdict.assignment) == verdict.value
        ):
            return None
        return verdict
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _write(folder: Path | None, digest: str, verdict: Verdict) -> None:
    """Keep a verdict, whole or not at all; a folder that cannot be written to costs only the time next time."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=folder, suffix=".part", delete=False, encoding="utf-8"
        ) as part:
            json.dump(asdict(verdict), part)
        Path(part.name).replace(_path(folder, digest))
    except OSError:
        return
