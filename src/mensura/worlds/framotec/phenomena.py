"""Phenomena of FraMoTEC: the objects, transitions and goals of a task, with its causal graph and its expressions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, prf, unit
from mensura.core.contract import Environment, Turn
from mensura.core.phenomena import Cause, Phenomenon, Role, State, Variable
from mensura.core.yaml_text import Form, Misfit, parse_yaml
from mensura.worlds.framotec.analysis.causal_signs import signed_causes
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.model.blocks import Goal, Object, Transition, middle_of
from mensura.worlds.framotec.model.expression import parse_assignment
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.description import LEVELS, Description

HELD = 4
"""A second, by the usual controller step."""
LENGTH = 12
WHERE = 0.8
"""Objects start anywhere in this share of what they can be, from the lower end on."""
FASTEST = 50.0
"""Velocities count up to this."""
NO_POWER = 0.0001
"""Watts of a motor that is not there."""
MODELED = ("objects", "motors", "transitions")
FORM = Form("model", "objects, motors or transitions", 1_000_000, 100_000)

_STREAM_START = 7


class StartedEnvironment(FramotecEnvironment):
    """A task whose objects start anywhere, as the key draws, so that there is more than one start to ask about."""

    def reset(self, key: Key) -> Turn:
        """Start an episode with objects at values that the key draws, those that something moves or reads."""
        super().reset(key)
        slots = self.simulation.assembly.slots
        for at, one in enumerate(self.description.task.flat.objects):
            low, high = value_range(one)
            if low < high:
                share = WHERE * unit(prf(key, at, _STREAM_START))
                self.simulation.row[slots[f"{one.name}.value"]] = low + share * (high - low)
        return self._turn(first=True)


class FramotecSystem:
    """A task as what phenomena are parts of."""

    held = HELD
    length = LENGTH
    notation = (
        "The objects, motors and transitions of a FraMoTEC task as YAML or JSON, as a task file has them: "
        "{objects: [{name: a, mass: 2, bounds: [0, 10], mu_k: 0.1}], motors: [{name: m, targets: {a: 1}, power: 5}], "
        "transitions: [{name: t, assignments: ['a.locked <- b.value > 1']}]}. What is left out of the three is as in "
        "the task."
    )

    def __init__(self, description: Description) -> None:
        self.description = description
        self.task: Task = description.task.flat
        self._environments: dict[str, FramotecEnvironment] = {}

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """Values and velocities of objects, what transitions set, and which goals are satisfied."""
        return tuple(self._variables())

    def _variables(self) -> Iterator[Variable]:
        named = set()
        for one in self.task.objects:
            low, high = value_range(one)
            yield Variable(f"{one.name}.value", one.name, low, high)
            yield Variable(f"{one.name}.velocity", one.name, -FASTEST, FASTEST)
            named |= {f"{one.name}.value", f"{one.name}.velocity"}
        for path in self._set_by_transitions():
            owner, _, attribute = path.rpartition(".")
            if path not in named and attribute == "locked":
                named.add(path)
                yield Variable(path, owner, 0, 1, whole=True, meaning="1: it does not move")
        for goal in self.task.goals:
            yield Variable(
                f"{goal.name}.satisfied",
                goal.name,
                0,
                1,
                whole=True,
                meaning="1: the goal is satisfied",
            )

    def _set_by_transitions(self) -> list[str]:
        sources = [source for one in self.task.transitions for source in one.assignments]
        return [parse_assignment(source).target.path for source in sources]

    @cached_property
    def actions(self) -> tuple[Any, ...]:
        """No power, and full power either way for one motor at a time; pairs of motors forwards."""
        d = self.description
        motors = d.controllers[0]
        if d.actions != "continuous":
            levels = LEVELS[d.actions]
            rest = levels.index(0.0)
            every = range(len(levels) * len(motors))
            return (rest, *(one for one in every if one != rest))
        still = [0.0] * len(motors)
        found = [still]
        for at in range(len(motors)):
            found += [[*still[:at], power, *still[at + 1 :]] for power in (1.0, -1.0)]
        if len(motors) > 1:
            found.append([1.0] * len(motors))
        return tuple(found)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The causal graph of the task."""
        return signed_causes(self.task)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Motors, objects, transitions and goals."""
        found = [one.name for one in self.task.motors] + [one.name for one in self.task.objects]
        found += [name for one in self.causes for name in (one.cause, one.effect)]
        return tuple(dict.fromkeys(found))

    @property
    def removable(self) -> tuple[str, ...]:
        """Motors, without power, and transitions."""
        return (
            *(one.name for one in self.task.motors),
            *(one.name for one in self.task.transitions),
        )

    @cached_property
    def rules(self) -> str:
        """The parts that a model has."""
        return _written(self.task)

    @cached_property
    def near(self) -> tuple[str, ...]:
        """Without a transition; with weaker motors; with heavier objects."""
        found = [self.without(one.name)[0] for one in self.task.transitions]
        weaker = tuple(replace(one, power=0.7 * one.power) for one in self.task.motors)
        heavier = tuple(replace(one, mass=1.5 * middle_of(one.mass)) for one in self.task.objects)
        found.append(_written(replace(self.task, motors=weaker)))
        found.append(_written(replace(self.task, objects=heavier)))
        return tuple(found)

    def environment(self, model: str) -> Environment:
        """The task with the parts that a model describes."""
        if model not in self._environments:
            description = replace(self.description, task=self._task(model))
            if len(self._environments) > 32:
                self._environments.clear()
            self._environments[model] = StartedEnvironment(description)
        return self._environments[model]

    def _task(self, model: str) -> Task:
        data, lines = parse_yaml(model, "the model", FORM)
        if not isinstance(data, dict) or not data or set(data) - set(MODELED):
            raise MensuraError(
                f"The model has other parts than {', '.join(MODELED)}; only these are modeled."
            )
        try:
            task = Task.from_json({**self.task.to_json(), **data})
        except Misfit as misfit:
            raise lines.located(misfit) from None
        owners = {one.name for one in task.objects} | {one.name for one in task.goals}
        for variable in self.variables:
            if variable.part not in owners:
                raise MensuraError(
                    f"The model has no object {variable.part!r}, which the task has."
                )
        if [one.name for one in task.exposed] != [one.name for one in self.task.exposed]:
            raise MensuraError("The model has other motors that controllers set than the task has.")
        return task

    def read(self, environment: Any) -> State:
        """What the variables are now."""
        row, slots = environment.simulation.row, environment.simulation.assembly.slots
        return tuple(float(row[slots[one.name]]) for one in self.variables)

    def without(self, part: str) -> tuple[str, bool]:
        """The task without power for a motor, or without a transition."""
        motors = tuple(
            replace(one, power=NO_POWER) if one.name == part else one for one in self.task.motors
        )
        transitions = tuple(one for one in self.task.transitions if one.name != part)
        return _written(replace(self.task, motors=motors, transitions=transitions)), False


def phenomena_of(description: Description) -> tuple[Phenomenon, ...]:
    """The objects, transitions and goals of a task that one controller has all motors of."""
    system = FramotecSystem(description)
    at = {one.name: i for i, one in enumerate(system.variables)}
    found: dict[str, Phenomenon] = {}
    for one in system.task.objects:
        found[one.name] = _object(system, one, at[f"{one.name}.value"])
    for transition in system.task.transitions:
        for path in (parse_assignment(source).target.path for source in transition.assignments):
            if path in at and path.endswith(".locked"):
                found.setdefault(transition.name, _transition(system, transition, path, at[path]))
    for goal in system.task.goals:
        place = at[f"{goal.name}.satisfied"]
        summary = f"the goal {goal.name} is satisfied"
        found.setdefault(goal.name, Phenomenon(goal.name, summary, system, _Above(place, 0.5)))
    return tuple(found.values())


def _object(system: FramotecSystem, one: Object, place: int) -> Phenomenon:
    """An object at its goal, or beyond the middle of what it can be where it has none."""
    goals = [goal for goal in system.task.goals if _path(system, goal) == f"{one.name}.value"]
    role, without = _contrast(system, one.name)
    whole = None if without is None else system.description
    if goals:
        wanted, give = middle_of(goals[0].value), middle_of(goals[0].tolerance)
        low, high = value_range(one)
        give = max(give, 0.01 * (high - low))
        summary = f"{one.name}.value is {wanted:g}, give or take {give:g}"
        happens: Any = _Within(place, wanted - give, wanted + give)
    else:
        middle = sum(value_range(one)) / 2.0
        summary = f"{one.name}.value is above {middle:g}"
        happens = _Above(place, middle)
    return Phenomenon(one.name, summary, system, happens, role, without, whole)


def _transition(system: FramotecSystem, one: Transition, path: str, place: int) -> Phenomenon:
    role, without = _contrast(system, one.name)
    whole = None if without is None else system.description
    return Phenomenon(one.name, f"{path} is 1", system, _Above(place, 0.5), role, without, whole)


def _contrast(system: FramotecSystem, part: str) -> tuple[Role, Description | None]:
    """A task without the locks that a part is behind, which are obstacles."""
    task = system.task
    behind = {one.effect for one in system.causes if one.cause == part} | {part}
    locks = [
        one.name
        for one in task.transitions
        if one.name in behind
        and all(parse_assignment(a).target.path.endswith(".locked") for a in one.assignments)
    ]
    if not locks:
        return "", None
    left = tuple(one for one in task.transitions if one.name not in locks)
    return "obstacle", replace(system.description, task=replace(task, transitions=left))


def _path(system: FramotecSystem, goal: Goal) -> str:
    return attribute_path(goal.of, {one.name for one in system.task.objects})


class _Above:
    """Whether a variable is above a number."""

    def __init__(self, place: int, level: float) -> None:
        self._place, self._level = place, level

    def __call__(self, state: State) -> bool:
        return state[self._place] > self._level


class _Within:
    """Whether a variable is between two numbers, inclusively."""

    def __init__(self, place: int, low: float, high: float) -> None:
        self._place, self._low, self._high = place, low, high

    def __call__(self, state: State) -> bool:
        return self._low <= state[self._place] <= self._high


def value_range(one: Object) -> tuple[float, float]:
    """What the value of an object can be; an object without bounds is taken to stay within 100 of its start."""
    if one.bounds is not None:
        return one.bounds
    middle = middle_of(one.value)
    return middle - 100.0, middle + 100.0


def _written(task: Task) -> str:
    """The parts of a task that a model has, as JSON."""
    data = task.to_json()
    return json.dumps({name: data.get(name, []) for name in MODELED})
