"""Pictures of a FraMoTEC environment: where each object is and was, with its goals; or what a seat reads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from mensura.agent.spaces import Record
from mensura.pictures.picture import Area, Disc, Line, Picture, Shape, Words
from mensura.worlds.framotec.model.blocks import Goal, Range, Value
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.description import Description
from mensura.worlds.framotec.play.simulation import Simulation

MOST_TRACKS = 40
"""So many objects are drawn."""

WIDTH, NAME, LETTERS = 20.0, 0.7, 0.45
"""Units: of a strip, for the name above it, and of letters."""
HIGHEST, LOWEST, ALL = 2.8, 0.9, 24.0
"""Units of a strip, of which there are as many as objects, and of all of them together."""

LEGEND = (("series-0", "an object"), ("series-2", "its goal"), ("ground", "locked"))

PIECES = 80
"""So many pieces the path of an object has at most."""


class Played(Protocol):
    """What a picture takes from an environment."""

    @property
    def description(self) -> Description: ...

    @property
    def simulation(self) -> Simulation: ...

    def spaces(self, seat: int) -> tuple[Record, Any]: ...

    def seen(self, seat: int) -> Sequence[float]: ...


class Track(NamedTuple):
    """An object's line from the lowest to the highest value that is drawn, and the stretches of its goals."""

    name: str
    low: float
    high: float
    goals: tuple[tuple[float, float], ...]

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1; beyond them, at them."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


class Shot(NamedTuple):
    """What is kept of a moment."""

    time: float
    shares: tuple[float, ...]
    """Where each object is on its track, from 0 to 1."""
    locked: tuple[bool, ...]


def number(value: Value) -> float:
    """A number of a concrete task."""
    assert not isinstance(value, Range)
    return value


def stretch(goal: Goal) -> tuple[float, float]:
    """From where to where a goal is."""
    return (
        number(goal.value) - number(goal.tolerance),
        number(goal.value) + number(goal.tolerance),
    )


def tracks_of(task: Task) -> list[Track]:
    """The tracks of a concrete task; what has no bounds is drawn around its start and its goals."""
    tracks = []
    for one in task.flat.objects[:MOST_TRACKS]:
        own = (one.name, f"{one.name}.value")
        goals = tuple(stretch(goal) for goal in task.flat.goals if goal.of in own)
        low, high = one.bounds or (0.0, 0.0)
        if one.bounds is None:
            ends = [end for pair in goals for end in pair] + [number(one.value)]
            margin = max(0.2 * (max(ends) - min(ends)), 1.0)
            low, high = min(ends) - margin, max(ends) + margin
        tracks.append(Track(one.name, low, high, goals))
    return tracks


def shot_of(environment: Played) -> Shot:
    """The moment of an environment."""
    simulation = environment.simulation
    tracks = tracks_of(simulation.assembly.task)
    return Shot(
        simulation.time,
        tuple(track.share(simulation.value(f"{track.name}.value")) for track in tracks),
        tuple(bool(simulation.value(f"{track.name}.locked")) for track in tracks),
    )


def over_time(environment: Played, shots: Sequence[Shot]) -> Picture:
    """A strip for each object: time goes to the right as far as the episode can, values upwards."""
    simulation = environment.simulation
    task = simulation.assembly.task
    tracks = tracks_of(task)
    description = environment.description
    longest = max(description.horizon * task.controller_step, shots[-1].time, 1e-9)
    high = min(max(ALL / max(len(tracks), 1) - NAME, LOWEST), HIGHEST)
    shapes: list[Shape] = []
    # Cut at moments that are the same in every frame of a film, so that a film draws each piece once.
    every = max(1, math.ceil(description.horizon / PIECES))
    pieces = list(pairwise(range(0, len(shots), every)))
    for row, track in enumerate(tracks):
        top = row * (high + NAME + 0.3) + NAME
        shapes += _ground(track, top, high)
        path = [
            (WIDTH * shot.time / longest, top + high * (1.0 - shot.shares[row])) for shot in shots
        ]
        for first, last in pieces:
            if all(shot.locked[row] for shot in shots[first + 1 : last + 1]):
                left, right = path[first][0], path[last][0]
                shapes.append(Area.box(left, top, right - left, high, "ground"))
        shapes += [
            Line(path[first : last + 1], "series-0", 0.08, label=track.name)
            for first, last in pieces
        ]
        shapes.append(Disc(path[-1], 0.22, "series-0", label=track.name))
    size = WIDTH, 0.2 + len(tracks) * (high + NAME + 0.3)
    return Picture(shapes, size, label(environment), _legend(tracks), (title(environment),))


