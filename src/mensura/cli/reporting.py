"""The pages that commands write, and what they say about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mensura.api.reporting import check_can_report, page_of
from mensura.records.results import StudyResult, write_whole
from mensura.terminal.output import say_where, working

if TYPE_CHECKING:
    from mensura.statistics.sample import Sample
    from mensura.studies.reproduce import Outcome, Row

__all__ = [
    "check_can_report",
    "write_comparison",
    "write_experiment",
    "write_factors",
    "write_page",
    "write_report",
]

WRITING = "Drawing the figures and writing the report"


def write_report(
    result: StudyResult, path: Path, samples: Sequence[Sample] = (), *, quiet: bool = False
) -> None:
    """Write the HTML report of a study, and say where it went."""
    with working(WRITING):
        write_whole(path, page_of(result, samples))
    if not quiet:
        say_where("The report", path)


def write_page(render: Callable[[], str], path: Path, *, quiet: bool = False) -> None:
    """Write a page of its own kind, and say where it went."""
    with working(WRITING):
        write_whole(path, render())
    if not quiet:
        say_where("The report", path)


def write_comparison(result: StudyResult, rows: Sequence[Row], path: Path) -> None:
    """Write the page of published values beside ours."""
    from mensura.reports.published_page import render_comparison

    data = [row.to_json() for row in rows]
    with working(WRITING):
        page = render_comparison(result.title, result.source, result.notes, data, result.command)
        write_whole(path, page)
    say_where("The report", path)


def write_experiment(result: StudyResult, samples: Sequence[Sample], path: Path) -> None:
    """Write the page of the figures and statistics that a study asks for, and of its claims."""
    from mensura.reports.experiment import render_experiment
    from mensura.studies.claims import claimed, digest
    from mensura.studies.figure_series import asked_figures, asked_statistics
    from mensura.studies.reproduce import comparison

    with working(WRITING):
        asked, told = asked_figures(result, samples), asked_statistics(result, samples)
        beside = [row.to_json() for row in comparison(result)]
        held = claimed(result, samples)
        write_whole(path, render_experiment(result, asked, told, beside, held, digest(samples)))
    say_where("The report", path)


def write_factors(result: StudyResult, outcome: Outcome, path: Path) -> None:
    """Write the page of what the factors of a study did."""
    from mensura.reports.factors import Factor, render_factors

    page = render_factors(
        f"{result.title} ({outcome.title})" if outcome.title else result.title,
        result.source,
        result.notes,
        [
            Factor(
                factor.name,
                factor.axis or factor.name,
                [level.label for level in factor.levels],
                [level.value for level in factor.levels],
                factor.base,
            )
            for factor in outcome.factors
        ],
        {name: [cell.score for cell in cells] for name, cells in outcome.alone.items()},
        {
            pair: [[cell.score for cell in row] for row in grid]
            for pair, grid in outcome.pairs.items()
        },
        outcome.effects,
        result.command,
    )
    write_whole(path, page)
    say_where("The report", path)
