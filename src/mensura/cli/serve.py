"""``mensura serve``: people, the research view and the dashboard in a browser."""

from __future__ import annotations

import secrets
from ipaddress import ip_address
from typing import Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.terminal.output import complain, say

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "visible": {
            "()": "mensura.terminal.output.VisibleFormatter",
            "format": "%(levelname)s: %(message)s",
        }
    },
    "handlers": {"terminal": {"class": "logging.StreamHandler", "formatter": "visible"}},
    "root": {"handlers": ["terminal"]},
}
"""What the server and its libraries log goes to standard error."""

PORT = 8642

BEYOND = (
    "Warning: with --host {host} everybody who reaches this machine reaches the server, and passwords, codes and "
    "answers travel unencrypted. Listen at 127.0.0.1 and put a proxy with HTTPS before it (docs/how-to/serve.md)."
)


def serve(
    store: options.StoreOption = None,
    host: Annotated[
        str,
        typer.Option(
            help="Where to listen. Beyond this machine, put a proxy with HTTPS before it."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="The port; 0 is any that is free.", min=0, max=65535)
    ] = PORT,
    password: Annotated[
        str | None,
        typer.Option(
            help="The experimenter's password; better set in the environment as MENSURA_PASSWORD, where nobody reads "
            "it over your shoulder.",
            show_default="one is made and printed",
        ),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            help="An address beyond the built-in subjects that studies started here may name, as agent.py:Mine; may be "
            "repeated. An address that names code is code.",
        ),
    ] = None,
    research_for_all: Annotated[
        bool,
        typer.Option(
            "--research-for-all",
            help="Let anybody use the research view, not only the experimenter: for a class or a demonstration. It "
            "shows environments whole, and takes work of this machine.",
        ),
    ] = False,
    behind_https: Annotated[
        bool,
        typer.Option(
            "--behind-https", help="Browsers reach it by HTTPS, through a proxy on this machine."
        ),
    ] = False,
    public: Annotated[
        bool,
        typer.Option(
            "--public",
            help="Let everybody read runs, reports and the leaderboard, not only the experimenter.",
        ),
    ] = False,
) -> None:
    """Open Mensura to people: the human test, the research view, the dashboard.

    Everything is served from here; nothing is fetched from elsewhere. Ctrl-C ends it; what was acknowledged is safe.
    """
    try:
        from mensura.agents.address import parse
        from mensura.web.security import hashed
        from mensura.web.server import listening, server_of, url_of
        from mensura.web.settings import Settings, take_password
    except ImportError as error:
        raise MensuraError(
            f'The pages need the extra "web" ({error.name} is missing): pip install "mensura[web]".'
        ) from error

    for address in allow or ():
        parse(address)
    chosen = take_password(password)
    if chosen is None:
        chosen = secrets.token_urlsafe(12)
        say(f"The experimenter's password for this time: {chosen}")
    settings = Settings(
        store=store,
        password=hashed(chosen),
        allowed=tuple(allow or ()),
        secure=behind_https,
        research_for_all=research_for_all,
        public=public,
    )
    listener = listening(host, port)
    server = server_of(settings, log_config=LOGGING)
    server.ready = lambda: say(f"Mensura is at {url_of(listener, host)} (Ctrl-C ends it)")
    if not is_loopback(host):
        complain(BEYOND.format(host=host))
    server.run(sockets=[listener])


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address to listen at."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
