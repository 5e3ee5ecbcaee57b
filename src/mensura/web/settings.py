"""What a server is started with."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from mensura.agent.errors import MensuraError

PASSWORD_VARIABLE = "MENSURA_PASSWORD"
"""The environment variable that may hold the experimenter's password."""

SHORTEST_PASSWORD = 10


@dataclass(frozen=True)
class Settings:
    """All that a server needs to know; the password is kept as a hash only."""

    store: str | Path | None = None
    """Where records are kept: a file or a URL, as for all commands."""
    password: str = field(default="", repr=False)
    """The hash of the experimenter's password (:func:`mensura.web.security.hashed`); without one nobody can log in."""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Signs what browsers are given to keep."""
    allowed: tuple[str, ...] = ()
    """Addresses of subjects beyond the built-in ones that studies started here may name: an address that names code is
    code."""
    secure: bool = False
    """Whether browsers reach it by HTTPS, through a proxy; cookies are then for HTTPS only."""
    research_for_all: bool = False
    """Whether anybody may use the research view; else only the experimenter."""
    public: bool = False
    """Whether everybody may read runs, reports and the leaderboard, not only the experimenter."""
    connections: int = 800
    """So many connections there are at a time, and fewer where the process may open fewer files."""
    connections_each: int = 400
    """So many of one address, which may be that of a whole class."""
    header_seconds: float = 10.0
    """So long the head of a request may take to come."""
    body_seconds: float = 30.0
    """So long the rest of it may take."""
    streams: int = 64
    """So many streams of progress there are at a time."""
    streams_each: int = 16
    """So many for one address."""
    language: str = "en"
    """The language of those whose browser asks for none that there is."""


def take_password(told: str | None) -> str | None:
    """The experimenter's password: the one told, or that of the environment; None where there is neither.

    It is taken out of the environment, which every process that is started from here inherits: studies, what works out
    reports, and the code of subjects in them.
    """
    kept = os.environ.pop(PASSWORD_VARIABLE, None)
    password = told or kept
    if password is not None and len(password) < SHORTEST_PASSWORD:
        raise MensuraError(
            f"The password has {len(password)} characters; it needs {SHORTEST_PASSWORD} or more, so that it cannot be "
            "guessed."
        )
    return password
