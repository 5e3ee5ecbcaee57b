"""The figures of published experiments: their values beside ours, and what factors did alone and in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mensura.core import palette
from mensura.reports.number_words import percent
from mensura.statistics.interval import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


from mensura.reports.drawing import (
    SCORE,
    SMALL_SCORE,
    Drawing,
    crowded,
    drawn,
    mark_zero,
    name_rows,
    reach,
    shaded,
    slant,
)


def published(
    subjects: Sequence[str],
    printed: Sequence[tuple[float, bool]],
    ours: Mapping[str, Sequence[Estimate]],
    name: str,
    label: str,
) -> Drawing:
    """Published values, each with whether it is in doubt, and ours under each preset with intervals."""

    def paint(axes: Axes) -> None:
        mark_zero(axes)
        step = 0.68 / (len(ours) + 1)
        heights = np.arange(len(subjects))
        for doubtful, shape, text in (
            (False, {"markeredgewidth": 1.6}, "published"),
            (True, {"markeredgewidth": 0.9}, "published, in doubt"),
        ):
            shown = [i for i, (_, doubt) in enumerate(printed) if doubt is doubtful]
            if shown:
                axes.plot(
                    [printed[i][0] for i in shown],
                    heights[shown] - 0.34 + step / 2,
                    marker="D" if not doubtful else "d",
                    linestyle="none",
                    color=palette.INK,
                    markerfacecolor="none",
                    markersize=7,
                    label=text,
                    **shape,  # type: ignore[arg-type]
                )
        for j, (preset, values) in enumerate(ours.items()):
            color, marker = palette.SERIES[j % len(palette.SERIES)]
            axes.errorbar(
                [value.value for value in values],
                heights - 0.34 + step * (j + 1.5),
                xerr=reach(values),
                fmt=marker,
                color=color,
                markersize=5,
                capsize=2,
                label=f"ours, {preset}",
            )
        name_rows(axes, subjects)
        for i in range(0, len(subjects), 2):
            axes.axhspan(i - 0.5, i + 0.5, color=palette.INK, alpha=0.04, linewidth=0)
        axes.set_xlabel(SCORE)
        axes.grid(axis="x")
        axes.figure.legend(loc="outside upper left", ncols=2)

    return drawn(520, 110 + 34 * len(subjects), name, label, paint)


def factor_alone(
    labels: Sequence[str],
    values: Sequence[float | None],
    points: Sequence[Estimate],
    baseline: int,
    axis: str,
    score_range: tuple[float, float],
    name: str,
    label: str,
) -> Drawing:
    """The score at each level of one factor: along an axis of numbers, or in rows where levels have only names.

    A level without a number among others that have one stands apart on the right. The baseline is ringed.
    """
    numbered = [i for i, value in enumerate(values) if value is not None]

    def rows(axes: Axes) -> None:
        axes.errorbar(
            [point.value for point in points],
            range(len(points)),
            xerr=reach(points),
            fmt="o",
            color=palette.BLUE,
            capsize=3,
            markersize=5,
        )
        _ring(axes, points[baseline].value, baseline)
        name_rows(axes, labels)
        axes.set_xlim(*score_range)
        axes.set_xlabel(SMALL_SCORE)
        axes.set_ylabel(axis)
        axes.grid(axis="x")

    def along(axes: Axes) -> None:
        at = _positions(values)
        axes.errorbar(
            [at[i] for i in numbered],
            [points[i].value for i in numbered],
            yerr=reach([points[i] for i in numbered]),
            fmt="o-",
            color=palette.BLUE,
            capsize=3,
            markersize=5,
        )
        for i in (i for i in range(len(values)) if i not in numbered):
            axes.errorbar(
                [at[i]],
                [points[i].value],
                yerr=reach([points[i]]),
                fmt="s",
                color=palette.BLUE,
                capsize=3,
                markersize=5,
            )
        _ring(axes, at[baseline], points[baseline].value)
        if crowded(at):
            axes.set_xscale("log")
            axes.minorticks_off()
        ticks = [f"{value:g}" if value is not None else labels[i] for i, value in enumerate(values)]
        axes.set_xticks(at, ticks)
        axes.set_xlabel(f"{axis}, logarithmic" if crowded(at) else axis)
        axes.set_ylim(*score_range)
        axes.set_ylabel(SMALL_SCORE)
        axes.grid()

    return drawn(330, 250, name, label, along if numbered else rows)


def _ring(axes: Axes, x: float, y: float) -> None:
    axes.plot(
        x,
        y,
        "o",
        color="none",
        markeredgecolor=palette.VERMILLION,
        markersize=12,
        markeredgewidth=1.4,
    )


def _positions(values: Sequence[float | None]) -> list[float]:
    """Where levels stand: numbers where they are, those without one a step further to the right."""
    known = [value for value in values if value is not None]
    step = 0.22 * (max(known) - min(known) or 1.0)
    out: list[float] = []
    last = max(known)
    for value in values:
        if value is None:
            last += step
        out.append(last if value is None else value)
    return out


def table_of_pair(
    rows: Sequence[str],
    cols: Sequence[str],
    means: Sequence[Sequence[float]],
    row_axis: str,
    col_axis: str,
    name: str,
    label: str,
) -> Drawing:
    """The scores of two crossed factors, each cell with its number and shaded between this panel's ends.

    Shades reach over 0.3 at least, lest noise look like an effect.
    """
    lowest, highest = np.min(means), np.max(means)
    lack = max(0.3 - (highest - lowest), 0.0) / 2
    shade_range = float(lowest - lack), float(highest + lack)

    def paint(axes: Axes) -> None:
        shaded(
            axes, np.array(means), shade_range, [[f"{v:.2f}" for v in row] for row in means], 9.5
        )
        axes.set_xticks(range(len(cols)), cols)
        axes.set_yticks(range(len(rows)), rows)
        if sum(map(len, cols)) > 34:
            slant(axes)
        axes.set_xlabel(col_axis)
        axes.set_ylabel(row_axis)

    return drawn(400, 130 + 28 * len(rows), name, label, paint)


def interactions(
    factors: Sequence[str],
    shares: Mapping[tuple[str, str], tuple[float, bool]],
    name: str = "interactions",
) -> Drawing:
    """For each pair of factors the share of differences that is interaction, with a star where it is beyond noise."""
    size = len(factors)
    table = [[0.0] * size for _ in factors]
    texts = [[""] * size for _ in factors]
    for (one, other), (share, significant) in shares.items():
        i, j = sorted((factors.index(one), factors.index(other)))
        table[j][i] = share
        texts[j][i] = f"{percent(share)}{'*' if significant else ''}"

    def paint(axes: Axes) -> None:
        highest = max([0.05, *(share for share, _ in shares.values())])
        shaded(axes, table, (0.0, highest), texts, 11.0)
        axes.set_xlim(-0.5, size - 1.5)
        axes.set_ylim(size - 0.5, 0.5)
        axes.set_xticks(range(size - 1), [name.replace(" ", "\n") for name in factors[:-1]])
        axes.set_yticks(range(1, size), factors[1:])

    what = "The share of interaction in the differences between cells, for each pair of factors"
    return drawn(520, 80 + 40 * size, name, what, paint)
