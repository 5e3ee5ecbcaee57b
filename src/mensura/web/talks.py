"""Conversations on the web: what a seat is shown and does, events as they happen, and what the experimenter sees."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from mensura.records.store import NAME
from mensura.web.desk import STREAM_SECONDS, event
from mensura.web.home import Experimenter
from mensura.web.pages import page, phrases_for
from mensura.web.participant import Code, count_unknown
from mensura.web.people.rooms.parlor import Parlor, as_json
from mensura.web.people.studies import People
from mensura.web.refusals import Refused

router = APIRouter(tags=["talks"])

StudyName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", max_length=200)]
Number = Annotated[int, Path(ge=0, le=10**9)]


def open(app: FastAPI) -> None:
    """Before the application serves."""
    app.state.parlor = Parlor(app.state.people)


class Done(BaseModel):
    """What somebody does in a conversation."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(
        pattern="^[A-Za-z0-9-]{8,64}$",
        description="A name of its own that the page has drawn: sent again, it is taken once.",
    )
    action: Any = Field(
        description="Of a witness, a text. Of a judge, a record with kind, channel, text, choice and value."
    )


@router.get("/api/talks/{code}/state")
async def state(request: Request, code: Code) -> Response:
    """What a participant is shown now: the waiting room, or their seat; whoever asks is there."""
    return await _told(request, request.app.state.parlor.state(code))


@router.post("/api/talks/{code}/doings")
async def do(request: Request, code: Code, done: Done) -> Response:
    """Say something, move a slider, mark a message, or give a verdict; it is safe when this is answered."""
    if not request.app.state.actions.allows(code):
        raise Refused(429, "Too many actions at once; wait a moment.")
    return await _told(request, request.app.state.parlor.do(code, done.id, done.action))


class Trait(BaseModel):
    """What somebody says of themselves before a game that is about a trait."""

    model_config = ConfigDict(extra="forbid")

    has: bool = Field(description="Whether they have it. It is kept only until a game begins.")


@router.post("/api/talks/{code}/trait")
async def describe(request: Request, code: Code, trait: Trait) -> Response:
    """Say whether one has the trait that games are about."""
    return await _told(request, request.app.state.parlor.describe(code, trait.has))


@router.post("/api/talks/{code}/report", status_code=204)
async def report(request: Request, code: Code) -> Response:
    """Close the room at once; the experimenter can look at what was said in it."""
    await request.app.state.parlor.report(code)
    return Response(status_code=204)


class Next(BaseModel):
    """What comes after a game."""

    more: bool = Field(description="Whether there is another game to wait for.")


@router.post("/api/talks/{code}/next")
async def next_game(request: Request, code: Code) -> Next:
    """Go on from a game that is over."""
    return Next(more=await request.app.state.parlor.next(code))


@router.get(
    "/api/talks/{code}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Events."}},
)
async def follow(request: Request, code: Code) -> Response:
    """Server-sent events: `talk` with what the participant is shown, whenever that changes.

    A stream lasts a minute or two; then ask again.
    """
    parlor: Parlor = request.app.state.parlor
    await _told(request, parlor.state(code))
    return StreamingResponse(
        _changes(request, parlor, code),
        media_type="text/event-stream",
        headers={"x-accel-buffering": "no"},
    )


async def _changes(request: Request, parlor: Parlor, code: str) -> AsyncIterator[str]:
    # Not all at once: those who came together would come again together.
    until = monotonic() + STREAM_SECONDS * (1.0 + secrets.randbelow(1000) / 1000.0)
    yield "retry: 1000\n\n"
    try:
        async for told in parlor.events(code):
            yield event("talk", as_json(_in_words(request, told)))
            if monotonic() > until or await request.is_disconnected():
                return
    except Refused:
        return


async def _told(request: Request, work: Any) -> Response:
    try:
        told = _in_words(request, await work)
    except Refused as refused:
        count_unknown(request, refused)
        raise
    return Response(as_json(told), media_type="application/json")


def _in_words(request: Request, told: dict[str, Any]) -> dict[str, Any]:
    """What is shown, with what the world says at the end in the participant's language."""
    if not told.get("page", {}).get("truth"):
        return told
    say = phrases_for(request)
    return {**told, "page": {**told["page"], "truth": say(told["page"]["truth"])}}


# The experimenter ----------------------------------------------------------------------


@router.get("/experimenter/{name}/rooms/{number}", include_in_schema=False)
def watch_page(request: Request, may: Experimenter, name: StudyName, number: Number) -> Response:
    """A room as the experimenter watches it."""
    people: People = request.app.state.people
    return page(request, "experimenter/talk.html", study=people.study(name), number=number)


@router.get("/api/experimenter/studies/{name}/talks/{number}")
async def watch(
    request: Request, may: Experimenter, name: StudyName, number: Number
) -> dict[str, Any]:
    """What is said in a room, as its judge reads it."""
    people: People = request.app.state.people
    parlor: Parlor = request.app.state.parlor
    study = people.study(name)
    if not people.talks(study.id):
        raise Refused(404, "This study has no conversations.")
    return await parlor.watch(study, number)
