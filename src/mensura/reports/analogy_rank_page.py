"""The report of a ranking: the best sources of a target, their mappings, and how AS is distributed over a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mensura.core import palette
from mensura.reports.analogy_figure import figure
from mensura.reports.analogy_page import explained, sheet
from mensura.reports.drawing import Drawing, drawn
from mensura.reports.page import Picture, fill
from mensura.statistics.exponential import ExponentialTest, exponential_test
from mensura.texts.corpus import Ranked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN = 3
"""So many mappings are drawn."""


def rank_page(
    target: str, best: Sequence[Ranked], scores: Sequence[float], left_out: Mapping[str, str]
) -> str:
    """The report as one HTML page; ``scores`` are those of all texts."""
    values = np.array(scores, float)
    test = exponential_test(values)
    sheets = [
        sheet(
            "ranked",
            "The best sources",
            ["text", "AS", "J", "S", "relations in common", "the first that it suggests"],
            [
                (
                    one.name,
                    f"{one.mapping.score:.3f}",
                    f"{one.mapping.jaccard:.3f}",
                    f"{one.mapping.semantic:.3f}",
                    str(one.mapping.common),
                    one.mapping.inferences[0].sentence if one.mapping.inferences else "",
                )
                for one in best
            ],
        ),
        sheet("left", "Texts that were left out", ["text", "why"], list(left_out.items())),
    ]
    sheets = [one for one in sheets if one["rows"]]
    pictures = [
        Picture(one.name, figure(one.mapping), " ".join(explained(one.mapping)))
        for one in best[:DRAWN]
    ]
    return fill(
        "analogy_rank.html",
        [
            *((one["anchor"], one["title"]) for one in sheets),
            ("distribution", "How AS is distributed"),
            ("mappings", "Mappings"),
        ],
        {"distribution": _distribution(values), "mappings": pictures},
        title=f"Sources for {target}",
        meta=f"{len(values)} texts",
        found=[
            f"The best of {len(values)} sources is {best[0].name}, with AS = {best[0].mapping.score:.3f}.",
            told(test),
        ],
        sheets=sheets,
    )


def told(test: ExponentialTest) -> str:
    """What the test of the exponential distribution says."""
    if not test.p >= 0.0:
        return "There are too few texts to say how AS is distributed."
    verdict = (
        "differs from an exponential distribution"
        if test.p < 0.05
        else "does not differ from an exponential distribution by more than chance would"
    )
    return (
        f"Over {test.size} texts AS {verdict} (Kolmogorov-Smirnov distance {test.distance:.3f}, p = {test.p:.3f}, the "
        "mean estimated); Hurley et al. (2016) found it exponential over theirs."
    )


def _distribution(values: np.ndarray) -> Drawing:
    def paint(axes: Axes) -> None:
        axes.hist(values, bins=20, density=True, color=palette.SKY, alpha=0.6, label="texts")
        mean = float(values.mean())
        if mean > 0:
            at = np.linspace(0.0, float(values.max()), 200)
            curve = np.exp(-at / mean) / mean
            axes.plot(at, curve, color=palette.VERMILLION, label="exponential of the same mean")
        axes.set_xlabel("AS")
        axes.set_ylabel("density")
        axes.legend(fontsize=8)
        axes.grid()

    label = (
        "How AS is distributed over the texts, and the exponential distribution of the same mean"
    )
    return drawn(480, 300, "distribution", label, paint)
