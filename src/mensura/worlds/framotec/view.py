"""How a FraMoTEC environment looks: text, a picture, a scene in a page, a film of an episode."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mensura.pictures.texts import count_word, listed
from mensura.worlds.framotec.blocks import Goal
from mensura.worlds.framotec.drawing import draw, figure_svg, tracks_of
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.film import Film
from mensura.worlds.framotec.scene import Past, scene

__all__ = ["Film", "Past", "draw", "explain", "figure_svg", "scene", "text"]

WIDTH = 40
"""Characters from the lowest to the highest value of an object."""


def explain(environment: FramotecEnvironment) -> tuple[str, ...]:
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


def _wanted(goal: Goal) -> str:
    return f"{goal.of} at {goal.value:g} +- {goal.tolerance:g}"


def text(environment: FramotecEnvironment, rewards: Sequence[float] | None = None) -> str:
    """The environment as a person can read it in any terminal.

    A line for each object shows its place between its bounds, "[" and "]" where a goal begins and ends, and its value
    and velocity; below are motors, sensors, goals and what was spent.
    """
    return "\n".join([*_objects(environment), "", *_status(environment, rewards)])


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


def _status(environment: FramotecEnvironment, rewards: Sequence[float] | None) -> Iterator[str]:
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
    if rewards is not None:
        yield listed("rewards", [f"{seat} {value:+.2f}" for seat, value in enumerate(rewards)])
    yield "O an object, # one that is locked, [ ] from where to where its goal is"
