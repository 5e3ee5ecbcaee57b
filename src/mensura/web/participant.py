"""The pages of participants: a code, consent, instructions, the exercises, a few questions, the score.

All of them are below ``/p/CODE``. Who has the code is the participant; nothing is kept in the browser but the language.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from threading import Thread
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Form, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from mensura.studies.people import RedirectEntry
from mensura.web.in_turn import InTurn, open_turns
from mensura.web.markdown import html_of
from mensura.web.pages import LANGUAGE_COOKIE, page, phrases_for, words_for
from mensura.web.people import probes
from mensura.web.people.admission import Barred
from mensura.web.people.answers import LONGEST_TEXT, QUESTIONS, WRITTEN
from mensura.web.people.consenting import consent_for
from mensura.web.people.devices import keep_device
from mensura.web.people.forms import form_in_words_of
from mensura.web.people.outcome import others_of, outcome_of
from mensura.web.people.participants import Participant
from mensura.web.people.questions import example_in_words_of, in_words_of
from mensura.web.people.showing import Shown
from mensura.web.people.sittings import Sittings, Stale
from mensura.web.people.steps import in_language, is_to_check, may_see, shown_questions, step_of
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.refusals import Refused
from mensura.web.security import Limiter
from mensura.web.settings import Settings

WITHOUT_CELLS = ("input", "distracting", "strategy")
"""The questions that are asked otherwise where no cells are shown."""

LONGEST_CODE = 64

RARELY = 50_000
"""After so many new objects Python looks for circles among them."""

router = APIRouter(route_class=InTurn)

Code = Annotated[str, Path(max_length=LONGEST_CODE, description="What the participant was given.")]


def open(app: FastAPI) -> None:
    """Before the application serves: open the store, and get ready for the studies that there are."""
    settings: Settings = app.state.settings
    people = People(settings.store)
    app.state.people = people
    app.state.sittings = Sittings(people)
    open_turns(app)
    app.state.unknown_codes = Limiter(burst=30, per_second=0.1)
    app.state.actions = Limiter(burst=40, per_second=10.0)
    app.state.collecting = gc.get_threshold()
    gc.set_threshold(RARELY, *app.state.collecting[1:])
    Thread(target=_warm_up, args=(people,), name="warming up", daemon=True).start()


def _warm_up(people: People) -> None:
    people.warm_up()
    # What is there by now stays: to look through the compiler's objects takes a tenth of a second each time.
    gc.collect()
    gc.freeze()


def close(app: FastAPI) -> None:
    """After: what came is committed."""
    app.state.people.end()
    gc.set_threshold(*app.state.collecting)


# The API of the exercises -------------------------------------------------------------


class View(BaseModel):
    """What is shown of a sitting, and what is waited for."""

    number: int = Field(description="Of the answer that is waited for.")
    phase: Literal["begin", "act", "done"] = Field(
        description="Whether an exercise is to begin, an action is wanted, or all is over."
    )
    exercise: int = Field(description="Counted from 1.")
    exercises: int = Field(description="How many there are; 0 where that is not known beforehand.")
    reward: Literal[-1, 0, 1] | None = Field(description="The sign of the last reward.")
    late: bool = Field(
        description="Whether the last action came after the end of its exercise, and was not played."
    )
    kind: Literal["cells", "plain"] = Field(
        description="Whether cells are shown, or a picture and words with a form to act by."
    )
    practice: bool = Field(description="Whether what is done now counts nowhere.")
    rest: float = Field(description="The seconds of the break that comes now; 0 where none does.")
    seconds: float | None = Field(
        description="How many are left of the exercise, if it has a limit."
    )
    seconds_of_test: float | None = Field(
        description="How many are left of the test, if it has one."
    )
    step: int = Field(
        description="The interaction of the exercise that is waited for, from 1; 0 where none is."
    )
    steps: int = Field(description="How many the exercise has; 0 where that is not told.")
    cells: int
    you: int = Field(description="The participant's cell, from 0.")
    reachable: list[int] = Field(description="The cells that one can go to now.")
    others: list[tuple[str, int]] = Field(description="Symbols with their cells.")
    colors: list[int] = Field(description="The number of the color of each cell.")
    svg: str = Field(description="What is seen, as a picture.")
    words: list[str] = Field(description="What is told and observed, in words.")
    form: dict[str, Any] | None = Field(description="How one acts now, made from the action space.")
    question: dict[str, Any] | None = Field(
        description="What is asked, where it is a question: parts in rows, each in words and drawn, and options."
    )
    pace: float | None = Field(
        description="Interactions a second, where keys are held: then answers may come over the WebSocket beside this."
    )
    probe: dict[str, Any] | None = Field(
        description="What is asked about a phenomenon: words, and what is given in tables and lists."
    )


class Given(BaseModel):
    """An answer to what is waited for."""

    model_config = ConfigDict(extra="forbid")

    number: int = Field(ge=0, le=10_000_000, description="Of the answer, as it was shown.")
    cell: int | None = Field(
        default=None, ge=0, le=1_000_000, description="Where to go, if there are cells."
    )
    action: Any = Field(
        default=None,
        description=(
            "What to do, as the form says; neither a cell nor an action begins an exercise. Of a probe, an object: "
            'either {"answer": ...} or {"left_out": true}.'
        ),
    )
    late: bool = Field(
        default=False, description="That the time of the exercise or of the test is over."
    )
    marked: bool = Field(
        default=False,
        description="That the moment shown is to be a checkpoint; taken of those who allowed its further use.",
    )
    response_ms: float | None = Field(
        default=None,
        ge=0.0,
        le=1e12,
        allow_inf_nan=False,
        description="Milliseconds from showing to acting.",
    )


class Error(BaseModel):
    """What is wrong, in a sentence."""

    error: str


class StaleError(Error):
    """What is wrong, and where the participant is."""

    state: View | None = None


_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Error, "description": "It cannot be done, and why."},
    404: {"model": Error, "description": "Nobody has this code."},
    409: {"model": StaleError, "description": "Not now; the state says what is asked instead."},
    410: {"model": Error, "description": "The participant has withdrawn."},
    422: {"model": Error, "description": "What was sent does not fit."},
    429: {"model": Error, "description": "Too often."},
}


@router.get(
    "/api/participants/{code}/state",
    response_model=View,
    responses=_REFUSALS,
    tags=["participants"],
)
async def state(request: Request, code: Code) -> Response:
    """What the participant is shown now."""
    _may_act(request, code)
    try:
        return _view(request, await request.app.state.sittings.shown(code))
    except Refused as refused:
        count_unknown(request, refused)
        raise


@router.post(
    "/api/participants/{code}/answers",
    response_model=View,
    responses=_REFUSALS,
    tags=["participants"],
)
async def answer(request: Request, code: Code, given: Given) -> Response:
    """Take an answer; it is safe when this is answered, and the same one again changes nothing."""
    _may_act(request, code)
    sittings: Sittings = request.app.state.sittings
    try:
        return _view(
            request,
            await sittings.answer(
                code,
                given.number,
                given.cell,
                given.response_ms,
                given.action,
                late=given.late,
                marked=given.marked,
            ),
        )
    except Stale as stale:
        return JSONResponse({"error": str(stale), "state": told_of(request, stale.shown)}, 409)
    except Refused as refused:
        count_unknown(request, refused)
        raise


class Device(BaseModel):
    """What a page tells of the browser that it is in."""

    model_config = ConfigDict(extra="forbid")

    page: str = Field(
        pattern="^[a-z0-9-]{1,64}$", description="A name of its own that the page has drawn."
    )
    focus_losses: int = Field(
        ge=0, le=100_000, description="How often it was left or hidden, since it was opened."
    )
    device: Literal["", "desktop", "tablet", "phone"] = ""
    viewport: str = Field(
        default="", pattern="^([0-9]{1,6}x[0-9]{1,6})?$", description="In CSS pixels."
    )
    input: Literal["", "mouse", "touch", "pen", "keyboard"] = ""


@router.post(
    "/api/participants/{code}/device",
    status_code=204,
    responses=_REFUSALS,
    tags=["participants"],
)
def device(request: Request, code: Code, told: Device) -> Response:
    """Keep what a page tells of its browser; the same once more changes nothing."""
    _may_act(request, code)
    one, _ = who_is(request, code)
    facts = told.model_dump(include={"device", "viewport", "input"})
    facts["language"] = words_for(request).language
    keep_device(request.app.state.people, one, told.page, told.focus_losses, facts)
    return Response(status_code=204)


def _view(request: Request, shown: Shown) -> Response:
    told = told_of(request, shown)
    return Response(json.dumps(told, separators=(",", ":")), media_type="application/json")


def told_of(request: HTTPConnection, shown: Shown) -> dict[str, Any]:
    """What is shown, with what the world says of it in the participant's language."""
    if shown.kind == "cells":
        return shown.__dict__
    say = phrases_for(request)
    return {
        **shown.__dict__,
        "svg": say.picture(shown.svg),
        "words": list(map(say, shown.words)),
        "form": form_in_words_of(say, shown.form),
        "question": shown.question and in_words_of(say, shown.question),
        "probe": shown.probe and probes.in_words_of(say, shown.probe),
    }


