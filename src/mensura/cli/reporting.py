"""From what a command ran to the page that a person reads: reports know no worlds, commands do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.cli.output import say_where
from mensura.core import palette
from mensura.core.errors import MensuraError
from mensura.records.results import StudyResult, write_whole

if TYPE_CHECKING:
    from mensura.records.results import StudyResult
    from mensura.reports.page import Picture
    from mensura.statistics.sample import Sample
    from mensura.studies.reproduce import Outcome, Row


def write_report(
    result: StudyResult, path: Path, samples: Sequence[Sample] = (), *, quiet: bool = False
) -> None:
    """Write the HTML report of a study, with a picture of its first environment where the world has a view."""
    from mensura.reports.study import render_study
    from mensura.studies.asked import asked_figures

    pictures, about = pictures_of(result)
    samples = samples or result.samples
    asked = asked_figures(result, samples)
    write_whole(path, render_study(result, samples, pictures, about, asked, placed(result)))
    if not quiet:
        say_where("The report", path)


def placed(result: StudyResult) -> list[str]:
    """Where subjects stand among the references that were assessed the same way, a sentence each; often none."""
    from mensura.assessments.references import reference_for
    from mensura.statistics.placing import in_words, place

    sentences = []
    for condition in result.conditions:
        reference = reference_for(condition.world, condition.world_parameters, condition.assessment)
        if reference is None:
            continue
        for one in sorted(condition.subjects, key=lambda one: -one.score.value):
            if one.subject in reference.scores:
                continue
            where = place(one.moments, reference.scores)
            if where is not None:
                sentences.append(f"{one.subject} is {in_words(where)}.")
    return sentences


def pictures_of(result: StudyResult) -> tuple[list[Picture], tuple[str, ...]]:
    """What the world of a study looks like, and what it is in sentences.

    Nothing where it cannot be drawn: an old run is reported although its world or a subject's file is gone.
    """
    from mensura.reports.page import Picture
    from mensura.studies.expand import expand
    from mensura.studies.place import Place
    from mensura.studies.study import study_from_plain

    try:
        place = Place.of(expand(study_from_plain(dict(result.study)), result.seed)[0])
    except MensuraError:
        return [], ()
    view: Any = place.world.view() if hasattr(place.world, "view") else None
    pictures: list[Picture] = []
    if view is None:
        return pictures, ()
    environment: Any = place.first_environment()
    # Of one with company in it the world can draw the place.
    environment = getattr(environment, "place", environment)
    if hasattr(view, "figure_svg"):
        pictures.append(
            Picture(
                "The first environment",
                view.figure_svg(environment),
                "As it was when the first episode began, drawn from its key.",
            )
        )
    about: tuple[str, ...] = view.explain(environment) if hasattr(view, "explain") else ()
    return pictures, about


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
    page = render_comparison(result.title, result.source, result.notes, data, result.command)
    write_whole(path, page)
    say_where("The report", path)


def write_experiment(result: StudyResult, samples: Sequence[Sample], path: Path) -> None:
    """Write the page of the figures and statistics that a study asks for, and of its claims."""
    from mensura.reports.experiment import render_experiment
    from mensura.studies.asked import asked_figures, asked_statistics
    from mensura.studies.claimed import claimed, digest
    from mensura.studies.reproduce import comparison

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
