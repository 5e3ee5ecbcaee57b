"""Easier copies of a task, which start nearer to its goals: the training environments of 6.2.1."""

from __future__ import annotations

from dataclasses import replace

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.model.blocks import Object, System
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task


def easier(task: Task, share: float) -> Task:
    """A copy whose objects start at a share of their way to the goals on their values.

    With 1 it is the task itself. The way is that to the edge of the tolerance, so that no copy is solved from the
    start. What has no goal stays where it is, and so does what has one that waits for others: a plotter that was nearly
    activated would lock the position that it waits for.
    """
    if not 0.0 < share <= 1.0:
        raise MensuraError(
            f"A share of {share!r} of the way is impossible; it is above 0, and 1 at most."
        )
    if share == 1.0:
        return task
    flat = task.flat
    names = [one.name for one in flat.objects]
    goals = {attribute_path(goal.of, names): goal for goal in flat.goals}

    def nearer(one: Object, path: str) -> Object:
        goal = goals.get(f"{path}.value")
        if goal is None or goal.prerequisites:
            return one
        value, wanted, tolerance = (float(x) for x in (one.value, goal.value, goal.tolerance))  # type: ignore[arg-type]
        way = value - wanted
        beyond = abs(way) - tolerance
        if beyond <= 0.0:
            return one
        sign = 1.0 if way > 0 else -1.0
        return replace(one, value=wanted + sign * (tolerance + share * beyond))

    def within(system: System, prefix: str) -> System:
        return replace(
            system,
            objects=tuple(nearer(one, f"{prefix}{one.name}") for one in system.objects),
            systems=tuple(within(one, f"{prefix}{one.name}.") for one in system.systems),
        )

    return replace(
        task,
        objects=tuple(nearer(one, one.name) for one in task.objects),
        systems=tuple(within(one, f"{one.name}.") for one in task.systems),
    )
