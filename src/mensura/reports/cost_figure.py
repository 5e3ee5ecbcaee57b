"""The figure of score against cost: a logarithmic axis where costs span decades, and a place for a cost of 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mensura.core import palette
from mensura.reports.drawing import SMALL_SCORE, Drawing, drawn, reach
from mensura.reports.number_words import short
from mensura.statistics.interval import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 620, 360
"""Of the figure, in pixels."""

LINE = 15.0
"""The height of a name, in pixels."""

LETTER = 6.2
"""The width of a letter of a name, in pixels."""

Kind = Literal["front", "other", "free"]

LOOKS: dict[Kind, tuple[str, str, str, str]] = {
    "front": ("o", palette.BLUE, palette.BLUE, "on the front"),
    "other": ("o", palette.BLUE, "white", "not on the front"),
    "free": ("s", palette.VERMILLION, palette.VERMILLION, "asks no service"),
}
"""Of each kind: marker, color, filling, and its name in the legend."""


@dataclass(frozen=True)
class Mark:
    """One subject in the figure."""

    subject: str
    score: Estimate
    cost: float
    kind: Kind


@dataclass(frozen=True)
class Scale:
    """Where a cost stands on the axis."""

    logarithmic: bool
    zero: float
    """Where a cost of 0 stands, left of all others on a logarithmic axis."""

    @staticmethod
    def of(costs: Sequence[float]) -> Scale:
        """A logarithmic one where costs above 0 span a decade or more."""
        above = [cost for cost in costs if cost > 0]
        if not above or max(above) < 10 * min(above):
            return Scale(False, 0.0)
        span = math.log10(max(above)) - math.log10(min(above))
        return Scale(True, math.log10(min(above)) - max(0.4, 0.2 * span))

    def at(self, cost: float) -> float:
        """The place of a cost."""
        if not self.logarithmic:
            return cost
        return math.log10(cost) if cost > 0 else self.zero

    def ticks(self, costs: Sequence[float]) -> tuple[list[float], list[str]]:
        """Decades, with their halves where there are few, and 0 where somebody costs that."""
        above = [math.log10(cost) for cost in costs if cost > 0]
        low, high = math.floor(min(above)), math.ceil(max(above))
        steps = (1.0,) if high - low > 3 else (1.0, 3.0)
        values = [step * 10.0**decade for decade in range(low, high + 1) for step in steps]
        room = 0.15
        shown = [v for v in values if min(above) - room <= math.log10(v) <= max(above) + room] or [
            10 ** min(above),
            10 ** max(above),
        ]
        if any(cost == 0 for cost in costs):
            shown.insert(0, 0.0)
        return [self.at(value) for value in shown], [f"{value:g}" for value in shown]


def draw(marks: Sequence[Mark], name: str, label: str) -> Drawing:
    """Scores with their intervals against costs."""
    costs = [one.cost for one in marks]
    scale = Scale.of(costs)
    span = max(map(scale.at, costs)) - min(map(scale.at, costs)) or max(*costs, 1.0)
    at = _places(marks, scale, span)
    left, right = min(at) - 0.05 * span, max(at) + 0.35 * span

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        _front(axes, marks, scale)
        for kind, (marker, color, fill, text) in LOOKS.items():
            own = [i for i, one in enumerate(marks) if one.kind == kind]
            if own:
                axes.errorbar(
                    [at[i] for i in own],
                    [marks[i].score.value for i in own],
                    yerr=reach([marks[i].score for i in own]),
                    fmt=marker,
                    color=color,
                    markerfacecolor=fill,
                    markersize=5.5,
                    capsize=3,
                    label=text,
                )
        low, high = _heights(marks)
        axes.set_ylim(low, high)
        axes.set_xlim(left, right)
        if scale.logarithmic:
            axes.set_xticks(*scale.ticks(costs))
            if 0.0 in costs:
                _break(axes, (scale.zero + min(scale.at(cost) for cost in costs if cost > 0)) / 2)
        _name(axes, marks, at, (left, right), (low, high))
        axes.set_xlabel("cost of all sittings [currency of the prices]")
        axes.set_ylabel(SMALL_SCORE)
        axes.grid()
        axes.figure.legend(loc="outside upper right", ncols=3)

    return drawn(WIDTH, HEIGHT, name, label, paint)


def _places(marks: Sequence[Mark], scale: Scale, span: float) -> list[float]:
    """Where each mark stands; those who cost nothing side by side."""
    free = 0
    found = []
    for one in marks:
        found.append(scale.at(one.cost) + (0.02 * span * free if one.kind == "free" else 0.0))
        free += one.kind == "free"
    return found


def _heights(marks: Sequence[Mark]) -> tuple[float, float]:
    """An axis on which all intervals have room, cut at the ends of the scale where they reach beyond."""
    values = [0.0, *(one.score.value for one in marks)]
    low = min(values + [max(one.score.low, -1.0) for one in marks])
    high = max(values + [min(one.score.high, 1.0) for one in marks])
    room = 0.06 * (high - low or 1.0)
    return low - room, high + room


def _front(axes: Axes, marks: Sequence[Mark], scale: Scale) -> None:
    """The front as a staircase: what can be had for a cost is what the last one below it scores."""
    front = sorted((one for one in marks if one.kind == "front"), key=lambda one: one.cost)
    if len(front) > 1:
        axes.step(
            [scale.at(one.cost) for one in front],
            [one.score.value for one in front],
            where="post",
            color=palette.BLUE,
            linewidth=1.2,
            alpha=0.6,
        )


def _break(axes: Any, place: float) -> None:
    """A line where the axis leaps from 0 to the least cost above it."""
    axes.axvline(place, color=palette.INK, linewidth=0.8, linestyle=(0, (1, 3)), alpha=0.6)


def _name(
    axes: Axes,
    marks: Sequence[Mark],
    at: Sequence[float],
    width: tuple[float, float],
    height: tuple[float, float],
) -> None:
    """Names right of their points, moved upwards where they would run into each other."""
    line = (height[1] - height[0]) * LINE / (HEIGHT - 110)
    letter = (width[1] - width[0]) * LETTER / (WIDTH - 70)
    shift = 0.012 * (width[1] - width[0])
    # Those who cost nothing stand side by side, and their names right of the last of them.
    last = max((x for x, one in zip(at, marks, strict=True) if one.kind == "free"), default=0.0)
    at = [last if one.kind == "free" else x for x, one in zip(at, marks, strict=True)]
    written: list[tuple[float, float, float]] = []
    for x, one in sorted(zip(at, marks, strict=True), key=lambda pair: pair[1].score.value):
        y, name = one.score.value, short(one.subject, 24)
        end = x + letter * (len(name) + 1)
        for first, last, height_of in sorted(written, key=lambda place: place[2]):
            if x < last and first < end and abs(height_of - y) < line:
                y = height_of + line
        written.append((x, end, y))
        axes.text(x + shift, y + 0.12 * line, name, va="bottom", fontsize=10)
