"""The server: the application behind uvicorn, with bounds on connections."""

from __future__ import annotations

import resource
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import uvicorn
from fastapi import FastAPI

from mensura.agent.errors import MensuraError
from mensura.web.app import create_app
from mensura.web.connections import LONGEST_MESSAGE, Conversation, protocol_of
from mensura.web.settings import Settings

SPARE_FILES = 200
"""So many files the process may open besides connections: the store, pipes, modules."""

FEWEST = 50
"""So many connections there may be on the smallest machine."""

AT_A_TIME = 64
"""So many connections are taken before any of them is looked at: each of them is a file."""

WAITING = 1024
"""So many may wait to be taken."""


def listening(host: str, port: int, option: str = "--port") -> socket.socket:
    """A socket at an address, for whoever connects from now on; port 0 is any that is free.

    ``option``: by which whoever types the command names another port.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=WAITING)
    except OSError as error:
        why, _, _ = str(error.strerror or error).partition(" (while")
        raise MensuraError(
            f"Nothing can listen at {host}:{port}: {why}; name another port with {option}."
        ) from error


def url_of(listener: socket.socket, host: str) -> str:
    """Where browsers reach a socket that listens at a host."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}/"


class Server(uvicorn.Server):
    """uvicorn's, which takes few connections at a time from a long queue; asyncio has one number for both."""

    ready: Callable[[], object] = staticmethod(lambda: None)
    """Called once it serves."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen."""
        await super().startup(sockets)
        for server in self.servers:
            for one in server.sockets:
                with socket.fromfd(one.fileno(), one.family, one.type) as same:
                    same.listen(WAITING)
        self.ready()


def server_of(settings: Settings, app: FastAPI | None = None, **more: Any) -> Server:
    """A server of an application, by default of the whole one, that is not started yet.

    ``more`` goes to uvicorn's configuration.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(settings.connections, max(FEWEST, files - SPARE_FILES))
    return Server(
        uvicorn.Config(
            create_app(settings) if app is None else app,
            http=protocol_of(replace(settings, connections=most)),
            ws=Conversation,
            ws_max_size=LONGEST_MESSAGE,
            ws_ping_interval=20.0,
            ws_ping_timeout=20.0,
            backlog=AT_A_TIME,
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=settings.secure,
            timeout_graceful_shutdown=5,
            **more,
        )
    )
