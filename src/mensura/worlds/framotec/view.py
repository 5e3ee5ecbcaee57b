"""How a FraMoTEC environment is shown: text, pictures over time, sentences, tables of the state, and its motors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mensura.agent.spaces import Discrete
from mensura.core.contract import Turn
from mensura.pictures.picture import Picture
from mensura.pictures.scenes import Choice, Controls, Knob, Table
from mensura.pictures.texts import count_word, listed
from mensura.pictures.view import PlainView
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.model.blocks import Goal
from mensura.worlds.framotec.picture import Shot, over_time, shot_of, tracks_of
from mensura.worlds.framotec.play.description import LEVELS

WIDTH = 40
"""Characters from the lowest to the highest value of an object."""


class FramotecView(PlainView):
    """A view of an episode, which remembers where objects have been."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self._shots: list[Shot] = []

    def started(self, environment: Any, turn: Turn) -> None:
        """An episode begins."""
        super().started(environment, turn)
        self._shots = [shot_of(environment)]

    def stepped(self, environment: Any, actions: list[Any], turn: Turn) -> None:
        """An interaction was played."""
        super().stepped(environment, actions, turn)
        self._shots.append(shot_of(environment))

    def picture(self, environment: Any, turn: Turn) -> Picture:
        """Where objects are; once they have moved, where they have been until now."""
        if len(self._shots) < 2:
            return super().picture(environment, turn)
        return over_time(environment, self._shots)

    def text(self, environment: Any, turn: Turn) -> str:
        """The environment as a person can read it in any terminal.

        A line for each object shows its place between its bounds, "[" and "]" where a goal begins and ends, and its
        value and velocity; below are motors, sensors, goals and what was spent.
        """
        return "\n".join([*_objects(environment), "", *_status(environment, turn)])

    def explain(self, environment: Any) -> tuple[str, ...]:
        """What this task is and what pays in it, in sentences for somebody who was not there."""
        d = environment.description
        task = d.task.flat
        controls = "controller sets" if d.subjects == 1 else "controllers set"
        told = f" They are told: {task.instructions}" if task.instructions else ""
        limits = " and ".join(
            f"{limit:g} {unit}"
            for limit, unit in ((task.limits.time, "s"), (task.limits.energy, "J"))
            if limit is not None
        )
        within = f" within {limits}" if limits else ""
        goals = "; ".join(map(_wanted, task.goals)) or "nothing"
        return (
            f"{count_word(d.subjects)} {controls} the powers of {len(task.exposed)} motors every "
            f"{task.controller_step:g} s; motors move objects, of which there are {len(task.objects)}.{told}",
            f"What has to be reached{within}: {goals}.",
            "An interaction pays 1 once all goals are satisfied and -1 once a limit is passed; before, it costs the "
            "mean distance to the goals as a share of the greatest.",
        )

    def tables(self, environment: Any) -> tuple[Table, ...]:
        """Every part of the task with its numbers."""
        return tuple(_tables(environment))

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """The motors of each seat."""
        return tuple(_controls(environment, seat) for seat in range(len(environment.seats)))

    def remarks(self, environment: Any) -> tuple[str, ...]:
        """The instructions and the transitions."""
        return _words(environment)


def _wanted(goal: Goal) -> str:
    return f"{goal.of} at {goal.value:g} +- {goal.tolerance:g}"


def _objects(environment: FramotecEnvironment) -> Iterator[str]:
    simulation = environment.simulation
    task = simulation.assembly.task
    tracks = tracks_of(task)
    wide = max((len(track.name) for track in tracks), default=0)
    for track in tracks:
        line = ["."] * WIDTH
        x = simulation.value(f"{track.name}.value")
        v = simulation.value(f"{track.name}.velocity")
        locked = bool(simulation.value(f"{track.name}.locked"))
        marks = [mark for low, high in track.goals for mark in ((low, "["), (high, "]"))]
        for at, sign in (*marks, (x, "#" if locked else "O")):
            line[min(int(track.share(at) * WIDTH), WIDTH - 1)] = sign
        yield (
            f"{track.name:<{wide}} {track.low:>8.4g} {''.join(line)} {track.high:<8.4g} "
            f"value {x:>9.4g}   velocity {v:>9.4g}"
        )
    if len(task.objects) > len(tracks):
        yield f"and {len(task.objects) - len(tracks)} more objects"


