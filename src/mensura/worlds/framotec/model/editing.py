"""What the operations on tasks are made of: every part with where it is, edited in its place, systems kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.framotec.model.blocks import PARTS, System
from mensura.worlds.framotec.model.systems import Scope, scopes
from mensura.worlds.framotec.model.task import Task

ALL_KINDS = (*PARTS[:-1], "goals")
"""Objects, motors, sensors, transitions and goals."""

Edit: TypeAlias = Callable[[Scope, str, Any], Iterable[Any]]
"""What becomes of a part, given where it is and its kind: nothing, another part, or several."""


def closure(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting.extend(following(one))
    return found


def all_parts(task: Task) -> list[tuple[Scope, str, Any]]:
    """Every part with its kind and where it is."""
    return [
        (scope, kind, part)
        for scope in scopes(task)
        for kind in ALL_KINDS
        for part in getattr(scope.container, kind, ())
    ]


def edit(task: Task, change: Edit, systems: Mapping[str, str] | None = None) -> Task:
    """The task with every part replaced by what ``change`` makes of it: nothing, another, or several."""
    return replace(task, **edited(task, change, systems))


def edited(task: Task, change: Edit, systems: Mapping[str, str] | None = None) -> dict[str, Any]:
    by_prefix = {scope.prefix: scope for scope in scopes(task)}

    def parts(scope: Scope) -> dict[str, tuple[Any, ...]]:
        found: dict[str, tuple[Any, ...]] = {}
        for kind in ALL_KINDS if not scope.prefix else ALL_KINDS[:-1]:
            made = (change(scope, kind, part) for part in getattr(scope.container, kind))
            found[kind] = tuple(new for several in made for new in several)
        inner = []
        for system in scope.container.systems:
            whole = f"{scope.prefix}{system.name}"
            name = (systems or {}).get(whole, system.name)
            inner.append(System(name, **parts(by_prefix[f"{whole}."])))
        found["systems"] = tuple(inner)
        return found

    return parts(by_prefix[""])


def changed_names(
    scope: Scope, copies: Mapping[str, str], within: str | None = None
) -> Callable[[str], str]:
    """How a scope calls the copies of what it calls something; ``within`` a system that is renamed, as before."""

    def change(path: str) -> str:
        around, whole = scope.found(path)
        if within is not None and around.startswith(within):
            return path
        owner = scope.owner(path)
        if owner not in copies:
            return path
        return copies[owner].removeprefix(around) + whole.removeprefix(owner)

    return change


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name, with a number after it where it is taken."""
    known = set(taken)
    found, number = name, 2
    while found in known:
        found, number = f"{name}_{number}", number + 1
    return found


def find_part(task: Task, name: str, kind: str) -> Any:
    """A part by its whole name."""
    parts = {one.name: one for one in getattr(task.flat, kind)}
    if name not in parts:
        noun = kind.removesuffix("s")
        known = neighbors(name, list(parts)) if parts else "it has none."
        raise MensuraError(f"The task {task.name!r} has no {noun} {name!r}; {known}")
    return parts[name]
