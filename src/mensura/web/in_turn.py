"""Pages of participants are made a few at a time, so that many who arrive at once do not hold up those who play.

A page takes some milliseconds of the one processor that Python uses; made by dozens of threads at once, they would
leave nothing to the actions of those who are in the middle of a test.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

AT_ONCE = 2
"""So many are made at the same time."""


def open_turns(app: FastAPI) -> None:
    """Before the application serves."""
    app.state.turns = asyncio.Semaphore(AT_ONCE)


class InTurn(APIRoute):
    """A route whose pages wait for their turn; operations of the API do not."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind those that came before."""
        handle = super().get_route_handler()
        if self.path.startswith("/api/"):
            return handle

        async def wait(request: Request) -> Response:
            async with request.app.state.turns:
                return await handle(request)

        return wait
