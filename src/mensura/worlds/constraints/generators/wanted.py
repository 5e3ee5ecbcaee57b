"""Problems that are known to be solvable, or known not to be: planted where a family can, else certified by CP-SAT."""

from __future__ import annotations

from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.generators.family import Family
from mensura.worlds.constraints.measures import constrainedness
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.truth import certify

ATTEMPTS = 50
SECONDS = 5.0
"""Of the solver's deterministic clock, for each attempt."""


def draw_wanted(
    family: Family, rng: np.random.Generator, *, solvable: bool | None = None, **parameters: Any
) -> Problem:
    """A problem that is solvable or not, as wanted; None: as it comes."""
    if solvable is None:
        return family.problem(rng, **parameters)
    if solvable and family.plants:
        return family.problem(rng, planted=True, **parameters)
    what = "solvable" if solvable else "unsolvable"
    before, unknown = "", 0
    kappas = []
    for _ in range(ATTEMPTS):
        problem = family.problem(rng, **parameters)
        status = certify(problem, SECONDS).status
        if status != "unknown" and (status != "unsatisfiable") == solvable:
            return problem
        unknown += status == "unknown"
        kappas.append(constrainedness(problem))
        if problem.digest == before:
            raise MensuraError(
                f"{problem.name} is not certified as {what}, and nothing is drawn in it, so that another try is no use."
            )
        before = problem.digest
    hint = f" CP-SAT could not decide {unknown} of them." if unknown else ""
    raise MensuraError(
        f"None of {ATTEMPTS} problems of {family.name} is certified as {what}; their constrainedness is "
        f"{sum(kappas) / ATTEMPTS:.2f}, and most problems are solvable well below 1 and unsolvable well above.{hint}"
    )
