"""From what was run to the page that a person reads: reports know no worlds, who calls them does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from mensura.core import palette
from mensura.records.results import StudyResult

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store
    from mensura.reports.page import Picture
    from mensura.reports.study import Drawings
    from mensura.statistics.sample import Sample
    from mensura.statistics.series import Asked


def own_page(records: Store, run: Run) -> Callable[[], str] | None:
    """What makes the page of a run that has one of its own kind, a profile or transfer; None of another run.

    Records are read here, and the page is drawn when it is called.
    """
    from mensura.api.imitation_games import imitation_page_of
    from mensura.api.kept_profile import profile_of
    from mensura.api.transferring import transfer_page, transfers_of

    profile = profile_of(records, run)
    if profile is not None:
        return partial(profile.page, run.command)
    games = imitation_page_of(records, run)
    if games is not None:
        return games
    transfers = transfers_of(records, run)
    return partial(transfer_page, transfers, run.command) if transfers else None


def page_of(
    result: StudyResult,
    samples: Sequence[Sample] = (),
    *,
    pictured: StudyResult | None = None,
    asked: Sequence[Asked] | None = None,
    drawings: Drawings | None = None,
    show: bool = True,
) -> str:
    """The HTML report of a study, with a picture of one environment where the world has a view.

    ``pictured``: whose environment, where several runs stand side by side. ``asked`` and ``drawings`` are the
    figures, where they were made before. ``show``: whether an environment may be shown at all.
    """
    from mensura.api.pair_errors import worst_errors
    from mensura.assessments.references import placed
    from mensura.reports.study import render_study
    from mensura.studies.figure_series import asked_figures

    samples = samples or result.samples
    pictures, about = pictures_of(pictured or result) if show else ([], ())
    if asked is None:
        asked = asked_figures(result, samples)
    errors = worst_errors(result, samples) if show else []
    return render_study(result, samples, pictures, about, asked, placed(result), drawings, errors)


def pictures_of(result: StudyResult) -> tuple[list[Picture], tuple[str, ...]]:
    """What the world of a study looks like, and what it is in sentences."""
    from mensura.reports.page import Picture
    from mensura.studies.views import EXAMPLE, EXAMPLE_CAPTION, first_view

    svg, about = first_view(result)
    return [Picture(EXAMPLE, svg, EXAMPLE_CAPTION)] if svg else [], about


def check_can_report() -> None:
    """One sentence now rather than a lost page after hours, where the libraries of reports are missing."""
    with palette.extra("A report"):
        for library in ("jinja2", "matplotlib"):
            if find_spec(library) is None:
                raise ModuleNotFoundError(name=library)
