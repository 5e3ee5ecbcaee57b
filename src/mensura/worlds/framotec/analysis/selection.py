"""Schedules for tasks whose hidden motors are reached through a selector, as that of N dimensions (6.4).

A hidden motor keeps its last power when the selector moves on. So one sweep over all of them is enough: each is left
with the power at which its object arrives at its goal just when the others do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.core.expressions.language import (
    Binary,
    Call,
    Name,
    Number,
)
from mensura.worlds.framotec.analysis.dimensions import (
    Dimensions,
    Entangled,
    Move,
    dimensions,
    number,
)
from mensura.worlds.framotec.analysis.legs import Numbers
from mensura.worlds.framotec.model.blocks import Limits
from mensura.worlds.framotec.model.expression import parse_assignment, parse_expression
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.simulation import Simulation

SPEEDS = (0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Shares of the selector's power with which a sweep is tried, the fastest first."""
ROUNDS = 14
"""How often powers are set right after what objects did with them."""
BEYOND = 1e-3
"""The share of its way that an object goes beyond the edge of its goal, to be sure."""


@dataclass(frozen=True)
class Selector:
    """A selector, what moves it, and which motor it selects where."""

    object: str
    motor: str
    """The exposed motor that moves it."""
    power: str
    """The exposed motor whose power goes to what is selected."""
    places: dict[int, str]
    """The hidden motor at each place."""


def selector_of(task: Task) -> Selector:
    """The selector of a task; raises :class:`Entangled` where there is none."""
    flat = task.flat
    exposed = {motor.name for motor in flat.motors if motor.exposed}
    found: set[tuple[str, str]] = set()
    places: dict[int, str] = {}
    for transition in flat.transitions:
        match parse_expression(transition.when) if transition.when else None:
            case Binary("==", Call("round", (Name(path),)), Number(place)):
                trees = [parse_assignment(source) for source in transition.assignments]
                source = trees[0].value
                if len(trees) == 1 and trees[0].condition is None and isinstance(source, Name):
                    places[int(place)] = trees[0].target.path.removesuffix(".power")
                    found.add((path.removesuffix(".value"), source.path.removesuffix(".power")))
                    continue
        raise Entangled(f"transition {transition.name!r} is no part of a selector")
    if len(found) != 1:
        raise Entangled("there is no selector")
    object_, power = found.pop()
    drives = [m.name for m in flat.motors if object_ in {name for name, _ in m.targets}]
    if power not in exposed or len(drives) != 1 or drives[0] not in exposed:
        raise Entangled("the selector is not set by controllers")
    return Selector(object_, drives[0], power, places)


def drafts(task: Task, time: float) -> list[Numbers]:
    """Schedules that sweep over all hidden motors once and should take about a time, or as much more as they need."""
    selector = selector_of(task)
    found = dimensions(task)
    sweep = _sweep(task, selector, found)
    first = max(
        sweep.left[place] * task.controller_step + move.leg.fastest
        for place, move in sweep.moves.items()
    )
    return [
        _calibrated(task, selector, sweep, share * max(time, first))
        for share in (0.99, 1.0, 1.01, 1.03)
    ]


@dataclass(frozen=True)
class _Sweep:
    watts: Numbers
    """Of the selector's motor, in each controller step."""
    left: dict[int, int]
    """The controller step in which each place is left."""
    moves: dict[int, Move]
    """The object to be moved from each place."""


def _sweep(task: Task, selector: Selector, found: Dimensions) -> _Sweep:
    """The fastest way over all places that leaves each in a controller step of its own."""
    moves = {
        place: move
        for place, motor in selector.places.items()
        for move in found.alone
        if motor in {drive.motor for drive in move.drives}
    }
    start = number(next(o for o in task.flat.objects if o.name == selector.object).value)
    last = max(selector.places)
    if round(start) != min(selector.places):
        raise Entangled("the selector does not start at its first place")
    most = next(motor.power for motor in task.flat.motors if motor.name == selector.motor)
    for share in SPEEDS:
        simulation = Simulation(_endless(task))
        left: dict[int, int] = {}
        watts: list[float] = []
        while len(watts) < 100 * (last + 2):
            before = round(simulation.value(f"{selector.object}.value"))
            if before == last:
                break
            watts.append(share * most)
            simulation.set_power(selector.motor, share * most)
            simulation.tick()
            after = round(simulation.value(f"{selector.object}.value"))
            for place in range(before, after):
                left[place] = len(watts) - 1
        left[last] = len(watts)
        if len(set(left.values())) == len(left) == last + 1:
            return _Sweep(np.array(watts), left, moves)
    raise MensuraError(
        f"The selector of the task {task.name!r} cannot be swept in controller steps."
    )


def _endless(task: Task) -> Task:
    """The task with nothing to reach and nothing to run out of."""
    return replace(task, goals=(), limits=Limits())


def _calibrated(task: Task, selector: Selector, sweep: _Sweep, time: float) -> Numbers:
    """A sweep with powers for which all objects arrive at a time."""
    step = task.controller_step
    steps = max(math.ceil(time / step - 1e-9), len(sweep.watts) + 1)
    columns = {motor.name: i for i, motor in enumerate(task.exposed)}
    own = {
        place: move.leg.mass
        * move.leg.slowing
        * move.leg.distance
        / (time - step * sweep.left[place])
        for place, move in sweep.moves.items()
    }
    endless = _endless(task)
    powers = np.zeros((steps, len(columns)))
    for _ in range(ROUNDS):
        powers[: len(sweep.watts), columns[selector.motor]] = sweep.watts
        begin = 0
        for place in sorted(sweep.left):
            powers[begin : sweep.left[place] + 1, columns[selector.power]] = own.get(place, 0.0)
            begin = sweep.left[place] + 1
        powers[begin:, columns[selector.power]] = own.get(max(sweep.left), 0.0)
        simulation = Simulation(endless)
        for at, row in enumerate(powers):
            simulation.set_powers(dict(zip(columns, row.tolist(), strict=True)))
            simulation.tick(min(step, round((time - at * step) / task.dt) * task.dt))
        for place, move in sweep.moves.items():
            gone = abs(simulation.value(f"{move.object.name}.value") - number(move.object.value))
            wanted = (1.0 + BEYOND) * move.leg.distance
            most = sum(drive.power for drive in move.drives)
            own[place] = min(own[place] * wanted / max(gone, 0.1 * wanted), most)
    return np.concatenate([powers, np.repeat(powers[-1:], 8, axis=0)])
