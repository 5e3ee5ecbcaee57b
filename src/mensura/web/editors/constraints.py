"""Episodes of distributed constraints on the server: played once, then stepped through letter by letter.

The page asks for what it shows: some turns, some letters, one agent. So it works with a thousand agents, which the
research view itself does not show. Episodes live in the memory of the server, a few at a time.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Path, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from mensura.agent.errors import MensuraError
from mensura.api.watching import play
from mensura.core.abilities import (
    bounded,
    describe_from_json,
    horizon,
    seats,
    subject_names,
)
from mensura.core.abilities import presets as presets_of
from mensura.core.contract import Stopped
from mensura.web.pages import page
from mensura.web.refusals import Refused
from mensura.web.research import worlds
from mensura.web.research.access import API, OpenVisits, seed_asked
from mensura.web.research.editors import Editor
from mensura.web.research.models import Address, WorldAsked
from mensura.web.research.parameters import fields_of
from mensura.web.seeds import Seed
from mensura.worlds.constraints.episode_page import asset
from mensura.worlds.constraints.trace import Trace
from mensura.worlds.constraints.world import Constraints

MOST_AGENTS = 1200
MOST_TURNS = 10_000
MOST_EPISODES = 8
"""So many are kept; the one that was not looked at for longest goes first."""
SECONDS = 10.0
"""After so long an episode is cut off."""
ASSETS = {"episode.js": "text/javascript", "episode.css": "text/css"}
GONE = "This episode is no longer kept: play it again."

router = APIRouter()

EpisodeName = Annotated[str, Path(max_length=64, description="An episode, as it was played.")]
Number = Annotated[int, Path(ge=0, le=10_000_000)]
First = Annotated[int, Query(ge=0, le=10_000_000)]


class Playing(WorldAsked):
    """An episode that is to be played; the same seed gives that of `mensura watch`."""

    world: str = Field(default="constraints-v1", max_length=100)
    subject: Address = "awcs"
    seed: Seed = ""
    description: dict[str, Any] | None = Field(
        default=None, description="An environment, in the place of one that is drawn."
    )


class Played(BaseModel):
    """An episode that was played."""

    name: str
    seed: str
    turns: int


class Episodes:
    """Those that are kept, from the one that was not looked at for longest on."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Trace, Lock]] = OrderedDict()
        self._lock = Lock()

    def add(self, trace: Trace) -> str:
        """Keep an episode, under a name that nobody guesses."""
        name = secrets.token_urlsafe(18)
        with self._lock:
            self._kept[name] = trace, Lock()
            while len(self._kept) > MOST_EPISODES:
                self._kept.popitem(last=False)
        return name

    def at(self, name: str) -> tuple[Trace, Lock]:
        """An episode, and the lock of whoever looks into its agents."""
        with self._lock:
            found = self._kept.get(name)
            if found is None:
                raise Refused(404, GONE)
            self._kept.move_to_end(name)
            return found


_opening = Lock()


def _episodes(request: Request) -> Episodes:
    app: FastAPI = request.app
    with _opening:
        if not hasattr(app.state, "constraint_episodes"):
            app.state.constraint_episodes = Episodes()
    found: Episodes = app.state.constraint_episodes
    return found


@router.get("/research/episodes", include_in_schema=False)
def episodes_page(request: Request) -> Response:
    """The page on which an episode is played."""
    names = list(subject_names(Constraints()))
    return page(
        request, "research/episodes.html", name="", presets=list(presets_of(Constraints)), subjects=names
    )  # fmt: skip


@router.get("/research/episodes/{name}", include_in_schema=False)
def episode_page(request: Request, name: EpisodeName) -> Response:
    """The page of an episode, or one of its files."""
    if name in ASSETS:
        return Response(asset(name), media_type=ASSETS[name])
    _episodes(request).at(name)
    names = list(subject_names(Constraints()))
    return page(
        request, "research/episodes.html", name=name, presets=list(presets_of(Constraints)), subjects=names
    )  # fmt: skip


@router.post(f"{API}/episodes", status_code=201)
def play_episode(request: Request, asked: Playing, visits: OpenVisits) -> Played:
    """Play an episode of distributed constraints by a built-in subject, and keep it to be stepped through."""
    with visits.working():
        home = worlds.make_world(asked.world, asked.preset, _parameters(asked))
        if not isinstance(home, Constraints):
            raise MensuraError(f"Only episodes of {Constraints.id} are stepped through by letters.")
        bounded("The number of agents", seats(home), MOST_AGENTS)
        bounded("horizon", horizon(home), MOST_TURNS)
        seed = seed_asked(asked.seed)
        described: Any = None
        if asked.description is not None:
            described = describe_from_json(home, asked.description)
        subject = worlds.seated_by(asked.subject, home)
        host = home.hosting(subject)
        trace = Trace(subject, SECONDS)
        try:
            play(trace.subject, host, lambda view: [trace], seed=seed, described=described)
        except Stopped:
            pass  # what was played until then is shown
        name = _episodes(request).add(trace)
        return Played(name=name, seed=str(seed), turns=len(trace.frames))


def _parameters(asked: Playing) -> dict[str, Any]:
    """Those that were asked for, and before them those that an environment has."""
    known = {one.name for one in fields_of(worlds.kind_of(asked.world))}
    held = asked.description or {}
    return {
        name: value
        for name, value in {**held, **asked.parameters}.items()
        if value is not None and (name in known or name in asked.parameters)
    }


@router.get(f"{API}/episodes/{{name}}")
def overview(request: Request, name: EpisodeName) -> dict[str, Any]:
    """What stays the same in an episode, and its curves."""
    trace, lock = _episodes(request).at(name)
    with lock:
        return trace.overview()


@router.get(f"{API}/episodes/{{name}}/turns")
def turns(
    request: Request,
    name: EpisodeName,
    first: First = 0,
    count: Annotated[int, Query(ge=1, le=200)] = 40,
) -> list[dict[str, Any]]:
    """What some turns changed."""
    return _episodes(request).at(name)[0].turns(first, count)


@router.get(f"{API}/episodes/{{name}}/turns/{{turn}}/letters")
def letters(
    request: Request,
    name: EpisodeName,
    turn: Number,
    first: First = 0,
    count: Annotated[int, Query(ge=1, le=2000)] = 50,
) -> list[list[Any]]:
    """Some letters of a turn: number, from whom, to whom, what it says."""
    return _episodes(request).at(name)[0].letters(turn, first, count)


@router.get(f"{API}/episodes/{{name}}/turns/{{turn}}/agents/{{seat}}")
def agent(request: Request, name: EpisodeName, turn: Number, seat: Number) -> dict[str, Any]:
    """An agent as it is after a turn, from inside."""
    trace, lock = _episodes(request).at(name)
    with lock:
        return trace.agent(seat, turn)


EDITOR = Editor("/static/editors/constraints.js", router)
