"""Operations on tasks: compose, grow, shrink, blur, lock, rename, vary and take apart (section 7 of the paper).

Each returns a new task, checked like every other, and leaves the old one as it was. Parts are called by their whole
names, as ``control.selector``. Systems are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.framotec.model.blocks import Motor, Object, Range, Sensor, Transition, Value
from mensura.worlds.framotec.model.composition import in_parallel, in_sequence
from mensura.worlds.framotec.model.decomposition import decompose, without
from mensura.worlds.framotec.model.editing import (
    ALL_KINDS,
    all_parts,
    changed_names,
    edit,
    edited,
    find_part,
    free_name,
)
from mensura.worlds.framotec.model.expression import parse_assignment
from mensura.worlds.framotec.model.references import (
    rename_assignment,
    rename_condition,
    renamed_part,
)
from mensura.worlds.framotec.model.systems import Scope, scopes
from mensura.worlds.framotec.model.task import Task

__all__ = [
    "OPERATIONS",
    "add_dimension",
    "add_distractor",
    "add_latency",
    "add_noise",
    "decompose",
    "in_parallel",
    "in_sequence",
    "lock",
    "remove_dimension",
    "rename",
    "scale",
    "vary",
]

# More and less ------------------------------------------------------------------------


def add_dimension(task: Task, like: str, name: str | None = None) -> Task:
    """Another object like one that is there, with its motors, sensors, goals and the transitions that set it.

    Motors that drive several objects drive the new one, too. Whatever requires a goal of the old one requires that of
    the new one as well. Limits stay as they are.
    """
    find_part(task, like, "objects")
    prefix, _, short = like.rpartition(".")
    prefix = f"{prefix}." if prefix else ""
    own = {scope.prefix + part.name for scope, _, part in all_parts(task)}
    new = name or free_name(f"{short}_2", {one.removeprefix(prefix) for one in own})
    copies = {like: f"{prefix}{new}"}
    before = 0
    while len(copies) > before:  # sensors read sensors
        before = len(copies)
        for scope, kind, part in all_parts(task):
            base = scope.prefix
            if base + part.name not in copies and _follows(scope, kind, part, like, copies):
                taken = {one.removeprefix(base) for one in own | set(copies.values())}
                copy = free_name(_renamed_after(part.name, short, new), taken)
                copies[base + part.name] = base + copy

    def grown(scope: Scope, kind: str, part: Any) -> Iterable[Any]:
        change = changed_names(scope, copies)
        whole = scope.prefix + part.name
        if kind == "goals":
            doubled = [
                one
                for prior in part.prerequisites
                for one in ((prior, copies[prior]) if prior in copies else (prior,))
            ]
            part = part if whole in copies else replace(part, prerequisites=tuple(doubled))
        if kind == "motors" and whole not in copies:
            extra = [(change(one), f) for one, f in part.targets if scope.whole(one) == like]
            part = replace(part, targets=(*part.targets, *extra))
        yield part
        if kind == "transitions":
            sources = [
                rename_assignment(source, change)
                for source in part.assignments
                if scope.owner(parse_assignment(source).target.path) in copies
            ]
            if sources:
                copy = f"{part.name}_{new}"
                yield Transition(copy, tuple(sources), rename_condition(part.when, change))
        elif whole in copies:
            copy = copies[whole].removeprefix(scope.prefix)
            yield replace(renamed_part(part, change), name=copy)

    return edit(task, grown)


def _follows(scope: Scope, kind: str, part: Any, like: str, copies: Mapping[str, str]) -> bool:
    """Whether a part is copied along with an object."""
    if kind == "motors":
        return [scope.whole(target) for target, _ in part.targets] == [like]
    if kind in ("sensors", "goals"):
        return scope.owner(part.source if kind == "sensors" else part.of) in copies
    return False


def _renamed_after(name: str, old: str, new: str) -> str:
    """A name with one object's name in it, or else after it, replaced by that of another."""
    found = re.sub(rf"(?<![A-Za-z0-9]){re.escape(old)}(?![A-Za-z0-9])", new, name)
    return found if found != name else f"{name}_{new}"


