"""Box plots of scores of mappings over groups of texts: figures 7 and 8 of Hurley et al. (2016)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mensura.core import palette
from mensura.reports.drawing import Drawing, drawn, slant
from mensura.reports.number_words import short
from mensura.reports.page import Picture, fill

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def boxes_page(
    title: str,
    meta: str,
    groups: Mapping[str, Mapping[str, Sequence[float]]],
    found: Sequence[str],
) -> str:
    """A page with a box plot for each score, of values by group."""
    pictures = [Picture(score, _boxes(score, own)) for score, own in groups.items()]
    return fill(
        "analogy_boxes.html",
        [("boxes", "By group")],
        {"pictures": pictures},
        title=title,
        meta=meta,
        found=list(found),
    )


def _boxes(score: str, groups: Mapping[str, Sequence[float]]) -> Drawing:
    def paint(axes: Axes) -> None:
        axes.boxplot(
            [list(values) or [float("nan")] for values in groups.values()],
            medianprops={"color": palette.VERMILLION, "linewidth": 1.6},
        )
        axes.set_xticks(range(1, len(groups) + 1), [short(name, 20) for name in groups])
        if sum(min(len(name), 20) for name in groups) > 50:
            slant(axes)
        lowest = min((value for values in groups.values() for value in values), default=0.0)
        axes.set_ylim(min(0.0, lowest - 0.02), 1.02)
        axes.set_ylabel(score)
        axes.grid(axis="y")

    label = f"Box plots of {score} for {', '.join(groups)}"
    return drawn(460, 300, f"boxes-{score.lower()}", label, paint)
