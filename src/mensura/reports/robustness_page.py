"""The page of robustness: curves of degradation, operator by operator, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mensura.core import palette
from mensura.records.results import StudyResult
from mensura.reports import sentences
from mensura.reports.drawing import SMALL_SCORE, Drawing, drawn, score_range
from mensura.reports.number_words import listed, short, signed, some
from mensura.reports.page import fill
from mensura.reports.robustness_words import (
    GLOSSARY,
    breaking_point,
    measures_table,
    recovery_table,
    told,
    withdrawal_table,
)
from mensura.statistics.degradation import Breakdown
from mensura.statistics.interval import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def render_robustness(
    result: StudyResult, breakdowns: Sequence[Breakdown], command: str = ""
) -> str:
    """The page."""
    columns, rows = measures_table(breakdowns)
    recovery = recovery_table(breakdowns)
    withdrawals = withdrawal_table(breakdowns)
    operators = list(dict.fromkeys(one.operator for one in breakdowns))
    subjects = list(dict.fromkeys(one.subject for one in breakdowns))
    contents = [
        ("what", "What was run"),
        ("table", "Robustness"),
        ("curves", "Curves"),
        *([("recovery", "Recovery")] if recovery else []),
        *([("withdrawals", "Withdrawals")] if withdrawals else []),
        ("again", "How to reproduce"),
        ("words", "The words"),
    ]
    return fill(
        "robustness.html",
        contents,
        {"curves": _curves(breakdowns, operators)},
        title=result.title or result.name,
        meta=f"{some(len(subjects), 'subject')}, {some(len(operators), 'operator')}, "
        f"{some(result.done, 'sitting')}",
        warnings=list(result.warnings),
        found=[*sentences.unfinished(result), *told(breakdowns)],
        about=list(_about(breakdowns, subjects, operators)),
        notes=list(result.notes),
        columns=columns,
        rows=rows,
        recovery_columns=recovery[0] if recovery else [],
        recovery_rows=recovery[1] if recovery else [],
        withdrawal_columns=withdrawals[0] if withdrawals else [],
        withdrawal_rows=withdrawals[1] if withdrawals else [],
        again=sentences.again(result),
        command=sentences.command(command or result.command, result.seed)
        or sentences.study_text(result.study),
        glossary=GLOSSARY,
    )


def _about(
    breakdowns: Sequence[Breakdown], subjects: Sequence[str], operators: Sequence[str]
) -> Iterator[str]:
    if not breakdowns:
        yield "Nothing has been played to its end yet."
        return
    first = breakdowns[0]
    strengths = ", ".join(f"{one:g}" for one in first.degradation.strengths)
    yield (
        f"{listed(list(subjects))} and one that acts at random met the same {some(first.scores[0].n, 'environment')} "
        f"under {listed(list(operators))}, each alone, at the strengths {strengths}. Intervals are of 95%, over "
        "environments that are drawn anew with all that happened in them."
    )


def _curves(breakdowns: Sequence[Breakdown], operators: Sequence[str]) -> list[dict[str, Any]]:
    """Panels of all subjects for each operator, all on the same axes."""
    heights = score_range([point for one in breakdowns for point in (*one.scores, *one.chance)])
    found = []
    for i, operator in enumerate(operators):
        own = [one for one in breakdowns if one.operator == operator]
        panels = [
            {
                "name": one.subject,
                "svg": panel(one, heights, f"degradation-{i}-{j}"),
                "caption": caption(one),
            }
            for j, one in enumerate(own)
        ]
        found.append({"name": operator, "svg": "", "panels": panels})
    return found


def caption(one: Breakdown) -> str:
    """The breaking point, where it is defined."""
    if not one.defined:
        return "Retention is not defined."
    return f"Breaking point {breaking_point(one)}."


def panel(one: Breakdown, heights: tuple[float, float], name: str) -> Drawing:
    """The score of a subject against strength, over that of acting at random."""
    at = one.degradation.strengths
    broken = one.degradation.breaking if one.defined else None

    def paint(axes: Axes) -> None:
        _band(axes, at, one.chance, palette.INK, 0.12)
        axes.plot(
            at,
            [point.value for point in one.chance],
            color=palette.INK,
            linewidth=0.8,
            linestyle=(0, (4, 3)),
            label="random",
        )
        _band(axes, at, one.scores, palette.SKY, 0.5)
        axes.plot(
            at,
            [point.value for point in one.scores],
            color=palette.BLUE,
            marker="o",
            markersize=3,
            label=short(one.subject, 18),
        )
        if broken is not None and math.isfinite(broken.value):
            axes.axvline(broken.value, color=palette.VERMILLION, linewidth=1.0)
        axes.set_xlim(0.0, at[-1])
        axes.set_ylim(*heights)
        axes.set_xlabel(f"strength of {one.operator}")
        axes.set_ylabel(SMALL_SCORE)
        axes.legend(loc="upper right", frameon=False)
        axes.grid()

    said = ", ".join(f"{signed(p.value)} at {s:g}" for s, p in zip(at, one.scores, strict=True))
    label = f"Score of {short(one.subject)} by strength of {one.operator}: {said}"
    return drawn(300, 200, name, label, paint)


def _band(
    axes: Axes, at: Sequence[float], points: Sequence[Estimate], color: str, alpha: float
) -> None:
    """The intervals about a curve; none where they are unknown."""
    if all(math.isfinite(point.low) and math.isfinite(point.high) for point in points):
        low, high = [point.low for point in points], [point.high for point in points]
        axes.fill_between(at, low, high, color=color, alpha=alpha, linewidth=0)
