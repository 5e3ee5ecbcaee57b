"""Abstraction and reification (section 3, item 2): a system of a task replaced by its interface, and put back.

What is left of an abstracted system is what the rest of the task can tell of it: the parts that others name, and the
motors that act on what is left. Its inner workings go, and motors that its transitions used to set are set by the
performer. So an abstract task is never harder than the task itself, and its front is a bound for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.framotec.model.blocks import Motor, System
from mensura.worlds.framotec.model.expression import names_in, parse_assignment, parse_expression
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task

_Container = TypeVar("_Container", Task, System)


@dataclass(frozen=True)
class Abstraction:
    """A task without the inner workings of a system, and what it takes to put them back."""

    task: Task
    system: System
    """What was replaced."""
    place: int
    """Which of the task's systems it was."""
    released: tuple[str, ...]
    """The motors outside of it that the performer sets in its stead."""


def abstract(task: Task, name: str) -> Abstraction:
    """Replace a system of a task by its interface."""
    names = [system.name for system in task.systems]
    if name not in names:
        raise MensuraError(
            f"The task {task.name!r} has no system {name!r}; {neighbors(name, names)}"
        )
    place = names.index(name)
    system = task.systems[place]
    prefix = f"{name}."
    named = _named_from_outside(task, prefix)
    flat = task.flat
    objects = tuple(o for o in flat.objects if o.name.startswith(prefix) and o.name in named)
    left = {one.name for one in objects} | {
        one.name for one in flat.objects if not one.name.startswith(prefix)
    }
    motors = tuple(
        replace(motor, exposed=True, targets=tuple(t for t in motor.targets if t[0] in left))
        for motor in flat.motors
        if motor.name.startswith(prefix)
        and (motor.name in named or any(target in left for target, _ in motor.targets))
    )
    sensors = tuple(
        s
        for s in flat.sensors
        if s.name.startswith(prefix)
        and (s.name in named or attribute_path(s.source, left).rpartition(".")[0] in left)
    )
    kept = System(
        name,
        tuple(replace(one, name=one.name.removeprefix(prefix)) for one in objects),
        tuple(_inside(motor, prefix) for motor in motors),
        tuple(
            replace(
                one,
                name=one.name.removeprefix(prefix),
                source=one.source.removeprefix(prefix),
            )
            for one in sensors
        ),
    )
    released = _set_by(task, prefix)
    systems = [*task.systems]
    systems[place : place + 1] = [kept]
    changed = replace(task, systems=tuple(systems))
    changed = _with_motors(changed, released, lambda motor: replace(motor, exposed=True))
    return Abstraction(changed, system, place, released)


def reify(abstraction: Abstraction, task: Task | None = None) -> Task:
    """Put the system back: into the abstract task, or into one that was made of it by changes outside of the system."""
    changed = abstraction.task if task is None else task
    if abstraction.system.name not in {system.name for system in changed.systems}:
        raise MensuraError(
            f"The task {changed.name!r} has no system {abstraction.system.name!r} to put back."
        )
    systems = tuple(
        abstraction.system if system.name == abstraction.system.name else system
        for system in changed.systems
    )
    hidden = _with_motors(
        changed, abstraction.released, lambda motor: replace(motor, exposed=False)
    )
    kept = {system.name: system for system in hidden.systems}
    return replace(
        hidden,
        systems=tuple(
            one if one.name == abstraction.system.name else kept[one.name] for one in systems
        ),
    )


def _inside(motor: Motor, prefix: str) -> Motor:
    """A motor under the name that it has within its system; targets are found from there."""
    targets = tuple((target.removeprefix(prefix), factor) for target, factor in motor.targets)
    return replace(motor, name=motor.name.removeprefix(prefix), targets=targets)


def _named_from_outside(task: Task, prefix: str) -> set[str]:
    """The parts of a system that are named outside of it."""
    flat = task.flat
    paths: list[str] = []
    for motor in flat.motors:
        if not motor.name.startswith(prefix):
            paths += [f"{target}.value" for target, _ in motor.targets]
    for sensor in flat.sensors:
        if not sensor.name.startswith(prefix):
            paths += [f"{sensor.source}.value", sensor.source]
    for transition in flat.transitions:
        if transition.name.startswith(prefix):
            continue
        trees = [parse_assignment(source) for source in transition.assignments]
        nodes = [tree.value for tree in trees]
        nodes += [tree.condition for tree in trees if tree.condition is not None]
        if transition.when:
            nodes.append(parse_expression(transition.when))
        paths += [tree.target.path for tree in trees]
        paths += [name.path for node in nodes for name in names_in(node)]
    for goal in flat.goals:
        paths += [f"{goal.of}.value", goal.of]
        if goal.reset_when:
            paths += [name.path for name in names_in(parse_expression(goal.reset_when))]
    return {path.rpartition(".")[0] for path in paths if path.startswith(prefix)}


def _set_by(task: Task, prefix: str) -> tuple[str, ...]:
    """The hidden motors outside of a system whose power its transitions set."""
    hidden = {motor.name for motor in task.flat.motors if not motor.exposed}
    found: dict[str, None] = {}
    for transition in task.flat.transitions:
        if transition.name.startswith(prefix):
            for source in transition.assignments:
                owner = parse_assignment(source).target.path.rpartition(".")[0]
                if owner in hidden and not owner.startswith(prefix):
                    found[owner] = None
    return tuple(found)


def _with_motors(task: Task, names: tuple[str, ...], change: Callable[[Motor], Motor]) -> Task:
    """The task with some motors, by their whole names, changed."""

    def changed(container: _Container, prefix: str) -> _Container:
        return replace(
            container,
            motors=tuple(
                change(one) if f"{prefix}{one.name}" in names else one for one in container.motors
            ),
            systems=tuple(changed(one, f"{prefix}{one.name}.") for one in container.systems),
        )

    return changed(task, "") if names else task
