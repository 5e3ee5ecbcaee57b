"""Many participants at once against a real server: ``python benchmarks/people.py --people 300 --seconds 60``.

Starts ``mensura serve`` on a store of its own, invites so many participants, and lets each act every second, as far as
its answers come. Prints how long actions took, and holds what was acknowledged against what the store has: what is
missing was lost, and what is there without having been sent was doubled. With ``--arriving N`` so many more come by the
link of the study within five seconds, a third of the way: they join, agree, read and begin. With ``--kills N`` the
server is killed so many times with SIGKILL and started again; actions that were cut off are sent again, as a browser
does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from mensura.web.people.studies import People

PERIOD = 1.0
"""Seconds between two actions of a participant."""

RUSH = 5.0
"""Seconds within which newcomers come."""

WINDOW = 10
"""Seconds over which times are told together."""


@dataclass
class Client:
    """One participant and what the server acknowledged."""

    number: int
    code: str
    sent: dict[int, int | None] = field(default_factory=dict)
    """The cell of each answer that was acknowledged, by its number."""
    took: list[tuple[float, float]] = field(default_factory=list)
    """When each answer was sent, and how long it took."""
    refused: int = 0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def start(store: Path, port: int) -> subprocess.Popen[bytes]:
    """A real server; waits until it answers."""
    command = "from mensura.cli.main import main; main()"
    arguments = ["serve", "--store", str(store), "--port", str(port)]
    server = subprocess.Popen(
        [sys.executable, "-c", command, *arguments],
        env={**os.environ, "MENSURA_PASSWORD": "only for this benchmark"},
        stdout=subprocess.DEVNULL,
    )
    for _ in range(600):
        try:
            httpx.get(f"http://127.0.0.1:{port}/static/icon.svg", timeout=1.0)
            return server
        except httpx.TransportError:
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


class Connection:
    """A connection that is kept, and opened again where it was lost; lighter than a client library would be."""

    def __init__(self, port: int, number: int) -> None:
        """``number``: of who connects, each from an address of their own, as people do."""
        self._port = port
        self._from = f"127.1.{1 + number // 250}.{1 + number % 250}"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        """The status and what was told; OSError where the connection was lost."""
        content = None if body is None else json.dumps(body).encode()
        status, _, told = await self.send(path, content)
        return status, json.loads(told)

    async def send(
        self, path: str, content: bytes | None = None, kind: str = "application/json"
    ) -> tuple[int, str, bytes]:
        """The status, where it leads, and what was told."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection(
                    "127.0.0.1", self._port, local_addr=(self._from, 0)
                )
            reader, writer = self._streams
            head = (
                f"{'GET' if content is None else 'POST'} {path} HTTP/1.1\r\nhost: 127.0.0.1:{self._port}\r\n"
                f"content-type: {kind}\r\ncontent-length: {len(content or b'')}\r\n\r\n"
            )
            writer.write(head.encode() + (content or b""))
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            fields = {one.partition(":")[0].lower(): one.partition(": ")[2] for one in lines[1:]}
            told = await reader.readexactly(int(fields.get("content-length", 0)))
            return int(lines[0].split()[1]), fields.get("location", ""), told
        except (OSError, asyncio.IncompleteReadError) as error:
            self._streams = None
            raise OSError("the connection was lost") from error


async def act(port: int, client: Client, until: float, offset: float) -> None:
    """Act once a period until the time is over; what is cut off is sent again."""
    await asyncio.sleep(offset)
    connection = Connection(port, client.number)
    path = f"/api/participants/{client.code}"
    view: Any = None
    while view is None:
        try:
            status, told = await connection.ask(f"{path}/state")
            view = told if status == 200 else None
        except OSError:
            await asyncio.sleep(0.5)
    due = time.perf_counter()
    while time.perf_counter() < until and view["phase"] != "done":
        cell = None if view["phase"] == "begin" else view["reachable"][-1]
        body = {"number": view["number"], "cell": cell, "response_ms": 900.0}
        started = time.perf_counter()
        cut_off = False
        while True:
            try:
                status, told = await connection.ask(f"{path}/answers", body)
                break
            except OSError:
                cut_off = True
                await asyncio.sleep(0.5)
        if status == 200:
            if not cut_off:
                client.took.append((started, time.perf_counter() - started))
            client.sent[body["number"]] = cell
            view = told
        else:
            client.refused += 1
            view = told.get("state") or view
        due += PERIOD
        await asyncio.sleep(max(0.0, due - time.perf_counter()))


@dataclass
class Newcomer:
    """Somebody who comes by the link of the study."""

    took: float = 0.0
    """Seconds from the link to the first exercise; 0 where they did not get there."""


