"""The first page, the language of the pages, and logging in as the experimenter."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Form, Query
from fastapi.security import APIKeyCookie
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mensura.web.page_texts import languages
from mensura.web.pages import LANGUAGE_COOKIE, load_all, page
from mensura.web.refusals import Refused
from mensura.web.security import SECONDS_LOGGED_IN, Limiter, Signer, fits, local_path
from mensura.web.settings import Settings

SESSION_COOKIE = "mensura-session"

AFTER_LOGIN = "/dashboard"
"""Where one is after logging in who wanted to go nowhere else."""

router = APIRouter()


def open(app: FastAPI) -> None:
    """Before the application serves: all texts are read, and nobody is logged in."""
    load_all()
    settings: Settings = app.state.settings
    app.state.sessions = Signer(settings.secret, "session")
    app.state.logged_in = set()
    app.state.logins = Limiter(burst=10, per_second=0.1)


def _is_experimenter(request: Request) -> bool:
    name = request.app.state.sessions.read(request.cookies.get(SESSION_COOKIE, ""))
    request.state.experimenter = name is not None and name in request.app.state.logged_in
    return bool(request.state.experimenter)


def visitor(request: Request) -> bool:
    """Whether the experimenter is asking; anybody may."""
    return _is_experimenter(request)


session = APIKeyCookie(
    name=SESSION_COOKIE,
    scheme_name="experimenter",
    description="What the experimenter is given at `/login`.",
    auto_error=False,
)
Session = Annotated[str | None, Depends(session)]
"""Of operations that are described as the experimenter's; who asks is looked up by :func:`visitor`."""


def experimenter(request: Request, session: Session = None) -> bool:
    """Whoever asks must be logged in as the experimenter."""
    if not _is_experimenter(request):
        raise Refused(401, "Log in as the experimenter first.")
    return True


Visitor = Annotated[bool, Depends(visitor)]
Experimenter = Annotated[bool, Depends(experimenter)]


@router.get("/", include_in_schema=False)
def home(request: Request, known: Visitor) -> Response:
    """The first page."""
    return page(request, "home.html")


@router.get("/about", include_in_schema=False)
def about(request: Request, known: Visitor) -> Response:
    """What the tests measure, for those who took one."""
    return page(request, "about.html")


@router.get("/language/{code}", include_in_schema=False)
def choose_language(request: Request, code: str) -> Response:
    """Keep the language that was chosen, and go back."""
    if code not in languages():
        raise Refused(404, f"There is no language {code!r}; there are {', '.join(languages())}.")
    answer = RedirectResponse(local_path(request.query_params.get("back", "/"), "/"), 303)
    answer.set_cookie(LANGUAGE_COOKIE, code, max_age=31_536_000, samesite="strict", httponly=True)
    return answer


Next = Annotated[str, Query(alias="next", max_length=4000)]
"""Where to go after logging in."""


def ask_to_log_in(request: Request, status: int, there: str, wrong: bool = False) -> Response:
    """The page with the form; ``there`` is where one wanted to go."""
    return page(request, "login.html", status, wrong=wrong, next=there)


@router.get("/login", include_in_schema=False)
def login_page(request: Request, known: Visitor, there: Next = "") -> Response:
    """Where the experimenter logs in."""
    there = local_path(there, "")
    return (
        RedirectResponse(there or AFTER_LOGIN, 303) if known else ask_to_log_in(request, 200, there)
    )


@router.post("/login", include_in_schema=False)
def login(
    request: Request, password: Annotated[str, Form(max_length=1000)], there: Next = ""
) -> Response:
    """Log in, if the password is right, and go on to where one wanted to."""
    settings: Settings = request.app.state.settings
    there = local_path(there, "")
    who = request.client.host if request.client else ""
    # An attempt counts before the password is looked at, so that many at once are not all taken for the first.
    if not request.app.state.logins.allows(who):
        raise Refused(429, "Too many wrong passwords; wait a minute.")
    if not settings.password or not fits(password, settings.password):
        _is_experimenter(request)
        return ask_to_log_in(request, 403, there, wrong=True)
    request.app.state.logins.give_back(who)
    name = secrets.token_urlsafe(24)
    request.app.state.logged_in.add(name)
    answer = RedirectResponse(there or AFTER_LOGIN, 303)
    kept: dict[str, Any] = {"max_age": SECONDS_LOGGED_IN, "httponly": True, "samesite": "strict"}
    signed = request.app.state.sessions.sign(name, SECONDS_LOGGED_IN)
    answer.set_cookie(SESSION_COOKIE, signed, secure=settings.secure, **kept)
    return answer


@router.post("/logout", include_in_schema=False)
def logout(request: Request) -> Response:
    """Log out: what the browser keeps is worth nothing from now on."""
    name = request.app.state.sessions.read(request.cookies.get(SESSION_COOKIE, ""))
    request.app.state.logged_in.discard(name)
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer
