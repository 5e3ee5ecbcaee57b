"""Pictures of fronts: the least energy for every time in blue, and what motors can use at most in red."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mensura.core import palette
from mensura.pictures import files
from mensura.worlds.framotec.analysis.pareto import Front
from mensura.worlds.framotec.model.task import Task

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_front(task: Task, front: Front, path: Path) -> None:
    """Draw a front to a file, .svg, .png or .pdf, as figures 1 to 5 of the paper have it."""
    files.draw_to(path, lambda: _figure(task, front), _label(task, front))


def front_svg(
    task: Task, front: Front, name: str = "front", spent: tuple[float, float] | None = None
) -> str:
    """The picture as SVG for a page; ``name`` begins its ids: give each picture of a page its own.

    ``spent`` is the time and the energy of an episode, which is marked.
    """
    return files.as_svg(lambda: _figure(task, front, spent), name, _label(task, front), None)


def _label(task: Task, front: Front) -> str:
    return (
        f"The front of {task.name}: {front.energies[0]:.4g} J in {front.times[0]:.4g} s down to "
        f"{front.energies[-1]:.4g} J in {front.times[-1]:.4g} s"
    )


def _figure(task: Task, front: Front, spent: tuple[float, float] | None = None) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    first, last = float(front.times[0]), float(front.times[-1])
    end = last + max(0.25 * (last - first), 0.01 * last)
    if task.limits.time is not None:
        end = max(min(end, task.limits.time), last)
    start, top = first - 0.15 * (end - first), 1.15 * float(front.energies[0])
    if spent is not None:
        start, end = min(start, spent[0]), max(end, 1.05 * spent[0])
        top = max(top, 1.1 * spent[1])
    kind = "exact" if front.exact else "a bound" if "bound" in front.how else "numerical"
    axes.plot(
        np.append(front.times, end),
        np.append(front.energies, front.energies[-1]),
        color=palette.BLUE,
        label=f"least energy ({kind})",
    )
    times = np.array([0.0, end])
    axes.plot(
        times, front.watts * times, color=palette.VERMILLION, label="all motors at full power"
    )
    if spent is not None:
        axes.plot(*spent, "D", color=palette.BLACK, markersize=8, label="this episode")
    axes.set_xlim(start, end)
    axes.set_ylim(0.0, top)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("energy (J)")
    axes.set_title(task.name, loc="left")
    axes.grid(True)
    axes.legend(loc="lower right")
    return figure
