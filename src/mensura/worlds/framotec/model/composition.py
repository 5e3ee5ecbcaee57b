"""Two tasks as one: in parallel, or one after the other (section 3: combination; section 4.1: sequencing goals)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.model.blocks import PARTS, Goal, Limits, System, Transition
from mensura.worlds.framotec.model.editing import closure, edited, free_name
from mensura.worlds.framotec.model.expression import parse_assignment
from mensura.worlds.framotec.model.names import depends_on
from mensura.worlds.framotec.model.references import renamed_part
from mensura.worlds.framotec.model.systems import Scope, scopes
from mensura.worlds.framotec.model.task import Task


def in_parallel(a: Task, b: Task, names: tuple[str, str] = ("first", "second")) -> Task:
    """Both tasks at once: solved when the goals of both are satisfied.

    Each becomes a system of its own. The longer of the times may be spent, and the energy of both together; a limit
    that one of them lacks, they lack together. ``energy`` and ``reward`` in expressions are those of the whole.
    """
    _check_alike(a, b, names)
    return replace(
        a,
        name=f"{a.name} and {b.name}",
        **_side_by_side(a, b, names),
        limits=Limits(
            _together(max, a.limits.time, b.limits.time),
            _together(_sum, a.limits.energy, b.limits.energy),
        ),
        instructions=" ".join(filter(None, (a.instructions, b.instructions))),
    )


def in_sequence(
    a: Task, b: Task, names: tuple[str, str] = ("first", "second"), waits: bool = True
) -> Task:
    """First a, then b: no goal of b counts before all goals of a are satisfied.

    Where b ``waits``, its objects stand still and its transitions rest until then; else b may be prepared meanwhile.
    The times and the energies that may be spent are added. Times of goals of b, which count from its start, are taken
    since the last goal of a. ``time`` in expressions counts from the beginning of a.
    """
    _check_alike(a, b, names)
    if not a.goals:
        raise MensuraError(f"The task {a.name!r} has no goals, so that nothing can come after it.")
    if names[0] in {system.name for system in b.systems}:
        raise MensuraError(f"The task {b.name!r} has a system {names[0]!r}; give other names.")
    whole = _side_by_side(a, b, names)
    first = [goal.name for goal in whole["goals"][: len(a.goals)]]
    later = _after(a, b, whole["goals"][len(a.goals) :], first)
    if waits:
        done = _conjunction([f"{name}.satisfied" for name in first])
        systems = (whole["systems"][0], _waiting(whole["systems"][1], b, names[1], done))
        whole = {**whole, "systems": systems}
    told = [one for one in (a.instructions, b.instructions) if one]
    return replace(
        a,
        name=f"{a.name}, then {b.name}",
        **{**whole, "goals": (*whole["goals"][: len(a.goals)], *later)},
        limits=Limits(
            _together(_sum, a.limits.time, b.limits.time),
            _together(_sum, a.limits.energy, b.limits.energy),
        ),
        instructions=" Then: ".join(told),
    )


def _check_alike(a: Task, b: Task, names: tuple[str, str]) -> None:
    for field in ("dt", "controller_step", "integrator"):
        one, other = getattr(a, field), getattr(b, field)
        if one != other:
            raise MensuraError(
                f"{field} of {a.name!r} is {one!r} and that of {b.name!r} is {other!r}; in one task they are the same."
            )
    for name in names:
        if not name.isidentifier() or not name.isascii():
            raise MensuraError(
                f"A task cannot become a system {name!r}; a name has letters, digits and _."
            )
    if names[0] == names[1]:
        raise MensuraError(f"Two tasks cannot both be the system {names[0]!r}; names differ.")


def _side_by_side(a: Task, b: Task, names: tuple[str, str]) -> dict[str, Any]:
    """The parts of both, each in a system, and the goals of both under its name."""
    systems, goals = [], []
    for task, name in ((a, names[0]), (b, names[1])):
        system = System(name, **{kind: getattr(task, kind) for kind in PARTS})
        (scope, *_) = scopes(task)

        def inside(path: str, name: str = name, scope: Scope = scope) -> str:
            return f"{name}.{path}" if scope.owner(path) in scope.own else path

        systems.append(system)
        goals += [
            replace(renamed_part(goal, inside), name=f"{name}.{goal.name}") for goal in task.goals
        ]
    empty = dict.fromkeys(PARTS, ())
    return {**empty, "systems": tuple(systems), "goals": tuple(goals)}


def _together(
    how: Callable[[float, float], float], one: float | None, other: float | None
) -> float | None:
    return None if one is None or other is None else how(one, other)


def _sum(one: float, other: float) -> float:
    return one + other


def _after(a: Task, b: Task, goals: Sequence[Goal], first: Sequence[str]) -> tuple[Goal, ...]:
    """The goals of the second task, none of which counts before those of the first are satisfied.

    A goal with prerequisites of its own waits for them, so those without any are the ones that have to wait.
    """
    found = []
    for goal in goals:
        if goal.after is not None or goal.before is not None:
            last = _last(a)
            if last is None or goal.since:
                raise MensuraError(
                    f"Goal {goal.name!r} has times from the start of {b.name!r}, and "
                    + (
                        "also times since another goal; one of them would do."
                        if goal.since
                        else f"no goal of {a.name!r} comes after all the others, to count them from."
                    )
                )
            goal = replace(
                goal,
                since=first[last],
                after_since=goal.after,
                before_since=goal.before,
                after=None,
                before=None,
            )
        if not goal.prerequisites:
            goal = replace(goal, prerequisites=tuple(first), prerequisite="ever")
        found.append(goal)
    return tuple(found)


def _last(task: Task) -> int | None:
    """The number of the goal that needs all the others, if there is one."""
    prior = {goal.name: set(depends_on(goal)) for goal in task.goals}
    for number, goal in enumerate(task.goals):
        if closure([goal.name], lambda one: prior[one]) == set(prior):
            return number
    return None


def _conjunction(terms: Sequence[str]) -> str:
    """All of them, in few levels of parentheses."""
    if len(terms) <= 16:
        return " and ".join(terms)
    middle = len(terms) // 2
    return f"({_conjunction(terms[:middle])}) and ({_conjunction(terms[middle:])})"


def _waiting(system: System, task: Task, name: str, done: str) -> System:
    """A system that rests until something is done.

    Its objects are locked till then; where transitions of its own lock one, it begins as it would have, once.
    """
    (top, *_) = scopes(task)
    locks = {
        top.owner(parse_assignment(source).target.path)
        for transition in task.flat.transitions
        for source in transition.assignments
        if parse_assignment(source).target.path.endswith(".locked")
    }
    begin: list[str] = []
    marked: set[str] = set()
    for one in task.flat.objects:
        if one.name in locks:
            mark = f"{one.name}.{_WAITED}"
            marked.add(one.name)
            begin += [
                f"{one.name}.locked <- true when not ({done})",
                f"{one.name}.locked <- {str(one.locked).lower()} when {done} and {mark} == 0",
                f"{mark} <- 1 when {done}",
            ]
        elif not one.locked:
            begin.append(f"{one.name}.locked <- not ({done})")

    def resting(scope: Scope, kind: str, part: Any) -> Iterable[Any]:
        if kind == "objects" and f"{scope.prefix}{part.name}" in marked:
            part = replace(part, attributes=(*part.attributes, (_WAITED, 0.0)))
        if kind == "transitions":
            part = replace(part, when=f"({part.when}) and {done}" if part.when else done)
        yield part

    parts = edited(task, resting)
    del parts["goals"]
    if begin:
        wait = Transition(free_name("wait", {one.name for one in task.transitions}), tuple(begin))
        parts["transitions"] = (wait, *parts["transitions"])
    return System(name, **parts)


_WAITED = "waited"
