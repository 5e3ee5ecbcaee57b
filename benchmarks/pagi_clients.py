"""How many requests of a client of PAGI World are answered in a second, over one socket."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator

from measure import Figure

CLIENT = """
import socket, sys
port, count, ahead = map(int, sys.argv[1:])
client = socket.create_connection(("127.0.0.1", port))
lines = client.makefile("rb")
sent = heard = 0
while heard < count:
    some = min(ahead - (sent - heard), count - sent)
    if some > 0:
        client.sendall(b"sensorRequest,B0\\n" * some)
        sent += some
    lines.readline()
    heard += 1
"""
"""A client in a process of its own, which has so many requests under way."""


def pagi_requests(quick: bool) -> Iterator[Figure]:
    """Requests a second of one client in the world: one after another, and with many under way."""
    from mensura.agent.task import Limits
    from mensura.agents.address import parse
    from mensura.agents.pagi import from_pagi
    from mensura.core.abilities import hosting
    from mensura.core.loop import play
    from mensura.core.players import drive
    from mensura.worlds.pagi.world import Pagi

    for name, ahead, latency, goal in (
        ("one after another", 1, 0.0, None),
        ("5 in a frame, by latency", 100, 0.02, 5000.0),
        ("many in a frame", 400, 0.0, 5000.0),
    ):
        count = (200 if quick else 2000) * (1 if ahead == 1 else 10)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        subject = from_pagi(
            parse(f"pagi://127.0.0.1:{port}?speed=1000&latency={latency}")[0], None, Limits()
        )
        world = hosting(Pagi(task="catch"), subject)
        environment = world.build(world.sample(0))
        arguments = [sys.executable, "-c", f"import time; time.sleep(0.2)\n{CLIENT}"]
        client = subprocess.Popen([*arguments, str(port), str(count), str(ahead)])
        player = subject.sit(1)
        begun = time.perf_counter()
        while client.poll() is None:
            drive(play(environment, 1, world=world.id, seed=1), player)
        yield Figure(
            f"PAGI World, one socket: requests, {name}",
            count / (time.perf_counter() - begun),
            "requests/s",
            goal,
        )
        player.close()


PARTS = (pagi_requests,)