def _status(environment: FramotecEnvironment, turn: Turn) -> Iterator[str]:
    simulation = environment.simulation
    task = simulation.assembly.task
    yield listed(
        "motors ", [f"{m.name} {simulation.value(f'{m.name}.power'):g} W" for m in task.motors]
    )
    readings = simulation.readings().tolist()
    sensors = [f"{one.name} {x:g}" for one, x in zip(task.sensors, readings, strict=True)]
    yield listed("sensors", sensors)
    goals = [f"{name} {'yes' if met else 'no'}" for name, met in simulation.goals.items()]
    yield listed("goals  ", goals)
    limits = task.limits
    time = "" if limits.time is None else f" of {limits.time:g}"
    energy = "" if limits.energy is None else f" of {limits.energy:g}"
    state = "solved" if simulation.solved else "failed" if simulation.failed else "under way"
    yield f"time    {simulation.time:g}{time} s   energy {simulation.energy:.6g}{energy} J   {state}"
    if simulation.time > 0.0:
        told = zip(turn.due, turn.rewards, strict=True)
        yield listed("rewards", [f"{seat} {value:+.2f}" for seat, value in told])
    yield "O an object, # one that is locked, [ ] from where to where its goal is"


def _controls(environment: FramotecEnvironment, seat: int) -> Controls:
    motors = environment.description.controllers[seat]
    _, space = environment.spaces(seat)
    if not isinstance(space, Discrete):
        return Controls(knobs=tuple(Knob(motor, -1.0, 1.0) for motor in motors))
    levels = LEVELS[environment.description.actions]
    return Controls(
        tuple(
            Choice(i * len(levels) + j, f"{motor} {level:+g}" if level else f"{motor} 0")
            for i, motor in enumerate(motors)
            for j, level in enumerate(levels)
        )
    )


def _tables(environment: FramotecEnvironment) -> list[Table]:
    simulation = environment.simulation
    task = simulation.assembly.task
    value = simulation.value
    objects = tuple(
        (
            one.name,
            value(f"{one.name}.value"),
            value(f"{one.name}.velocity"),
            bool(value(f"{one.name}.locked")),
        )
        for one in task.objects
    )
    motors = tuple((one.name, value(f"{one.name}.power"), one.power) for one in task.motors)
    readings = simulation.readings().tolist()
    sensors = tuple(
        (one.name, one.source, reading) for one, reading in zip(task.sensors, readings, strict=True)
    )
    met, far = simulation.goals, simulation.distances
    goals = tuple(
        (one.name, one.of, _number(one.value), _number(one.tolerance), far[one.name], met[one.name])
        for one in task.goals
    )
    state = "solved" if simulation.solved else "failed" if simulation.failed else "under way"
    limits = task.limits
    clocks = (
        ("state", state, None),
        ("time (s)", simulation.time, limits.time),
        ("energy (J)", simulation.energy, limits.energy),
        ("step of dt", environment.now, environment.description.last_step),
    )
    attributes = tuple(
        (path, float(simulation.row[slot])) for path, slot in simulation.assembly.slots.items()
    )
    return [
        Table("clocks", ("clock", "value", "limit"), clocks),
        Table("objects", ("object", "value", "velocity", "locked"), objects),
        Table("motors", ("motor", "power (W)", "most (W)"), motors),
        Table("sensors", ("sensor", "of", "reading"), sensors),
        Table("goals", ("goal", "of", "wanted", "tolerance", "distance", "satisfied"), goals),
        Table("attributes", ("attribute", "value"), attributes),
    ]


def _number(value: object) -> float | str:
    return (
        value
        if isinstance(value, float)
        else float(value)
        if isinstance(value, int)
        else str(value)
    )


def _words(environment: FramotecEnvironment) -> tuple[str, ...]:
    task = environment.description.task.flat
    found = [
        f"Transition {one.name}: {'; '.join(one.assignments)}{f' when {one.when}' if one.when else ''}"
        for one in task.transitions
    ]
    return (*((task.instructions,) if task.instructions else ()), *found)
