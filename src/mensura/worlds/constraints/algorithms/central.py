"""The ceiling: every agent sees the whole problem and takes its part of the best assignment."""

from __future__ import annotations

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.agent_base.algorithm import Algorithm
from mensura.worlds.constraints.knowledge import problem_from
from mensura.worlds.constraints.truth import certify


class Central(Algorithm):
    """Sees the whole problem and solves it by CP-SAT, without letters: a ceiling, and no distributed algorithm."""

    proxy = "any"

    def start(self) -> None:
        """Solve it, and take the own part."""
        whole = self.knows.told.get("whole")
        if whole is None:
            raise MensuraError(
                f"central needs the right sees_problem, which seat {self.seat} does not have."
            )
        problem = problem_from(whole)
        found = certify(problem)
        if found.assignment is not None:
            own = tuple(found.assignment[v] for v in problem.variables_of[self.seat])
            self.value = self.knows.domain.index(own)
        elif found.status == "unsatisfiable":
            self.claim()
