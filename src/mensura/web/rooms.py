"""Rooms on the web: what a seat is shown, actions, events as they happen; and the experimenter's list of rooms."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from mensura.records.store import NAME
from mensura.web.desk import STREAM_SECONDS, event, events
from mensura.web.home import Experimenter
from mensura.web.pages import phrases_for
from mensura.web.participant import Code, count_unknown
from mensura.web.people.forms import form_in_words_of
from mensura.web.people.rooms.hall import Hall
from mensura.web.people.rooms.record import rooms_of
from mensura.web.people.studies import People
from mensura.web.refusals import Refused

router = APIRouter(tags=["rooms"])

StudyName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", max_length=200)]
Number = Annotated[int, Path(ge=0, le=10**9)]


def open(app: FastAPI) -> None:
    """Before the application serves."""
    app.state.hall = Hall(app.state.people)


class Acted(BaseModel):
    """What somebody does in a turn of their room."""

    model_config = ConfigDict(extra="forbid")

    turn: int = Field(ge=0, le=10_000_000, description="The turn, as it was shown.")
    action: Any = Field(description="What to do, as the form says.")
    message: str | None = Field(
        default=None,
        max_length=40,
        description="A symbol to tell the others, where there is a chat.",
    )
    response_ms: float | None = Field(
        default=None, ge=0.0, le=1e12, allow_inf_nan=False, description="From showing to acting."
    )


class RoomLine(BaseModel):
    """A room of a study."""

    number: int
    state: str = Field(
        description="open, over, void where it was given up, or reported by somebody in it."
    )
    created: str
    turns: int = Field(description="How many turns were played.")
    people: list[str] = Field(description="Who is in it, by pseudonym.")


@router.get("/api/rooms/{code}/state")
async def state(request: Request, code: Code) -> Response:
    """What a participant is shown now: the waiting room, or their seat; whoever asks is there."""
    return await _told(request, code, request.app.state.hall.state(code))


@router.post("/api/rooms/{code}/answers")
async def answer(request: Request, code: Code, done: Acted) -> Response:
    """Take an action; it is safe when this is answered, and a second one in the same turn changes nothing."""
    if not request.app.state.actions.allows(code):
        raise Refused(429, "Too many actions at once; wait a moment.")
    hall: Hall = request.app.state.hall
    work = hall.answer(code, done.turn, done.action, done.message, done.response_ms)
    return await _told(request, code, work)


@router.get(
    "/api/rooms/{code}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Events."}},
)
async def follow(request: Request, code: Code) -> Response:
    """Server-sent events: `room` with what the participant is shown, whenever that changes.

    A stream lasts a minute; then ask again.
    """
    await _told(request, code, request.app.state.hall.state(code))
    return await events(request, _changes(request, code))


async def _changes(request: Request, code: str) -> AsyncIterator[str]:
    until = monotonic() + STREAM_SECONDS
    hall: Hall = request.app.state.hall
    try:
        async for told in hall.events(code):
            yield event("room", json.dumps(_in_words(request, told)))
            if monotonic() > until or await request.is_disconnected():
                return
    except Refused:
        return


async def _told(request: Request, code: str, work: Any) -> Response:
    try:
        return JSONResponse(_in_words(request, await work))
    except Refused as refused:
        count_unknown(request, refused)
        raise


def _in_words(request: Request, told: dict[str, Any]) -> dict[str, Any]:
    """What is shown, with what the world says of it in the participant's language."""
    if "svg" not in told:
        return told
    say = phrases_for(request)
    return {
        **told,
        "svg": say.picture(told["svg"]),
        "words": list(map(say, told["words"])),
        "form": form_in_words_of(say, told["form"]),
    }


@router.get("/api/experimenter/studies/{name}/rooms")
def rooms(request: Request, may: Experimenter, name: StudyName) -> list[RoomLine]:
    """The rooms of a study, with who is in them."""
    people: People = request.app.state.people
    study = people.study(name)
    inside: dict[int, list[str]] = {}
    for one in people.participants(study):
        if one.room is not None:
            inside.setdefault(one.room, []).append(one.pseudonym)
    return [
        RoomLine(
            number=number, state=state, created=created, turns=turns, people=inside.get(number, [])
        )
        for number, state, created, turns in rooms_of(people, study)
    ]


@router.post("/api/experimenter/studies/{name}/rooms/{number}/close")
async def close_room(
    request: Request, may: Experimenter, name: StudyName, number: Number
) -> list[RoomLine]:
    """Give a room up: nothing of it is in any result, and those in it wait for another."""
    people: People = request.app.state.people
    study = people.study(name)
    talks = people.talks(study.id)
    await (request.app.state.parlor if talks else request.app.state.hall).close_room(study, number)
    return rooms(request, may, name)
