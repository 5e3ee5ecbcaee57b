"""The page of free play, or of a client that is watched: the room ten times a second, and what somebody types."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from mensura import __version__
from mensura.web.app import guarded
from mensura.web.pages import embedded, page, words_for
from mensura.web.pagi.free_play import FreePlay
from mensura.web.pagi.keyed import KEYS
from mensura.web.pagi.watched import Watched
from mensura.web.settings import Settings

router = APIRouter()

Body = Annotated[int, Query(ge=0, le=100)]


class Said(BaseModel):
    """Something that is typed for a body."""

    seat: int = Field(default=0, ge=0, le=100)
    text: str = Field(max_length=2000)


class Pressed(BaseModel):
    """The keys that are held."""

    seat: int = Field(default=0, ge=0, le=100)
    keys: list[str] = Field(max_length=len(KEYS))


def create_live_app(play: FreePlay | Watched) -> FastAPI:
    """The application that shows a free play or a client that is watched, and nothing else."""
    app = FastAPI(title="PAGI World", version=__version__, docs_url=None, redoc_url=None)
    app.state.play = play
    app.include_router(router)
    return guarded(app, Settings(), [router])


def _play(request: Request) -> FreePlay | Watched:
    found: FreePlay | Watched = request.app.state.play
    return found


@router.get("/", include_in_schema=False)
def live_page(request: Request) -> Response:
    """The page."""
    play = _play(request)
    return page(
        request,
        "pagi/live.html",
        place=play.place,
        watched=play.watched,
        data=embedded({"words": words_for(request).group("pagi"), "keys": list(KEYS)}),
    )


@router.get("/api/live")
def look(
    request: Request, seat: Body = 0, since: Annotated[int, Query(ge=0)] = 0
) -> dict[str, Any]:
    """The room, what a body senses, and what was said since a line."""
    return _play(request).look(seat, since)


@router.post("/api/live/typed")
def typed(request: Request, said: Said) -> dict[str, bool]:
    """Say something to the agent."""
    _play(request).type_to(said.seat, said.text)
    return {"done": True}


@router.post("/api/live/commands")
def commands(request: Request, said: Said) -> dict[str, list[str]]:
    """Carry out a command of the comma generation for a body."""
    return {"answers": _play(request).command(said.seat, said.text)}


@router.post("/api/live/keys")
def keys(request: Request, pressed: Pressed) -> dict[str, bool]:
    """Hold these keys from now on."""
    _play(request).press(pressed.seat, pressed.keys)
    return {"done": True}


@router.post("/api/live/restart")
def restart(request: Request) -> dict[str, bool]:
    """Begin the task anew."""
    _play(request).restart()
    return {"done": True}
