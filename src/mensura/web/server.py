"""The server: the application behind uvicorn, with bounds on connections."""

from __future__ import annotations

import resource
from dataclasses import replace
from typing import Any

import uvicorn

from mensura.web.app import create_app
from mensura.web.connections import protocol_of
from mensura.web.settings import Settings

SPARE_FILES = 200
"""So many files the process may open besides connections: the store, pipes, modules."""

FEWEST = 50
"""So many connections there may be on the smallest machine."""


def server_of(settings: Settings, **more: Any) -> uvicorn.Server:
    """A server that is not started yet; ``more`` goes to uvicorn's configuration."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(settings.connections, max(FEWEST, files - SPARE_FILES))
    return uvicorn.Server(
        uvicorn.Config(
            create_app(settings),
            http=protocol_of(replace(settings, connections=most)),
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=settings.secure,
            timeout_graceful_shutdown=5,
            **more,
        )
    )
