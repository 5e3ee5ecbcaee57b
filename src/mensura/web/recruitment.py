"""The link that all participants of a study share, and how the experimenter sets who may still come."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mensura.records.store import NAME
from mensura.web.home import Experimenter
from mensura.web.in_turn import InTurn
from mensura.web.participant import count_unknown, not_admitted
from mensura.web.people.admission import counted
from mensura.web.people.joining import change, join, study_of
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.refusals import Asked, Refused

LONGEST_TOKEN = 64

router = APIRouter(tags=["experimenter"], route_class=InTurn)

StudyName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", max_length=200)]


class Recruiting(BaseModel):
    """How people come to a study."""

    link: str = Field(
        description="For everybody, with ID where the recruiting service puts the id; empty in older studies."
    )
    pilot_link: str = Field(description="The same for the pilot, whose data are kept apart.")
    quota: int | None = Field(description="How many may agree to take part.")
    taking_part: int = Field(description="How many of these do, or have finished.")
    ends: str | None = Field(description="Until when somebody may begin.")
    wave: str | None = Field(description="Of those who come from now on.")


class NewRecruiting(Asked):
    """What of it can be changed while a study is under way; what is left out is lifted."""

    quota: int | None = Field(default=None, ge=1, le=100_000)
    ends: str | None = Field(default=None, max_length=40)
    wave: str | None = Field(default=None, max_length=200)


def recruiting_of(request: Request, study: PeopleStudy) -> Recruiting:
    """How people come to a study, with its links."""
    people: People = request.app.state.people
    with people.reading() as connection:
        taking_part = counted(connection, study.id)

    def link(token: str) -> str:
        here = str(request.base_url).rstrip("/")
        return f"{here}/join/{token}?{study.people.parameter}=ID" if token else ""

    return Recruiting(
        link=link(study.token),
        pilot_link=link(study.pilot_token),
        quota=study.people.quota,
        taking_part=taking_part,
        ends=study.people.ends,
        wave=study.people.wave,
    )


@router.get("/api/experimenter/studies/{name}/recruiting")
def recruiting(request: Request, may: Experimenter, name: StudyName) -> Recruiting:
    """The link of a study, and who may still come."""
    return recruiting_of(request, request.app.state.people.study(name))


@router.post("/api/experimenter/studies/{name}/recruiting")
def set_recruiting(
    request: Request, may: Experimenter, name: StudyName, new: NewRecruiting
) -> Recruiting:
    """Set the quota, the end and the wave of a study anew."""
    people: People = request.app.state.people
    change(people, people.study(name), **new.model_dump())
    return recruiting_of(request, people.study(name))


@router.get("/join/{token}", include_in_schema=False)
def join_study(request: Request, token: Annotated[str, Path(max_length=LONGEST_TOKEN)]) -> Response:
    """Somebody comes by the link of a study: to their own pages, new or where they were."""
    people: People = request.app.state.people
    try:
        study, pilot = study_of(people, token)
    except Refused as refused:
        count_unknown(request, refused)
        raise
    given = request.query_params.getlist(study.people.parameter)
    arrival = join(people, study, given[0] if len(given) == 1 else "", pilot=pilot)
    if arrival.why is not None:
        return not_admitted(request, study, arrival.external, arrival.why)
    return RedirectResponse(f"/p/{quote(arrival.code, safe='')}", 303)
