"""The eleven properties of task-environments of section 7 of the paper, read off a task, and how each is tuned."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mensura.agent.keys import draw, unit
from mensura.core.expressions.language import Call, Node, Number
from mensura.worlds.framotec.model.blocks import (
    PHYSICAL,
    Goal,
    Object,
    Range,
    Transition,
    middle_of,
)
from mensura.worlds.framotec.model.decomposition import bearing_on
from mensura.worlds.framotec.model.editing import closure
from mensura.worlds.framotec.model.expression import names_in, parse_assignment, parse_expression
from mensura.worlds.framotec.model.names import depends_on, goal_order, readings
from mensura.worlds.framotec.model.references import expressions_of, read_by
from mensura.worlds.framotec.model.systems import scopes
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.simulation import Simulation

UNATTENDED = 10.0
"""Seconds without a controller after which a task shows whether it changes by itself."""


class Finding(NamedTuple):
    """What a property of a task is."""

    value: float
    sentence: str


class Setting(NamedTuple):
    """Who controls a task, and by which clock: what a world adds to it."""

    controllers: int = 1
    clock: str = "interactions"
    thought: Sequence[float] = ()


ALONE = Setting()


class Property(NamedTuple):
    """One of the eleven: how it is read off a task, and what tunes it."""

    read: Callable[[Task, Setting], Finding]
    value: str
    """What its number is."""
    tuned_by: str


def properties(task: Task, setting: Setting = ALONE) -> dict[str, Finding]:
    """All eleven, by name."""
    return {name: one.read(task, setting) for name, one in PROPERTIES.items()}


# Chance -------------------------------------------------------------------------------


def determinism(task: Task, setting: Setting = ALONE) -> Finding:
    """Whether nothing is drawn: no range, no noise of a transition, no distortion of a sensor."""
    drawn = [f"{name} of a range" for name in _ranges(task)]
    drawn += [
        f"noise in transition {one.name!r}"
        for one in task.flat.transitions
        if any(call.function in ("noise", "normal") for call in _calls(expressions_of(one)))
    ]
    drawn += [
        f"noise in the reset of goal {one.name!r}"
        for one in task.flat.goals
        if any(call.function in ("noise", "normal") for call in _calls(expressions_of(one)))
    ]
    drawn += [
        f"sensor {one.name!r} by +-{one.distortion:g}"
        for one in task.flat.sensors
        if one.distortion > 0
    ]
    said = f"Drawn are: {_some(drawn)}." if drawn else "Nothing is drawn."
    return Finding(float(not drawn), said)


def repeatability(task: Task, setting: Setting = ALONE) -> Finding:
    """Whether the same key gives the same run, however often sensors are read; tried out with random powers."""
    states = []
    for looks in (1, 2):
        simulation = Simulation(task, 1)
        for step in range(8):
            for slot, motor in enumerate(task.exposed):
                watts = motor.power * (2 * unit(draw(0, step, slot)) - 1)
                simulation.set_power(motor.name, watts)
            for _ in range(looks):
                simulation.readings()
            simulation.tick()
        states.append(simulation.snapshot())
    same = states[0] == states[1]
    return Finding(
        float(same),
        "The same key gives the same run to the bit; task, sensors and subjects have streams of their own."
        if same
        else "Two runs with one key differ.",
    )


# Time ---------------------------------------------------------------------------------


def continuity(task: Task, setting: Setting = ALONE) -> Finding:
    """How finely time and readings are cut: dt, and the digits of sensors."""
    rounded = [one for one in task.flat.sensors if one.digits is not None]
    coarsest = min(rounded, key=lambda one: one.digits or 0, default=None)
    said = f"Time goes in steps of {task.dt:g} s, actions every {task.controller_step:g} s. "
    if coarsest is None:
        return Finding(task.dt, f"{said}No sensor rounds.")
    return Finding(
        task.dt,
        f"{said}Rounded: {len(rounded)} of {_count(len(task.flat.sensors), 'sensor')}, the coarsest, "
        f"{coarsest.name}, to steps of {10.0 ** -(coarsest.digits or 0):g}.",
    )


def asynchronicity(task: Task, setting: Setting = ALONE) -> Finding:
    """How long things take between the world and a controller: the latest sensor, and the longest thought."""
    sensors = {one.name: one for one in task.flat.sensors}
    late = 0.0
    for one in task.flat.sensors:
        total, reading = one.latency, one
        while reading.source in sensors:
            reading = sensors[reading.source]
            total += reading.latency
        late = max(late, total)
    if setting.clock != "simulated":
        return Finding(late, f"Actions take effect at once; readings are up to {late:g} s late.")
    if not setting.thought:
        return Finding(
            late, f"Actions take effect when they were thought; readings are up to {late:g} s late."
        )
    longest = max(setting.thought)
    return Finding(
        late + longest,
        f"Actions take effect after up to {longest:g} s of thought; readings are up to {late:g} s late.",
    )


def dynamism(task: Task, setting: Setting = ALONE) -> Finding:
    """The share of objects that change although nobody acts; tried out."""
    simulation = Simulation(task)
    names = [one.name for one in task.flat.objects]
    paths = {
        name: [path for path in simulation.assembly.slots if path.rpartition(".")[0] == name]
        for name in names
    }
    first = {name: _values(simulation, paths[name]) for name in names}
    changed: dict[str, None] = {}
    while simulation.time < UNATTENDED and not simulation.over:
        simulation.tick()
        for name in names:
            if _values(simulation, paths[name]) != first[name]:
                changed[name] = None
    said = f"By themselves change: {_some(changed)}." if changed else "Nothing changes by itself."
    return Finding(len(changed) / max(len(names), 1), said)


def periodicity(task: Task, setting: Setting = ALONE) -> Finding:
    """How often transitions and goals ask for something that recurs."""
    parts: list[Transition | Goal] = [*task.flat.transitions, *task.flat.goals]
    found = [
        call
        for part in parts
        for call in _calls(expressions_of(part))
        if call.function in ("phase", "wave", "pulse", "every")
    ]
    said = [
        f"{call.function} of {call.arguments[0].value:g} s"
        if isinstance(call.arguments[0], Number)
        else f"{call.function} of a period that varies"
        for call in found
    ]
    return Finding(len(found), f"Recurring: {_some(said)}." if found else "Nothing recurs.")


# Seeing and moving --------------------------------------------------------------------


def observability(task: Task, setting: Setting = ALONE) -> Finding:
    """The share of values, velocities and own or changing attributes of objects that sensors read, and how sharply."""
    flat = task.flat
    names = {one.name for one in flat.objects}
    attributes = {f"{one.name}.{field}" for one in flat.objects for field in ("value", "velocity")}
    attributes |= {f"{one.name}.{own}" for one in flat.objects for own, _ in one.attributes}
    attributes |= {
        target
        for transition in flat.transitions
        for source in transition.assignments
        if (target := parse_assignment(source).target.path).rpartition(".")[0] in names
    }
    errors = {
        path: min(error for error, _ in several)
        for path, several in readings(task.flat).items()
        if path in attributes
    }
    said = _some([f"{path} to +-{error:g}" for path, error in errors.items()])
    return Finding(
        len(errors) / max(len(attributes), 1),
        f"Seen: {len(errors)} of {_count(len(attributes), 'attribute')}{f': {said}' if errors else ''}.",
    )


def controllability(task: Task, setting: Setting = ALONE) -> Finding:
    """The share of objects that controllers reach, through motors and chains of transitions."""
    flat = task.flat
    effects = effects_of(task)
    reached = closure([one.name for one in task.exposed], lambda one: effects.get(one, ()))
    out = [one.name for one in flat.objects if one.name not in reached]
    share = 1.0 - len(out) / max(len(flat.objects), 1)
    said = f"Out of reach: {_some(out)}." if out else "Controllers reach every object."
    return Finding(share, said)


def effects_of(task: Task) -> dict[str, set[str]]:
    """What each object, motor and sensor has an effect on: what it drives, and what transitions set by it."""
    flat = task.flat
    (top, *_) = scopes(flat)
    effects: dict[str, set[str]] = {}
    for motor in flat.motors:
        effects.setdefault(motor.name, set()).update(target for target, _ in motor.targets)
    for sensor in flat.sensors:
        effects.setdefault(top.owner(sensor.source) or sensor.source, set()).add(sensor.name)
    for transition in flat.transitions:
        when = names_in(parse_expression(transition.when)) if transition.when else ()
        condition = [name.path for name in when]
        for source in transition.assignments:
            tree = parse_assignment(source)
            for path in (*condition, *(name.path for name in read_by(tree))):
                effects.setdefault(top.owner(path) or path, set()).add(top.owner(tree.target.path))
    return effects


def ergodicity(task: Task, setting: Setting = ALONE) -> Finding:
    """The share of movable objects that can be moved back; time and energy never can."""
    flat = task.flat
    ways: dict[str, set[str]] = {one.name: set(_pulled(one)) for one in flat.objects}
    for motor in flat.motors:
        for target, factor in motor.targets:
            if motor.power > 0 and factor != 0:
                both = {"up", "down"}
                ways[target] |= both if motor.reversible else {"up" if factor > 0 else "down"}
    for transition in flat.transitions:
        for source in transition.assignments:
            owner, _, field = parse_assignment(source).target.path.rpartition(".")
            if field in ("value", "velocity") and owner in ways:
                ways[owner] |= {"up", "down"}
    unlocked = {
        parse_assignment(source).target.path
        for transition in flat.transitions
        for source in transition.assignments
    }
    movable = {
        one.name: ways[one.name]
        for one in flat.objects
        if ways[one.name] and (not one.locked or f"{one.name}.locked" in unlocked)
    }
    one_way = [name for name, way in movable.items() if len(way) == 1]
    said = f"{_some(one_way)} cannot be moved back" if one_way else "All that moves can move back"
    return Finding(
        1.0 - len(one_way) / max(len(movable), 1),
        f"{said}; time and energy that were spent stay spent.",
    )


def _pulled(one: Object) -> Iterator[str]:
    """Where gravity takes an object that rests; it pulls against increasing values."""
    gravity, angle, mu_s = (middle_of(value) for value in (one.gravity, one.angle, one.mu_s))
    force = gravity * math.sin(angle)
    if abs(force) > mu_s * abs(gravity) * math.cos(angle):
        yield "down" if force > 0 else "up"


# Structure ----------------------------------------------------------------------------


def causal_chains(task: Task, setting: Setting = ALONE) -> Finding:
    """How many groups of goals have nothing in common that bears on them, and the longest row of prerequisites."""
    goals = [goal.name for goal in task.goals]
    groups: list[set[str]] = []
    for name in goals:
        own = bearing_on(task, [name])
        joined = [group for group in groups if group & own]
        groups = [group for group in groups if group not in joined] + [own.union(*joined)]
    lengths: dict[str, int] = {}
    for goal in goal_order(task.flat):
        lengths[goal.name] = 1 + max((lengths[one] for one in depends_on(goal)), default=0)
    longest = max(lengths.values(), default=0)
    return Finding(
        len(groups),
        f"{_count(len(goals), 'goal')} in {_count(len(groups), 'chain')} of causes side by side; the longest row of "
        f"goals that require one another has {longest}.",
    )


def number_of_agents(task: Task, setting: Setting = ALONE) -> Finding:
    """How many controllers there are; there can be as many as exposed motors, or more that share some."""
    motors = len(task.exposed)
    return Finding(
        setting.controllers,
        f"{_count(setting.controllers, 'controller')}, {_count(motors, 'exposed motor')}; each may set several.",
    )


PROPERTIES: Mapping[str, Property] = {
    "determinism": Property(
        determinism,
        "1 where nothing is drawn",
        "ranges (`vary`), `noise` and `normal` in transitions, `distortion` of sensors (`add-noise`)",
    ),
    "ergodicity": Property(
        ergodicity,
        "share of movable objects that can move back",
        "`reversible` of motors, `angle`, `lock`, `reset_when` of goals, limits",
    ),
    "continuity": Property(
        continuity, "seconds of dt", "`dt`, `controller_step`, `digits` of sensors, `actions`"
    ),
    "asynchronicity": Property(
        asynchronicity,
        "seconds of the greatest delay",
        "`clock=simulated` with `thought`, `latency` of sensors (`add-latency`)",
    ),
    "dynamism": Property(
        dynamism,
        "share of objects that change unattended",
        "`velocity`, `gravity` with `angle`, transitions",
    ),
    "observability": Property(
        observability,
        "share of attributes that are seen",
        "sensors, their `distortion`, `digits` and `latency` (`add-noise`, `add-latency`)",
    ),
    "controllability": Property(
        controllability,
        "share of objects that controllers reach",
        "`exposed`, `targets` and `power` of motors, transitions, `lock`",
    ),
    "causal chains": Property(
        causal_chains,
        "groups of goals without common causes",
        "prerequisites, transitions, `in-parallel`, `in-sequence`, `add-dimension`",
    ),
    "number of agents": Property(
        number_of_agents, "controllers", "`subjects`, `controllers` of the world"
    ),
    "periodicity": Property(
        periodicity,
        "periodic functions",
        "`phase`, `wave`, `pulse` and `every` in transitions",
    ),
    "repeatability": Property(
        repeatability, "1 where a key gives the same run", "the seed: the same, or another"
    ),
}
"""The eleven properties in the order of the paper, repeatability included."""


# Helpers ------------------------------------------------------------------------------


def _ranges(task: Task) -> Iterator[str]:
    """The numbers that are drawn, by their paths."""
    parts: list[Object | Goal] = [*task.flat.objects, *task.flat.goals]
    for one in parts:
        own = one.attributes if isinstance(one, Object) else ()
        fields = PHYSICAL if isinstance(one, Object) else ("value", "tolerance")
        for name, value in (*((field, getattr(one, field)) for field in fields), *own):
            if isinstance(value, Range):
                yield f"{one.name}.{name}"


def _calls(trees: Iterator[Node]) -> Iterator[Call]:
    for tree in trees:
        if isinstance(tree, Call):
            yield tree
        yield from _calls(iter(tree.children()))


def _values(simulation: Simulation, paths: Sequence[str]) -> tuple[float, ...]:
    return tuple(map(simulation.value, paths))


def _some(items: Sequence[str] | Mapping[str, None]) -> str:
    """Items in a sentence; of many, the first and how many more."""
    listed = list(items)
    more = f" and {len(listed) - 6} more" if len(listed) > 6 else ""
    return ", ".join(listed[:6]) + more


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
