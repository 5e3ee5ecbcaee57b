"""Transcripts: what language models were sent and answered in a run, for the experimenter."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from markupsafe import Markup
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from mensura.web import transcript_readings as readings
from mensura.web.desk import RunName, facts_of, worked_out
from mensura.web.home import Experimenter
from mensura.web.pages import page, phrases_for, words_for
from mensura.web.refusals import Asked

LARGEST = 10**12
"""No number of a sitting or of a step is larger."""

LONGEST_TEXT = 200
"""So many letters can be searched for."""

router = APIRouter(tags=["transcripts"])

Number = Annotated[int, Path(ge=0, le=LARGEST, description="Which sitting of the run, from 0.")]


class SittingsAsked(Asked):
    """Which sittings."""

    first: int = Field(
        default=0, ge=0, le=LARGEST, description="The number of the sitting to begin with."
    )


class SearchAsked(SittingsAsked):
    """What to find, and where."""

    text: str = Field(
        min_length=1, max_length=LONGEST_TEXT, description="What to find, capitals or not."
    )


class StepsAsked(Asked):
    """Which steps."""

    first: int = Field(
        default=0, ge=0, le=LARGEST, description="The number of the step to begin with."
    )


class PageAsked(SittingsAsked):
    """Which sittings, or what to find in them."""

    text: str = Field(default="", max_length=LONGEST_TEXT)


# What the API tells ------------------------------------------------------------------------------


class SittingRow(BaseModel):
    """A sitting that has a transcript."""

    number: int = Field(description="Its number in the run.")
    subject: str
    condition: str
    answers: int = Field(description="How many answers were given, faults included.")
    repaired: int = Field(description="How many of them only after the first was no action.")
    faults: int
    score: float | None


class Sittings(BaseModel):
    """Some of the sittings that have a transcript."""

    rows: list[SittingRow]
    next: int | None = Field(description="Which sitting to go on with; null after the last.")


class Added(BaseModel):
    """A text that was new in a conversation."""

    what: Literal["system", "told", "first answer", "reasoning", "answer"]
    text: str


class ExchangeShown(BaseModel):
    """What a model was sent for one answer, and what came back."""

    kind: Literal["tell", "act"]
    requests: list[list[dict[str, Any]]] = Field(
        description="The messages of each request, exactly as they were sent: the second one asks to repair the answer."
    )
    answer: dict[str, Any] = Field(
        description="Text, call, reasoning, usage, and what the service said of the answer."
    )
    added: list[Added] = Field(description="What of it was new in the conversation, in order.")


class InteractionShown(BaseModel):
    """One seat in one step."""

    step: int = Field(description="From 0, through all episodes of the sitting.")
    episode: int = Field(description="From 0.")
    interaction: int = Field(description="From 0 in each episode.")
    seat: int
    asked: bool = Field(description="Whether it was asked: who has broken too often is not.")
    exchanges: list[ExchangeShown]
    fault: str = Field(description="What was wrong with the answer; empty if nothing was.")
    action: Any = Field(description="What was played.")
    reward: float | None
    seconds: float | None = Field(description="How long the answer took.")
    svg: str = Field(description="What the seat could see, as a picture; empty if there is none.")


class EpisodeShown(BaseModel):
    """An episode of a sitting."""

    training: bool
    mean_reward: float | None


class Steps(BaseModel):
    """Some steps of a sitting, word for word."""

    run: str
    number: int
    subject: str
    condition: str
    score: float | None
    identical: bool = Field(
        description="Whether playing it again gave the recorded rewards; else these may not be the words."
    )
    steps: int = Field(description="How many there are.")
    seats: int
    episodes: list[EpisodeShown]
    interactions: list[InteractionShown]
    first: int = Field(description="The step that these begin with.")
    previous: int | None = Field(description="Which step to begin with to see those before.")
    next: int | None = Field(description="Which step to go on with; null after the last.")


class MatchRow(BaseModel):
    """Where a text was found."""

    number: int = Field(description="The sitting.")
    step: int = Field(description="From 0, through all episodes of the sitting.")
    sequence: int = Field(description="The episode, from 0.")
    interaction: int = Field(description="From 0 in each episode.")
    seat: int
    where: Literal["told", "first answer", "reasoning", "answer"]
    excerpt: str


class Matches(BaseModel):
    """Where a text was found, as far as was searched."""

    rows: list[MatchRow]
    next: int | None = Field(description="Which sitting to go on with; null after the last.")
    left_out: int = Field(description="How many more there were in these sittings, not listed.")


# Operations --------------------------------------------------------------------------------------


@router.get("/api/runs/{name}/transcripts")
async def sittings(
    request: Request, may: Experimenter, name: RunName, asked: Annotated[SittingsAsked, Query()]
) -> Sittings:
    """The sittings of a run in which a language model was assessed."""
    await asyncio.to_thread(facts_of, request, name)
    return Sittings(**await worked_out(request, readings.sittings, name, asked.first))


@router.get("/api/runs/{name}/transcripts/search")
async def search(
    request: Request, may: Experimenter, name: RunName, asked: Annotated[SearchAsked, Query()]
) -> Matches:
    """Find a text in what language models were told, answered and reasoned in a run.

    A search that takes long, or finds much, pauses: `next` says where to go on.
    """
    await asyncio.to_thread(facts_of, request, name)
    found = await worked_out(request, readings.matches, name, asked.text, asked.first)
    return Matches(**found)


@router.get("/api/runs/{name}/transcripts/{number}")
async def steps(
    request: Request,
    may: Experimenter,
    name: RunName,
    number: Number,
    asked: Annotated[StepsAsked, Query()],
) -> Steps:
    """Some steps of a sitting: messages exactly as sent, replies, reasoning, repairs, faults, rewards, pictures."""
    await asyncio.to_thread(facts_of, request, name)
    return Steps(**await worked_out(request, readings.steps, name, number, asked.first))


# Pages -------------------------------------------------------------------------------------------


@router.get("/runs/{name}/transcripts", include_in_schema=False)
async def sittings_page(
    request: Request, may: Experimenter, name: RunName, asked: Annotated[PageAsked, Query()]
) -> Response:
    """The sittings of a run, or where a text was said in them."""
    found: Sittings | Matches
    if asked.text:
        found = await search(request, True, name, SearchAsked(text=asked.text, first=asked.first))
    else:
        found = await sittings(request, True, name, SittingsAsked(first=asked.first))
    return page(
        request,
        "dashboard/transcripts.html",
        run=name,
        found=found,
        text=asked.text,
        most=LONGEST_TEXT,
        what=words_for(request).group("dashboard.transcripts.what"),
    )


@router.get("/runs/{name}/transcripts/{number}", include_in_schema=False)
async def steps_page(
    request: Request,
    may: Experimenter,
    name: RunName,
    number: Number,
    asked: Annotated[StepsAsked, Query()],
) -> Response:
    """One sitting, step by step."""
    found = (await steps(request, True, name, number, asked)).model_dump()
    say = phrases_for(request)
    for one in found["interactions"]:
        one["svg"] = Markup(say.picture(one["svg"]))
    return page(
        request,
        "dashboard/transcript.html",
        run=name,
        sitting=found,
        text="",
        most=LONGEST_TEXT,
        what=words_for(request).group("dashboard.transcripts.what"),
    )


def page_alone(sittings: list[dict[str, Any]], run: str) -> str:
    """Sittings as one page that stands alone: no script, nothing loaded, in English.

    ``sittings`` are as :func:`mensura.web.transcript_readings.shown` gives them.
    """
    from mensura.web.page_texts import DEFAULT, Words
    from mensura.web.pages import alone

    pictured = [
        {
            **one,
            "interactions": [{**each, "svg": Markup(each["svg"])} for each in one["interactions"]],
        }
        for one in sittings
    ]
    words = Words(DEFAULT)
    return alone(
        "dashboard/transcripts_alone.html",
        ("style.css",),
        words,
        run=run,
        sittings=pictured,
        what=words.group("dashboard.transcripts.what"),
    )
