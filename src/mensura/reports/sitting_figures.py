"""The figures of what happens within sittings and between them: paths, contributions, and how a score settles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mensura.core import palette
from mensura.records.paths import SittingPath, Step
from mensura.reports.drawing import SMALL_SCORE, Drawing, drawn, drawn_rows, reach
from mensura.reports.figures import complexity_axis
from mensura.statistics.interval import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 10.0
"""Complexities that differ by more than this factor have a logarithmic axis."""


def path(
    paths: Sequence[SittingPath],
    complexities: tuple[float, float],
    scores: tuple[float, float],
    measure: str,
    unit: str,
    name: str,
    label: str,
) -> Drawing:
    """Complexity and running score from one environment to the next: the first sitting bold, the others thin.

    The broken line is the complexity that was wanted in the first sitting; a triangle stands where the world had no
    such environment. The ranges are those of the whole page.
    """
    bold, *thin = paths

    def paint(rows: Sequence[Axes]) -> None:
        above, below = rows
        for one in thin:
            above.plot(
                *_known(one.steps, "complexity"), color=palette.BLUE, linewidth=0.6, alpha=0.35
            )
            below.plot(*_known(one.steps, "score"), color=palette.BLUE, linewidth=0.6, alpha=0.35)
        _paint_complexity(above, bold, complexities, measure)
        _paint_score(below, bold, scores, unit)
        for axes in rows:
            axes.grid()
        handles = [
            pair for axes in rows for pair in zip(*axes.get_legend_handles_labels(), strict=True)
        ]
        above.figure.legend(
            [handle for handle, _ in handles],
            [text for _, text in handles],
            loc="outside upper left",
            ncols=4,
            fontsize=8,
        )

    return drawn_rows(400, 330, name, label, paint, 2)


def _paint_complexity(
    above: Axes, bold: SittingPath, complexities: tuple[float, float], measure: str
) -> None:
    """The complexities that were given, and those that were wanted."""
    from matplotlib.ticker import LogLocator

    above.plot(
        *_known(bold.steps, "complexity"),
        color=palette.BLUE,
        marker="o",
        markersize=3.2,
        label="given",
    )
    at, wanted = _known(bold.steps, "wanted")
    if at:
        above.plot(
            at,
            wanted,
            color=palette.VERMILLION,
            linestyle=(0, (4, 2)),
            linewidth=1.2,
            label="wanted",
        )
    missed = [step for step in bold.steps if step.elsewhere]
    if missed:
        above.plot(
            *_known(missed, "wanted"),
            color=palette.VERMILLION,
            linestyle="none",
            marker="^",
            markersize=5,
            markerfacecolor="white",
            label="not available",
        )
    low, high = complexities
    if low > 0 and high > WIDE * low:
        above.set_yscale("log")
        between = (1.0, 2.0, 5.0) if high < 200 * low else (1.0,)
        above.yaxis.set_major_locator(LogLocator(subs=between))
        above.minorticks_off()
        above.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
        above.set_ylim(low / 1.25, high * 1.25)
    else:
        margin = 0.08 * (high - low or 1.0)
        above.set_ylim(low - margin, high + margin)
    above.set_ylabel(complexity_axis(measure).replace(" [", "\n["), fontsize=9)


def _paint_score(below: Axes, bold: SittingPath, scores: tuple[float, float], unit: str) -> None:
    """The running score with its interval, and the reward in each environment."""
    from matplotlib.ticker import MaxNLocator

    below.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
    doubted = [step for step in bold.steps if step.error is not None and step.score is not None]
    if doubted:
        below.fill_between(
            [step.sequence + 1 for step in doubted],
            [(step.score or 0.0) - 1.96 * (step.error or 0.0) for step in doubted],
            [(step.score or 0.0) + 1.96 * (step.error or 0.0) for step in doubted],
            color=palette.SKY,
            alpha=0.5,
            linewidth=0,
        )
    below.plot(*_known(bold.steps, "score"), color=palette.BLUE, linewidth=2.0)
    below.plot(
        *_known(bold.steps, "reward"),
        color=palette.INK,
        linestyle="none",
        marker=".",
        markersize=3.5,
        label="reward in it",
    )
    below.set_ylim(*scores)
    below.set_ylabel("running score\n[mean reward]", fontsize=9)
    below.set_xlabel(f"environment [number in the {unit}]")
    below.xaxis.set_major_locator(MaxNLocator(integer=True))


def _known(steps: Sequence[Step], what: str) -> tuple[list[int], list[float]]:
    """The numbers of the steps that have a value, from 1, and the values."""
    pairs = [
        (step.sequence + 1, float(value))
        for step in steps
        if (value := getattr(step, what)) is not None
    ]
    return [at for at, _ in pairs], [value for _, value in pairs]


def contributions(
    levels: Sequence[int],
    masses: Sequence[float],
    parts: Sequence[Estimate],
    y_range: tuple[float, float],
    measure: str,
    name: str,
    label: str,
) -> Drawing:
    """What each step of complexity adds to a score, with intervals, in front of the most that it could add."""

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8)
        axes.bar(
            levels,
            masses,
            width=0.84,
            facecolor="none",
            edgecolor=palette.INK,
            linewidth=0.8,
            linestyle=(0, (3, 2)),
            label="its weight",
        )
        axes.bar(
            levels,
            [part.value for part in parts],
            width=0.6,
            color=palette.BLUE,
            label="what it adds",
        )
        axes.errorbar(
            levels,
            [part.value for part in parts],
            yerr=reach(parts),
            fmt="none",
            color=palette.INK,
            capsize=2,
            linewidth=1.0,
        )
        axes.set_ylim(*y_range)
        axes.set_xlabel(complexity_axis(measure))
        axes.set_ylabel("part of the score\n[mean reward]", fontsize=9)
        axes.grid(axis="y")
        axes.figure.legend(loc="outside upper left", ncols=2, fontsize=8)

    return drawn(340, 240, name, label, paint)


def settling(
    path: Sequence[Estimate],
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    units: str,
    name: str,
    label: str,
) -> Drawing:
    """The mean after so many sittings with its interval; the ranges are those of the whole page."""

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        at = [one.n for one in path]
        low = [one.low if math.isfinite(one.low) else y_range[0] for one in path]
        high = [one.high if math.isfinite(one.high) else y_range[1] for one in path]
        axes.fill_between(at, low, high, color=palette.SKY, alpha=0.5, linewidth=0)
        axes.plot(at, [one.value for one in path], color=palette.BLUE, marker="o", markersize=3.5)
        axes.set_xscale("log", base=2)
        axes.minorticks_off()
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axes.set_xlim(*x_range)
        axes.set_ylim(*y_range)
        axes.set_xlabel(f"{units} [number]")
        axes.set_ylabel(SMALL_SCORE)
        axes.grid()

    return drawn(300, 200, name, label, paint)
