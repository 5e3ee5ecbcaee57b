"""The figures of runs: scores, complexity, learning, distributions, profiles, levels and differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mensura.core import palette
from mensura.reports.number_words import number, short
from mensura.statistics.interval import Estimate
from mensura.statistics.moments import Grouped, Histogram
from mensura.statistics.profiles import Profile
from mensura.statistics.regression import Regression

if TYPE_CHECKING:
    from matplotlib.axes import Axes


from mensura.reports.drawing import (
    SMALL_SCORE,
    Drawing,
    drawn,
    look_of,
    mark_zero,
    name_rows,
    reach,
    shaded,
    single_score,
    slant,
)
from mensura.reports.protocols import EPISODE, Unit

UNITS = {
    "K": "Lempel-Ziv phrases",
    "H": "bits",
    "combined": "bits",
    "lempel_ziv": "Lempel-Ziv phrases",
    "zlib_pattern": "bytes",
    "description_length": "bits",
    "kt": "bits",
    "kt_max": "bits",
}
"""The units of complexities; others have none."""


def scores(
    entries: Sequence[tuple[str, Estimate]], name: str = "scores", unit: Unit = EPISODE
) -> Drawing:
    """Scores with their intervals, the first entry on top."""

    def paint(axes: Axes) -> None:
        mark_zero(axes)
        for i, (_, score) in enumerate(entries):
            axes.errorbar(
                [score.value],
                [i],
                xerr=reach([score]),
                fmt="o",
                color=palette.BLUE,
                markersize=5,
                capsize=3,
            )
        name_rows(axes, [subject for subject, _ in entries])
        axes.set_xlabel(f"score [{unit.measured}]")
        axes.grid(axis="x")

    what = f"Scores of {len(entries)} subjects with their 95% intervals"
    return drawn(520, 64 + 24 * len(entries), name, what, paint)


def complexity_axis(measure: str) -> str:
    """The label of an axis of complexity, with its unit where it has one."""
    return f"complexity {measure}{f' [{UNITS[measure]}]' if measure in UNITS else ''}".rstrip()


def by_complexity(
    points: Mapping[float, Estimate],
    line: Regression | None,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    measure: str,
    name: str,
    label: str,
) -> Drawing:
    """One subject's score against the complexity of environments, with intervals and the line through them.

    The ranges are those of the whole page, so that panels can be held against each other.
    """

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.errorbar(
            list(points),
            [point.value for point in points.values()],
            yerr=reach(list(points.values())),
            fmt="o",
            color=palette.BLUE,
            markersize=3.5,
            linewidth=1.0,
        )
        if line is not None:
            ends = [min(points), max(points)]
            axes.plot(ends, [line(x) for x in ends], color=palette.VERMILLION)
        axes.set_xlim(*x_range)
        axes.set_ylim(*y_range)
        axes.set_xlabel(complexity_axis(measure))
        axes.set_ylabel(SMALL_SCORE)
        axes.grid()

    return drawn(300, 200, name, label, paint)


def distributions(
    entries: Sequence[tuple[str, Histogram, float]],
    name: str = "distributions",
    unit: Unit = EPISODE,
) -> Drawing:
    """How the scores of single sittings are spread: a ridge for each subject, scaled to its own peak.

    An entry is a subject, its histogram and its mean. Below each ridge stands its box: from quartile to quartile,
    cut at the median, with whiskers from the 5th to the 95th percentile; the upright line is the mean.
    """
    seen = [
        (low, high)
        for _, histogram, _ in entries
        for low, high, count in zip(
            histogram.edges, histogram.edges[1:], histogram.counts, strict=False
        )
        if count
    ]
    low = min((a for a, _ in seen), default=-1.0)
    high = max((b for _, b in seen), default=1.0)

    def paint(axes: Axes) -> None:
        axes.axvline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        for i, (_, histogram, mean) in enumerate(entries):
            base, top = i + 0.22, max([*histogram.counts, 1])
            heights = [base - 0.62 * count / top for count in histogram.counts]
            axes.fill_between(
                np.repeat(histogram.edges, 2)[1:-1],
                np.repeat(heights, 2),
                base,
                color=palette.SKY,
                linewidth=0,
                alpha=0.75,
            )
            _box(axes, histogram, base + 0.13, 0.13)
            axes.plot([mean, mean], [base - 0.62, base], color=palette.VERMILLION, linewidth=1.4)
        name_rows(axes, [subject for subject, _, _ in entries])
        margin = 0.03 * (high - low)
        axes.set_xlim(low - margin, high + margin)
        axes.set_xlabel(single_score(unit))
        axes.grid(axis="x")

    what = f"Distributions of the scores of single {unit.many} of {len(entries)} subjects"
    return drawn(520, 64 + 42 * len(entries), name, what, paint)


def _box(axes: Axes, histogram: Histogram, at: float, width: float) -> None:
    """A box plot of a histogram: quartiles and median, whiskers from the 5th to the 95th percentile."""
    if not histogram.total:
        return
    low, q1, middle, q3, high = (histogram.quantile(p) for p in (0.05, 0.25, 0.5, 0.75, 0.95))
    line = {"color": palette.BLUE, "linewidth": 1.0}
    axes.bxp(
        [{"whislo": low, "q1": q1, "med": middle, "q3": q3, "whishi": high}],
        positions=[at],
        widths=[width],
        orientation="horizontal",
        showfliers=False,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": palette.SKY, "edgecolor": palette.BLUE, "linewidth": 1.0},
        medianprops={"color": palette.INK, "linewidth": 2.0},
        whiskerprops=line,
        capprops=line,
    )


def boxes(
    entries: Sequence[tuple[str, Histogram]], name: str, label: str, unit: Unit = EPISODE
) -> Drawing:
    """Box plots of the scores of single sittings, one for each named histogram, the first on top."""

    def paint(axes: Axes) -> None:
        mark_zero(axes)
        for i, (_, histogram) in enumerate(entries):
            _box(axes, histogram, i, 0.5)
        name_rows(axes, [title for title, _ in entries])
        axes.set_xlabel(f"score of one {unit.one} [mean reward]")
        axes.grid(axis="x")

    return drawn(400, 64 + 20 * len(entries), name, label, paint)


def learning(
    curve: Grouped,
    trained: int,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    name: str,
    label: str,
) -> Drawing:
    """One subject's reward by the number of the episode in its sitting, with a band; neighbors are joined where many.

    Episodes from ``trained`` on are assessed: their mean is a point of its own.
    """
    numbers, points = joined(Grouped({k: m for k, m in curve.groups.items() if k < trained}))
    last = Grouped({k: m for k, m in curve.groups.items() if k >= trained})

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        low, high = (
            [getattr(p, end) if math.isfinite(getattr(p, end)) else p.value for p in points]
            for end in ("low", "high")
        )
        axes.fill_between(numbers, low, high, color=palette.SKY, alpha=0.5, linewidth=0)
        axes.plot(numbers, [point.value for point in points], color=palette.BLUE)
        if last.groups:
            end = last.total().estimate()
            axes.errorbar(
                [trained + 1],
                [end.value],
                yerr=reach([end]),
                fmt="s",
                color=palette.VERMILLION,
                markersize=5,
                capsize=3,
            )
        axes.set_xlim(*x_range)
        axes.set_ylim(*y_range)
        axes.set_xlabel("episode in the environment [number]")
        axes.set_ylabel("reward of an episode [mean]")
        axes.grid()

    return drawn(300, 200, name, label, paint)


CURVE = 60
"""A learning curve has so many points at most."""


def joined(curve: Grouped) -> tuple[list[float], list[Estimate]]:
    """The points of a curve, from 1, neighbors joined until there are few enough."""
    numbers = sorted(curve.groups)
    step = max(1, math.ceil(len(numbers) / CURVE))
    out: tuple[list[float], list[Estimate]] = ([], [])
    for at in range(0, len(numbers), step):
        some = numbers[at : at + step]
        out[0].append(sum(some) / len(some) + 1)
        out[1].append(Grouped({k: curve.groups[k] for k in some}).total().estimate())
    return out


def profiles(
    entries: Sequence[tuple[str, Profile]], name: str = "profiles", unit: Unit = EPISODE
) -> Drawing:
    """The share of sittings above each score, one line with its band for each subject."""

    def paint(axes: Axes) -> None:
        for i, (subject, profile) in enumerate(entries):
            color, line = look_of(i)
            axes.fill_between(
                profile.thresholds, profile.low, profile.high, color=color, alpha=0.18, linewidth=0
            )
            axes.plot(
                profile.thresholds, profile.share, color=color, linestyle=line, label=short(subject)
            )
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel(single_score(unit))
        axes.set_ylabel(f"{unit.many} above it [share]")
        axes.grid()
        axes.figure.legend(loc="outside right upper")

    what = f"The share of {unit.many} above each score, of {len(entries)} subjects"
    return drawn(560, 320, name, what, paint)


def levels(
    labels: Sequence[str],
    series: Mapping[str, Sequence[Estimate | None]],
    axis: str,
    name: str,
    label: str,
) -> Drawing:
    """The score of each subject at each level of a factor, with intervals."""

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        many = len(series)
        for i, (subject, points) in enumerate(series.items()):
            color, marker = palette.SERIES[i % len(palette.SERIES)]
            known = [(at, point) for at, point in enumerate(points) if point is not None]
            axes.errorbar(
                [at + 0.3 * ((i + 0.5) / many - 0.5) for at, _ in known],
                [point.value for _, point in known],
                yerr=reach([point for _, point in known]),
                fmt=marker,
                linestyle=look_of(i)[1],
                linewidth=1.2,
                color=color,
                markersize=5,
                capsize=2,
                label=short(subject, 20),
            )
        axes.set_xticks(range(len(labels)), [short(text, 16) for text in labels])
        if sum(map(len, labels)) > 40:
            slant(axes)
        axes.set_xlim(-0.5, len(labels) - 0.5)
        axes.set_xlabel(axis)
        axes.set_ylabel(SMALL_SCORE)
        axes.grid(axis="y")
        axes.figure.legend(loc="outside upper left", ncols=2, fontsize=10)

    return drawn(420, 250 + 16 * math.ceil(len(series) / 2), name, label, paint)


def score_map(
    rows: Sequence[str],
    cols: Sequence[str],
    values: Sequence[Sequence[float]],
    name: str = "conditions",
    axes_of: tuple[str, str] = ("subject", "condition"),
) -> Drawing:
    """Scores in rows and columns, each shaded by its value; nan where nobody played.

    The axes are those of the columns and of the rows: subjects and conditions, unless told.
    """
    known = [value for row in values for value in row if math.isfinite(value)]
    lack = max(0.3 - (max(known) - min(known)), 0.0) / 2

    def paint(axes: Axes) -> None:
        shaded(
            axes,
            np.array(values),
            (min(known) - lack, max(known) + lack),
            [[number(v, 2) if math.isfinite(v) else "" for v in row] for row in values],
            9.5,
        )
        axes.set_xticks(range(len(cols)), [short(text, 22) for text in cols])
        axes.set_yticks(range(len(rows)), [short(text, 44) for text in rows])
        slant(axes)
        axes.set_xlabel(axes_of[0])
        axes.set_ylabel(axes_of[1])

    what = f"Scores by {axes_of[0]} ({len(cols)}) and {axes_of[1]} ({len(rows)})"
    width = min(900, 330 + 46 * len(cols))
    return drawn(width, 170 + 22 * len(rows), name, what, paint)


def differences(
    entries: Sequence[tuple[str, Estimate, bool]],
    axis: str,
    middle: float,
    name: str,
    label: str,
) -> Drawing:
    """Differences with their intervals, the first on top: filled where they are settled, open where they are not."""

    def paint(axes: Axes) -> None:
        axes.axvline(middle, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        for settled, fill, text in ((True, palette.BLUE, "settled"), (False, "white", "open")):
            rows = [i for i, entry in enumerate(entries) if entry[2] is settled]
            if rows:
                points = [entries[i][1] for i in rows]
                axes.errorbar(
                    [point.value for point in points],
                    rows,
                    xerr=reach(points),
                    fmt="o",
                    color=palette.BLUE,
                    markerfacecolor=fill,
                    markersize=5.5,
                    capsize=3,
                    label=text,
                )
        name_rows(axes, [title for title, _, _ in entries], 46)
        axes.set_xlabel(axis)
        axes.grid(axis="x")
        axes.figure.legend(loc="outside upper right", ncols=2)

    return drawn(620, 90 + 22 * len(entries), name, label, paint)