def remove_dimension(task: Task, name: str) -> Task:
    """The task without an object and whatever is nothing without it.

    With it go the motors that drive nothing else, its sensors, its goals, and the assignments that set or read
    something that went.
    """
    find_part(task, name, "objects")
    return without(task, {name})


def add_distractor(
    task: Task,
    name: str = "distractor",
    start: Value = 5.0,
    bounds: tuple[float, float] = (0.0, 10.0),
    power: float = 1.0,
    mass: float = 1.0,
) -> Task:
    """An object that no goal needs, with a motor, whose energy counts, and a sensor; friction as in the car race."""
    thing = Object(name, start, mass=mass, gravity=10.0, mu_k=0.2, mu_s=0.3, bounds=bounds)
    return replace(
        task,
        objects=(*task.objects, thing),
        motors=(*task.motors, Motor(f"{name}_motor", ((name, 1.0),), power)),
        sensors=(*task.sensors, Sensor(f"{name}_reading", name)),
    )


# Harder to see, harder to move --------------------------------------------------------


def add_noise(task: Task, distortion: float, sensor: str | None = None) -> Task:
    """More noise, of one sensor or of all: so much is added to its distortion."""
    if not distortion >= 0:
        raise MensuraError(f"Noise of {distortion!r} cannot be added; it is 0 or more.")
    return _sensors(task, sensor, lambda one: replace(one, distortion=one.distortion + distortion))


def add_latency(task: Task, seconds: float, sensor: str | None = None) -> Task:
    """Later readings, of one sensor or of all that read no other sensor: so much is added to its latency."""
    if not seconds >= 0:
        raise MensuraError(f"A latency of {seconds!r} s cannot be added; it is 0 or more.")
    first = {one.name for one in task.flat.sensors}
    behind = {one.name for one in task.flat.sensors if one.source in first}

    def later(one: Sensor) -> Sensor:
        return replace(one, latency=one.latency + seconds)

    return _sensors(task, sensor, later, frozenset() if sensor else frozenset(behind))


def _sensors(
    task: Task,
    name: str | None,
    change: Callable[[Sensor], Sensor],
    spared: frozenset[str] = frozenset(),
) -> Task:
    if name is not None:
        find_part(task, name, "sensors")

    def changed(scope: Scope, kind: str, part: Any) -> Iterable[Any]:
        whole = scope.prefix + part.name
        meant = whole == name if name is not None else whole not in spared
        yield change(part) if kind == "sensors" and meant else part

    return edit(task, changed)


def lock(task: Task, name: str, when: str | None = None) -> Task:
    """An object that does not move, from the start and for good, or as long as a condition holds."""
    find_part(task, name, "objects")
    if when is None:

        def locked(scope: Scope, kind: str, part: Any) -> Iterable[Any]:
            meant = kind == "objects" and scope.prefix + part.name == name
            yield replace(part, locked=True) if meant else part

        return edit(task, locked)
    taken = {one.name for one in task.transitions}
    made = Transition(
        free_name(f"lock_{name.replace('.', '_')}", taken), (f"{name}.locked <- {when}",)
    )
    return replace(task, transitions=(*task.transitions, made))


# Names and numbers --------------------------------------------------------------------


