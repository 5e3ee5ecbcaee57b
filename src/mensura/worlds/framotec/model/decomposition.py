"""Less of a task: without some parts, or taken apart (section 3: decomposition into subtasks and atomic elements)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.model.blocks import GLOBAL_NAMES, Goal
from mensura.worlds.framotec.model.editing import ALL_KINDS, all_parts, closure, edit
from mensura.worlds.framotec.model.expression import names_in, parse_assignment, parse_expression
from mensura.worlds.framotec.model.names import depends_on
from mensura.worlds.framotec.model.references import read_by
from mensura.worlds.framotec.model.systems import Scope, scopes
from mensura.worlds.framotec.model.task import Task

Into: TypeAlias = Literal["goals", "elements"]


def decompose(task: Task, into: Into = "goals") -> tuple[Task, ...]:
    """A task as several smaller ones (section 3: subtasks and their atomic elements).

    Into ``goals``: one task for each goal, with the goals that it depends on and everything that bears on them, so that
    it goes in there as it would in the whole. Into ``elements``: one task for each object, alone with its motors,
    sensors and goals. Limits stay those of the whole.
    """
    if into == "goals":
        return tuple(_for_goal(task, goal) for goal in task.goals)
    if into == "elements":
        names = [one.name for one in task.flat.objects]
        return tuple(
            replace(without(task, set(names) - {name}), name=f"{task.name}: {name}")
            for name in names
        )
    raise MensuraError(f"A task is taken apart into goals or elements, not into {into!r}.")


def _for_goal(task: Task, goal: Goal) -> Task:
    flat = task.flat
    needed = bearing_on(task, [goal.name])
    everything = {one.name for kind in ALL_KINDS[:3] for one in getattr(flat, kind)}
    goals = {one.name for one in flat.goals}
    gone = (everything | goals) - needed
    seen = {one.name for one in flat.sensors if _root(flat, one.name) not in gone}
    return replace(without(task, gone - seen, needed), name=f"{task.name}: {goal.name}")


def _root(task: Task, sensor: str) -> str:
    """The object or motor that a sensor reads in the end."""
    sources = {one.name: one.source for one in task.sensors}
    (top, *_) = scopes(task)
    while sensor in sources:
        sensor = top.owner(sources[sensor])
    return sensor


def bearing_on(task: Task, names: Iterable[str]) -> set[str]:
    """The parts and goals that what happens to some of them depends on, those themselves included."""
    flat = task.flat
    (top, *_) = scopes(flat)
    causes: dict[str, set[str]] = {
        "energy": {one.name for one in flat.motors if one.counted},
        "reward": {one.name for one in flat.goals},
    }
    for motor in flat.motors:
        for target, _ in motor.targets:
            causes.setdefault(target, set()).add(motor.name)
    for sensor in flat.sensors:
        causes.setdefault(sensor.name, set()).add(_source(top, sensor.source))
    for transition in flat.transitions:
        when = names_in(parse_expression(transition.when)) if transition.when else ()
        conditions = {_source(top, name.path) for name in when}
        for source in transition.assignments:
            tree = parse_assignment(source)
            read = {_source(top, name.path) for name in read_by(tree)}
            causes.setdefault(top.owner(tree.target.path), set()).update(read | conditions)
    for goal in flat.goals:
        reset = names_in(parse_expression(goal.reset_when)) if goal.reset_when else ()
        causes[goal.name] = {
            _source(top, goal.of),
            *depends_on(goal),
            *(_source(top, name.path) for name in reset),
        }
    found = closure(list(names), lambda one: causes.get(one, ()))
    return found - set(GLOBAL_NAMES)


def _source(scope: Scope, path: str) -> str:
    """What a path belongs to; a global name is its own."""
    return scope.owner(path) or path


def without(task: Task, gone: set[str], needed: Container[str] = ()) -> Task:
    """The task without some parts and what is nothing without them, unless it is needed for something else."""
    before = -1
    gone = set(gone)
    while len(gone) > before:
        before = len(gone)
        for scope, kind, part in all_parts(task):
            whole = scope.prefix + part.name
            if whole not in needed and _nothing_without(scope, kind, part, gone):
                gone.add(whole)

    def lost(scope: Scope, path: str) -> bool:
        return scope.owner(path) in gone

    def kept(scope: Scope, kind: str, part: Any) -> Iterable[Any]:
        if kind != "transitions" and scope.prefix + part.name in gone:
            return
        if kind == "motors":
            left = tuple(one for one in part.targets if not lost(scope, one[0]))
            part = replace(part, targets=left)
        elif kind == "transitions":
            if part.when and any(
                lost(scope, name.path) for name in names_in(parse_expression(part.when))
            ):
                return
            left = tuple(one for one in part.assignments if not _touches(scope, one, gone))
            if not left:
                return
            part = replace(part, assignments=left)
        elif kind == "goals":
            part = _without_goals(scope, part, gone)
        yield part

    return edit(task, kept)


def _nothing_without(scope: Scope, kind: str, part: Any, gone: set[str]) -> bool:
    if kind == "motors":
        return bool(part.targets) and all(scope.whole(one) in gone for one, _ in part.targets)
    if kind in ("sensors", "goals"):
        return scope.owner(part.source if kind == "sensors" else part.of) in gone
    return False


def _touches(scope: Scope, source: str, gone: set[str]) -> bool:
    """Whether an assignment sets or reads something that went."""
    tree = parse_assignment(source)
    return any(scope.owner(name.path) in gone for name in (tree.target, *read_by(tree)))


def _without_goals(scope: Scope, goal: Goal, gone: set[str]) -> Goal:
    reset = goal.reset_when
    if reset and any(scope.owner(name.path) in gone for name in names_in(parse_expression(reset))):
        reset = ""
    changes: dict[str, Any] = {
        "prerequisites": tuple(one for one in goal.prerequisites if one not in gone),
        "reset_when": reset,
    }
    if goal.since in gone:
        changes |= {"since": "", "after_since": None, "before_since": None}
    return replace(goal, **changes)
