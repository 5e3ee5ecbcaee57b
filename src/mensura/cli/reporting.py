"""From what a command ran to the page that a person reads: reports know no worlds, commands do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mensura.core import palette
from mensura.records.results import StudyResult, write_whole
from mensura.terminal.output import say_where, working

if TYPE_CHECKING:
    from mensura.records.results import StudyResult
    from mensura.reports.page import Picture
    from mensura.statistics.sample import Sample
    from mensura.studies.reproduce import Outcome, Row

WRITING = "Drawing the figures and writing the report"


def write_report(
    result: StudyResult, path: Path, samples: Sequence[Sample] = (), *, quiet: bool = False
) -> None:
    """Write the HTML report of a study, with a picture of one environment where the world has a view."""
    from mensura.assessments.references import placed
    from mensura.reports.study import render_study
    from mensura.studies.asked import asked_figures

    with working(WRITING):
        pictures, about = pictures_of(result)
        samples = samples or result.samples
        asked = asked_figures(result, samples)
        write_whole(path, render_study(result, samples, pictures, about, asked, placed(result)))
    if not quiet:
        say_where("The report", path)


def pictures_of(result: StudyResult) -> tuple[list[Picture], tuple[str, ...]]:
    """What the world of a study looks like, and what it is in sentences."""
    from mensura.reports.page import Picture
    from mensura.studies.views import EXAMPLE, EXAMPLE_CAPTION, first_view

    svg, about = first_view(result)
    return [Picture(EXAMPLE, svg, EXAMPLE_CAPTION)] if svg else [], about


def check_can_report() -> None:
    """One sentence now rather than a lost page after hours, where the libraries of reports are missing."""
    from importlib.util import find_spec

    with palette.extra("A report"):
        for library in ("jinja2", "matplotlib"):
            if find_spec(library) is None:
                raise ModuleNotFoundError(name=library)


def write_comparison(result: StudyResult, rows: Sequence[Row], path: Path) -> None:
    """Write the page of published values beside ours."""
    from mensura.reports.comparison import render_comparison

    data = [row.to_json() for row in rows]
    with working(WRITING):
        page = render_comparison(result.title, result.source, result.notes, data, result.command)
        write_whole(path, page)
    say_where("The report", path)


def write_experiment(result: StudyResult, samples: Sequence[Sample], path: Path) -> None:
    """Write the page of the figures and statistics that a study asks for, and of its claims."""
    from mensura.reports.experiment import render_experiment
    from mensura.studies.asked import asked_figures, asked_statistics
    from mensura.studies.claimed import claimed, digest
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
