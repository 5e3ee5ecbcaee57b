"""What the world of a run looks like: its first environment, drawn and in sentences."""

from __future__ import annotations

from dataclasses import replace

from mensura.core.around import innermost
from mensura.core.errors import MensuraError
from mensura.pictures.svg import as_svg
from mensura.pictures.view import view_of
from mensura.records.results import StudyResult
from mensura.studies.expand import expand
from mensura.studies.place import Place
from mensura.studies.study import study_from_plain


def first_place(result: StudyResult) -> Place:
    """The first cell of a run with its world and subject made, from which its first environment follows."""
    (first, *_) = expand(study_from_plain(dict(result.study)))
    return Place.of(replace(first, seed=result.root))


def first_view(result: StudyResult) -> tuple[str, tuple[str, ...]]:
    """The first environment of a run as SVG, and what it is in sentences.

    Nothing where it cannot be drawn: an old run is reported although its world or a subject's file is gone.
    """
    try:
        place = first_place(result)
    except MensuraError:
        return "", ()
    if place.cell.world not in {condition.world for condition in result.conditions}:
        return "", ()  # a study that names no version, whose world has a newer one by now
    view = view_of(place.world)
    environment, turn = place.first_environment()
    inside = innermost(environment)
    view.started(inside, turn)
    return as_svg(view.picture(inside, turn), page=True), view.explain(inside)
