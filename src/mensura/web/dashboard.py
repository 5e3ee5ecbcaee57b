"""The dashboard: runs with live progress, their scores, reports and comparisons."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator
from time import monotonic
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from mensura.records.store import open_store
from mensura.records.validity import LIMIT
from mensura.web import readings
from mensura.web.desk import (
    STREAM_SECONDS,
    Reader,
    RunFacts,
    RunName,
    close_desk,
    event,
    events,
    facts_of,
    open_desk,
    told,
    worked_out,
)
from mensura.web.home import Experimenter
from mensura.web.pages import page, words_for
from mensura.web.refusals import Refused
from mensura.web.security import ALONE
from mensura.web.settings import Settings

REPORTS_KEPT = 8
PAGE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page."}
}

router = APIRouter(tags=["dashboard"])


def open(app: FastAPI) -> None:
    """Before the application serves."""
    open_desk(app)


def close(app: FastAPI) -> None:
    """After it has served."""
    close_desk(app)


RunNames = Annotated[
    list[str],
    Query(
        alias="run", min_length=1, max_length=readings.MOST_COMPARED, description="Names of runs."
    ),
]
Subjects = Annotated[
    list[str],
    Query(alias="subject", max_length=50, description="Only these subjects; all if none is named."),
]
Level = Annotated[float, Query(ge=0.5, le=0.9999, description="The level of intervals.")]
Correction = Annotated[
    Literal["holm", "benjamini-hochberg", "none"],
    Query(description="For many comparisons."),
]

Anyway = Annotated[
    bool,
    Query(
        description="Compare also scores in which more than the subject differs, as the world; each is marked."
    ),
]


# What the API tells ------------------------------------------------------------------------------


class ScoreRow(BaseModel):
    """What a subject scored under a condition, with its interval; null where it is not known."""

    condition: str
    subject: str
    score: float | None
    low: float | None
    high: float | None
    level: float
    episodes: int
    training: int
    spread: float | None
    observed_spread: float | None
    faults: int
    asked: int | None = Field(description="Questions that were put to it; null where not recorded.")
    default_share: float | None = Field(
        description="The share of its actions that were the environment's default; null where not recorded."
    )
    valid: bool = Field(
        description="Whether the score is its own: at most 5% of its actions were the default."
    )
    reason: str = Field("", description="Why there is no score at all; else empty.")
    seconds: float
    compiled: bool
    shown: str = Field(description="The score as reports write it.")
    interval: str = Field(
        description="The interval as reports write it; empty where there are too few sittings."
    )
    by_default: str = Field(
        description="The share of default actions as reports write it; empty where not recorded."
    )


class ComparisonRow(BaseModel):
    """One subject minus another, under one condition; null where something cannot be told."""

    one: str
    two: str
    condition: str
    paired: bool = Field(description="Whether both met the same environments.")
    n_one: int
    n_two: int
    left_out: int
    unit: str
    units: int
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    level: float
    effect_size: str
    effect: float | None
    effect_low: float | None
    effect_high: float | None
    improvement: float | None
    improvement_low: float | None
    improvement_high: float | None
    p: float | None
    corrected_p: float | None
    correction: str
    family: int
    verdict: Literal["higher", "lower", "open", "same", "unknown"]
    more_episodes: int | None
    smallest_difference: float | None
    differs: list[str] = Field(
        description="In what the two differ beside the subject; empty where they can be compared."
    )
    conclusion: str = Field(description="In plain sentences.")


# Runs --------------------------------------------------------------------------------------------


@router.get("/api/runs")
def runs(request: Request, may: Reader) -> list[RunFacts]:
    """All runs of the store, the newest first."""
    return [told(request, one) for one in request.app.state.follower.facts().values()]


@router.get("/api/runs/{name}")
def run(request: Request, may: Reader, name: RunName) -> RunFacts:
    """How far a run is."""
    return facts_of(request, name)


@router.get("/api/runs/{name}/scores")
async def scores(request: Request, may: Reader, name: RunName) -> list[ScoreRow]:
    """Who scored what in a run so far."""
    await asyncio.to_thread(facts_of, request, name)
    found = await worked_out(request, readings.scores, name)
    return [ScoreRow(**row) for row in found]


@router.get("/api/runs/{name}/report", response_class=Response, responses=PAGE)
@router.get("/runs/{name}/report", include_in_schema=False)
async def report(request: Request, may: Reader, name: RunName) -> Response:
    """The report of a run, as far as it is: one page that loads nothing."""
    return await _report(request, [name])


@router.get("/api/report", response_class=Response, responses=PAGE)
@router.get("/report", include_in_schema=False)
async def joint_report(request: Request, may: Reader, names: RunNames) -> Response:
    """The report of several runs side by side."""
    return await _report(request, names)


@router.post("/api/runs/{name}/stop")
def stop(request: Request, may: Experimenter, name: RunName) -> RunFacts:
    """Stop a run that was started here; it can be resumed."""
    facts_of(request, name)
    request.app.state.jobs.stop(name)
    request.app.state.follower.forget()
    return facts_of(request, name)


@router.post("/api/runs/{name}/resume")
def resume(request: Request, may: Experimenter, name: RunName) -> RunFacts:
    """Go on with a run that was stopped, failed or lost its process."""
    if facts_of(request, name).people:
        raise Refused(409, f"People play the run {name}; they go on by themselves.")
    request.app.state.jobs.resume(name)
    request.app.state.follower.forget()
    return facts_of(request, name)


@router.get(
    "/api/progress",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Events."}},
)
async def progress(request: Request, may: Reader) -> Response:
    """Server-sent events: `run` with the facts of a run whenever they change, `gone` with the name of one deleted.

    A stream lasts a minute and begins with all runs; then ask again.
    """
    return await events(request, _changes(request))


async def _changes(request: Request) -> AsyncIterator[str]:
    sent: dict[str, str] = {}
    until = monotonic() + STREAM_SECONDS
    while monotonic() < until and not await request.is_disconnected():
        found = await asyncio.to_thread(runs, request, True)
        now = {one.run: one.model_dump_json() for one in reversed(found)}
        changed = [text for name, text in now.items() if sent.get(name) != text]
        for text in changed:
            yield event("run", text)
        for name in sent.keys() - now.keys():
            yield event("gone", json.dumps(name))
        sent = now
        if not changed:
            yield ": nothing new\n\n"
        await asyncio.sleep(1.0)


async def _report(request: Request, names: list[str]) -> Response:
    """A report; made once for every state of its runs."""
    names = list(dict.fromkeys(names))
    found = [await asyncio.to_thread(facts_of, request, name) for name in names]
    if not any(one.done for one in found):
        which = names[0] if len(names) == 1 else ", ".join(names)
        raise Refused(409, f"No sitting of {which} is done yet; the report comes with the first.")
    kept: OrderedDict[Any, str] = request.app.state.reports
    with_seeds = bool(request.state.experimenter)
    key = (with_seeds, *((one.number, one.status, one.done) for one in found))
    if key not in kept:
        kept[key] = await worked_out(request, readings.report, names, with_seeds)
        while len(kept) > REPORTS_KEPT:
            kept.popitem(last=False)
    return HTMLResponse(kept[key], headers={"content-security-policy": ALONE})


# Comparisons -------------------------------------------------------------------------------------


@router.get("/api/comparison")
async def comparison(
    request: Request,
    may: Reader,
    names: RunNames,
    subjects: Subjects = [],  # noqa: B006
    level: Level = 0.95,
    correction: Correction = "holm",
    anyway: Anyway = False,
) -> list[ComparisonRow]:
    """The subjects of one run compared with each other, or those of several between runs."""
    for name in names:
        await asyncio.to_thread(facts_of, request, name)
    found = await worked_out(request, readings.compared, names, subjects, level, correction, anyway)
    return [ComparisonRow(**row) for row in found]


@router.get("/compare", include_in_schema=False)
async def comparison_page(
    request: Request,
    may: Reader,
    names: RunNames,
    subjects: Subjects = [],  # noqa: B006
    level: Level = 0.95,
    correction: Correction = "holm",
    anyway: Anyway = False,
) -> Response:
    """The same as a page."""
    for name in names:
        await asyncio.to_thread(facts_of, request, name)
    text = await worked_out(
        request, readings.comparison_page, names, subjects, level, correction, anyway
    )
    return HTMLResponse(text, headers={"content-security-policy": ALONE})


# Pages -------------------------------------------------------------------------------------------


@router.get("/dashboard", include_in_schema=False)
def runs_page(request: Request, may: Reader) -> Response:
    """All runs."""
    words = words_for(request)
    found = runs(request, True)
    return page(
        request,
        "dashboard/runs.html",
        runs=found,
        facts=[one.model_dump() for one in found],
        words=words.group("dashboard.live"),
    )


@router.get("/runs/{name}", include_in_schema=False)
def run_page(request: Request, may: Reader, name: RunName) -> Response:
    """One run."""
    words = words_for(request)
    facts = facts_of(request, name)
    settings: Settings = request.app.state.settings
    origin: list[tuple[str, str]] = []
    in_words = False
    if request.state.experimenter:
        with open_store(settings.store) as store:
            found = store.find(facts.run)
            in_words = not facts.people and any(one.ask_once for one in store.cells(found))
        versions = ", ".join(f"{what} {version}" for what, version in found.versions.items())
        origin = [
            ("seed", str(found.seed)),
            ("command", found.command),
            ("commit", found.commit),
            ("versions", versions),
            ("machine", found.machine),
        ]
    return page(
        request,
        "dashboard/run.html",
        run=facts,
        in_words=in_words,
        most=LIMIT,
        origin=[(what, value) for what, value in origin if value],
        origins=words.group("dashboard.origins"),
        words=words.group("dashboard.live"),
    )
