"""Task theory (section 3): what a task asks of a performer, told from the task alone, and how far tasks are apart.

Time, energy and the cost of an error come from the front and the limits; sharpness of sight, feedback latency and
information from sensors and instructions. :func:`distance` is the metric of Bieger, Thórisson and Steunebrink (2016,
section 2): any metric between vectors of named quantitative properties.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from mensura.agent.errors import MensuraError, neighbors
from mensura.complexity.compression import zlib_length
from mensura.worlds.framotec.analysis.causal import causal_graph
from mensura.worlds.framotec.analysis.pareto import Front, front, watts_of
from mensura.worlds.framotec.model.blocks import Object, middle_of
from mensura.worlds.framotec.model.names import attribute_path, readings
from mensura.worlds.framotec.model.task import Task

Metric: TypeAlias = Literal["manhattan", "euclidean"]


# What a task asks ---------------------------------------------------------------------


@dataclass(frozen=True)
class Demands:
    """What a task asks of a performer; of a family, in its middle."""

    time: float
    """Seconds that it takes at least."""
    energy: float
    """Joules that it takes at least."""
    time_limit: float
    """Seconds that it may take; infinite without a limit."""
    energy_limit: float
    """Joules that it may take; infinite without a limit."""
    error_time: float
    """Seconds that a failed attempt costs at most."""
    error_energy: float
    """Joules that a failed attempt costs at most: the limit, or what motors can use until the limit of time."""
    sharpness: float
    """From 0, nothing that matters is seen, to 1, everything is seen sharply."""
    feedback_latency: float
    """Seconds after which an action can answer to what happened to a goal; infinite where it is not seen."""
    instruction_bits: float
    """What the performer is told beforehand: the length of the instructions, compressed, in bits."""
    reading_bits: float
    """What the performer is told by one reading of all sensors, in bits, as far as what they read is bounded."""
    front: Front

    def to_json(self) -> dict[str, Any]:
        """Without the points of the front."""
        own = {name: value for name, value in vars(self).items() if name != "front"}
        return {**own, "exact": self.front.exact, "how": self.front.how}


def demands(task: Task) -> Demands:
    """Estimate what a task asks (section 3, items 3 and 4)."""
    one = task.middle
    edge = front(one)
    time = one.limits.time if one.limits.time is not None else math.inf
    energy = one.limits.energy if one.limits.energy is not None else math.inf
    usable = watts_of(one) * time if watts_of(one) else 0.0
    return Demands(
        time=float(edge.times[0]),
        energy=float(edge.energies[-1]),
        time_limit=time,
        energy_limit=energy,
        error_time=time,
        error_energy=min(energy, usable),
        sharpness=sharpness(one),
        feedback_latency=feedback_latency(one),
        instruction_bits=instruction_bits(one),
        reading_bits=reading_bits(one),
        front=edge,
    )


def _scale(task: Task, one: Object, attribute: str) -> float:
    """How exactly an attribute has to be known: the least tolerance of a goal on it, or a hundredth of its bounds."""
    paths = (f"{one.name}.{attribute}", *((one.name,) if attribute == "value" else ()))
    tolerances = [middle_of(goal.tolerance) for goal in task.flat.goals if goal.of in paths]
    wide = [tolerance for tolerance in tolerances if tolerance > 0.0]
    if wide:
        return min(wide)
    if attribute == "value" and one.bounds is not None:
        return 0.01 * (one.bounds[1] - one.bounds[0])
    return 1.0


def sharpness(task: Task) -> float:
    """How sharply what matters is seen: the observability of section 7, item 6, with the errors of sensors.

    The mean over the values and velocities of all objects that goals depend on: 0 where no sensor reads it, else
    scale / (scale + error) of the best sensor, where the error is distortion and half of the last digit, and the scale
    is the tolerance of its goal, a hundredth of its bounds, or 1.
    """
    graph = causal_graph(task)
    goals = {goal.name for goal in task.flat.goals}
    seen, shares = readings(task.flat), []
    for one in task.flat.objects:
        if not goals & graph.reached_from(one.name):
            continue
        for attribute in ("value", "velocity"):
            errors = [error for error, _ in seen.get(f"{one.name}.{attribute}", ())]
            scale = _scale(task, one, attribute)
            shares.append(scale / (scale + min(errors)) if errors else 0.0)
    return sum(shares) / len(shares) if shares else 1.0


def feedback_latency(task: Task) -> float:
    """Seconds after which an action can answer to what happened to a goal: the slowest goal, by its fastest sensor.

    That is the latency of the sensor and one controller step; a goal on an attribute that no sensor reads makes it
    infinite, unless a reward channel tells how far it is.
    """
    objects = {one.name for one in task.flat.objects}
    seen = readings(task.flat)
    told = [latency for _, latency in seen.get("reward", ())]
    slowest = 0.0
    for goal in task.flat.goals:
        paths = (attribute_path(goal.of, objects), f"{goal.name}.distance")
        own = [latency for path in paths for _, latency in seen.get(path, ())] + told
        slowest = max(slowest, min(own, default=math.inf))
    return slowest + task.controller_step


def instruction_bits(task: Task) -> float:
    """What is told beforehand: the compressed length of the instructions in bits, 0 for none."""
    return 8.0 * zlib_length(task.instructions) if task.instructions else 0.0


def reading_bits(task: Task) -> float:
    """What one reading of all sensors tells: the logarithm of how many values it can tell apart.

    A sensor of a bounded object tells log2(1 + range / (2 error)) bits; one without error, and one of what has no
    bounds, is left out, since it has no finite number.
    """
    bits = 0.0
    objects = {one.name: one for one in task.flat.objects}
    for path, several in readings(task.flat).items():
        owner, _, attribute = path.rpartition(".")
        one = objects.get(owner)
        if one is None or one.bounds is None or attribute != "value":
            continue
        bits += sum(
            math.log2(1.0 + (one.bounds[1] - one.bounds[0]) / (2.0 * error))
            for error, _ in several
            if error > 0.0
        )
    return bits


# Distance -----------------------------------------------------------------------------


def _bits(task: Task) -> float:
    return 8.0 * zlib_length(json.dumps(task.to_json(), sort_keys=True))


def _log(value: float) -> float:
    return math.log2(1.0 + value)


def _share(value: float) -> float:
    return 1.0 if math.isinf(value) else value / (1.0 + value)


PROPERTIES: Mapping[str, tuple[str, Callable[[Task], float]]] = {
    "dimensions": ("how many objects", lambda task: len(task.flat.objects)),
    "motors": ("how many exposed motors", lambda task: len(task.exposed)),
    "sensors": ("how many sensors", lambda task: len(task.flat.sensors)),
    "goals": ("how many goals", lambda task: len(task.flat.goals)),
    "transitions": ("how many designed transitions", lambda task: len(task.flat.transitions)),
    "chain": ("arrows of the longest causal chain", lambda t: causal_graph(t).longest_chain),
    "chains": ("parts that share no cause but the controller", lambda t: causal_graph(t).chains),
    "sharpness": ("how sharply what matters is seen, from 0 to 1", sharpness),
    "latency": ("feedback latency t as t / (1 + t)", lambda t: _share(feedback_latency(t))),
    "instructions": ("log2(1 + bits) of the instructions", lambda t: _log(instruction_bits(t))),
    "readings": ("log2(1 + bits) of a reading", lambda task: _log(reading_bits(task))),
    "description": ("log2(1 + bits) of the task itself", lambda task: _log(_bits(task))),
    "time": (
        "log2(1 + seconds) that it takes at least",
        lambda task: _log(float(front(task.middle, 2).times[0])),
    ),
    "energy": (
        "log2(1 + joules) that it takes at least",
        lambda task: _log(float(front(task.middle, 2).energies[-1])),
    ),
}
"""Quantitative properties of tasks by name: what each is, and how it is found. Those without an end are logarithms, so
that a distance of 1 means about twice as much."""


def properties(task: Task, names: Iterable[str] = ()) -> dict[str, float]:
    """The named properties of a task, all of them where none is named."""
    chosen = list(names) or list(PROPERTIES)
    for name in chosen:
        if name not in PROPERTIES:
            raise MensuraError(
                f"There is no property {name!r} of tasks; {neighbors(name, list(PROPERTIES))}"
            )
    return {name: float(PROPERTIES[name][1](task)) for name in chosen}


def distance(
    one: Task, other: Task, names: Iterable[str] = (), metric: Metric = "manhattan"
) -> float:
    """How far two tasks are apart over named properties, all where none is named.

    It is 0 for tasks with the same properties, symmetric, and no longer than a way over a third task. Tasks that differ
    in nothing that is named are at distance 0, so on tasks it is a pseudometric.
    """
    chosen = list(names) or list(PROPERTIES)
    return between(properties(one, chosen), properties(other, chosen), metric)


def between(
    one: Mapping[str, float], other: Mapping[str, float], metric: Metric = "manhattan"
) -> float:
    """The distance of two vectors of the same properties."""
    differences = [abs(one[name] - other[name]) for name in one]
    if metric == "manhattan":
        return math.fsum(differences)
    if metric == "euclidean":
        return math.hypot(*differences)
    raise MensuraError(
        f"There is no metric {metric!r}; {neighbors(metric, ['manhattan', 'euclidean'])}"
    )
