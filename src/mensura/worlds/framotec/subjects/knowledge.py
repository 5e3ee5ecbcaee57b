"""What a controller with the right "knows_task" makes of the task that it is told: which motor serves which goal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.model.blocks import Goal, Motor, Object, Sensor
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task


class Aim(NamedTuple):
    """An object that one of the controller's motors moves, and the goal on its value."""

    motor: int
    """The place of the motor among those of the controller."""
    drive: Motor
    thing: Object
    sensor: str
    """The reading that shows it."""
    goal: Goal
    value: float
    tolerance: float
    sign: float
    """Whether power moves it up or down."""
    doubt: float
    """How far its sensor may be wrong."""
    way: float
    """Whether the goal is above its start or below: 1 or -1."""

    def distance(self, readings: Mapping[str, float]) -> float:
        """How far it has to go, up or down, to the middle of its goal, by its sensor.

        A sensor that is too coarse to tell whether it is there yet is not believed: it is to go on.
        """
        shown = self.value - readings[self.sensor]
        if abs(shown) <= self.doubt and self.doubt > self.tolerance:
            return self.doubt * self.way
        return shown

    def near(self, readings: Mapping[str, float]) -> bool:
        """Whether its sensor shows it at its goal."""
        return abs(self.distance(readings)) <= self.tolerance


@dataclass(frozen=True)
class Knowledge:
    """A concrete task, and the motors of the controller who knows it."""

    task: Task
    """Without systems."""
    motors: tuple[str, ...]
    aims: tuple[Aim, ...]
    """In the order of the motors."""

    def due(self, readings: Mapping[str, float]) -> list[Aim]:
        """The aims whose prerequisites hold by the sensors, as far as there are sensors for them."""
        by_goal = {aim.goal.name: aim for aim in self.aims}
        return [
            aim
            for aim in self.aims
            if all(
                by_goal[name].near(readings) for name in aim.goal.prerequisites if name in by_goal
            )
        ]


@lru_cache(maxsize=256)
def knowledge_from(text: str) -> Knowledge:
    """What the instructions of a seat with the right say."""
    try:
        data = json.loads(text)
        task, motors = Task.from_json(data["task"]).flat, tuple(data["motors"])
    except (ValueError, TypeError, KeyError):
        raise MensuraError(
            "This controller was not told the task; it needs a seat of FraMoTEC with the right knows_task."
        ) from None
    return Knowledge(task, motors, tuple(_aims(task, motors)))


def _aims(task: Task, motors: Sequence[str]) -> list[Aim]:
    objects = {one.name: one for one in task.objects}
    drives = {one.name: one for one in task.motors}
    sensors = {attribute_path(one.source, objects): one for one in reversed(task.sensors)}
    goals = {attribute_path(one.of, objects): one for one in task.goals}
    aims = []
    for place, name in enumerate(motors):
        for target, factor in drives[name].targets:
            path = f"{target}.value"
            if path in goals and path in sensors and target in objects:
                goal = goals[path]
                aims.append(
                    Aim(
                        place,
                        drives[name],
                        objects[target],
                        sensors[path].name,
                        goal,
                        float(goal.value),  # type: ignore[arg-type]
                        float(goal.tolerance),  # type: ignore[arg-type]
                        -1.0 if factor < 0.0 else 1.0,
                        _doubt(sensors[path]),
                        -1.0 if objects[target].value > goal.value else 1.0,  # type: ignore[operator]
                    )
                )
    return aims


def _doubt(sensor: Sensor) -> float:
    return sensor.distortion + (0.0 if sensor.digits is None else 0.5 * 10.0**-sensor.digits)
