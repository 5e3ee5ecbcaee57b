"""Pictures of a FraMoTEC environment: a track for each object, with its goals and where it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mensura.core import palette
from mensura.pictures import files
from mensura.worlds.framotec.blocks import Goal, Range, Value
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.task import Task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_TRACKS = 40
"""So many objects are drawn."""


class Track(NamedTuple):
    """An object's line from the lowest to the highest value that is drawn, and the stretches of its goals."""

    name: str
    low: float
    high: float
    goals: tuple[tuple[float, float], ...]

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1; beyond them, at them."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


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


def draw(environment: FramotecEnvironment, path: Path) -> None:
    """Draw the environment to a file, .svg, .png or .pdf."""
    files.draw_to(path, lambda: _figure(environment), _label(environment))


def figure_svg(
    environment: FramotecEnvironment, name: str = "environment", background: str | None = None
) -> str:
    """The picture as SVG for a page; ``name`` begins its ids: give each picture of a page its own."""
    return files.as_svg(lambda: _figure(environment), name, _label(environment), background)


def _label(environment: FramotecEnvironment) -> str:
    """What a screen reader says."""
    task = environment.description.task
    return f"The task {task.name}: a track for each of {len(task.flat.objects)} objects, with its goals and its place"


def _figure(environment: FramotecEnvironment) -> Figure:
    from matplotlib.figure import Figure

    simulation = environment.simulation
    task = simulation.assembly.task
    tracks = tracks_of(task)
    figure = Figure(figsize=(7.0, 0.9 + 0.42 * len(tracks)), layout="constrained")
    axes = figure.subplots()
    for row, track in enumerate(tracks):
        axes.plot([0, 1], [row, row], color=palette.INK, linewidth=1.0, zorder=1)
        for low, high in track.goals:
            ends = [track.share(low), track.share(high)]
            axes.plot(
                ends,
                [row, row],
                color=palette.GREEN,
                linewidth=9,
                alpha=0.5,
                solid_capstyle="butt",
                zorder=2,
            )
        x = simulation.value(f"{track.name}.value")
        locked = simulation.value(f"{track.name}.locked")
        axes.plot(
            [track.share(x)],
            [row],
            marker="s" if locked else "o",
            markersize=9,
            color=palette.BLUE,
            zorder=3,
        )
        for at, end in ((0.0, track.low), (1.0, track.high)):
            axes.annotate(
                f"{end:.4g}",
                (at, row),
                (0, 7),
                textcoords="offset points",
                ha="left" if at == 0.0 else "right",
                fontsize=8,
            )
    axes.set_yticks(range(len(tracks)), [track.name for track in tracks])
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_ylim(len(tracks) - 0.5, -0.7)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_title(
        f"{task.name}, {simulation.time:g} s, {simulation.energy:.4g} J", loc="left", fontsize=11
    )
    return figure