def _may_act(request: Request, code: str) -> None:
    if not request.app.state.actions.allows(code):
        raise Refused(429, "Too many actions at once; wait a moment.")


def count_unknown(request: HTTPConnection, refused: Refused) -> None:
    """Whoever tries codes is soon not listened to."""
    if refused.status == 404:
        who = request.client.host if request.client else ""
        if not request.app.state.unknown_codes.allows(who):
            raise Refused(429, "Too many codes that nobody has; wait a minute.") from refused


# Pages ---------------------------------------------------------------------------------


def who_is(request: HTTPConnection, code: str) -> tuple[Participant, PeopleStudy]:
    """Whose code it is, and their study."""
    people: People = request.app.state.people
    try:
        one = people.by_code(code)
    except Refused as refused:
        count_unknown(request, refused)
        raise
    return one, people.study(one.study)


def _to(code: str, step: str) -> RedirectResponse:
    return RedirectResponse(f"/p/{quote(code, safe='')}/{step}", 303)


@router.get("/p", include_in_schema=False)
def enter_page(request: Request) -> Response:
    """Where a code is typed."""
    return page(request, "participant/enter.html")


@router.post("/p", include_in_schema=False)
def enter(request: Request, code: Annotated[str, Form(max_length=LONGEST_CODE)]) -> Response:
    """Go to the pages of a code."""
    who_is(request, code.strip())
    return RedirectResponse(f"/p/{quote(code.strip(), safe='')}", 303)


