"""What all pages about runs share: who may read them, how far each is, work done apart, and streams of events."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Path
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from mensura.records.store import NAME, open_store
from mensura.web.apart import Apart
from mensura.web.following import Follower
from mensura.web.home import Session, experimenter, visitor
from mensura.web.jobs import Jobs
from mensura.web.refusals import Refused
from mensura.web.settings import Settings

STREAM_SECONDS = 60.0
"""So long one stream of events lasts; browsers then ask again, and are looked at again."""


def open_desk(app: FastAPI) -> None:
    """Before the application serves: make the store where there is none."""
    settings: Settings = app.state.settings
    with open_store(settings.store):
        pass
    app.state.follower = Follower(settings.store)
    app.state.jobs = Jobs(settings)
    app.state.apart = Apart()
    app.state.reports = OrderedDict()
    app.state.streams = Counter()


def close_desk(app: FastAPI) -> None:
    """After it has served: studies that run here are stopped, to be resumed."""
    app.state.jobs.close()
    app.state.apart.close()


def reader(request: Request, session: Session = None) -> bool:
    """Whoever asks may read runs: the experimenter, or everybody where the server says so."""
    settings: Settings = request.app.state.settings
    return visitor(request) or True if settings.public else experimenter(request)


Reader = Annotated[bool, Depends(reader)]
RunName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", max_length=200)]


class RunFacts(BaseModel):
    """How far a run is."""

    run: str = Field(description="Its name.")
    number: int
    title: str
    status: Literal["running", "finished", "stopped", "failed", "interrupted", "open"] = Field(
        description="interrupted: its process was lost. open: people take part in it, each in their own time."
    )
    people: bool = Field(description="Whether people play it.")
    profile: bool = Field(
        description="Whether it is a profile: its report is the page of that when it is finished."
    )
    worlds: list[str] = Field(description="The ids of its worlds.")
    subjects: list[str] = Field(description="The names of its subjects.")
    done: int = Field(description="Sittings that are done.")
    sittings: int = Field(description="Sittings that there are to be.")
    episodes: int
    faults: int
    started: str = Field(description="When, as ISO 8601 in UTC.")
    ended: str = Field(description="When it last came to an end; empty while it runs.")
    seconds: float = Field(description="Wall time over all of its stretches.")
    stoppable: bool = Field(description="Whether it runs here and can be stopped here.")
    resumable: bool = Field(description="Whether it can be resumed.")
    trouble: str = Field(description="What its process said when it failed; else empty.")


def facts_of(request: Request, name: str) -> RunFacts:
    """What is told of a run."""
    return told(request, request.app.state.follower.find(name))


def told(request: Request, facts: Mapping[str, Any]) -> RunFacts:
    """What is told of a run that the follower knows."""
    jobs: Jobs = request.app.state.jobs
    here = jobs.is_running(facts["run"])
    status = facts["status"]
    if facts["people"] and status != "finished":
        status = "open"
    if here and status == "interrupted":  # it has begun, and not yet taken the run
        status = "running"
    ended = status in ("stopped", "failed", "interrupted")
    return RunFacts(
        **{**facts, "status": status},
        stoppable=here and status == "running",
        resumable=ended and not here,
        trouble="" if status == "finished" else jobs.trouble(facts["run"]),
    )


async def events(request: Request, changes: AsyncIterator[str]) -> Response:
    """A stream of events, of which there can only be so many at a time, and so many for each address."""
    settings: Settings = request.app.state.settings
    streams: Counter[str] = request.app.state.streams
    who = request.client.host if request.client else ""

    def is_full() -> bool:
        return streams.total() >= settings.streams or streams[who] >= settings.streams_each

    if is_full():
        raise Refused(429, "Too many are watching at the moment; try again in a minute.")

    async def counted() -> AsyncIterator[str]:
        if is_full():  # of many that came at once
            return
        streams[who] += 1
        try:
            yield "retry: 1000\n\n"
            async for change in changes:
                yield change
        finally:
            streams[who] -= 1
            if not streams[who]:
                del streams[who]

    return StreamingResponse(
        counted(), media_type="text/event-stream", headers={"x-accel-buffering": "no"}
    )


def event(kind: str, data: str) -> str:
    """An event as it goes over the wire; the data is JSON, which has no line breaks of its own."""
    return f"event: {kind}\ndata: {data}\n\n"


async def worked_out(request: Request, work: Any, *given: Any) -> Any:
    """What a function that reads the store gives; it runs apart."""
    settings: Settings = request.app.state.settings
    where = None if settings.store is None else str(settings.store)
    return await request.app.state.apart(work, where, *given)
