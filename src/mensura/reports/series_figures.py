"""The figures of a study: scores along a factor, over two, by complexity, how they are spread, and its claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mensura.core import palette
from mensura.reports.drawing import (
    SMALL_EPISODE,
    SMALL_SCORE,
    Drawing,
    crowded,
    drawn,
    look_of,
    mark_zero,
    name_rows,
    reach,
    slant,
)
from mensura.reports.number_words import short
from mensura.statistics.interval import Estimate
from mensura.statistics.regression import Regression
from mensura.statistics.series import Axis
from mensura.statistics.survival import Survival

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Looks = Mapping[str, int]
"""The place of each subject among all of a page, so that it looks the same in every panel."""

MOST_POINTS = 400
"""So many sittings of a subject are drawn in a panel at most."""
FEW = 8
"""So many levels at most have a tick each."""


def curves(
    lines: Mapping[str, Sequence[tuple[float, Estimate]]],
    looks: Looks,
    axis: Axis,
    y_range: tuple[float, float],
    name: str,
    label: str,
    *,
    logarithmic: bool,
    height: str = SMALL_SCORE,
) -> Drawing:
    """The score of each subject along a factor, with bands of 95% intervals."""

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        for subject, points in lines.items():
            color, style = look_of(looks[subject])
            at = [x for x, _ in points]
            low = [p.low if np.isfinite(p.low) else p.value for _, p in points]
            high = [p.high if np.isfinite(p.high) else p.value for _, p in points]
            axes.fill_between(at, low, high, color=color, alpha=0.18, linewidth=0)
            axes.plot(
                at,
                [p.value for _, p in points],
                color=color,
                linestyle=style,
                marker=_marker(looks[subject]),
                markersize=3.5,
                label=short(subject, 18),
            )
        if logarithmic:
            axes.set_xscale("log")
            axes.minorticks_off()
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        if axis.named:
            axes.set_xticks(list(axis.at.values()), list(axis.at))
            if sum(map(len, axis.at)) > 50:
                slant(axes)
        elif not logarithmic and 0 < len(axis.at) <= FEW:
            axes.set_xticks(sorted(axis.at.values()))
        axes.set_xlabel(f"{axis.label}, logarithmic" if logarithmic else axis.label)
        axes.set_ylim(*y_range)
        axes.set_ylabel(height)
        axes.grid()
        axes.figure.legend(loc="outside upper left", ncols=4, fontsize=8)

    return drawn(400, 300, name, label, paint)


def survival(
    lines: Mapping[str, Survival], looks: Looks, axis: Axis, name: str, label: str
) -> Drawing:
    """The share of environments in which a level is not reached yet, in steps along horizons, with bands."""
    first = min(axis.at.values())

    def paint(axes: Axes) -> None:
        for subject, line in lines.items():
            color, style = look_of(looks[subject])
            at = [0.6 * first, *line.time, line.last]
            share = np.array([1.0, *line.share, line.at(line.last)])
            error = np.array([0.0, *line.error, line.error[-1] if len(line.error) else 0.0])
            low, high = np.clip([share - 1.96 * error, share + 1.96 * error], 0.0, 1.0)
            axes.fill_between(at, low, high, step="post", color=color, alpha=0.12, linewidth=0)
            axes.plot(
                at,
                share,
                drawstyle="steps-post",
                color=color,
                linestyle=style,
                marker=_marker(looks[subject]),
                markersize=3.5,
                label=short(subject, 18),
            )
        if crowded(list(axis.at.values())):
            axes.set_xscale("log")
            axes.minorticks_off()
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel(axis.label)
        axes.set_ylabel("not reached yet [share of environments]", fontsize=9)
        axes.grid()
        axes.figure.legend(loc="outside upper left", ncols=4, fontsize=8)

    return drawn(400, 300, name, label, paint)


def _marker(i: int) -> str:
    return palette.SERIES[i % len(palette.SERIES)][1]


def by_complexity(
    points: Mapping[str, tuple[Floats, Floats]],
    lines: Mapping[str, Regression],
    looks: Looks,
    measure: str,
    y_range: tuple[float, float],
    name: str,
    label: str,
    height: str = SMALL_EPISODE,
) -> Drawing:
    """Each sitting by the complexity of its environment, and lines of regression through those of each subject."""

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        for subject, (complexity, score) in points.items():
            color, style = look_of(looks[subject])
            axes.plot(
                complexity[:MOST_POINTS],
                score[:MOST_POINTS],
                linestyle="none",
                marker=_marker(looks[subject]),
                markersize=2.6,
                markeredgewidth=0,
                color=color,
                alpha=0.55,
            )
            line = lines.get(subject)
            ends = [float(complexity.min()), float(complexity.max())]
            axes.plot(
                ends if line else [],
                [line(x) for x in ends] if line else [],
                color=color,
                linestyle=style,
                marker=_marker(looks[subject]),
                markersize=4,
                linewidth=1.8,
                label=short(subject, 18),
            )
        axes.set_xlabel(f"complexity {measure}")
        axes.set_ylim(*y_range)
        axes.set_ylabel(height)
        axes.grid()
        axes.figure.legend(loc="outside upper left", ncols=4, fontsize=8)

    return drawn(430, 320, name, label, paint)


def histogram(
    scores: Floats,
    x_range: tuple[float, float],
    look: int,
    name: str,
    label: str,
    height: str = SMALL_EPISODE,
) -> Drawing:
    """How the scores of sittings are spread, as bars of density and as a smooth curve through them."""

    def paint(axes: Axes) -> None:
        color, _ = look_of(look)
        axes.hist(scores, bins=20, range=x_range, density=True, color=color, alpha=0.4)
        at = np.linspace(*x_range, 200)
        axes.plot(at, density(scores, at), color=color)
        axes.axvline(float(scores.mean()), color=palette.INK, linewidth=1.2)
        axes.set_xlim(*x_range)
        axes.set_xlabel(height)
        axes.set_ylabel("density")
        axes.grid()

    return drawn(300, 210, name, label, paint)


def density(values: Floats, at: Floats) -> Floats:
    """A smooth density: a normal curve about each value, as wide as Silverman's (1986) rule says.

    Values by the thousand are first counted in fine bins.
    """
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    quartiles = np.quantile(values, [0.25, 0.75])
    width = 0.9 * min(spread, float(np.ptp(quartiles)) / 1.34 or spread) * len(values) ** -0.2
    width = max(width, 1e-3)
    counts, edges = np.histogram(values, bins=400)
    middles = (edges[:-1] + edges[1:]) / 2
    z = (at[:, None] - middles[None]) / width
    normal = np.exp(-0.5 * z * z) / (width * np.sqrt(2 * np.pi))
    return np.asarray(normal @ counts / len(values))


def boxes(
    groups: Mapping[str, Mapping[str, Floats]],
    looks: Looks,
    y_range: tuple[float, float],
    name: str,
    label: str,
    height: str = SMALL_EPISODE,
) -> Drawing:
    """Boxes of sittings, world by world and subject by subject, the means of each subject joined by a line."""
    worlds = list(dict.fromkeys(world for own in groups.values() for world in own))

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        width = 0.8 / len(groups)
        for k, (subject, own) in enumerate(groups.items()):
            color, style = look_of(looks[subject])
            at = [worlds.index(world) - 0.4 + width * (k + 0.5) for world in own]
            line: dict[str, Any] = {"color": color, "linewidth": 1.0}
            axes.boxplot(
                list(own.values()),
                positions=at,
                widths=0.8 * width,
                manage_ticks=False,
                patch_artist=True,
                boxprops={"facecolor": "none", **line},
                whiskerprops=line,
                capprops=line,
                medianprops={"color": palette.INK, "linewidth": 1.4},
                flierprops={"marker": ".", "markersize": 3, "markeredgecolor": color},
            )
            axes.plot(
                at,
                [float(scores.mean()) for scores in own.values()],
                color=color,
                linestyle=style,
                marker=_marker(looks[subject]),
                markersize=4,
                label=short(subject, 18),
            )
        axes.set_xticks(range(len(worlds)), worlds)
        if sum(map(len, worlds)) > 60:
            slant(axes)
        axes.set_ylim(*y_range)
        axes.set_ylabel(height)
        axes.grid(axis="y")
        axes.figure.legend(loc="outside upper left", ncols=4, fontsize=8)

    return drawn(max(460, 60 + 30 * len(worlds) * len(groups)), 320, name, label, paint)


def heat_map(
    x: Sequence[float],
    y: Sequence[float],
    table: Floats,
    axes_names: tuple[str, str],
    mark: tuple[float, float] | None,
    name: str,
    label: str,
    height: str = SMALL_SCORE,
    names: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> Drawing:
    """The score over two factors as colors: (y, x). The best, or highest, is ringed, a marked point has a cross.

    Levels with names instead of numbers stand one after another; where both factors have such, the cells tell their
    numbers.
    """

    def paint(axes: Axes) -> None:
        mesh = axes.pcolormesh(x, y, table, cmap=palette.SHADES, shading="nearest")
        i, j = np.unravel_index(np.nanargmax(table), table.shape)
        axes.plot(
            x[int(j)],
            y[int(i)],
            "o",
            color="none",
            markeredgecolor=palette.VERMILLION,
            markersize=11,
            markeredgewidth=1.8,
            label="best" if height == SMALL_SCORE else "highest",
        )
        if mark is not None:
            axes.plot(*mark, "x", color="white", markersize=8, markeredgewidth=2.2)
            axes.plot(
                *mark, "x", color="black", markersize=7, markeredgewidth=1.2, label="published"
            )
        if names[0]:
            axes.set_xticks(x, names[0], rotation=30, ha="right")
        if names[1]:
            axes.set_yticks(y, names[1])
        if names[0] and names[1]:
            middle = (np.nanmin(table) + np.nanmax(table)) / 2
            for (row, column), value in np.ndenumerate(table):
                if np.isfinite(value):
                    color = palette.INK if value > middle else "white"
                    said = f"{value:+.2f}"
                    axes.text(
                        x[column], y[row], said, color=color, fontsize=7, ha="center", va="center"
                    )
        axes.set_xlabel(axes_names[0])
        axes.set_ylabel(axes_names[1])
        axes.figure.colorbar(mesh, ax=axes, label=height)
        axes.figure.legend(loc="outside upper left", ncols=2, fontsize=8)

    named = bool(names[0] and names[1])
    return drawn(560 if named else 400, 400 if named else 330, name, label, paint)


def scatter(
    rows: Sequence[tuple[str, float | None, float, float, float]], name: str, label: str
) -> Drawing:
    """Published statistics as diamonds beside where 95% of our samples lie; a row is name, published, middle, ends."""

    def paint(axes: Axes) -> None:
        mark_zero(axes)
        for i, (_, published, middle, low, high) in enumerate(rows):
            if np.isfinite(middle):
                axes.plot([low, high], [i, i], color=palette.BLUE, linewidth=4, alpha=0.45)
                axes.plot(middle, i, "|", color=palette.BLUE, markersize=11, markeredgewidth=2)
            if published is not None:
                axes.plot(
                    published,
                    i,
                    "D",
                    color=palette.INK,
                    markerfacecolor="none",
                    markersize=6,
                    markeredgewidth=1.4,
                )
        axes.set_yticks(range(len(rows)), [short(row[0], 44) for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")

    return drawn(560, 60 + 20 * len(rows), name, label, paint)


def errors(
    lines: Mapping[str, Sequence[tuple[float, Estimate]]],
    looks: Looks,
    axis: str,
    name: str,
    label: str,
) -> Drawing:
    """Standard deviations along a number, both on logarithmic axes, so that a power is a straight line."""

    def paint(axes: Axes) -> None:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for subject, points in lines.items():
            color, style = look_of(looks[subject])
            known = [(x, p) for x, p in points if p.value > 0 and np.isfinite(p.high)]
            axes.errorbar(
                [x for x, _ in known],
                [p.value for _, p in known],
                yerr=[[p.value - p.low for _, p in known], [p.high - p.value for _, p in known]],
                color=color,
                linestyle=style,
                marker=_marker(looks[subject]),
                markersize=4,
                capsize=2,
                label=short(subject, 34),
            )
        axes.minorticks_off()
        axes.set_xlabel(axis)
        axes.set_ylabel("standard deviation of scores")
        axes.grid()
        axes.figure.legend(loc="outside upper left", ncols=2, fontsize=8)

    return drawn(430, 320, name, label, paint)


VERDICTS = {
    "holds": (palette.GREEN, "o"),
    "holds within error": (palette.BLUE, "s"),
    "does not hold": (palette.VERMILLION, "X"),
}
"""The look of a part of a claim."""


def findings(
    rows: Sequence[tuple[str, Estimate, str]], what: str, name: str, label: str
) -> Drawing:
    """The parts of a claim, each with its interval and by its verdict; a row is name, estimate, verdict."""
    ends = [e for _, one, _ in rows for e in (one.low, one.high) if np.isfinite(e)]
    values = [one.value for _, one, _ in rows]
    low, high = min([0.0, *values, *ends]), max([0.0, *values, *ends])

    def paint(axes: Axes) -> None:
        mark_zero(axes)
        for word, (color, marker) in VERDICTS.items():
            own = [(i, one) for i, (_, one, verdict) in enumerate(rows) if verdict == word]
            if own:
                axes.errorbar(
                    [one.value for _, one in own],
                    [i for i, _ in own],
                    xerr=reach([one for _, one in own]),
                    fmt=marker,
                    color=color,
                    markersize=4.5,
                    capsize=2,
                    label=word,
                )
        name_rows(axes, [one for one, _, _ in rows], 60)
        margin = 0.04 * (high - low or 1.0)
        axes.set_xlim(low - margin, high + margin)
        axes.set_xlabel(what)
        axes.grid(axis="x")
        axes.figure.legend(loc="outside upper left", ncols=3, fontsize=8)

    return drawn(620, 80 + 17 * len(rows), name, label, paint)
