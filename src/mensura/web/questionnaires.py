"""What participants answer besides the exercises: questions before, on the instructions, and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mensura.web.in_turn import InTurn
from mensura.web.participant import Code, who_is
from mensura.web.people.answers import failed_checks, own_answers, usual_answers
from mensura.web.people.steps import is_to_check, step_of
from mensura.web.people.studies import People
from mensura.web.refusals import Refused

MOST_FIELDS = 250
"""So many fields a page of questions may send."""

router = APIRouter(route_class=InTurn)


@router.post("/p/{code}/before", include_in_schema=False)
async def before(request: Request, code: Code) -> Response:
    """Keep what somebody says before the instructions."""
    form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    await run_in_threadpool(_keep_before, request, code, form)
    return RedirectResponse(f"/p/{quote(code, safe='')}", 303)


def _keep_before(request: Request, code: str, form: Mapping[str, Any]) -> None:
    one, study = who_is(request, code)
    people: People = request.app.state.people
    if one.state == "invited":
        raise Refused(409, "Say first that you agree to take part.")
    if step_of(study, one) == "before":
        answers = own_answers(study.people.before, form)
        failed = failed_checks(study.people.before, answers)
        people.answer_questions(one, answers, before=True, failed=failed)


@router.post("/p/{code}/comprehension", include_in_schema=False)
async def comprehension(request: Request, code: Code) -> Response:
    """Take an attempt at the questions on the instructions."""
    form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    await run_in_threadpool(_check, request, code, form)
    return RedirectResponse(f"/p/{quote(code, safe='')}/exercises", 303)


def _check(request: Request, code: str, form: Mapping[str, Any]) -> None:
    one, study = who_is(request, code)
    people: People = request.app.state.people
    entry = study.people.comprehension
    if entry is None or not is_to_check(study, one) or step_of(study, one) != "instructions":
        return
    attempt = str(form.get("attempt", ""))
    if not attempt.isdecimal() or len(attempt) > 3:
        raise Refused(422, "attempt: that is not the number of a try.")
    answers = own_answers(entry.questions, form)
    right = not failed_checks(entry.questions, answers)
    people.check(one, int(attempt), answers, right=right, most=entry.tries)


@router.post("/p/{code}/questions", include_in_schema=False)
async def questions(request: Request, code: Code) -> Response:
    """Keep what somebody says after the exercises."""
    form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    await run_in_threadpool(_keep_after, request, code, form)
    return RedirectResponse(f"/p/{quote(code, safe='')}", 303)


def _keep_after(request: Request, code: str, form: Mapping[str, Any]) -> None:
    one, study = who_is(request, code)
    people: People = request.app.state.people
    usual = usual_answers(form) if study.people.usual_questions else {}
    if one.state != "finished":
        raise Refused(409, "The questions come after the exercises.")
    if step_of(study, one) == "questions":
        own = own_answers(study.people.after, form)
        failed = failed_checks(study.people.after, own)
        people.answer_questions(one, {**usual, **own}, failed=failed)
