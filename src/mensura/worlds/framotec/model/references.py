"""What parts of a task call by name, and the same parts calling it something else.

Names in expressions are replaced where they stand: the rest of a source stays as it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mensura.core.expressions.language import Assignment, Name, Node
from mensura.worlds.framotec.model.blocks import Goal, Motor, Sensor, Transition
from mensura.worlds.framotec.model.expression import names_in, parse_assignment, parse_expression


def read_by(tree: Assignment) -> Iterator[Name]:
    """The names that an assignment reads."""
    yield from names_in(tree.value)
    if tree.condition is not None:
        yield from names_in(tree.condition)


def rename_assignment(source: str, change: Callable[[str], str]) -> str:
    """The source of an assignment with other names."""
    tree = parse_assignment(source)
    return _renamed(source, [tree.target, *read_by(tree)], change)


def rename_condition(source: str, change: Callable[[str], str]) -> str:
    """The source of an expression with other names; an empty one stays so."""
    return _renamed(source, names_in(parse_expression(source)), change) if source else source


def _renamed(source: str, names: Iterator[Name] | list[Name], change: Callable[[str], str]) -> str:
    lines = source.split("\n")
    for name in sorted(names, key=lambda one: one.at, reverse=True):
        line, begin = lines[name.at.line - 1], name.at.column - 1
        lines[name.at.line - 1] = line[:begin] + change(name.path) + line[begin + len(name.path) :]
    return "\n".join(lines)


def renamed_part(part: Any, change: Callable[[str], str]) -> Any:
    """A part that calls others by what ``change`` makes of their names; its own name stays."""
    match part:
        case Motor():
            targets = tuple((change(target), factor) for target, factor in part.targets)
            return replace(part, targets=targets)
        case Sensor():
            return replace(part, source=change(part.source))
        case Transition():
            return replace(
                part,
                assignments=tuple(rename_assignment(one, change) for one in part.assignments),
                when=rename_condition(part.when, change),
            )
        case Goal():
            return replace(
                part,
                of=change(part.of),
                since=change(part.since) if part.since else "",
                prerequisites=tuple(map(change, part.prerequisites)),
                reset_when=rename_condition(part.reset_when, change),
            )
    return part


def expressions_of(part: Transition | Goal) -> Iterator[Node]:
    """The conditions and values that a part reads in every step."""
    if isinstance(part, Goal):
        if part.reset_when:
            yield parse_expression(part.reset_when)
        return
    if part.when:
        yield parse_expression(part.when)
    for source in part.assignments:
        tree = parse_assignment(source)
        yield tree.value
        if tree.condition is not None:
            yield tree.condition
