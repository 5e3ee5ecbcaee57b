"""What a further dimension or goal does to the least time and energy of a task: predicted, and measured.

The prediction takes the fronts of the task and of what is added, and combines them: side by side, energies add up and
the longer time counts; a place that is passed anyway costs nothing; to stand still in the end takes a leg with
brakes. The measurement plays the best schedules that are
found for the grown task in the simulation (section 7 asks for both).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis.dimensions import Entangled, dimensions, number
from mensura.worlds.framotec.analysis.legs import Stop
from mensura.worlds.framotec.analysis.pareto import front
from mensura.worlds.framotec.analysis.schedules import schedule
from mensura.worlds.framotec.model.blocks import Goal, Limits
from mensura.worlds.framotec.model.editing import all_parts, free_name
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.simulation import simulate


@dataclass(frozen=True)
class Growth:
    """A way to grow a task, and the least time and energy of what it becomes."""

    what: str
    task: Task
    predicted_time: float
    predicted_energy: float
    measured_time: float
    measured_energy: float


def grow(task: Task) -> list[Growth]:
    """The task as it is, and grown in several ways; a concrete task that falls into dimensions."""
    try:
        found = dimensions(task)
    except Entangled as tie:
        raise MensuraError(
            f"What growth does to the task {task.name!r} cannot be predicted: {tie}."
        ) from None
    if found.doubts:
        raise MensuraError(
            f"What growth does to the task {task.name!r} cannot be predicted exactly: {found.doubts[0]}."
        )
    base = replace(task, limits=Limits())
    edge = front(base, 2)
    time, energy = float(edge.times[0]), float(edge.energies[-1])
    alone = front(_copies(base), 2)
    more_time = max(time, float(alone.times[0]))
    more_energy = energy + float(alone.energies[-1])
    rows: list[tuple[str, Callable[[], Task], float, float]] = [
        ("as it is", lambda: base, time, energy),
        ("a dimension beside", lambda: with_dimension(base), more_time, more_energy),
        ("a dimension that comes last", lambda: with_dimension(base, True), more_time, more_energy),
        ("a place on the way", lambda: with_place(base), time, energy),
    ]
    if not found.locking and not any(isinstance(move.way, Stop) for move in found.alone):
        stopped = front(with_stop(base), 2)
        rows.append(
            (
                "to stand still there",
                lambda: with_stop(base),
                float(stopped.times[0]),
                float(stopped.energies[-1]),
            )
        )
    grown = []
    for what, make, predicted_time, predicted_energy in rows:
        made = make()
        grown.append(Growth(what, made, predicted_time, predicted_energy, *measured(made)))
    return grown


def measured(task: Task) -> tuple[float, float]:
    """The least time, and in another attempt the least energy, that schedules were seen to take."""
    edge = front(task, 2)
    quick = schedule(task)
    cheap = schedule(task, time=float(edge.times[-1]))
    fast = simulate(task, quick[None], [0])
    slow = simulate(task, cheap[None], [0])
    return float(fast.time[0]), float(slow.energy[0])


def _goal(task: Task) -> Goal:
    """The goal that growth goes by: the first on a place that is not reached at the start."""
    objects = {one.name: one for one in task.flat.objects}
    for goal in task.flat.goals:
        owner, _, attribute = attribute_path(goal.of, objects).rpartition(".")
        if attribute == "value" and owner in objects:
            far = abs(number(goal.value) - number(objects[owner].value))
            if far > number(goal.tolerance):
                return goal
    raise MensuraError(
        f"The task {task.name!r} has no goal on a place that is still to be reached."
    )


def _free(task: Task, name: str) -> str:
    return free_name(name, {part.name for _, _, part in all_parts(task)})


def _copies(task: Task) -> Task:
    """The object of the goal that growth goes by with its motors, sensors and that goal, under new names."""
    flat = task.flat
    goal = _goal(flat)
    owner = attribute_path(goal.of, {one.name for one in flat.objects}).rpartition(".")[0]
    own = next(one for one in flat.objects if one.name == owner)
    name = _free(flat, own.name)
    return Task(
        name=task.name,
        objects=(replace(own, name=name),),
        motors=tuple(
            replace(
                motor,
                name=_free(flat, motor.name),
                targets=tuple(
                    (name, factor) for target, factor in motor.targets if target == owner
                ),
            )
            for motor in flat.motors
            if any(target == owner for target, _ in motor.targets)
        ),
        sensors=tuple(
            replace(sensor, name=_free(flat, sensor.name), source=f"{name}.value")
            for sensor in flat.sensors
            if sensor.source in (owner, f"{owner}.value")
        ),
        goals=(replace(goal, name=_free(flat, goal.name), of=name, prerequisites=(), since=""),),
        dt=task.dt,
        controller_step=task.controller_step,
        integrator=task.integrator,
    )


def with_dimension(task: Task, last: bool = False) -> Task:
    """The task with a copy of one of its dimensions; ``last``: its goal requires all others to hold."""
    copies, flat = _copies(task), task.flat
    (goal,) = copies.goals
    if last:
        goal = replace(goal, prerequisites=tuple(one.name for one in flat.goals))
    return replace(
        flat,
        name=f"{task.name} and a dimension",
        objects=(*flat.objects, *copies.objects),
        motors=(*flat.motors, *copies.motors),
        sensors=(*flat.sensors, *copies.sensors),
        goals=(*flat.goals, goal),
    )


def with_place(task: Task) -> Task:
    """The task with a further goal: to be half way between a start and a goal at some time."""
    flat = task.flat
    goal = _goal(flat)
    owner = attribute_path(goal.of, {one.name for one in flat.objects}).rpartition(".")[0]
    start = number(next(one for one in flat.objects if one.name == owner).value)
    half = float(np.mean([start, number(goal.value)]))
    place = Goal(_free(flat, goal.name), owner, half, goal.tolerance)
    return replace(flat, name=f"{task.name} and a place", goals=(place, *flat.goals))


def with_stop(task: Task) -> Task:
    """The task with a further goal: the object of a goal has to stand still there, give or take 0.1."""
    flat = task.flat
    goal = _goal(flat)
    owner = attribute_path(goal.of, {one.name for one in flat.objects}).rpartition(".")[0]
    still = Goal(_free(flat, "still"), f"{owner}.velocity", 0.0, 0.1)
    stopped = replace(goal, prerequisites=(*goal.prerequisites, still.name), prerequisite="now")
    goals = tuple(stopped if one.name == goal.name else one for one in flat.goals)
    return replace(flat, name=f"{task.name} and a stop", goals=(still, *goals))
