"""The application: what is served where, and what an error looks like.

Each part of the house has a module with a router; this one puts them together. A sentence of ours
(:class:`~mensura.agent.errors.MensuraError`) is an answer of 400, or of the status that a :class:`Refused` names, as
JSON under ``/api`` and as a page elsewhere. Nothing a browser sends makes a 500.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.staticfiles import StaticFiles

from mensura import __version__
from mensura.agent.errors import MensuraError
from mensura.web.home import ask_to_log_in
from mensura.web.pages import page, phrases_for
from mensura.web.refusals import ANSWERS, Refused
from mensura.web.research.access import RESEARCHERS
from mensura.web.research.editors import editors
from mensura.web.security import Guard, local_path
from mensura.web.settings import Settings

PARTS = (
    "home",
    "consent",
    "questionnaires",
    "participant",
    "paced",
    "rooms",
    "talks",
    "recruitment",
    "experimenter",
    "exports",
    "dashboard",
    "leaderboard",
    "starting",
    "sittings",
    "transcripts",
    "pools",
    "research",
)
"""The modules of this package with a ``router``; those with ``open(app)`` are given the application before it serves,
and those with ``close(app)`` after. Of two that know a path, the first answers."""

STATIC = Path(__file__).parent / "static"


def create_app(settings: Settings) -> FastAPI:
    """The application for these settings."""
    parts = [import_module(f"mensura.web.{name}") for name in PARTS]

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        opened: list[Any] = []
        try:
            for part in parts:
                opened.append(part)
                if hasattr(part, "open"):
                    part.open(app)
            yield
        finally:
            for part in reversed(opened):
                if hasattr(part, "close"):
                    part.close(app)

    app = FastAPI(
        title="Mensura",
        version=__version__,
        description="What the pages of `mensura serve` use: people who are assessed, environments to look into, runs.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=ANSWERS,
        generate_unique_id_function=_operation,
        lifespan=lifespan,
    )
    app.router.routes.extend(_included())
    for editor in editors():
        app.include_router(editor.router, tags=["research"], dependencies=RESEARCHERS)
    routers = [*(part.router for part in parts), *(editor.router for editor in editors())]
    return guarded(app, settings, routers)


@cache
def _included() -> Sequence[BaseRoute]:
    """The routes of our parts in any application of this process: to work them out takes half a second."""
    app = FastAPI(openapi_url=None, responses=ANSWERS, generate_unique_id_function=_operation)
    for name in PARTS:
        app.include_router(import_module(f"mensura.web.{name}").router)
    return app.routes


def guarded(app: FastAPI, settings: Settings, routers: Sequence[APIRouter]) -> FastAPI:
    """An application that has these routers, with what every application of ours has around it."""
    app.state.settings = settings
    app.add_middleware(Guard, secure=settings.secure, body_seconds=settings.body_seconds)
    app.mount("/static", StaticFiles(directory=STATIC), "static")
    app.state.routes = [route for router in routers for route in router.routes]
    app.add_exception_handler(MensuraError, _told)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    return app


def _operation(route: APIRoute) -> str:
    """The name of an operation in the description of the API, as ``research-look``."""
    return "-".join([*map(str, route.tags[:1]), route.name])


def _told(request: Request, error: Exception) -> Response:
    status = error.status if isinstance(error, Refused) else 400
    return _refusal(request, status, str(error))


def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(one) for one in first["loc"][1:]) or "the request"
    return _refusal(request, 422, f"{where}: {first['msg']}.")


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentences = {404: "There is nothing here.", 405: "That cannot be done here."}
    headers = {"allow": ", ".join(_methods(request))} if error.status_code == 405 else error.headers
    sentence = sentences.get(error.status_code, str(error.detail))
    return _refusal(request, error.status_code, sentence, headers)


def _methods(request: Request) -> list[str]:
    """All that can be done at a path: several routes may share it, and each knows of its own methods only."""
    found: set[str] = set()
    for route in request.app.state.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            found |= route.methods
    return sorted(found) or ["GET", "HEAD"]  # files


def _refusal(request: Request, status: int, sentence: str, headers: Any | None = None) -> Response:
    """An error as whoever asked can read it."""
    sentence = phrases_for(request)(sentence)
    if request.url.path.startswith("/api"):
        return JSONResponse({"error": sentence}, status, headers)
    if status == 401 and request.method == "GET":
        there = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return ask_to_log_in(request, status, local_path(there, ""))
    answer = page(request, "error.html", status, sentence=sentence)
    answer.headers.update(headers or {})
    return answer
