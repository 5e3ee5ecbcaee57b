"""Which tests people can take, and in which worlds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agents.person import NAME
from mensura.core.abilities import phenomena
from mensura.core.contract import Environment
from mensura.core.registry import WORLDS
from mensura.core.yaml_text import Misfit
from mensura.records.cell import PEOPLE
from mensura.studies.conditions import conditions as conditions_of
from mensura.studies.entries import SubjectEntry
from mensura.studies.expand import places_of
from mensura.studies.people import PeopleEntry, TogetherEntry
from mensura.studies.place import Place
from mensura.studies.study import Study, study_from_plain
from mensura.web.people.forms import check_form
from mensura.web.people.probes import check_plan

ASSESSMENTS: Mapping[str, Mapping[str, Any]] = {
    "exercises": {},
    "anytime": {"pace": "person"},
    "adaptive": {"memory": "continuous"},
    "attempts": {"attempts": 10},
    "halves": {},
    "understand": {"questions": 2, "training_episodes": 1},
}
"""The assessments that people can take, with what suits people where nothing else is said."""

OF_WORLD: Mapping[str, Mapping[str, Any]] = {"halves": {"family": "winograd"}}
"""Parameters without which no world has what an assessment needs."""

TOGETHER: Mapping[str, Mapping[str, Any]] = {
    "attempts": {"attempts": 5},
    "battery": {},
    "games": {},
}
"""The same where several play together. Games are conversations."""


def study_file(
    name: str,
    title: str,
    assessment: str,
    parameters: Mapping[str, Any],
    world: str,
    world_parameters: Mapping[str, Any],
    people: Mapping[str, Any] | None = None,
    conditions: Mapping[str, Mapping[str, Any]] | None = None,
) -> Study:
    """A study of people as any other is written; ``conditions``: parameters of the world that differ, by name."""
    worlds = [
        {"world": world, "name": one, "parameters": {**world_parameters, **given}}
        for one, given in (conditions or {}).items()
    ]
    return for_people(
        study_from_plain(
            {
                "mensura": 1,
                "name": name,
                "title": title,
                "subjects": [PEOPLE],
                "worlds": worlds or [{"world": world, "parameters": dict(world_parameters)}],
                "assessments": [{"assessment": assessment, "parameters": dict(parameters)}],
                **({"people": dict(people)} if people else {}),
            }
        )
    )


def for_people(study: Study) -> Study:
    """A study as people take it: they are its subjects, each with one sitting in the places that there are.

    Whatever it says of programs is left out, and its conditions are those of people; :class:`Misfit` says what people
    cannot do, and where it stands.
    """
    people = study.people or PeopleEntry()
    if study.repetitions > 1:
        raise Misfit(
            ("repetitions",),
            "Nobody takes a test twice: leave repetitions out, and say how many places there are.",
        )
    for i, factor in enumerate(study.factors):
        if any(level.subject for level in factor.levels):
            raise Misfit(
                ("factors", i),
                f"The factor {factor.name} names subjects, and people are the subjects here.",
            )
    known = ASSESSMENTS if people.together is None else TOGETHER
    assessments = []
    for i, one in enumerate(study.assessments):
        if one.assessment not in known:
            where = "" if people.together is None else " together"
            raise Misfit(
                ("assessments", i),
                f"People cannot take the assessment {one.assessment!r}{where}; "
                f"{neighbors(one.assessment, list(known))}",
            )
        if one.parameters.get("memory") == "fresh":
            raise Misfit(
                ("assessments", i, "parameters", "memory"),
                "People cannot forget, so memory is continuous in a study of them.",
            )
        if people.clock is not None and one.parameters.get("seconds") is not None:
            raise Misfit(
                ("people", "clock"),
                "Time counts in this assessment already, and people are not told how much; leave the clock out.",
            )
        given = {**known[one.assessment], **one.parameters, "sittings": _sittings(people)}
        assessments.append(one.model_copy(update={"parameters": given}))
    them: tuple[SubjectEntry, ...] = (
        SubjectEntry(subject=PEOPLE, name=NAME, in_process=True, ask_once=True),
    )
    if people.together is not None:
        them = tuple(
            SubjectEntry(subject=address, name=name, ask_once=True)
            for address, name in _together(people.together)
        )
    alone = study.model_copy(
        update={
            "subjects": them,
            "assessments": tuple(assessments),
            "published": (),
            "figures": (),
            "statistics": (),
            "claims": (),
        }
    )
    names = [one.text for one in conditions_of(alone)]
    rooms = 1 if people.together is None else max(1, len(people.together.machines))
    if people.together is not None and len(names) > rooms:
        raise Misfit(
            ("people", "together"),
            f"Rooms are in one condition, and this study has {len(names)}: make a study of each.",
        )
    for name in people.quotas:
        if name not in names:
            raise Misfit(
                ("people", "quotas", name),
                f"There is no condition {name!r} in this study; {neighbors(name, names)}",
            )
    return alone


def _sittings(people: PeopleEntry) -> int:
    """How many sittings there may be: one for each participant, or in conversations for each of their games."""
    if people.together is None:
        return people.places
    return people.places * people.together.games * max(1, len(people.together.machines))


def _together(entry: TogetherEntry) -> list[tuple[str, str]]:
    """The addresses of those who sit in a room, and how reports call them: one for each machine."""
    made = []
    for programs in entry.machines or (entry.programs,):
        more = "" if programs is None else f"+{programs}"
        made.append((f"{PEOPLE}*{entry.people}{more}", f"{NAME}*{entry.people}{more}"))
    return made


@cache
def worlds_for(assessment: str) -> tuple[str, ...]:
    """The worlds that people can take an assessment in, as these are by default."""
    return tuple(world for world in WORLDS.names() if _is_playable(assessment, world))


def _is_playable(assessment: str, world: str) -> bool:
    try:
        given = OF_WORLD.get(assessment, {})
        (place,) = places_of(study_file("any", "", assessment, {}, world, given, {"places": 1}))
        if place.seats != 1:
            return False
        check_showable(place, place.example())
    except MensuraError:
        return False
    return True


def check_showable(place: Place, environment: Environment) -> None:
    """Refuse a world that people cannot play in; ``environment`` is one of the place."""
    check_form(environment.spaces(0)[1])
    if place.asks_questions:
        (system, *_) = [one.system for one in phenomena(place.world)]
        check_plan(environment.spaces(0)[1], system.length)
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
