"""The figures of reports: each function draws with Matplotlib and gives back SVG for a page.

The same data give the same text, every axis names its unit, colors are those of :mod:`mensura.core.palette`, and
what a color tells a marker or a label tells too. Whatever is drawn can also be saved for a paper, as SVG or PDF.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mensura.core import palette
from mensura.core.errors import MensuraError
from mensura.records.results import write_whole
from mensura.reports.words import number, percent, short
from mensura.statistics.interval import Estimate
from mensura.statistics.moments import Grouped, Histogram
from mensura.statistics.profiles import Profile
from mensura.statistics.regression import Regression

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from mensura.records.results import StudyResult
    from mensura.statistics.sample import Sample

SCORE = "score [mean reward per subject and iteration]"
"""The label of an axis of scores; their unit is the reward of one iteration, from -1 to 1."""
SMALL_SCORE = "score [mean reward]"
"""The same where there is less room."""
EPISODE = "score of one episode [mean reward per subject and iteration]"
SMALL_EPISODE = "score of one episode [mean reward]"

UNITS = {"K": "Lempel-Ziv phrases", "H": "bits", "combined": "bits"}
"""The units of complexities; others have none."""


FORMATS = ("svg", "pdf")
"""What a figure can be saved as."""

LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))
"""Where there are more series than colors, the kinds of lines tell them apart."""


class Drawing(str):
    """A figure as SVG for a page, which can also be saved for a paper."""

    name: str
    """Its name in the page, and as a file."""
    paint: Callable[[], Any]
    """Draws it anew, as a Matplotlib figure."""

    def save(self, folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
        """Write it to files in a folder, named after it, one for each format."""
        paths = []
        for kind in formats:
            path = folder / f"{self.name}.{kind}"
            if kind == "svg":
                content = f'<?xml version="1.0" encoding="utf-8"?>\n{self}\n'.encode()
            else:
                buffer = BytesIO()
                with _style():
                    self.paint().savefig(buffer, format=kind, metadata={"CreationDate": None})
                content = buffer.getvalue()
            write_whole(path, content)
            paths.append(path)
        return paths


def save_figures(
    result: StudyResult,
    samples: Sequence[Sample],
    folder: Path,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Every figure of a study's report as a file of its own, for a paper; the folder is made if it is not there."""
    from mensura.reports.study import study_figures

    unknown = [kind for kind in formats if kind not in FORMATS]
    if unknown:
        raise MensuraError(
            f"Figures are saved as {' or '.join(FORMATS)}, not as {', '.join(unknown)}."
        )
    drawings = study_figures(result, samples)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MensuraError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    return [path for drawing in drawings for path in drawing.save(folder, formats)]


def _style() -> Any:
    import matplotlib.style

    # In a PDF, letters that can be copied and edited.
    return matplotlib.style.context(["default", palette.STYLE, {"pdf.fonttype": 42}])


def drawn(
    width: float, height: float, name: str, label: str, paint: Callable[[Axes], None]
) -> Drawing:
    """A figure of so many pixels as SVG; ``name`` begins its ids, ``label`` is read to the blind."""
    with palette.extra("A report"):
        from matplotlib.figure import Figure

    def whole() -> Figure:
        figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
        paint(figure.add_subplot())
        return figure

    buffer = StringIO()
    with _style():
        whole().savefig(buffer, format="svg", metadata={"Date": None})
    drawing = Drawing(palette.tidy_svg(buffer.getvalue(), name, label))
    drawing.name, drawing.paint = name, whole
    return drawing


def scores(entries: Sequence[tuple[str, Estimate]], name: str = "scores") -> Drawing:
    """Scores with their intervals, the first entry on top."""

    def paint(axes: Axes) -> None:
        _zero(axes)
        for i, (_, score) in enumerate(entries):
            axes.errorbar(
                [score.value],
                [i],
                xerr=_reach([score]),
                fmt="o",
                color=palette.BLUE,
                markersize=5,
                capsize=3,
            )
        _rows(axes, [subject for subject, _ in entries])
        axes.set_xlabel(SCORE)
        axes.grid(axis="x")

    what = f"Scores of {len(entries)} subjects with their 95% intervals"
    return drawn(520, 64 + 24 * len(entries), name, what, paint)


