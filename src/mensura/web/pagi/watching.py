"""Episodes of a client that is watched, and the page that shows them meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from threading import Thread

from mensura.agent.errors import MensuraError
from mensura.agent.keys import seed_or_fresh
from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.pagi import PagiSubject, from_pagi, place
from mensura.api.watching import Watched as Result
from mensura.api.watching import play
from mensura.web.pagi.live import create_live_app
from mensura.web.pagi.watched import Watched
from mensura.web.server import server_of
from mensura.web.settings import Settings
from mensura.worlds.pagi.world import Pagi


def watch_client(
    address: str, task: str, episodes: int, seed: int | None, page: socket.socket
) -> Iterator[Result]:
    """Play so many episodes, each of which is told when it is over; MensuraError at once where that is impossible."""
    parts = parse(address)
    if len(parts) != 1 or not address.startswith("pagi:"):
        raise MensuraError(f"{address!r:.60} is no client of PAGI World; write pagi://:42209.")
    world = Pagi(task=task)
    host, port = place(parts[0])
    subject = from_pagi(parts[0], world, Limits())
    return _episodes(subject, world, Watched(f"{host}:{port}"), range(episodes), seed, page)


def _episodes(
    subject: PagiSubject,
    world: Pagi,
    watched: Watched,
    numbers: range,
    seed: int | None,
    page: socket.socket,
) -> Iterator[Result]:
    server = server_of(Settings(), create_live_app(watched))
    thread = Thread(target=server.run, kwargs={"sockets": [page]}, daemon=True)
    thread.start()
    first = seed_or_fresh(seed)
    try:
        for number in numbers:
            yield play(subject, world, lambda _: [watched], seed=first + number)
    finally:
        server.should_exit = True
        thread.join()
