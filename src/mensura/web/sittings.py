"""Sittings of a run: their paths, their faults by cause, and a viewer of their episodes, for the experimenter."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from mensura.web import sitting_readings as readings
from mensura.web.desk import RunName, facts_of, worked_out
from mensura.web.home import Experimenter
from mensura.web.pages import page, phrases_for, words_for
from mensura.web.refusals import Asked
from mensura.web.security import BOXED

LARGEST = 10**12
"""No number of a sitting or of a step is larger."""

router = APIRouter(tags=["sittings"])

Number = Annotated[int, Path(ge=0, le=LARGEST, description="Which sitting of the run, from 0.")]


class SittingsWanted(Asked):
    """Which sittings."""

    subject: str = Field(default="", max_length=1000, description="Of this subject only.")
    first: int = Field(default=0, ge=0, le=LARGEST, description="How many of them to leave out.")


class StepsWanted(Asked):
    """Which steps."""

    first: int = Field(default=0, ge=0, le=LARGEST, description="The step to begin with, from 0.")


class SittingPath(BaseModel):
    """A sitting that is done."""

    number: int = Field(description="Its number in the run.")
    subject: str
    condition: str
    score: float | None
    episodes: int = Field(description="Assessed episodes that were kept.")
    faults: int
    seconds: float | None = Field(description="How long the subject took over its answers.")
    path: list[float | None] = Field(
        description="The mean reward so far after each assessed episode, thinned out where there are many."
    )


class SittingPaths(BaseModel):
    """Some of the sittings that are done."""

    rows: list[SittingPath]
    sittings: int = Field(description="How many there are to be, of this subject or of all.")
    first: int
    next: int | None = Field(description="How many to leave out to go on; null after the last.")


class FaultCause(BaseModel):
    """Faults of a subject that are alike."""

    subject: str
    condition: str
    kind: str = Field(description="raised, late, illegal, died or garbled.")
    detail: str = Field(description="What happened the first time.")
    times: int
    number: int = Field(description="The first sitting with such a fault.")


class EpisodeOfSitting(BaseModel):
    """An episode of a sitting."""

    training: bool
    mean_reward: float | None
    first: int = Field(description="Its first step in the sitting.")


class Seen(BaseModel):
    """One seat in one step."""

    step: int = Field(description="From 0, through all episodes of the sitting.")
    episode: int = Field(description="From 0.")
    interaction: int = Field(description="From 0 in each episode.")
    seat: int
    observation: Any
    heard: dict[str, Any] = Field(description="What others told before it acted, by seat.")
    system: str = Field(description="Of a language model: what it was told of the whole episode.")
    prompt: str = Field(description="Of a language model: what this interaction added.")
    reply: str = Field(description="Of a language model: what it wrote back.")
    asked: bool = Field(description="Whether it was asked: who has broken too often is not.")
    answer: Any
    action: Any = Field(description="What was played.")
    fault: str = Field(description="What was wrong with the answer; empty if nothing was.")
    reward: float | None
    seconds: float | None = Field(description="How long the answer took.")
    svg: str = Field(description="What the seat could see, as a picture; empty if there is none.")


class SittingSteps(BaseModel):
    """Some steps of a sitting, played again."""

    run: str
    number: int
    subject: str
    condition: str
    score: float | None
    hindrance: str = Field(
        default="", description="Why no steps are shown, in a sentence; else empty."
    )
    identical: bool = Field(
        default=True, description="Whether playing it again gave the recorded rewards."
    )
    in_words: bool = Field(
        default=False, description="Whether a language model plays, so that there is a transcript."
    )
    has_page: bool = Field(
        default=False, description="Whether its episodes have pages of their own to step through."
    )
    printed: str = Field(description="What the subject printed, shortened; empty where nothing.")
    seats: int = 0
    steps: int = Field(default=0, description="How many there are.")
    first: int = Field(default=0, description="The step that these begin with.")
    next: int | None = Field(
        default=None, description="Which step to go on with; null after the last."
    )
    episodes: list[EpisodeOfSitting] = []
    path: list[list[float | None]] = Field(
        default=[],
        description="Steps, and the mean reward of assessed episodes up to each; thinned out where there are many.",
    )
    interactions: list[Seen] = []


@router.get("/api/runs/{name}/sittings")
async def sittings(
    request: Request, may: Experimenter, name: RunName, asked: Annotated[SittingsWanted, Query()]
) -> SittingPaths:
    """The sittings of a run that are done, with the path of the score of each."""
    await asyncio.to_thread(facts_of, request, name)
    found = await worked_out(request, readings.listed, name, asked.subject, asked.first)
    return SittingPaths(**found)


@router.get("/api/runs/{name}/faults")
async def faults(request: Request, may: Experimenter, name: RunName) -> list[FaultCause]:
    """The faults of a run by cause, the most frequent first."""
    await asyncio.to_thread(facts_of, request, name)
    return [FaultCause(**one) for one in await worked_out(request, readings.causes, name)]


@router.get("/api/runs/{name}/sittings/{number}")
async def steps(
    request: Request,
    may: Experimenter,
    name: RunName,
    number: Number,
    asked: Annotated[StepsWanted, Query()],
) -> SittingSteps:
    """Some steps of a sitting, played again: picture, observation, answer, reward and thought time of each."""
    await asyncio.to_thread(facts_of, request, name)
    found = await worked_out(request, readings.steps, name, number, asked.first)
    say = phrases_for(request)
    for one in found.get("interactions", ()):
        one["svg"] = say.picture(one["svg"])
    return SittingSteps(**{**found, "hindrance": say(found.get("hindrance", ""))})


@router.get("/runs/{name}/sittings/{number}/episodes/{episode}", include_in_schema=False)
async def episode(
    request: Request, may: Experimenter, name: RunName, number: Number, episode: Number
) -> Response:
    """The page of an episode, counted from 0, as its world makes one."""
    await asyncio.to_thread(facts_of, request, name)
    text = await worked_out(request, readings.episode, name, number, episode)
    return HTMLResponse(text, headers={"content-security-policy": BOXED})


@router.get("/runs/{name}/sittings/{number}", include_in_schema=False)
def viewer(request: Request, may: Experimenter, name: RunName, number: Number) -> Response:
    """The viewer of a sitting's episodes."""
    facts_of(request, name)
    return page(
        request,
        "dashboard/viewer.html",
        run=name,
        number=number,
        words=words_for(request).group("dashboard.viewer"),
    )
