"""The dashboard: runs with live progress, reports, comparisons, the leaderboard, and studies started from a file."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Mapping
from time import monotonic
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Path, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from mensura.records.store import NAME, open_store
from mensura.records.validity import LIMIT
from mensura.reports.number_words import FEWEST, interval, percent, signed
from mensura.web import readings
from mensura.web.apart import Apart
from mensura.web.following import Follower
from mensura.web.home import Experimenter, Session, experimenter, visitor
from mensura.web.jobs import Jobs
from mensura.web.pages import page, words_for
from mensura.web.refusals import Asked, Refused
from mensura.web.settings import Settings

STREAM_SECONDS = 60.0
"""So long one stream of events lasts; browsers then ask again, and are looked at again."""

REPORTS_KEPT = 8

LARGEST_STUDY = 200_000
"""So many letters a study may have that comes from a browser."""

ALONE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""The content security policy of reports, which stand alone: their styles are in them, and no script runs."""

PAGE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page."}
}

router = APIRouter(tags=["dashboard"])


def open(app: FastAPI) -> None:
    """Before the application serves: make the store where there is none."""
    settings: Settings = app.state.settings
    with open_store(settings.store):
        pass
    app.state.follower = Follower(settings.store)
    app.state.jobs = Jobs(settings)
    app.state.apart = Apart()
    app.state.reports = OrderedDict()
    app.state.streams = Counter()


def close(app: FastAPI) -> None:
    """After it has served: studies that run here are stopped, to be resumed."""
    app.state.jobs.close()
    app.state.apart.close()


def reader(request: Request, session: Session = None) -> bool:
    """Whoever asks may read runs: the experimenter, or everybody where the server says so."""
    settings: Settings = request.app.state.settings
    return visitor(request) or True if settings.public else experimenter(request)


Reader = Annotated[bool, Depends(reader)]
RunName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", max_length=200)]
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


class RunFacts(BaseModel):
    """How far a run is."""

    run: str = Field(description="Its name.")
    number: int
    title: str
    status: Literal["running", "finished", "stopped", "failed", "interrupted", "open"] = Field(
        description="interrupted: its process was lost. open: people take part in it, each in their own time."
    )
    people: bool = Field(description="Whether people play it.")
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


class StandingRow(BaseModel):
    """A row of the leaderboard."""

    place: int | None = Field(
        description="Equal scores share one; null where the score is not valid."
    )
    subject: str
    kind: Literal["people", "machine", "reference"]
    training: int = Field(description="Training episodes before each assessed one.")
    score: float
    low: float | None = Field(
        description="The lower end of the 95% interval; null where it is not known."
    )
    high: float | None
    default_share: float | None = Field(
        description="The share of its actions that were the environment's default; null where not recorded."
    )
    valid: bool
    count: int = Field(description="How many scores it rests on.")
    runs: list[str]


class BoardRows(BaseModel):
    """Those whose scores can be compared, the best first."""

    world: str
    parameters: dict[str, Any]
    assessment: str
    given: dict[str, Any] = Field(description="The parameters of the assessment.")
    standings: list[StandingRow]


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


def facts_of(request: Request, name: str) -> RunFacts:
    """What is told of a run."""
    return _told(request, request.app.state.follower.find(name))


def _told(request: Request, facts: Mapping[str, Any]) -> RunFacts:
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


# Runs --------------------------------------------------------------------------------------------


@router.get("/api/runs")
def runs(request: Request, may: Reader) -> list[RunFacts]:
    """All runs of the store, the newest first."""
    return [_told(request, one) for one in request.app.state.follower.facts().values()]


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


def event(kind: str, data: str) -> str:
    """An event as it goes over the wire; the data is JSON, which has no line breaks of its own."""
    return f"event: {kind}\ndata: {data}\n\n"


async def worked_out(request: Request, work: Any, *given: Any) -> Any:
    """What a function that reads the store gives; it runs apart."""
    settings: Settings = request.app.state.settings
    where = None if settings.store is None else str(settings.store)
    return await request.app.state.apart(work, where, *given)


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


# Comparisons and the leaderboard -----------------------------------------------------------------


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


@router.get("/api/leaderboard")
async def leaderboard(request: Request, may: Reader) -> list[BoardRows]:
    """Everybody who was assessed, on one scale for each world and assessment."""
    return [BoardRows(**board) for board in await worked_out(request, readings.leaderboard)]


# Studies -----------------------------------------------------------------------------------------


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


# Pages -------------------------------------------------------------------------------------------


@router.get("/dashboard", include_in_schema=False)
def runs_page(request: Request, may: Reader) -> Response:
    """All runs."""
    words = words_for(request)
    return page(
        request,
        "dashboard/runs.html",
        runs=runs(request, True),
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


@router.get("/leaderboard", include_in_schema=False)
async def leaderboard_page(request: Request, may: Reader) -> Response:
    """The leaderboard."""
    boards = await leaderboard(request, True)
    return page(
        request,
        "dashboard/leaderboard.html",
        boards=[_drawn(one) for one in boards],
        most=LIMIT,
        words=words_for(request).group("dashboard.leaderboard"),
    )


@router.get("/studies/new", include_in_schema=False)
def start_page(request: Request, may: Experimenter) -> Response:
    """Where a study is started."""
    return page(
        request, "dashboard/start.html", words=words_for(request).group("dashboard.starting")
    )


def _interval(one: StandingRow) -> str:
    """The interval as reports write it; nothing where there are too few scores."""
    if one.low is None or one.high is None or one.count < FEWEST:
        return ""
    return interval(one.low, one.high)


WIDTH = 240
"""Of the drawn scale, in pixels."""


def _drawn(board: BoardRows) -> dict[str, Any]:
    """A board with where each score stands on a common scale."""
    ends = [
        value
        for one in board.standings
        for value in (one.score, one.low, one.high)
        if value is not None
    ]
    low, high = min([*ends, 0.0]), max([*ends, 0.0])
    width = (high - low) or 1.0

    def at(value: float) -> float:
        return round(6 + (value - low) / width * (WIDTH - 12), 1)

    rows = [
        {
            **one.model_dump(),
            "shown": signed(one.score),
            "interval": _interval(one),
            "by_default": "" if one.default_share is None else percent(one.default_share),
            "at": at(one.score),
            "from": at(one.low) if one.low is not None else None,
            "to": at(one.high) if one.high is not None else None,
        }
        for one in board.standings
    ]
    return {
        **board.model_dump(exclude={"standings"}),
        "standings": rows,
        "zero": at(0.0),
        "width": WIDTH,
    }
