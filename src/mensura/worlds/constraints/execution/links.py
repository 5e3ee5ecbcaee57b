"""The way to another host: frames in order, each once, also where connections are cut.

Frames are numbered. The other host says from time to time how many it has, and whenever one connects again; the rest
is sent once more.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Any

from mensura.worlds.constraints.execution.wire import (
    Address,
    BadFrame,
    connect,
    packed,
    read_frame,
)

RECEIPT_AFTER = 32
"""So many frames are received before that is told."""
PATIENCE = 10.0
"""So many seconds a host that was reached before, or never, may be out of reach."""
PAUSE = 0.05
"""Seconds between two attempts to connect."""


class Link:
    """Sends frames to one host."""

    def __init__(
        self, address: Address, token: str, hello: Mapping[str, Any], lost: Callable[[str], None]
    ) -> None:
        """``lost`` is told why, where the host is out of reach for too long."""
        self._address, self._token, self._hello, self._lost = address, token, hello, lost
        self._frames: deque[bytes] = deque()
        """Those of which nobody said that they were received."""
        self._received = 0
        """How many frames were, before these."""
        self._given = 0
        """How many of those in the queue were given to the present connection."""
        self._numbered = 0
        self._stir = asyncio.Event()
        self.connections = 0
        self._task = asyncio.create_task(self._work())

    def send(self, data: Mapping[str, Any]) -> None:
        """Put a frame on its way."""
        self._numbered += 1
        self._frames.append(packed({**data, "number": self._numbered}))
        self._stir.set()

    async def close(self) -> None:
        """Send nothing more."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _work(self) -> None:
        since = monotonic()
        while True:
            why = "no connection"
            try:
                reader, writer, answer = await connect(self._address, self._token, self._hello)
            except (OSError, TimeoutError) as error:
                why = str(error) or type(error).__name__
            else:
                self.connections += 1
                try:
                    self._note(answer.get("received"))
                    self._given = 0
                    await self._use(reader, writer)
                except (OSError, BadFrame):
                    pass
                finally:
                    writer.close()
                since = monotonic()
            if monotonic() - since > PATIENCE:
                self._lost(why)
                return
            await asyncio.sleep(PAUSE)

    async def _use(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Send by a connection until it is over."""
        receipts = asyncio.create_task(self._read_receipts(reader))
        receipts.add_done_callback(lambda _: self._stir.set())
        try:
            while not receipts.done():
                self._stir.clear()
                if self._given < len(self._frames):
                    part = list(self._frames)[self._given :]
                    self._given += len(part)
                    writer.write(b"".join(part))
                    await writer.drain()
                else:
                    await self._stir.wait()
        finally:
            receipts.cancel()
            with suppress(asyncio.CancelledError, OSError, BadFrame):
                await receipts

    async def _read_receipts(self, reader: asyncio.StreamReader) -> None:
        while True:
            self._note((await read_frame(reader)).get("received"))

    def _note(self, received: Any) -> None:
        """Forget what was received."""
        if isinstance(received, int):
            while self._received < received and self._frames:
                self._frames.popleft()
                self._received += 1
                self._given = max(0, self._given - 1)
