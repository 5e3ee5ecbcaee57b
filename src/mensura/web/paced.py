"""Playing at a pace: many answers a second over a WebSocket, each of them kept before it is played.

The page sends an answer at each beat with what is held then, and does not wait: a few may be on their way. They are
taken in order by the same sittings as all other answers, so that whoever loses the connection goes on where they were,
and what was never acknowledged was never played. Whoever sends nothing stops the game.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, WebSocket
from pydantic import ValidationError
from starlette.websockets import WebSocketDisconnect

from mensura.agent.errors import MensuraError
from mensura.web.participant import Given, count_unknown, told_of, who_is
from mensura.web.people.sittings import Sittings, Stale
from mensura.web.refusals import Refused
from mensura.web.security import Limiter, same_site

router = APIRouter()

MOST = 75.0
"""Answers a second that are taken; a console has 60 frames."""
BURST = 150.0
IDLE = 60.0
"""Seconds after which a connection on which nothing comes is closed; the page opens another when it needs one."""
LONGEST = 4096
"""Characters of a message."""

ELSEWHERE, TOO_FAST, UNREADABLE, REFUSED = 4403, 4429, 4400, 4404
"""Why a connection was closed, for the page."""


@router.websocket("/api/participants/{code}/play")
async def play(socket: WebSocket, code: str) -> None:
    """Take answers as they come, and tell what is shown after each."""
    if not same_site(socket.headers):
        await socket.close(ELSEWHERE, "Changes are taken from our own pages only.")
        return
    try:
        await asyncio.to_thread(who_is, socket, code)
    except (
        Refused
    ) as refused:  # before it is accepted, so that nobody without a code holds a connection
        await socket.close(REFUSED, str(refused)[:100])
        return
    await socket.accept()
    paces = Limiter(BURST, MOST)
    sittings: Sittings = socket.app.state.sittings
    try:
        while True:
            async with asyncio.timeout(IDLE):
                text = await socket.receive_text()
            if not paces.allows(""):
                await socket.close(TOO_FAST, "Too many actions at once.")
                return
            if len(text) > LONGEST:
                await socket.close(UNREADABLE, "The message is too long.")
                return
            try:
                given = Given.model_validate_json(text)
            except ValidationError:
                await socket.close(UNREADABLE, "The message cannot be read.")
                return
            await socket.send_json(await _answered(socket, sittings, code, given))
    except TimeoutError:
        await socket.close(1000, "Nothing came for a while.")
    except Refused as refused:
        try:
            count_unknown(socket, refused)
        except Refused:
            pass
        await socket.close(REFUSED, str(refused)[:100])
    except (WebSocketDisconnect, RuntimeError):
        pass  # whoever left is seen again when they come back


async def _answered(
    socket: WebSocket, sittings: Sittings, code: str, given: Given
) -> dict[str, Any]:
    """What is told of an answer: what is shown then, and whether it was taken."""
    try:
        shown = await sittings.answer(
            code,
            given.number,
            given.cell,
            given.response_ms,
            given.action,
            late=given.late,
            marked=given.marked,
        )
    except Stale as stale:
        return {"taken": None, "state": told_of(socket, stale.shown)}
    except Refused as refused:
        if refused.status == 422:
            return {"taken": None, "state": told_of(socket, await sittings.shown(code))}
        raise
    except MensuraError as error:
        raise Refused(500, str(error)) from None
    return {"taken": given.number, "state": told_of(socket, shown)}
