"""Systems: the parts of a task under their whole names, as the kernel and the checks want them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mensura.core.errors import MensuraError
from mensura.worlds.framotec.blocks import PARTS, Motor, Sensor, System, Transition
from mensura.worlds.framotec.expression import (
    Assignment,
    renamed,
    write_assignment,
    write_expression,
)
from mensura.worlds.framotec.names import assignment_of, expression_of

if TYPE_CHECKING:
    from mensura.worlds.framotec.task import Task

DEEPEST_SYSTEM = 20


def flattened(task: Task) -> dict[str, tuple[Any, ...]]:
    """All parts under their whole names, in the order of systems: own parts first, then those of inner systems."""
    found: dict[str, list[Any]] = {name: [] for name in PARTS[:-1]}
    scopes: list[tuple[str, Task | System]] = []

    def visit(container: Task | System, prefix: str, depth: int) -> None:
        if depth > DEEPEST_SYSTEM:
            raise MensuraError(f"Systems lie more than {DEEPEST_SYSTEM} deep, at {prefix!r}.")
        scopes.append((prefix, container))
        for system in container.systems:
            visit(system, f"{prefix}{system.name}.", depth + 1)

    visit(task, "", 0)
    own = {
        f"{prefix}{part.name}"
        for prefix, container in scopes
        for kind in ("objects", "motors", "sensors")
        for part in getattr(container, kind)
    } | {goal.name for goal in task.goals}

    for prefix, container in scopes:

        def whole(path: str, prefix: str = prefix) -> str:
            """The whole name of something, or of an attribute of it, that is called so within a system."""
            around = prefix
            while True:
                candidate = f"{around}{path}"
                if candidate in own or candidate.rpartition(".")[0] in own:
                    return candidate
                if not around:
                    return path
                around = around[:-1].rpartition(".")[0]
                around = f"{around}." if around else ""

        for kind in PARTS[:-1]:
            for part in getattr(container, kind):
                found[kind].append(_moved(part, prefix, whole))
    return {**{kind: tuple(parts) for kind, parts in found.items()}, "systems": ()}


def _moved(part: Any, prefix: str, whole: Callable[[str], str]) -> Any:
    """A part of a system as a part of the whole."""
    name = f"{prefix}{part.name}"
    if not prefix:
        return part
    if isinstance(part, Motor):
        return replace(part, name=name, targets=tuple((whole(o), f) for o, f in part.targets))
    if isinstance(part, Sensor):
        return replace(part, name=name, source=whole(part.source))
    if isinstance(part, Transition):
        assignments = []
        for source in part.assignments:
            tree = assignment_of(source, f"transition {name!r}")
            condition = tree.condition
            assignments.append(
                write_assignment(
                    Assignment(
                        replace(tree.target, path=whole(tree.target.path)),
                        renamed(tree.value, lambda node: whole(node.path)),
                        None
                        if condition is None
                        else renamed(condition, lambda node: whole(node.path)),
                    )
                )
            )
        when = part.when
        if when:
            tree_of = expression_of(when, f"the condition of transition {name!r}")
            when = write_expression(renamed(tree_of, lambda node: whole(node.path)))
        return replace(part, name=name, assignments=tuple(assignments), when=when)
    return replace(part, name=name)
