"""The experimenter's area: studies for people, links to hand out, progress, exports, and deleting for good.

Participants are pseudonyms here. Codes are shown once, when they are made: only their hashes are kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import MISSING
from functools import partial
from time import monotonic
from typing import Annotated, Any, Literal, get_type_hints

from anyio import from_thread
from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from mensura.agent.errors import MensuraError
from mensura.core.abilities import parameters
from mensura.core.registry import ASSESSMENTS, WORLDS
from mensura.core.yaml_text import Form, parse_yaml
from mensura.records.store import NAME
from mensura.studies.entries import SubjectEntry
from mensura.studies.expand import places_of
from mensura.studies.files import parse_study
from mensura.studies.misfits import type_in_words
from mensura.studies.study import Study
from mensura.web.allowed import check_allowed
from mensura.web.consent import consent_texts
from mensura.web.desk import STREAM_SECONDS, event, events
from mensura.web.home import Experimenter
from mensura.web.page_texts import languages
from mensura.web.pages import page, words_for
from mensura.web.participant import leave
from mensura.web.people.fitting import for_people, worlds_for
from mensura.web.people.participants import Participant
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.recruitment import recruiting_of
from mensura.web.refusals import Asked, Refused
from mensura.web.seeds import Seed, seed_of

MOST_INVITED = 1000
"""So many participants are invited at a time."""

FOR_PEOPLE = ("exercises", "anytime", "adaptive", "attempts", "halves", "understand")
"""The assessments that people can take."""

NOT_CHOSEN = {"sittings", "measure", "memory", "pace"}
"""Parameters of assessments that a study for people settles itself."""

DEFAULT_WORLD = "lambda-v1"

PAUSE = 2.0
"""Seconds between looks at how far participants are; longer where a look takes long."""

router = APIRouter(tags=["experimenter"])

StudyName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", max_length=200)]
Number = Annotated[int, Path(ge=0, le=10**9)]


# What the API tells ------------------------------------------------------------------------------


class NewPeopleStudy(Asked):
    """A study for people; left as it is, the exercises of chapter 6 of Insa-Cabrera (2011)."""

    name: str = Field(
        pattern=f"^{NAME.pattern}$",
        max_length=64,
        description="Safe as the name of a file; also that of its run.",
    )
    title: str = Field(default="", max_length=200, description="A line on what it is.")
    assessment: Literal["exercises", "anytime", "adaptive", "attempts", "halves", "understand"] = (
        "exercises"
    )
    parameters: dict[str, Any] = Field(
        default_factory=dict, max_length=50, description="Of the assessment, where they differ."
    )
    world: str = Field(default=DEFAULT_WORLD, max_length=100)
    world_parameters: dict[str, Any] = Field(
        default_factory=dict, max_length=100, description="Of the world, where they differ."
    )
    places: int = Field(default=50, ge=1, le=100_000, description="How many may take part.")
    theme: Literal["colors", "neutral"] = "colors"
    language: str = Field(default="", max_length=10, description="Empty: each participant's own.")
    people: dict[str, Any] = Field(
        default_factory=dict,
        max_length=50,
        description="How people take part, as below `people:` in a study file.",
    )
    people_text: str = Field(
        default="",
        max_length=100_000,
        description="More of the same as YAML, as it is written in a study file; what is said twice is as above.",
    )
    conditions: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        max_length=50,
        description="Conditions by name, each with parameters of the world that differ in it; one if left out.",
    )
    conditions_text: str = Field(
        default="",
        max_length=20_000,
        description="The same as YAML: a name and its parameters on each line.",
    )
    seed: Seed = Field(default="", description="The root of all draws; fresh where it is empty.")


class StudyText(Asked):
    """A study file."""

    text: str = Field(
        max_length=500_000,
        description="As YAML, with `people:`; its worlds, assessments and factors are the conditions.",
    )


class PeopleStudyFacts(BaseModel):
    """A study for people."""

    name: str
    title: str
    assessment: str
    parameters: dict[str, Any]
    world: str
    world_parameters: dict[str, Any]
    places: int
    created: str
    closed: bool
    theme: str
    language: str
    conditions: list[str] = Field(description="The names of its conditions.")


class ParticipantFacts(BaseModel):
    """How far a participant is."""

    number: int
    pseudonym: str
    state: Literal["invited", "consented", "playing", "finished", "withdrawn", "screened"]
    exercise: int
    exercises: int
    answered: int
    started: str
    last: str
    score: float | None
    external: str | None = Field(description="The id that they joined with.")
    wave: str | None = Field(description="The wave in which they came.")
    conditions: list[str] = Field(
        description="The conditions that they go through, in order; none where there is but one."
    )
    pilot: bool = Field(description="Whether they are kept apart from the results.")
    excluded: str | None = Field(
        description="Why they were screened out, or which checks they failed."
    )
    consented: str | None = Field(description="When they agreed.")
    consent_version: int | None = Field(
        description="What they agreed to; 0 is the text of the pages."
    )
    reuse: bool | None = Field(
        description="Whether what they do may be used further; null where they were not asked."
    )


class Count(Asked):
    """How many."""

    count: int = Field(ge=1, le=MOST_INVITED, description="How many participants to invite.")
    pilot: bool = Field(default=False, description="Whether their data are kept apart.")


class Invitation(BaseModel):
    """A participant with the code that is shown only now."""

    number: int
    pseudonym: str
    code: str
    link: str


class ParameterChoice(BaseModel):
    """A parameter that can be set."""

    name: str
    default: str = Field(description="As it would be typed.")
    type: str = Field(description="What it may be, in words.")


class Forgotten(BaseModel):
    """Whose data is gone."""

    pseudonym: str


def _people(request: Request) -> People:
    people: People = request.app.state.people
    return people


def _study_facts(study: PeopleStudy) -> PeopleStudyFacts:
    named = {name: getattr(study, name) for name in PeopleStudyFacts.model_fields}
    return PeopleStudyFacts(**{**named, "conditions": list(study.conditions)})


def _participant_facts(study: PeopleStudy, one: Participant) -> ParticipantFacts:
    names = set(ParticipantFacts.model_fields) - {"conditions"}
    return ParticipantFacts(
        **{name: getattr(one, name) for name in names},
        conditions=list(study.conditions_on(one.course)),
    )


# Studies -----------------------------------------------------------------------------------------


@router.get("/api/experimenter/studies")
def studies(request: Request, may: Experimenter) -> list[PeopleStudyFacts]:
    """All studies for people, the newest first."""
    return [_study_facts(one) for one in _people(request).studies()]


@router.post("/api/experimenter/studies", status_code=201)
def create(request: Request, may: Experimenter, new: NewPeopleStudy) -> PeopleStudyFacts:
    """Make a study that people can be invited to."""
    seed = seed_of(new.seed) if new.seed else None
    more = _read("people", new.people_text)
    conditions = {**_read("conditions", new.conditions_text), **new.conditions}
    for name, given in conditions.items():
        if not isinstance(given, dict):
            raise MensuraError(f"conditions: {name} is a name with parameters, as {{cells: 5}}.")
    given = new.model_dump(exclude={"people_text", "conditions_text"})
    given |= {"people": {**more, **new.people}, "conditions": conditions}
    allowed = request.app.state.settings.allowed
    check = partial(_check_named, allowed=allowed)
    made = _people(request).create(**{**given, "seed": seed}, check=check)
    request.app.state.follower.forget()
    return _study_facts(made)


def _read(field: str, text: str) -> dict[str, Any]:
    """A part of a study file; the line with its name may stand before it."""
    if not text.strip():
        return {}
    data, _ = parse_yaml(text, field, Form("study", "names with values", 100_000, 10_000))
    if isinstance(data, dict) and set(data) == {field}:
        data = data[field]
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        example = "before: [...]" if field == "people" else "easy: {cells: 3}"
        raise MensuraError(f"{field} is a mapping with names, as in a study file: {example}.")
    return data


@router.post("/api/experimenter/study-files", status_code=201)
def create_from_file(request: Request, may: Experimenter, new: StudyText) -> PeopleStudyFacts:
    """Make a study from a study file: people take what programs take, and what it says of programs is left out."""
    made = _people(request).begin(study_from_text(new.text, request.app.state.settings.allowed))
    request.app.state.follower.forget()
    return _study_facts(made)


def study_from_text(text: str, allowed: Sequence[str] = ()) -> Study:
    """The study of people that the text of a study file describes; what is wrong is told with its line."""
    file = parse_study(text, "study.yaml")
    with file.located():
        study = for_people(file.study)
        _check_named(study, allowed)
        list(places_of(study))
        return study


def _check_named(study: Study, allowed: Sequence[str]) -> None:
    """Refuse a study that names code or files of the server, as those that are started from a browser are."""
    together = None if study.people is None else study.people.together
    named = [] if together is None else [together.programs, together.fill, *together.machines]
    programs = tuple(SubjectEntry(subject=one) for one in named if one is not None)
    check_allowed(study.model_copy(update={"subjects": programs}), allowed)


@router.get("/api/experimenter/worlds")
def worlds(
    request: Request,
    may: Experimenter,
    assessment: Literal["exercises", "anytime", "adaptive", "attempts", "halves", "understand"],
) -> list[str]:
    """The worlds that people can take an assessment in as they are, the usual one first."""
    return sorted(worlds_for(assessment), key=lambda name: name != DEFAULT_WORLD)


@router.get("/api/experimenter/worlds/{world}/parameters")
def world_parameters(
    may: Experimenter, world: Annotated[str, Path(max_length=100)]
) -> list[ParameterChoice]:
    """The parameters of a world that a study for people can set."""
    return _choices(WORLDS.load(world), set())


@router.get("/api/experimenter/studies/{name}")
def study(request: Request, may: Experimenter, name: StudyName) -> PeopleStudyFacts:
    """One study for people."""
    return _study_facts(_people(request).study(name))


@router.post("/api/experimenter/studies/{name}/close")
def close_study(request: Request, may: Experimenter, name: StudyName) -> PeopleStudyFacts:
    """Let nobody begin any more; whoever has begun can go on."""
    people = _people(request)
    people.close(people.study(name))
    request.app.state.follower.forget()
    return _study_facts(people.study(name))


@router.post("/api/experimenter/studies/{name}/invitations", status_code=201)
def invite(request: Request, may: Experimenter, name: StudyName, count: Count) -> list[Invitation]:
    """Invite participants; their codes are shown here and never again."""
    people = _people(request)
    return [
        Invitation(
            number=one.number,
            pseudonym=one.pseudonym,
            code=code,
            link=f"{str(request.base_url).rstrip('/')}/p/{code}",
        )
        for one, code in people.invite(people.study(name), count.count, pilot=count.pilot)
    ]


@router.get("/api/experimenter/studies/{name}/participants")
def participants(request: Request, may: Experimenter, name: StudyName) -> list[ParticipantFacts]:
    """How far everybody is."""
    people = _people(request)
    found = people.study(name)
    return [_participant_facts(found, one) for one in people.participants(found)]


@router.delete("/api/experimenter/studies/{name}/participants/{number}")
def forget(
    request: Request,
    may: Experimenter,
    name: StudyName,
    number: Number,
    pseudonym: Annotated[
        str, Query(max_length=100, description="Of the same participant, so that nobody errs.")
    ],
) -> Forgotten:
    """Delete all data of a participant, for good."""
    people = _people(request)
    found = people.study(name)
    one = next((one for one in people.participants(found) if one.number == number), None)
    if one is None:
        raise Refused(404, f"The study {name} has no participant {number}.")
    if one.pseudonym != pseudonym:
        raise Refused(
            409, f"The participant {number} is not called {pseudonym!r}; nothing is deleted."
        )
    # Sittings live in the event loop's thread.
    from_thread.run(leave, request, one, lambda: people.forget(found, number))
    request.app.state.follower.forget()
    request.app.state.reports.clear()
    return Forgotten(pseudonym=pseudonym)


@router.get(
    "/api/experimenter/studies/{name}/progress",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Events."}},
)
async def progress(request: Request, may: Experimenter, name: StudyName) -> Response:
    """Server-sent events: `participant` with how far somebody is whenever that changes, `gone` with a number.

    A stream lasts a minute and begins with everybody; then ask again.
    """
    await asyncio.to_thread(_people(request).study, name)
    return await events(request, _changes(request, name))


async def _changes(request: Request, name: str) -> AsyncIterator[str]:
    sent: dict[int, str] = {}
    until = monotonic() + STREAM_SECONDS
    while monotonic() < until and not await request.is_disconnected():
        begun = monotonic()
        try:
            found = await asyncio.to_thread(participants, request, True, name)
        except Refused:
            return
        now = {one.number: one.model_dump_json() for one in found}
        for number, text in now.items():
            if sent.get(number) != text:
                yield event("participant", text)
        for number in sent.keys() - now.keys():
            yield event("gone", str(number))
        sent = now
        yield ": as far as it is\n\n"
        await asyncio.sleep(max(PAUSE, 10.0 * (monotonic() - begun)))


# Pages -------------------------------------------------------------------------------------------


def _choices(kind: Any, without: set[str] = NOT_CHOSEN) -> list[ParameterChoice]:
    hints = get_type_hints(kind)
    return [
        ParameterChoice(
            name=name,
            default="" if one.default is MISSING or one.default is None else _shown(one.default),
            type=_type(one, hints[name]),
        )
        for name, one in parameters(kind).items()
        if one.init and name not in without
    ]


def _type(field: Any, hint: Any) -> str:
    """What a parameter may be: one of some words, or anything of its type."""
    among = field.metadata.get("choices")
    return ", ".join(map(str, among)) if among else type_in_words(hint)


def _shown(value: Any) -> str:
    """A default as it would be typed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return f"[{', '.join(_shown(one) for one in value)}]"
    return str(value)


