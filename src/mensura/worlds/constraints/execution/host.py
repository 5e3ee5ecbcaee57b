"""A host: a process that listens, is given agents by a coordinator, and lets them write to those of other hosts."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.execution.crew import Seat
from mensura.worlds.constraints.execution.links import RECEIPT_AFTER
from mensura.worlds.constraints.execution.session import Session
from mensura.worlds.constraints.execution.wire import (
    Address,
    BadFrame,
    Frame,
    Stranger,
    greet,
    packed,
    read_frame,
    shown,
)

MOST_STRANGERS = 64
"""So many who have not proven yet that they know the token may be connected at once."""
EVENTS_AT_ONCE = 200
"""So many turns of a log are in a frame."""
SECONDS_TO_BE_CALLED = 60.0
"""So long a host that serves one run waits for a coordinator."""


class Host:
    """Serves one run after another; one at a time."""

    def __init__(self, token: str, known_as: Address | None = None) -> None:
        """``known_as``: the address by which other hosts reach it, where it is not the one it listens at."""
        self._token, self._known_as = token, known_as
        self._session: Session | None = None
        self._busy = False
        self._greeting = 0
        self._connections: set[asyncio.Task[None]] = set()
        self.strangers = 0
        """Connections of those who did not know the token, or spoke something else."""
        self.served = asyncio.Event()
        """A run is over."""
        self.called = asyncio.Event()
        """A coordinator has come."""

    async def listen(self, address: Address) -> Address:
        """Listen at an address; 0 as port: any. The address that it is."""
        try:
            self._server = await asyncio.start_server(self._connected, *address)
        except (OSError, OverflowError) as error:
            raise MensuraError(
                f"No host can listen at {shown(address)}: {getattr(error, 'strerror', None) or error}."
            ) from error
        self.address: Address = address[0], self._server.sockets[0].getsockname()[1]
        return self.address

    async def close(self) -> None:
        """Listen no more."""
        self._server.close()
        connections = list(self._connections)
        for one in connections:
            one.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if self._greeting < MOST_STRANGERS:
                await self._hear(reader, writer)
        except Stranger:
            self.strangers += 1
        except (OSError, asyncio.CancelledError):
            pass  # the connection is over, or this host is
        finally:
            writer.close()
            self._connections.discard(task)

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._greeting += 1
        try:
            hello, proof = await greet(reader, writer, self._token)
        finally:
            self._greeting -= 1
        if hello.get("is") == "coordinator":
            await self._serve(reader, writer, proof)
        else:
            await self._listen_to(hello, reader, writer, proof)

    async def _listen_to(
        self, hello: Frame, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proof: str
    ) -> None:
        """Take the frames of another host of the same run."""
        session, host = self._session, hello.get("from")
        if session is None or hello.get("run") != session.run or type(host) is not int:
            raise Stranger("somebody of another run")
        writer.write(packed({"proof": proof, "received": session.received.get(host, 0)}))
        while session is self._session:
            try:
                session.take(host, await read_frame(reader))
            except BadFrame:
                session.bad_frames += 1
            if session.received.get(host, 0) % RECEIPT_AFTER == 0:
                writer.write(packed({"received": session.received.get(host, 0)}))

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proof: str
    ) -> None:
        """Do what a coordinator says, until it leaves."""
        if self._busy:
            writer.write(packed({"proof": proof, "refused": "it serves another run"}))
            await writer.drain()
            return
        self._busy = True
        self.called.set()
        known_as = None if self._known_as is None else list(self._known_as)
        writer.write(packed({"proof": proof, "known_as": known_as}))

        def tell(frame: Frame) -> None:
            writer.write(packed(frame))

        try:
            await self._obey(reader, tell)
        finally:
            session, self._session = self._session, None
            if session is not None:
                await session.stop()
            self._busy = False
            self.served.set()

    async def _obey(self, reader: asyncio.StreamReader, tell: Callable[[Frame], None]) -> None:
        seats: list[Seat] = []
        while True:
            frame = await read_frame(reader)
            match frame.get("do"), self._session:
                case "agent", None:
                    seats.append(Seat(*frame["given"]))
                case "seat", None:
                    try:
                        self._session = Session(frame, seats, self._token, tell)
                    except (MensuraError, TypeError, LookupError) as error:
                        tell({"is": "failed", "sentence": f"A host cannot seat agents: {error}"})
                    else:
                        tell({"is": "seated"})
                case "start", Session() as session:
                    session.start()
                case "where", Session() as session:
                    session.tell_where(frame["agent"], frame["host"], frame["address"])
                case "collect", Session() as session:
                    await session.stop()
                    report(session, tell)


def report(session: Session, tell: Callable[[Frame], None]) -> None:
    """Tell the coordinator the log, then values and counts."""
    crew = session.crew
    for first in range(0, len(crew.log), EVENTS_AT_ONCE):
        part = crew.log[first : first + EVENTS_AT_ONCE]
        tell({"is": "log", "turns": [one._asdict() for one in part]})
    tell(
        {
            "is": "end",
            "values": list(crew.values.items()),
            "turns": max(crew.turns.values(), default=0),
            "limited": crew.limited,
            "counts": {**crew.counts, "bad frames": session.bad_frames},
            "nccc": max(crew.counters.values(), default=0),
        }
    )


async def serve_once(token: str) -> None:
    """Listen on loopback, print the port, and serve one run: what a process of this machine does."""
    host = Host(token)
    address = await host.listen(("127.0.0.1", 0))
    sys.stdout.write(f"{address[1]}\n")
    sys.stdout.flush()
    with suppress(TimeoutError):
        await asyncio.wait_for(host.called.wait(), SECONDS_TO_BE_CALLED)
        await host.served.wait()
    await host.close()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(serve_once(sys.stdin.readline().strip()))
