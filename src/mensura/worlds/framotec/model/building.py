"""A fluent way to write tasks in Python.

::

    race = (
        Build("car race")
        .object("position", start=20, bounds=(0, 150), mass=5, gravity=10, mu_k=0.2, mu_s=0.3)
        .motor("engine", drives="position", power=200)
        .sensor("position_reading", of="position", distortion=0.5, digits=1)
        .goal("there", of="position", value=100, tolerance=5)
        .limits(time=60, energy=5000)
        .task()
    )

Every call gives a new builder and leaves the old one as it was, so that variants can branch off anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mensura.worlds.framotec.model.blocks import (
    NO_LIMITS,
    Goal,
    Limits,
    Motor,
    Object,
    Sensor,
    System,
    Transition,
    Value,
)
from mensura.worlds.framotec.model.task import Task


@dataclass(frozen=True)
class Build:
    """A task or a system in the making."""

    name: str = "task"
    objects: tuple[Object, ...] = ()
    motors: tuple[Motor, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    transitions: tuple[Transition, ...] = ()
    systems: tuple[System, ...] = ()
    goals: tuple[Goal, ...] = ()
    spent: Limits = NO_LIMITS

    def object(self, name: str, start: Value = 0.0, **properties: Any) -> Build:
        """Add an object; the properties are those of :class:`Object`, and any other number is an attribute of it."""
        known = {one for one in Object.__dataclass_fields__ if one != "value"}
        own = {one: value for one, value in properties.items() if one not in known}
        given = {one: value for one, value in properties.items() if one in known}
        attributes = {**dict(given.pop("attributes", {})), **own}
        made = Object(name, start, attributes=tuple(attributes.items()), **given)
        return replace(self, objects=(*self.objects, made))

    def motor(
        self, name: str, drives: str | Sequence[str] | Mapping[str, float] = (), **properties: Any
    ) -> Build:
        """Add a motor that drives an object, several, or several with a factor each."""
        targets: Any = drives
        return replace(self, motors=(*self.motors, Motor(name, targets, **properties)))

    def sensor(self, name: str, of: str, **properties: Any) -> Build:
        """Add a sensor of an attribute, an object's value, or another sensor."""
        return replace(self, sensors=(*self.sensors, Sensor(name, of, **properties)))

    def transition(self, name: str, *assignments: str, when: str = "") -> Build:
        """Add assignments that are made in every step, or while a condition holds."""
        return replace(self, transitions=(*self.transitions, Transition(name, assignments, when)))

    def system(self, system: System | Build) -> Build:
        """Add a system, or what was built as one."""
        made = system.as_system() if isinstance(system, Build) else system
        return replace(self, systems=(*self.systems, made))

    def goal(
        self,
        name: str,
        of: str,
        value: Value,
        tolerance: Value = 0.0,
        requires: str | Sequence[str] = (),
        **properties: Any,
    ) -> Build:
        """Add a goal; it requires others, its prerequisites."""
        prior: Any = requires
        made = Goal(name, of, value, tolerance, prerequisites=prior, **properties)
        return replace(self, goals=(*self.goals, made))

    def limits(self, time: float | None = None, energy: float | None = None) -> Build:
        """Say what may be spent."""
        return replace(self, spent=Limits(time, energy))

    def as_system(self) -> System:
        """What was built, as a system."""
        return System(
            self.name, self.objects, self.motors, self.sensors, self.transitions, self.systems
        )

    def task(self, **properties: Any) -> Task:
        """What was built, as a checked task; the properties are those of :class:`Task`, as dt."""
        return Task(
            self.name,
            self.objects,
            self.motors,
            self.sensors,
            self.transitions,
            self.systems,
            self.goals,
            self.spent,
            **properties,
        )