@router.get("/experimenter", include_in_schema=False)
def studies_page(request: Request, may: Experimenter) -> Response:
    """All studies for people."""
    people = _people(request)
    rows = []
    for one in people.studies():
        states = [who.state for who in people.participants(one) if not who.pilot]
        rows.append((one, len(states), states.count("finished")))
    return page(request, "experimenter/studies.html", studies=rows)


@router.get("/experimenter/new", include_in_schema=False)
def new_page(request: Request, may: Experimenter) -> Response:
    """Where a study for people is made."""
    words = words_for(request)
    return page(
        request,
        "experimenter/new.html",
        assessments={name: _choices(ASSESSMENTS.load(name)) for name in FOR_PEOPLE},
        abouts=words.group("experimenter.assessments"),
        world=DEFAULT_WORLD,
        world_choices=_choices(WORLDS.load(DEFAULT_WORLD), set()),
        codes=languages(),
        words=words.group("experimenter.live"),
    )


@router.get("/experimenter/{name}", include_in_schema=False)
def study_page(request: Request, may: Experimenter, name: StudyName) -> Response:
    """One study for people."""
    people = _people(request)
    found = people.study(name)
    return page(
        request,
        "experimenter/study.html",
        study=found,
        talks=people.talks(found.id),
        recruiting=recruiting_of(request, found),
        consent=consent_texts(request, may, name),
        participants=[
            _participant_facts(found, one).model_dump() for one in people.participants(found)
        ],
        words=words_for(request).group("experimenter.live"),
    )
