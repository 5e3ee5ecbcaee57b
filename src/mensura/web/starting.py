"""Studies that are started from a browser: checked, and run in a process of their own."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from mensura.records.store import NAME
from mensura.web.home import Experimenter
from mensura.web.pages import page, words_for
from mensura.web.refusals import Asked

LARGEST_STUDY = 200_000
"""So many letters a study may have that comes from a browser."""

router = APIRouter(tags=["dashboard"])


class StudyText(Asked):
    """A study file."""

    text: str = Field(max_length=LARGEST_STUDY, description="The study as YAML.")


class NewStudy(StudyText):
    """A study file to be run."""

    name: str = Field(
        default="",
        max_length=100,
        pattern=f"^({NAME.pattern})?$",
        description="How the run is called; as the study where it is left out.",
    )


class Forecast(BaseModel):
    """What a study comes to."""

    name: str
    title: str
    condition_names: list[str] = Field(description="The first conditions, in words.")
    conditions: int
    subjects: int
    cells: int
    sittings: int
    episodes: int
    interactions: int
    seconds: float = Field(description="Roughly how long it takes here.")
    own_code: bool


class Begun(BaseModel):
    """A run that has begun."""

    run: str


class Shipped(BaseModel):
    """A study that comes with Mensura."""

    name: str
    title: str
    text: str


@router.get("/api/studies")
def shipped(request: Request, may: Experimenter) -> list[Shipped]:
    """The studies that come with Mensura, to begin with."""
    from mensura.studies.files import STUDIES, open_study

    found = []
    for name in STUDIES.names():
        file = open_study(STUDIES.load(name))
        found.append(Shipped(name=name, title=file.study.title, text=file.text))
    return found


@router.post("/api/studies/check")
def check(request: Request, may: Experimenter, study: StudyText) -> Forecast:
    """Say what a study will run, or what is wrong with it and in which line. Nothing is played."""
    return Forecast(**request.app.state.jobs.check(study.text))


@router.post("/api/studies", status_code=201)
def start(request: Request, may: Experimenter, study: NewStudy) -> Begun:
    """Run a study, in a process of its own; built-in subjects only, unless the server allows others."""
    name = request.app.state.jobs.start(study.text, study.name)
    request.app.state.follower.forget()
    return Begun(run=name)


@router.get("/studies/new", include_in_schema=False)
def start_page(request: Request, may: Experimenter) -> Response:
    """Where a study is started."""
    return page(
        request, "dashboard/start.html", words=words_for(request).group("dashboard.starting")
    )