async def arrive(port: int, token: str, number: int, one: Newcomer, offset: float) -> None:
    """Join, agree, read the instructions, open the exercises and begin."""
    await asyncio.sleep(offset)
    connection = Connection(port, 10_000 + number)
    begun = time.perf_counter()

    async def send(*asked: Any) -> tuple[int, str, bytes]:
        while True:
            try:
                return await connection.send(*asked)
            except OSError:  # a browser opens another connection
                await asyncio.sleep(0.05)

    _, page, _ = await send(f"/join/{token}?PROLIFIC_PID=newcomer{number}")
    await send(f"{page}/consent")
    await send(f"{page}/consent", b"agreed=yes&version=0", "application/x-www-form-urlencoded")
    await send(f"{page}/instructions")
    await send(f"{page}/exercises")
    path = f"/api/participants/{page.rpartition('/')[2]}"
    await send(f"{path}/state")
    status, _, _ = await send(f"{path}/answers", b'{"number": 0, "response_ms": 900.0}')
    if status == 200:
        one.took = time.perf_counter() - begun


async def crowd(
    port: int,
    clients: list[Client],
    seconds: float,
    newcomers: list[Newcomer],
    token: str,
    kill: Any,
) -> float:
    """All participants at once: they arrive over some seconds, and their actions are spread over the period.

    When the newcomers begin to come.
    """
    arriving = min(10.0, len(clients) / 30.0)
    until = time.perf_counter() + arriving + seconds
    rush = arriving + seconds / 3
    moment = time.perf_counter() + rush
    work = [
        act(port, client, until, arriving * i / len(clients)) for i, client in enumerate(clients)
    ]
    coming = [
        arrive(port, token, i, one, rush + RUSH * i / len(newcomers))
        for i, one in enumerate(newcomers)
    ]
    await asyncio.gather(*work, *coming, kill(arriving + seconds / 2))
    return moment


def quantile(values: list[float], share: float) -> float:
    """The value below which so large a share is."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    """Run it and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--arriving", type=int, default=0, help="so many more come within 5 s")
    parser.add_argument("--kills", type=int, default=0, help="kill the server so many times")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "people.db"
        people = People(store)
        study = people.create(
            name="crowd",
            title="",
            assessment="exercises",
            parameters={},
            world="lambda-v1",
            world_parameters={},
            places=given.people + given.arriving,
            theme="colors",
            language="",
        )
        clients = []
        for one, code in people.invite(study, given.people):
            people.consent(one)
            clients.append(Client(one.number, code))
        people.end()
        port = free_port()
        servers = [start(store, port)]
        time.sleep(3.0)

        async def kill(after: float) -> None:
            await asyncio.sleep(after)
            for _ in range(given.kills):
                servers[-1].send_signal(signal.SIGKILL)
                servers[-1].wait()
                servers.append(await asyncio.to_thread(start, store, port))
                await asyncio.sleep(given.seconds / 8)

        newcomers = [Newcomer() for _ in range(given.arriving)]
        try:
            rush = asyncio.run(crowd(port, clients, given.seconds, newcomers, study.token, kill))
        finally:
            servers[-1].terminate()
            servers[-1].wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        report(store, clients)
        tell_rush(clients, newcomers, rush)
        print(
            f"processor time: {used.ru_utime + used.ru_stime:.1f} s of the server, its start included, "
            f"{time.process_time():.1f} s of the participants"
        )


def tell_rush(clients: list[Client], newcomers: list[Newcomer], rush: float) -> None:
    """How long actions took while newcomers came, and how long these needed to begin."""
    if not newcomers:
        return
    during = [took for one in clients for at, took in one.took if rush <= at < rush + RUSH + 2.0]
    came = [one.took for one in newcomers if one.took]
    print(
        f"while {len(newcomers)} arrived: {len(during)} actions, p50 {1000 * quantile(during, 0.5):.1f} ms, "
        f"p99 {1000 * quantile(during, 0.99):.1f} ms; {len(came)} of them began, after "
        f"{quantile(came, 0.5):.2f} s in the median and {max(came):.2f} s at most"
    )


def report(store: Path, clients: list[Client]) -> None:
    """Hold what was acknowledged against what is kept."""
    people = People(store)
    study = people.study("crowd")
    lost = doubled = 0
    for client in clients:
        kept = {one.number for one in people.given(study.id, client.number)}
        lost += len(set(client.sent) - kept)
        doubled += len(kept - set(client.sent))
    people.end()
    times = sorted(one for client in clients for one in client.took)
    took = [one for _, one in times]
    answers = sum(len(client.sent) for client in clients)
    refused = sum(client.refused for client in clients)
    print(f"{len(clients)} participants, {answers} answers acknowledged, {refused} refused")
    print(
        f"p50 {1000 * quantile(took, 0.5):.1f} ms, p99 {1000 * quantile(took, 0.99):.1f} ms, "
        f"longest {1000 * max(took):.1f} ms"
    )
    for first in range(0, int(times[-1][0] - times[0][0]) + 1, WINDOW):
        some = [one for at, one in times if first <= at - times[0][0] < first + WINDOW]
        print(
            f"  from {first:3} s: {len(some):5} answers, p50 {1000 * quantile(some, 0.5):7.1f} ms, "
            f"p99 {1000 * quantile(some, 0.99):7.1f} ms"
        )
    print(f"lost {lost}, doubled {doubled}")


if __name__ == "__main__":
    main()
