"""What subjects and figures take from the front of time and energy: a schedule on it, and its numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.statistics.attempts import Frontier
from mensura.worlds.framotec.model.task import Task


@lru_cache(maxsize=64)
def schedule_of(task: Task, leisure: float) -> npt.NDArray[np.float64]:
    """The powers of all exposed motors, (steps, motors), at a place of the front of a task.

    Its time is the least one plus a share, ``leisure``, of how much longer the cheapest way takes.
    """
    from mensura.worlds.framotec.analysis import pareto, schedules

    quick = replace(task, integrator="work-energy")
    found = pareto.front(quick)
    first, last = float(found.times[0]), float(found.times[-1])
    powers: npt.NDArray[np.float64] = schedules.schedule(
        quick, time=first + leisure * (last - first)
    )
    return powers


def frontier_of(family: Task) -> Frontier | None:
    """The front of the middle of a family of tasks, by the integrator work-energy; None where nobody can tell one."""
    from mensura.worlds.framotec.analysis import pareto

    task = replace(family.middle, integrator="work-energy")
    try:
        found = pareto.front(task)
    except MensuraError:
        return None
    told = "" if family.concrete else " It is that of the middle of all ranges."
    return Frontier(
        np.array(found.times),
        np.array(found.energies),
        float(found.watts),
        f"{found.how}{told}",
        task.limits.time,
        task.limits.energy,
    )
