"""What subjects and figures take from the front of time and energy: a schedule on it, and its numbers."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.core.errors import MensuraError
from mensura.statistics.attempts import Frontier
from mensura.worlds.framotec.blocks import Range
from mensura.worlds.framotec.task import Task

_FRONTS = "mensura.worlds.framotec.pareto"


def _fronts() -> Any:
    """The module of fronts, which is loaded only where one is wanted."""
    return importlib.import_module(_FRONTS)


@lru_cache(maxsize=64)
def schedule_of(task: Task, leisure: float) -> npt.NDArray[np.float64]:
    """The powers of all exposed motors, (steps, motors), at a place of the front of a task.

    Its time is the least one plus a share, ``leisure``, of how much longer the cheapest way takes.
    """
    fronts = _fronts()
    quick = replace(task, integrator="work-energy")
    found = fronts.front(quick)
    first, last = float(found.times[0]), float(found.times[-1])
    powers: npt.NDArray[np.float64] = fronts.schedule(quick, time=first + leisure * (last - first))
    return powers


def frontier_of(family: Task) -> Frontier | None:
    """The front of the middle of a family of tasks, by the integrator work-energy; None where nobody can tell one."""
    if importlib.util.find_spec(_FRONTS) is None:
        return None
    task = replace(middle(family), integrator="work-energy")
    try:
        found = _fronts().front(task)
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


def middle(part: Any) -> Any:
    """A task, or a part of one, with the middle of every range in its place."""
    if isinstance(part, Range):
        return (part.low + part.high) / 2.0
    if isinstance(part, tuple):
        return tuple(middle(one) for one in part)
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{one.name: middle(getattr(part, one.name)) for one in fields(part)})
    return part
