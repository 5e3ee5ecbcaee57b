"""Drawing for reports: Matplotlib to SVG for a page and to files for a paper, and what all figures share.

The same data give the same text, every axis names its unit, colors are those of :mod:`mensura.core.palette`, and
what a color tells a marker or a label tells too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mensura.core import palette
from mensura.core.account import Unit
from mensura.records.results import write_whole
from mensura.reports.number_words import short
from mensura.statistics.interval import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SCORE = "score [mean reward per subject and iteration]"
"""The label of an axis of scores; their unit is the reward of one iteration, from -1 to 1."""
SMALL_SCORE = "score [mean reward]"
"""The same where there is less room."""
SMALL_EPISODE = "score of one episode [mean reward]"

FORMATS = ("svg", "pdf")
"""What a figure can be saved as."""

SHORT_POWER = 4
"""Powers of ten with so many digits and more are written with an exponent."""

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
                    _write(self.paint, buffer, kind, {"CreationDate": None})
                content = buffer.getvalue()
            write_whole(path, content)
            paths.append(path)
        return paths


def _style() -> Any:
    import matplotlib.style

    # In a PDF, letters that can be copied and edited.
    return matplotlib.style.context(["default", palette.STYLE, {"pdf.fonttype": 42}])


def _write(
    paint: Callable[[], Figure], buffer: IO[Any], kind: str, metadata: dict[str, Any]
) -> None:
    """Paint a figure and write it as SVG or PDF.

    Where a figure has a layout engine, Matplotlib draws it once in vain before it writes. Laid out beforehand on the
    same canvas it is the same to the byte, sooner.
    """
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    figure = paint()
    (FigureCanvasSVG if kind == "svg" else FigureCanvasPdf)(figure)
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
        figure.set_layout_engine(None)
    figure.savefig(buffer, format=kind, metadata=metadata)


def drawn(
    width: float, height: float, name: str, label: str, paint: Callable[[Axes], None]
) -> Drawing:
    """A figure of so many pixels as SVG; ``name`` begins its ids, ``label`` is read to the blind."""
    return drawn_rows(width, height, name, label, lambda rows: paint(rows[0]), 1)


def drawn_rows(
    width: float,
    height: float,
    name: str,
    label: str,
    paint: Callable[[Sequence[Axes]], None],
    rows: int,
) -> Drawing:
    """The same with several axes above one another, which share their x."""
    with palette.extra("A report"):
        from matplotlib.figure import Figure

    def whole() -> Figure:
        figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
        paint([*figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]])
        for axes in figure.axes:
            _write_powers(axes)
        return figure

    buffer = StringIO()
    with _style():
        _write(whole, buffer, "svg", {"Date": None})
    drawing = Drawing(palette.tidy_svg(buffer.getvalue(), name, label))
    drawing.name, drawing.paint = name, whole
    return drawing


def _write_powers(axes: Axes) -> None:
    """Write the numbers of logarithmic axes as numbers: text in a picture is text, and formulas would be shown raw."""
    from matplotlib.ticker import LogFormatterMathtext, NullFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), LogFormatterMathtext):
            axis.set_major_formatter(lambda number, _: _power(number))
        if isinstance(axis.get_minor_formatter(), LogFormatterMathtext):
            axis.set_minor_formatter(NullFormatter())


def _power(number: float) -> str:
    """A number, in few characters where it is a large or small power of ten."""
    digits = round(math.log10(number)) if number > 0 else 0
    if abs(digits) < SHORT_POWER or not math.isclose(number, 10.0**digits):
        return f"{number:,.10g}"
    return "10" + str(digits).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def single_score(unit: Unit) -> str:
    """The label of an axis of the scores of single sittings."""
    return f"score of one {unit.one} [{unit.measured}]"


def look_of(i: int) -> tuple[str, Any]:
    """A color and a kind of line for the i-th of many series."""
    colors = len(palette.SERIES)
    return palette.SERIES[i % colors][0], LINES[i // colors % len(LINES)]


def slant(axes: Axes) -> None:
    """Write the names below the axis aslant, where they would run into each other."""
    axes.tick_params(axis="x", rotation=40)
    for tick in axes.get_xticklabels():
        tick.set_horizontalalignment("right")
        tick.set_rotation_mode("anchor")


def name_rows(axes: Axes, names: Sequence[str], room: int = 26) -> None:
    """Rows from the top, one for each name, cut where it has no room."""
    axes.set_yticks(range(len(names)), [short(name, room) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def mark_zero(axes: Axes) -> None:
    """The line of a subject that acts at random."""
    axes.axvline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))


def reach(points: Sequence[Estimate]) -> list[list[float]]:
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


def crowded(at: Sequence[float]) -> bool:
    """Whether the numbers of levels would run into each other unless the axis is logarithmic."""
    ordered = sorted(at)
    nearest = min((b - a for a, b in pairwise(ordered)), default=1.0)
    return ordered[0] > 0 and nearest < 0.08 * (ordered[-1] - ordered[0])


def shaded(
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
