"""The figures of attempts at a task: each by its time and energy beside the front, and all of them as they go on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mensura.core import palette
from mensura.reports.drawing import Drawing, drawn, drawn_rows
from mensura.reports.number_words import FEWEST
from mensura.statistics.attempts import Attempts, Frontier
from mensura.statistics.interval import Estimate, mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

BLOCKS = 20
"""Attempts are drawn as so many blocks one after another, if there are enough."""
SHADES = 40
"""Of colors by age; a bar of more would be drawn as an image, which a page does not load."""
EMPTY = 0.06
"""So much of an axis is free beyond what it shows."""


def by_time_and_energy(attempts: Attempts, name: str, label: str) -> Drawing:
    """The solved attempts of the first sitting by time and energy, colored by age (5.2 of the FraMoTEC paper)."""

    def paint(axes: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        solved = np.flatnonzero(attempts.solved[0])
        time, energy = attempts.time[0, solved], attempts.energy[0, solved]
        right, top = _reach(time, energy, attempts.frontier)
        if attempts.frontier is not None:
            _draw_front(axes, attempts.frontier, right, top)
        dots = axes.scatter(
            time,
            energy,
            c=solved + 1,
            s=16,
            vmin=1,
            vmax=attempts.solved.shape[1],
            cmap=LinearSegmentedColormap.from_list("ages", palette.AGES, SHADES),
            linewidths=0.3,
            edgecolors=palette.INK,
            zorder=3,
        )
        if not len(solved):
            axes.text(0.5, 0.5, "none was solved", ha="center", transform=axes.transAxes)
        axes.set_xlim(0.0, right)
        axes.set_ylim(0.0, top)
        axes.set_xlabel("time [s]")
        axes.set_ylabel("energy [J]")
        axes.grid()
        bar = axes.figure.colorbar(dots, ax=axes, pad=0.02, aspect=30)
        bar.set_label("attempt")
        if attempts.frontier is not None:
            axes.figure.legend(loc="outside upper left", ncols=3, fontsize=8)

    return drawn(430, 320, name, label, paint)


def _reach(time: Floats, energy: Floats, front: Frontier | None) -> tuple[float, float]:
    """Where the axes end: all attempts have room, and so has the bend of the front."""
    times, energies = [1e-9, *time.tolist()], [1e-9, *energy.tolist()]
    if front is not None:
        times.append(float(front.times[0]) * 1.5)
        energies.append(float(front.energies[0]) * 1.1)
    return (1.0 + EMPTY) * max(times), (1.0 + EMPTY) * max(energies)


def _draw_front(axes: Axes, front: Frontier, right: float, top: float) -> None:
    # Who is done sooner may as well wait: the front goes on level.
    times = np.append(front.times, max(right, float(front.times[-1])))
    energies = np.append(front.energies, front.energies[-1])
    axes.plot(times, energies, color=palette.BLUE, label="least energy", zorder=2)
    axes.plot(
        [0.0, right],
        [0.0, front.watts * right],
        color=palette.VERMILLION,
        linestyle=(0, (5, 2)),
        label="most energy",
        zorder=2,
    )
    if front.energy_limit is not None and front.energy_limit <= top:
        axes.axhline(
            front.energy_limit,
            color=palette.INK,
            linewidth=0.8,
            linestyle=(0, (1, 2)),
            label="limit",
        )


def as_they_go_on(attempts: Attempts, name: str, label: str) -> Drawing:
    """The share of attempts that were solved, and their mean time and energy, block by block, over all sittings."""
    count = attempts.solved.shape[1]
    edges = np.unique(np.linspace(0, count, min(BLOCKS, count) + 1).astype(int))
    blocks = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    at = [(first + 1 + last) / 2 for first, last in blocks]

    def cost(of: Floats) -> Callable[[int, int], Floats]:
        def means(first: int, last: int) -> Floats:
            own = attempts.solved[:, first:last]
            made = own.any(axis=1)
            total = np.where(own, of[:, first:last], 0.0).sum(axis=1)
            return np.asarray(total[made] / own.sum(axis=1)[made], np.float64)

        return means

    lines: Sequence[tuple[str, Callable[[int, int], Floats]]] = (
        ("solved\n[share]", lambda a, b: attempts.solved[:, a:b].mean(axis=1)),
        ("time [s]", cost(attempts.time)),
        ("energy [J]", cost(attempts.energy)),
    )

    def paint(rows: Sequence[Axes]) -> None:
        for axes, (title, values), (color, marker) in zip(
            rows, lines, palette.SERIES, strict=False
        ):
            known = [
                (x, mean_interval(own))
                for x, (first, last) in zip(at, blocks, strict=True)
                if len(own := values(first, last))
            ]
            _band(axes, known, color, marker, 1.0 if axes is rows[0] else np.inf)
            axes.set_ylabel(title, fontsize=9)
            axes.set_ylim(bottom=0.0)
            axes.grid()
        rows[0].set_ylim(-0.03, 1.03)
        rows[-1].set_xlabel("attempt")

    return drawn_rows(430, 330, name, label, paint, 3)


def _band(
    axes: Axes, points: Sequence[tuple[float, Estimate]], color: str, marker: str, most: float
) -> None:
    """A line with its intervals, as far as there can be values, and where enough sittings tell one."""
    at = [x for x, _ in points]
    known = [p.n >= FEWEST and bool(np.isfinite(p.low)) for _, p in points]
    low = [max(p.low, 0.0) if k else p.value for k, (_, p) in zip(known, points, strict=True)]
    high = [min(p.high, most) if k else p.value for k, (_, p) in zip(known, points, strict=True)]
    axes.fill_between(at, low, high, color=color, alpha=0.18, linewidth=0)
    axes.plot(at, [p.value for _, p in points], color=color, marker=marker, markersize=3.5)
