"""Agreeing to take part: the text in its version, a copy to take home, and the experimenter's own texts."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Path
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mensura.records.store import NAME
from mensura.web.home import Experimenter
from mensura.web.in_turn import InTurn
from mensura.web.markdown import html_of
from mensura.web.page_texts import Words, languages
from mensura.web.pages import alone, words_for
from mensura.web.participant import Code, not_admitted, who_is
from mensura.web.people.admission import NotAdmitted
from mensura.web.people.consenting import LONGEST, consent_for, revise, texts_of
from mensura.web.people.studies import People
from mensura.web.refusals import Asked, Refused

router = APIRouter(tags=["experimenter"], route_class=InTurn)

StudyName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", max_length=200)]
Text = Annotated[str, Field(max_length=LONGEST)]


@router.post("/p/{code}/consent", include_in_schema=False)
def consent(
    request: Request,
    code: Code,
    agreed: Annotated[str, Form(max_length=10)] = "",
    version: Annotated[int, Form(ge=0, le=10**9)] = 0,
    reuse: Annotated[str, Form(max_length=10)] = "",
    adult: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Somebody agrees to take part, having read this version."""
    one, study = who_is(request, code)
    people: People = request.app.state.people
    if people.talks(study.id) and adult != "yes":
        raise Refused(422, "Only adults take part: say that you are 18 or older.")
    if agreed != "yes":
        raise Refused(422, "Tick that you agree, or close the page if you do not.")
    shown = consent_for(people, study, one, words_for(request).language)
    if one.state == "invited" and version != shown.version:
        raise Refused(
            409, "The text has changed since you opened the page; go back and read it again."
        )
    try:
        asked = study.people.reuse
        people.consent(one, shown.version, shown.language, reuse == "yes" if asked else None)
    except NotAdmitted as refused:
        return not_admitted(request, study, one.external, refused.why)
    return RedirectResponse(f"/p/{quote(code, safe='')}", 303)


@router.get("/p/{code}/consent.html", include_in_schema=False)
def copy(request: Request, code: Code) -> Response:
    """What somebody agreed to, as a file to take home, with the code by which they can withdraw later."""
    one, study = who_is(request, code)
    words = words_for(request)
    agreed_to = consent_for(request.app.state.people, study, one, words.language)
    if agreed_to.language in languages():
        words = Words(agreed_to.language)
    text = alone(
        "participant/consent_copy.html",
        ("style.css",),
        words,
        study=study,
        one=one,
        consent=agreed_to,
        own_text=html_of(agreed_to.text),
        talks=request.app.state.people.talks(study.id),
        code=code,
        address=f"{str(request.base_url).rstrip('/')}/p/{quote(code, safe='')}/withdraw",
    )
    headers = {"content-disposition": 'attachment; filename="consent.html"'}
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


class ConsentTexts(BaseModel):
    """The texts that people agree to from now on."""

    version: int = Field(description="0 where there is none: that of the pages holds.")
    texts: dict[str, str] = Field(description="Markdown by language.")


class NewTexts(Asked):
    """A new version."""

    texts: dict[str, Text] = Field(min_length=1, max_length=20, description="Markdown by language.")


@router.get("/api/experimenter/studies/{name}/consent")
def consent_texts(request: Request, may: Experimenter, name: StudyName) -> ConsentTexts:
    """The newest version of the texts."""
    people: People = request.app.state.people
    texts = texts_of(people, people.study(name))
    newest = max(texts, default=0)
    return ConsentTexts(version=newest, texts=texts.get(newest, {}))


@router.post("/api/experimenter/studies/{name}/consent")
def revise_consent(
    request: Request, may: Experimenter, name: StudyName, new: NewTexts
) -> ConsentTexts:
    """Make a new version of the texts; whoever has agreed before has agreed to an earlier one."""
    people: People = request.app.state.people
    revise(people, people.study(name), new.texts)
    return consent_texts(request, may, name)
