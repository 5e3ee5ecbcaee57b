"""Where a score comes from: what each step of complexity adds to it, beside the weight that the prior gives it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mensura.complexity.prior import masses
from mensura.core.steps import contributing
from mensura.reports import sitting_figures
from mensura.reports.number_words import listed, percent, short, signed
from mensura.reports.standing import Standing
from mensura.statistics.interval import Estimate

LOWEST = 3
"""What so many of the lowest steps add is told in a sentence."""


def parts_of(one: Standing) -> dict[int, Estimate]:
    """What each step of complexity adds to the score of a subject, by complexity; empty where nobody told."""
    found = {
        level: moments.estimate()
        for name, moments in one.result.measures.items()
        if (level := contributing(name)) is not None and moments.count
    }
    return dict(sorted(found.items()))


def words(standings: Sequence[Standing]) -> Iterator[str]:
    """How much of the scores comes from the lowest steps."""
    told = [(one, parts) for one in standings if len(parts := parts_of(one)) > LOWEST]
    if not told:
        return
    levels = list(told[0][1])
    share = sum(masses(levels)[:LOWEST])
    yield (
        "A score is the sum of what the environments of each complexity add to it: their weight times the mean reward "
        "in them. A broken outline is the weight, and so the most that could be added; a full bar is what was added, "
        "with its 95% interval."
    )
    yield (
        f"The {LOWEST} lowest steps of complexity, {listed([str(level) for level in levels[:LOWEST]])}, have "
        f"{percent(share)} of the weight, as the prior wants it: simple environments dominate. "
        + f"What they add to the scores: {listed([_lowest(one, parts) for one, parts in told], len(told))}."
    )


def _lowest(one: Standing, parts: dict[int, Estimate]) -> str:
    added = sum(part.value for part in list(parts.values())[:LOWEST])
    score = one.result.moments.mean
    said = f"{signed(added)} of {signed(score)} for {one.subject}"
    # A share of nothing means nothing.
    return (
        said
        if 0.0 in one.score or not 0.0 < added / score <= 1.0
        else f"{said} ({percent(added / score)})"
    )


def panels(standings: Sequence[Standing], measure: str, prefix: str = "") -> list[dict[str, Any]]:
    """A figure for each subject, all on the same axes."""
    told = [(one, parts) for one in standings if (parts := parts_of(one))]
    if not told:
        return []
    weights = {one.subject: masses(list(parts)) for one, parts in told}
    ends = [0.0, *(mass for own in weights.values() for mass in own)]
    ends += [part.value for _, parts in told for part in parts.values()]
    margin = 0.06 * (max(ends) - min(ends))
    return [
        {
            "name": one.label,
            "svg": sitting_figures.contributions(
                list(parts),
                weights[one.subject],
                list(parts.values()),
                (min(ends) - margin, max(ends) + margin),
                measure,
                f"{prefix}contributions-{i}",
                f"What each complexity adds to the score of {short(one.subject)}",
            ),
            "caption": _caption(one, parts),
        }
        for i, (one, parts) in enumerate(told)
    ]


def _caption(one: Standing, parts: dict[int, Estimate]) -> str:
    if 0.0 in one.score:
        return (
            "The score is indistinguishable from 0, and so is hardly anything of which it is made."
        )
    level, largest = max(parts.items(), key=lambda pair: abs(pair[1].value))
    return f"Most comes from complexity {level}: {signed(largest.value)} of {signed(one.result.moments.mean)}."