def by_complexity(
    points: Mapping[int, Estimate],
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
            yerr=_reach(list(points.values())),
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
        unit = f" [{UNITS[measure]}]" if measure in UNITS else ""
        axes.set_xlabel(f"complexity {measure}{unit}")
        axes.set_ylabel(SMALL_SCORE)
        axes.grid()

    return drawn(300, 200, name, label, paint)


def distributions(
    entries: Sequence[tuple[str, Histogram, float]], name: str = "distributions"
) -> Drawing:
    """How the scores of single episodes are spread: a ridge for each subject, scaled to its own peak.

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
        _rows(axes, [subject for subject, _, _ in entries])
        margin = 0.03 * (high - low)
        axes.set_xlim(low - margin, high + margin)
        axes.set_xlabel(EPISODE)
        axes.grid(axis="x")

    what = f"Distributions of the scores of single episodes of {len(entries)} subjects"
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


def boxes(entries: Sequence[tuple[str, Histogram]], name: str, label: str) -> Drawing:
    """Box plots of the scores of single episodes, one for each named histogram, the first on top."""

    def paint(axes: Axes) -> None:
        _zero(axes)
        for i, (_, histogram) in enumerate(entries):
            _box(axes, histogram, i, 0.5)
        _rows(axes, [title for title, _ in entries])
        axes.set_xlabel(SMALL_EPISODE)
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
                yerr=_reach([end]),
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


def profiles(entries: Sequence[tuple[str, Profile]], name: str = "profiles") -> Drawing:
    """The share of episodes above each score, one line with its band for each subject."""

    def paint(axes: Axes) -> None:
        for i, (subject, profile) in enumerate(entries):
            color, line = _series(i)
            axes.fill_between(
                profile.thresholds, profile.low, profile.high, color=color, alpha=0.18, linewidth=0
            )
            axes.plot(
                profile.thresholds, profile.share, color=color, linestyle=line, label=short(subject)
            )
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel(EPISODE)
        axes.set_ylabel("episodes above it [share]")
        axes.grid()
        axes.figure.legend(loc="outside right upper")

    what = f"The share of episodes above each score, of {len(entries)} subjects"
    return drawn(560, 320, name, what, paint)


def _series(i: int) -> tuple[str, Any]:
    """A color and a kind of line for the i-th of many series."""
    colors = len(palette.SERIES)
    return palette.SERIES[i % colors][0], LINES[i // colors % len(LINES)]


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
                yerr=_reach([point for _, point in known]),
                fmt=marker,
                linestyle=_series(i)[1],
                linewidth=1.2,
                color=color,
                markersize=5,
                capsize=2,
                label=short(subject, 20),
            )
        axes.set_xticks(range(len(labels)), [short(text, 16) for text in labels])
        if sum(map(len, labels)) > 40:
            _slant(axes)
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
        _shaded(
            axes,
            np.array(values),
            (min(known) - lack, max(known) + lack),
            [[number(v, 2) if math.isfinite(v) else "" for v in row] for row in values],
            9.5,
        )
        axes.set_xticks(range(len(cols)), [short(text, 22) for text in cols])
        axes.set_yticks(range(len(rows)), [short(text, 44) for text in rows])
        _slant(axes)
        axes.set_xlabel(axes_of[0])
        axes.set_ylabel(axes_of[1])

    what = f"Scores by {axes_of[0]} ({len(cols)}) and {axes_of[1]} ({len(rows)})"
    width = min(900, 330 + 46 * len(cols))
    return drawn(width, 170 + 22 * len(rows), name, what, paint)


def _slant(axes: Axes) -> None:
    """Write the names below the axis aslant, where they would run into each other."""
    axes.tick_params(axis="x", rotation=40)
    for tick in axes.get_xticklabels():
        tick.set_horizontalalignment("right")
        tick.set_rotation_mode("anchor")


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
                    xerr=_reach(points),
                    fmt="o",
                    color=palette.BLUE,
                    markerfacecolor=fill,
                    markersize=5.5,
                    capsize=3,
                    label=text,
                )
        _rows(axes, [title for title, _, _ in entries], 46)
        axes.set_xlabel(axis)
        axes.grid(axis="x")
        axes.figure.legend(loc="outside upper right", ncols=2)

    return drawn(620, 90 + 22 * len(entries), name, label, paint)


def published(
    subjects: Sequence[str],
    printed: Sequence[tuple[float, bool]],
    ours: Mapping[str, Sequence[Estimate]],
    name: str,
    label: str,
) -> Drawing:
    """Published values, each with whether it is in doubt, and ours under each preset with intervals."""

    def paint(axes: Axes) -> None:
        _zero(axes)
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
                xerr=_reach(values),
                fmt=marker,
                color=color,
                markersize=5,
                capsize=2,
                label=f"ours, {preset}",
            )
        _rows(axes, subjects)
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
            xerr=_reach(points),
            fmt="o",
            color=palette.BLUE,
            capsize=3,
            markersize=5,
        )
        _ring(axes, points[baseline].value, baseline)
        _rows(axes, labels)
        axes.set_xlim(*score_range)
        axes.set_xlabel(SMALL_SCORE)
        axes.set_ylabel(axis)
        axes.grid(axis="x")

    def along(axes: Axes) -> None:
        at = _positions(values)
        axes.errorbar(
            [at[i] for i in numbered],
            [points[i].value for i in numbered],
            yerr=_reach([points[i] for i in numbered]),
            fmt="o-",
            color=palette.BLUE,
            capsize=3,
            markersize=5,
        )
        for i in (i for i in range(len(values)) if i not in numbered):
            axes.errorbar(
                [at[i]],
                [points[i].value],
                yerr=_reach([points[i]]),
                fmt="s",
                color=palette.BLUE,
                capsize=3,
                markersize=5,
            )
        _ring(axes, at[baseline], points[baseline].value)
        if _crowded(at):
            axes.set_xscale("log")
            axes.minorticks_off()
        ticks = [f"{value:g}" if value is not None else labels[i] for i, value in enumerate(values)]
        axes.set_xticks(at, ticks)
        axes.set_xlabel(f"{axis}, logarithmic" if _crowded(at) else axis)
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


def _crowded(at: Sequence[float]) -> bool:
    """Whether the numbers of levels would run into each other unless the axis is logarithmic."""
    ordered = sorted(at)
    nearest = min((b - a for a, b in pairwise(ordered)), default=1.0)
    return ordered[0] > 0 and nearest < 0.08 * (ordered[-1] - ordered[0])


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
        _shaded(
            axes, np.array(means), shade_range, [[f"{v:.2f}" for v in row] for row in means], 9.5
        )
        axes.set_xticks(range(len(cols)), cols)
        axes.set_yticks(range(len(rows)), rows)
        if sum(map(len, cols)) > 34:
            _slant(axes)
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
        _shaded(axes, table, (0.0, highest), texts, 11.0)
        axes.set_xlim(-0.5, size - 1.5)
        axes.set_ylim(size - 0.5, 0.5)
        axes.set_xticks(range(size - 1), [name.replace(" ", "\n") for name in factors[:-1]])
        axes.set_yticks(range(1, size), factors[1:])

    what = "The share of interaction in the differences between cells, for each pair of factors"
    return drawn(520, 80 + 40 * size, name, what, paint)


def _shaded(
    axes: Axes,
    table: Any,
    shade_range: tuple[float, float],
    texts: Sequence[Sequence[str]],
    size: float,
) -> None:
    """Cells as shapes, each with its text in black or white, whichever can be read there."""
    from matplotlib import colormaps
    from matplotlib.colors import Normalize
    from matplotlib.patches import Rectangle

    shade, scale = colormaps[palette.SHADES], Normalize(*shade_range)
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if not text:
                continue
            red, green, blue, _ = color = shade(float(scale(table[i][j])))
            light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
            axes.add_patch(
                Rectangle((j - 0.49, i - 0.48), 0.98, 0.96, facecolor=color, linewidth=0)
            )
            axes.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                fontsize=size,
                color="black" if light else "white",
            )
    axes.set_xlim(-0.5, len(texts[0]) - 0.5)
    axes.set_ylim(len(texts) - 0.5, -0.5)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _rows(axes: Axes, names: Sequence[str], room: int = 26) -> None:
    """Rows from the top, one for each name, cut where it has no room."""
    axes.set_yticks(range(len(names)), [short(name, room) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _zero(axes: Axes) -> None:
    """The line of a subject that acts at random."""
    axes.axvline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))


def _reach(points: Sequence[Estimate]) -> list[list[float]]:
    """How far intervals reach down and up; nothing where that is unknown."""
    return [
        [point.value - point.low if math.isfinite(point.low) else 0.0 for point in points],
        [point.high - point.value if math.isfinite(point.high) else 0.0 for point in points],
    ]


def score_range(points: Sequence[Estimate]) -> tuple[float, float]:
    """An axis on which all points and 0 have room, and their intervals as well.

    An interval from two or three episodes may reach far beyond all points; it is cut rather than let flatten
    everything else.
    """
    values = [0.0, *(point.value for point in points)]
    span = max(values) - min(values) or 1.0
    floor, ceiling = min(values) - 0.08 * span, max(values) + 0.08 * span
    low = min([0.0, *(max(point.low, floor) for point in points)])
    high = max([0.0, *(min(point.high, ceiling) for point in points)])
    return low - 0.03 * span, high + 0.03 * span