def rename(task: Task, old: str, new: str) -> Task:
    """The task with another name for an object, motor, sensor, transition, goal or system.

    Whatever calls it by its name, expressions included, calls it by the new one. ``old`` is a whole name, ``new`` the
    last part of one: things stay in the system that they are in.
    """
    prefix = old.rpartition(".")[0]
    prefix = f"{prefix}." if prefix else ""
    whole = f"{prefix}{new}"
    systems = {scope.prefix[:-1] for scope in scopes(task) if scope.prefix}
    parts = {scope.prefix + part.name for scope, _, part in all_parts(task)}
    if old not in parts | systems:
        raise MensuraError(
            f"The task {task.name!r} has nothing called {old!r}; {neighbors(old, sorted(parts | systems))}"
        )
    if whole in parts | systems and whole != old:
        raise MensuraError(f"The task {task.name!r} has something called {whole!r} already.")
    if not new.isidentifier() or not new.isascii():
        raise MensuraError(f"{old!r} cannot be called {new!r}; a name has letters, digits and _.")
    copies = {old: whole} if old in parts else {}
    if old in systems:
        inner = f"{old}."
        copies |= {one: whole + one.removeprefix(old) for one in parts if one.startswith(inner)}

    def named(scope: Scope, kind: str, part: Any) -> Iterable[Any]:
        found = renamed_part(part, changed_names(scope, copies, f"{old}."))
        yield replace(found, name=new) if scope.prefix + part.name == old else found

    changed = edit(task, named, {old: new} if old in systems else {})
    (top, *_) = scopes(task.flat)
    for kind in ALL_KINDS:
        for one, found in zip(getattr(task.flat, kind), getattr(changed.flat, kind), strict=True):
            wanted = renamed_part(one, changed_names(top, copies))
            if found != replace(wanted, name=copies.get(one.name, one.name)):
                raise MensuraError(
                    f"{old!r} cannot be called {new!r}: {found.name!r} would take it for something else."
                )
    return changed


def scale(task: Task, path: str, factor: float) -> Task:
    """A number times a factor, or both ends of a range: ``car.mass``, ``there.tolerance``, ``limits.time``."""
    return _numbers(task, path, lambda value: _scaled(value, factor))


def _scaled(value: Value, factor: float) -> Value:
    if isinstance(value, Range):
        return Range(*sorted((value.low * factor, value.high * factor)))
    return value * factor


def vary(task: Task, path: str, spread: float) -> Task:
    """A number of an object or a goal as a range: so much less to so much more than it is, a family of tasks."""
    if not spread >= 0:
        raise MensuraError(f"A spread of {spread!r} is impossible; it is 0 or more.")

    def varied(value: Value) -> Value:
        low, high = (value.low, value.high) if isinstance(value, Range) else (value, value)
        return value if spread == 0 else Range(low - spread, high + spread)

    return _numbers(task, path, varied)


def _numbers(task: Task, path: str, change: Callable[[Value], Value]) -> Task:
    """The task with the number at a path changed."""
    owner, _, field = path.rpartition(".")
    if owner == "limits" and field in ("time", "energy"):
        value = getattr(task.limits, field)
        if value is None:
            raise MensuraError(f"The task {task.name!r} has no limit of {field} to change.")
        new: Any = {field: change(value)}
        return replace(task, limits=replace(task.limits, **new))
    if not owner and field in ("dt", "controller_step"):
        changed_field: Any = {field: change(getattr(task, field))}
        return replace(task, **changed_field)
    known: list[str] = []
    done = False

    def changed(scope: Scope, kind: str, part: Any) -> Iterable[Any]:
        nonlocal done
        whole = scope.prefix + part.name
        own = dict(part.attributes) if kind == "objects" else {}
        numbers = {
            one.name: getattr(part, one.name)
            for one in fields(part)
            if isinstance(getattr(part, one.name), float | Range)
        }
        known.extend(f"{whole}.{one}" for one in (*numbers, *own))
        if whole == owner and kind != "transitions" and field in {**numbers, **own}:
            done = True
            if field in own:
                pairs = [(n, change(v) if n == field else v) for n, v in part.attributes]
                part = replace(part, attributes=tuple(pairs))
            else:
                part = replace(part, **{field: change(numbers[field])})
        yield part

    made = edited(task, changed)
    if not done:
        known += ["limits.time", "limits.energy", "dt", "controller_step"]
        raise MensuraError(
            f"The task {task.name!r} has no number {path!r}; {neighbors(path, known)}"
        )
    return replace(task, **made)


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "in-sequence": in_sequence,
    "in-parallel": in_parallel,
    "add-dimension": add_dimension,
    "remove-dimension": remove_dimension,
    "add-noise": add_noise,
    "add-latency": add_latency,
    "add-distractor": add_distractor,
    "lock": lock,
    "rename": rename,
    "scale": scale,
    "vary": vary,
    "decompose": decompose,
}
"""All operations by the names that the command line calls them."""