@router.get("/p/{code}", include_in_schema=False)
def arrive(request: Request, code: Code) -> Response:
    """Go on where one was."""
    one, study = who_is(request, code)
    there = _to(code, step_of(study, one))
    if study.language and LANGUAGE_COOKIE not in request.cookies:
        there.set_cookie(LANGUAGE_COOKIE, study.language, samesite="strict", httponly=True)
    return there


@router.get("/p/{code}/{step}", include_in_schema=False)
def show(request: Request, code: Code, step: str) -> Response:
    """A page of the way, if the participant is there."""
    one, study = who_is(request, code)
    people: People = request.app.state.people
    talks = people.talks(study.id)
    reads = talks and step == "exercises" and one.state == "finished" and one.room is not None
    if step not in may_see(study, one) and not reads:
        if step not in _PAGES:
            raise Refused(404, "There is nothing here.")
        return _to(code, step_of(study, one))
    template = step
    if talks and step in ("exercises", "instructions"):
        template = "talk" if step == "exercises" else "talk_instructions"
    elif step == "exercises" and study.people.together is not None:
        template = "room"
    return page(
        request,
        f"participant/{template}.html",
        code=code,
        study=study,
        one=one,
        **_context(request, step, study, one),
    )


_PAGES = (
    "consent",
    "before",
    "instructions",
    "comprehension",
    "exercises",
    "questions",
    "result",
    "withdraw",
    "withdrawn",
    "screened",
)


