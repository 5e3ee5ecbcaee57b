"""Which tests people can take, and in which worlds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from mensura.agents.person import NAME
from mensura.core.errors import MensuraError
from mensura.core.registry import WORLDS
from mensura.records.cell import PEOPLE
from mensura.studies.expand import places_of
from mensura.studies.place import Place
from mensura.studies.study import Study, study_from_plain
from mensura.web.people.forms import check_form

ASSESSMENTS: Mapping[str, Mapping[str, Any]] = {
    "exercises": {},
    "anytime": {"pace": "person"},
    "adaptive": {"memory": "continuous"},
    "attempts": {"attempts": 10},
}
"""The assessments that people can take, with what suits people where nothing else is said."""


def study_file(
    name: str,
    title: str,
    assessment: str,
    parameters: Mapping[str, Any],
    world: str,
    world_parameters: Mapping[str, Any],
    people: Mapping[str, Any] | None = None,
) -> Study:
    """A study of people as any other is written."""
    given = {**ASSESSMENTS[assessment], **parameters}
    return study_from_plain(
        {
            "mensura": 1,
            "name": name,
            "title": title,
            "subjects": [{"subject": PEOPLE, "name": NAME, "in_process": True, "ask_once": True}],
            "worlds": [{"world": world, "parameters": dict(world_parameters)}],
            "assessments": [{"assessment": assessment, "parameters": given}],
            **({"people": dict(people)} if people else {}),
        }
    )


@cache
def worlds_for(assessment: str) -> tuple[str, ...]:
    """The worlds that people can take an assessment in, as these are by default."""
    return tuple(world for world in WORLDS.names() if _is_playable(assessment, world))


def _is_playable(assessment: str, world: str) -> bool:
    try:
        (place,) = places_of(study_file("any", "", assessment, {"sittings": 1}, world, {}))
        if place.seats != 1:
            return False
        check_showable(place)
    except MensuraError:
        return False
    return True


def check_showable(place: Place) -> None:
    """Refuse a world that people cannot play in."""
    environment, _ = place.first_environment()
    check_form(environment.spaces(0)[1])
    if len(environment.seats) != 1:
        raise MensuraError(
            f"The world has {len(environment.seats)} seats, and a participant is alone: write subjects: 1."
        )
    rights = environment.seats[0].rights - {"tells_good_from_evil"}
    if rights:
        raise MensuraError(
            f"People have no rights to see more than others, and this world gives {', '.join(sorted(rights))}: leave "
            "out what does."
        )
