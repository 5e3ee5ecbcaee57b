"""A relay on loopback that delays what it carries, cuts connections, or swallows everything."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import numpy as np

from mensura.worlds.constraints.execution.wire import Address


class Relay:
    """Carries connections to an address, as bad as it is told to be."""

    def __init__(
        self, seed: int = 0, *, delay: float = 0.0, cuts: int = 0, swallows: bool = False
    ) -> None:
        """``delay``: up to so many seconds for each piece; ``cuts``: so many connections are cut within 1,000 bytes
        of one direction or the other, and what follows is lost."""
        self._rng = np.random.default_rng(seed)
        self._delay, self._left, self._swallows = delay, cuts, swallows
        self.cut = self.carried = 0
        self.dies_after: int | None = None
        """Bytes after which nothing comes through any more, and nobody can connect."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> Address:
        """Listen; where to it leads is told later."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return "127.0.0.1", self._server.sockets[0].getsockname()[1]

    def lead_to(self, address: Address) -> None:
        """Carry connections to there."""
        self._address = address

    async def close(self) -> None:
        """Carry nothing more."""
        self._server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def die(self) -> None:
        """Cut everything, for good."""
        self._server.close()
        for task in self._tasks:
            task.cancel()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            there, back = await asyncio.open_connection(*self._address)
            try:
                await self._between(reader, writer, there, back)
            finally:
                back.close()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _between(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        there: asyncio.StreamReader,
        back: asyncio.StreamWriter,
    ) -> None:
        most: list[int | None] = [None, None]
        if self._left:
            self._left -= 1
            most[self._left % 2] = int(self._rng.integers(100, 1000))
        ways = {
            asyncio.create_task(self._carry(reader, back, most[1])),
            asyncio.create_task(self._carry(there, writer, most[0])),
        }
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in ways:
                one.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(1024):
                if self._swallows:
                    continue
                if self._delay:
                    await asyncio.sleep(self._rng.uniform(0, self._delay))
                self.carried += len(data)
                if self.dies_after is not None and self.carried > self.dies_after:
                    self.die()
                    return
                if most is not None:
                    if len(data) >= most:
                        writer.write(data[:most])
                        self.cut += 1
                        return
                    most -= len(data)
                writer.write(data)
                await writer.drain()