def _context(request: Request, step: str, study: PeopleStudy, one: Participant) -> dict[str, Any]:
    people: People = request.app.state.people
    if step == "consent":
        agreed_to = consent_for(people, study, one, words_for(request).language)
        return {
            "why": people.barred(one),
            "consent": agreed_to,
            "own_text": html_of(agreed_to.text),
            "talks": people.talks(study.id),
            **_onward(study.people.screened, one.external),
        }
    if step == "exercises":
        words = words_for(request)
        if people.talks(study.id):
            return {"texts": words.group("participant.talk")}
        more = words.group("participant.room") if study.people.together is not None else {}
        return {"texts": {**words.group("participant.play"), **more}}
    if step == "instructions":
        say, words = phrases_for(request), words_for(request)
        scoring, examples = people.examples(study.id)
        return {
            "cells": people.shows_cells(study.id),
            "understanding": people.asks_questions(study.id),
            "task": say(people.task_of(study.id)) if people.is_unrewarded(study.id) else "",
            "example_texts": {
                **words.group("participant.play"),
                **words.group("participant.example"),
            },
            "scoring": say(scoring),
            "examples": [example_in_words_of(say, one) for one in examples],
            "texts": words.group("participant.play") if examples else {},
            "following": "comprehension" if is_to_check(study, one) else "exercises",
        }
    if step == "before":
        return {"own": shown_questions(study, study.people.before, words_for(request).language)}
    if step == "comprehension" and study.people.comprehension is not None:
        asked = study.people.comprehension.questions
        return {"own": shown_questions(study, asked, words_for(request).language)}
    if step == "screened":
        return _onward(study.people.screened, one.external)
    if step == "questions":
        return {
            "questions": QUESTIONS if study.people.usual_questions else {},
            "written": WRITTEN if study.people.usual_questions else (),
            "own": shown_questions(study, study.people.after, words_for(request).language),
            "longest": LONGEST_TEXT,
            "other": () if people.shows_cells(study.id) else WITHOUT_CELLS,
        }
    if step == "result":
        told = in_language(study, study.people.feedback, words_for(request).language)
        onward = _onward(study.people.completed, one.external)
        closing = {"feedback": html_of(told), "nothing": False, **onward}
        if not study.people.show_score or people.talks(study.id):
            return {"outcome": None, "programs": {}, **closing}
        batches = people.results(one)
        if not batches and one.state == "finished" and people.asks_questions(study.id):
            return {"outcome": None, "programs": {}, **closing, "nothing": True}
        if not batches:
            raise Refused(409, "The result is not there yet; come back in a moment.")
        programs = words_for(request).group("participant.result.programs")
        return {
            "outcome": outcome_of(study, batches, others_of(people, study, one)),
            "programs": programs,
            "probes": words_for(request).group("participant.result.probes"),
            **closing,
        }
    return {}


def not_admitted(
    request: Request, study: PeopleStudy, external: str | None, why: Barred
) -> Response:
    """The page of those who cannot take part, with the way back to where they came from."""
    onward = _onward(study.people.screened, external)
    return page(request, "participant/barred.html", 409, why=why, **onward)


def _onward(entry: RedirectEntry, external: str | None) -> dict[str, str]:
    """Where somebody goes next: the experimenter's own address, and a code to copy."""
    return {"onward": entry.address_for(external), "code_to_copy": entry.code or ""}


async def leave(request: Request, one: Participant, remove: Callable[[], None]) -> None:
    """Remove what there is of a participant who goes, wherever they play."""
    people: People = request.app.state.people
    study = await run_in_threadpool(people.study, one.study)
    if await run_in_threadpool(people.talks, study.id):
        await request.app.state.parlor.leave(one, remove)
    elif study.people.together is not None:
        await request.app.state.hall.leave(one, remove)
    else:
        await request.app.state.sittings.leave(one.study, one.number, remove)


@router.post("/p/{code}/withdraw", include_in_schema=False)
async def withdraw(request: Request, code: Code) -> Response:
    """Somebody does not want to go on: what they answered is removed."""
    one, _ = await run_in_threadpool(who_is, request, code)
    if one.state != "withdrawn":
        people: People = request.app.state.people
        await leave(request, one, lambda: people.withdraw(one))
        request.app.state.follower.forget()
        request.app.state.reports.clear()
    return RedirectResponse(f"/p/{quote(code, safe='')}", 303)
