"""Who may use the research view, and what its routes are given."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import Depends, Path
from starlette.requests import Request

from mensura.agent.keys import Key
from mensura.web.home import Session, visitor
from mensura.web.pages import phrases_for
from mensura.web.phrases import Phrases
from mensura.web.refusals import Refused
from mensura.web.research.visits import Visits
from mensura.web.seeds import seed_of
from mensura.web.settings import Settings

API = "/api/research"

EASY_SEEDS = 2**32
"""Seeds that nobody named are below this, so that they are short to write down."""


def researcher(request: Request, session: Session = None) -> bool:
    """Whoever asks must be the experimenter, or the view is for all; then not too often."""
    settings: Settings = request.app.state.settings
    if visitor(request):
        return True
    if not settings.research_for_all:
        raise Refused(401, "Log in as the experimenter first.")
    who = request.client.host if request.client else ""
    if not request.app.state.research_limits.allows(who):
        raise Refused(429, "Too many requests; wait a moment.")
    return True


def _visits(request: Request) -> Visits:
    visits: Visits = request.app.state.visits
    return visits


Say = Annotated[Phrases, Depends(phrases_for)]
OpenVisits = Annotated[Visits, Depends(_visits)]
VisitName = Annotated[str, Path(max_length=64, description="A visit, as it was begun.")]
RESEARCHERS = [Depends(researcher)]
"""The dependencies of every route of the view."""


def seed_asked(text: str) -> Key:
    """The seed of a text, or one that is short to write down."""
    return seed_of(text) if text else secrets.randbelow(EASY_SEEDS)
