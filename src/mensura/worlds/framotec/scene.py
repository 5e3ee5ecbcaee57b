"""A FraMoTEC task at one moment with all of its state, and where its objects have been until then."""

from __future__ import annotations

from mensura.core import palette
from mensura.core.spaces import Discrete
from mensura.pictures.scenes import Choice, Controls, Knob, Scene, Table, picture
from mensura.worlds.framotec.environment import LEVELS, FramotecEnvironment
from mensura.worlds.framotec.film import (
    DOT,
    EDGE,
    WIDTH,
    Film,
    ground_svg,
    line_svg,
)


class Past(Film):
    """Where objects have been in an episode under way; time goes as far as the episode can."""

    def _x(self, time: float) -> float:
        task = self._description.task
        longest: float = self._description.horizon * task.controller_step
        return EDGE + WIDTH * time / max(longest, self._frames[-1].time, 1e-9)

    def svg(self) -> str:
        """The positions over time up to now."""
        strips = self._strips()
        parts = []
        for row, strip in enumerate(strips):
            parts += self._locked_svg(row, strip)
            parts += ground_svg(strip, f' fill="{palette.INK}"')
            path = self._path(row, strip)
            if len(path) > 1:
                parts.append(line_svg(path))
            x, y = path[-1]
            parts.append(
                f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{DOT:g}" fill="{palette.BLUE}" stroke="#fff"/>'
            )
        label = (
            f"The values of {len(strips)} objects of the task {self._description.task.name} over time, with their "
            "goals; the numbers are in the table of the objects"
        )
        return picture(self._size(), label, parts)


def scene(environment: FramotecEnvironment, past: Past) -> Scene:
    """The positions over time, every part of the task with its numbers, and the motors of each seat."""
    return Scene(
        svg=past.svg(),
        tables=tuple(_tables(environment)),
        controls=tuple(_controls(environment, seat) for seat in range(len(environment.seats))),
        words=_words(environment),
    )


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