def _ground(track: Track, top: float, high: float) -> Iterator[Shape]:
    """What stands behind an object's path: its name, its goals and a frame."""
    name = f"{track.name}, {track.low:.4g} to {track.high:.4g}"
    yield Words(name, (0.0, top - NAME / 2), LETTERS, anchor="start")
    for low, up in track.goals:
        upper, lower = (top + high * (1.0 - track.share(value)) for value in (up, low))
        least = max(lower - upper, 0.08)
        middle = (upper + lower) / 2
        yield Area.box(0.0, middle - least / 2, WIDTH, least, "series-2", 0.5, label="goal")
    yield Area.box(0.0, top, WIDTH, high, "paper", 0.0, outline="ink")


def moment(environment: Played) -> Picture:
    """A line for each object, with its goals and its place."""
    tracks = tracks_of(environment.simulation.assembly.task)
    shot = shot_of(environment)
    shapes: list[Shape] = []
    for row, track in enumerate(tracks):
        spans = [(track.share(low), track.share(high)) for low, high in track.goals]
        value = environment.simulation.value(f"{track.name}.value")
        told = f"{track.name} {value:.4g}"
        shapes += _line(row, track.name, track.low, track.high, spans)
        shapes.append(_mark(row, shot.shares[row], told, shot.locked[row]))
    size = WIDTH, 0.6 + 1.5 * len(tracks)
    return Picture(shapes, size, label(environment), _legend(tracks), (title(environment),))


def seen(environment: Played, seat: int) -> Picture:
    """What a seat reads: a line for each number, or the number alone where it has no bounds."""
    observed, _ = environment.spaces(seat)
    shapes: list[Shape] = []
    for row, ((name, box), value) in enumerate(
        zip(observed.boxes.items(), environment.seen(seat), strict=True)
    ):
        if box.high - box.low < 1e6:
            shapes += _line(row, name, box.low, box.high, ())
            share = (value - box.low) / (box.high - box.low) if box.high > box.low else 0.0
            shapes.append(_mark(row, share, f"{name} {value:.4g}", False))
        else:
            shapes.append(
                Words(f"{name} {value:.4g}", (0.0, _height(row)), LETTERS, anchor="start")
            )
    return Picture(shapes, (WIDTH, 0.6 + 1.5 * len(observed.fields)), "What is read")


def _height(row: int) -> float:
    return 1.0 + 1.5 * row


def _line(
    row: int, name: str, low: float, high: float, goals: Sequence[tuple[float, float]]
) -> Iterator[Shape]:
    y = _height(row)
    yield Words(f"{name}, {low:.4g} to {high:.4g}", (0.0, y - 0.6), LETTERS, anchor="start")
    for one, other in goals:
        least = max((other - one) * WIDTH, 0.08)
        yield Area.box(one * WIDTH, y - 0.25, least, 0.5, "series-2", 0.5, label="goal")
    yield Line(((0.0, y), (WIDTH, y)), "ink", 0.05)


def _mark(row: int, share: float, told: str, locked: bool) -> Shape:
    x, y = share * WIDTH, _height(row)
    if locked:
        return Area.box(x - 0.25, y - 0.25, 0.5, 0.5, "series-0", label=f"{told}, locked")
    return Disc((x, y), 0.28, "series-0", label=told)


def _legend(tracks: Sequence[Track]) -> tuple[tuple[str, str], ...]:
    return LEGEND if any(track.goals for track in tracks) else LEGEND[:1]


def title(environment: Played) -> str:
    """The task, what was spent, and whether it is solved."""
    one = environment.simulation
    state = ", solved" if one.solved else ", failed" if one.failed else ""
    return f"{one.assembly.task.name}, {one.time:.4g} s, {one.energy:.4g} J{state}"


def label(environment: Played) -> str:
    """What a screen reader says."""
    task = environment.description.task
    return (
        f"The task {task.name}: {len(task.flat.objects)} objects, each with its place and its goals"
    )
