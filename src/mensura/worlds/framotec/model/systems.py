"""Systems: who is called what within one, and the parts of a task under their whole names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from mensura.core.yaml_text import Misfit, Where
from mensura.worlds.framotec.model.blocks import PARTS, System, TaskParts
from mensura.worlds.framotec.model.references import renamed_part

DEEPEST_SYSTEM = 20


@dataclass(frozen=True)
class Scope:
    """A task or a system in it, and how names are looked up there."""

    container: TaskParts | System
    prefix: str
    """What its parts are called before their own names: empty, or as "car.engine."."""
    where: Where
    """Its place in plain data."""
    own: frozenset[str]
    """The whole names of everything in the task that has attributes."""

    def found(self, path: str) -> tuple[str, str]:
        """The system, as a prefix, in which a path is found, and its whole name.

        A name is looked for in the system itself first, then in those around it.
        """
        around = self.prefix
        while True:
            candidate = f"{around}{path}"
            if candidate in self.own or candidate.rpartition(".")[0] in self.own:
                return around, candidate
            if not around:
                return "", path
            around = around[:-1].rpartition(".")[0]
            around = f"{around}." if around else ""

    def whole(self, path: str) -> str:
        """The whole name of something, or of an attribute of it, that is called so here."""
        return self.found(path)[1]

    def owner(self, path: str) -> str:
        """The whole name of the part that a path belongs to; empty for a global name."""
        whole = self.whole(path)
        return whole if whole in self.own else whole.rpartition(".")[0]


def scopes(task: TaskParts) -> list[Scope]:
    """The task itself, then its systems, each before those within it."""
    found = list(_containers(task, "", (), 0))
    own = frozenset(
        f"{prefix}{part.name}"
        for container, prefix, _ in found
        for kind in ("objects", "motors", "sensors")
        for part in getattr(container, kind)
    ) | {goal.name for goal in task.goals}
    return [Scope(container, prefix, where, own) for container, prefix, where in found]


def _containers(
    container: TaskParts | System, prefix: str, where: Where, depth: int
) -> Iterator[tuple[TaskParts | System, str, Where]]:
    if depth > DEEPEST_SYSTEM:
        raise Misfit(where, f"Systems lie more than {DEEPEST_SYSTEM} deep, at {prefix!r}.")
    yield container, prefix, where
    for i, system in enumerate(container.systems):
        yield from _containers(system, f"{prefix}{system.name}.", (*where, "systems", i), depth + 1)


def flattened(task: TaskParts) -> dict[str, tuple[Any, ...]]:
    """All parts under their whole names, in the order of systems: own parts first, then those of inner systems."""
    found: dict[str, list[Any]] = {kind: [] for kind in PARTS[:-1]}
    for scope in scopes(task):
        for kind in PARTS[:-1]:
            for part in getattr(scope.container, kind):
                if scope.prefix:
                    part = replace(
                        renamed_part(part, scope.whole), name=f"{scope.prefix}{part.name}"
                    )
                found[kind].append(part)
    return {**{kind: tuple(parts) for kind, parts in found.items()}, "systems": ()}


def places(task: TaskParts) -> dict[tuple[str, str], Where]:
    """Where parts stand in plain data, by their kind and whole name; of two with one name, the later."""
    found: dict[tuple[str, str], Where] = {
        ("goals", goal.name): ("goals", i) for i, goal in enumerate(task.goals)
    }
    for scope in scopes(task):
        for kind in PARTS[:-1]:
            for i, part in enumerate(getattr(scope.container, kind)):
                found[kind, f"{scope.prefix}{part.name}"] = (*scope.where, kind, i)
    return found
