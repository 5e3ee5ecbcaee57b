"""Figures of the course of an episode: mean reward from its beginning to its end, a panel for each subject."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mensura.core import palette
from mensura.reports.drawing import Drawing, drawn
from mensura.reports.number_words import short, signed
from mensura.statistics.interval import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def panels(lines: Sequence[tuple[str, Sequence[Estimate]]]) -> list[dict[str, Any]]:
    """A panel for each subject, all on the same axes."""
    ends = [end for _, points in lines for one in points for end in _ends(one)]
    low, high = max(-1.0, min([0.0, *ends])), min(1.0, max([0.0, *ends]))
    room = 0.05 * (high - low or 1.0)
    return [
        {
            "name": subject,
            "svg": _panel(subject, points, (low - room, high + room), f"course-{i}"),
            "caption": "",
        }
        for i, (subject, points) in enumerate(lines)
    ]


def _ends(one: Estimate) -> tuple[float, float]:
    """The ends of an interval, or the value twice where they are unknown."""
    known = one.standard_error == one.standard_error
    return (one.low, one.high) if known else (one.value, one.value)


def _panel(
    subject: str, points: Sequence[Estimate], heights: tuple[float, float], name: str
) -> Drawing:
    at = [100 * (i + 0.5) / len(points) for i in range(len(points))]

    def paint(axes: Axes) -> None:
        axes.axhline(0.0, color=palette.INK, linewidth=0.8, linestyle=(0, (4, 3)))
        low, high = zip(*(_ends(one) for one in points), strict=True)
        axes.fill_between(at, low, high, color=palette.SKY, alpha=0.5, linewidth=0)
        axes.plot(at, [one.value for one in points], color=palette.BLUE, marker="o", markersize=3)
        axes.set_xlim(0, 100)
        axes.set_ylim(*heights)
        axes.set_xlabel("part of the episode [%]")
        axes.set_ylabel("reward [mean]")
        axes.grid()

    said = ", ".join(signed(one.value) for one in points)
    label = f"Mean reward of {short(subject)} from the beginning of an episode to its end: {said}"
    return drawn(300, 200, name, label, paint)
