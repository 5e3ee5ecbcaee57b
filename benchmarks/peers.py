"""What programs elsewhere cost: one over standard streams and TCP, a thousand slow ones, and a process of one's own."""

from __future__ import annotations

import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measure import Figure, best_rate

SOURCE = Path(__file__).parent / "peer.c"
ACTION = 1


@contextmanager
def c_peer() -> Iterator[Callable[..., Any]]:
    """Starts the peer in C with arguments; it is ended, and gone, afterwards."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None, "the benchmarks of peers need a C compiler"
    started: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "peer"
        subprocess.run([compiler, "-O2", "-o", str(made), str(SOURCE)], check=True)

        def start(*words: object) -> Any:
            if not words:
                return str(made)
            process = subprocess.Popen([made, *map(str, words)], stdout=subprocess.PIPE)
            started.append(process)
            assert process.stdout is not None
            return int(process.stdout.readline())

        try:
            yield start
        finally:
            for process in started:
                process.kill()
                process.communicate()


def one_peer(quick: bool) -> Iterator[Figure]:
    """One subject in C, and one in Python with the client that we ship, held against one in this process."""
    from mensura.agent.in_process import Agents
    from mensura.agent.task import Limits
    from mensura.agents.address import parse
    from mensura.agents.process import ProcessPlayer, ProcessSubject
    from mensura.agents.sockets import from_tcp
    from mensura.core.loop import play
    from mensura.core.players import drive
    from mensura.worlds.lambda_class.world import Lambda

    count = 1000 if quick else 5000
    world = Lambda()
    environment = world.build(world.sample(1))

    class Still:
        def act(self, observation: object, reward: float) -> int:
            return ACTION

    def rate(player: Any) -> float:
        def episode() -> int:
            drive(play(environment, 1, world=world.id, seed=1, interactions=count), player)
            return count

        try:
            return best_rate(episode)
        finally:
            player.close()

    inside = rate(Agents([Still()]))
    yield Figure("one subject in this process", inside, "interactions/s")
    with tempfile.TemporaryDirectory() as folder, c_peer() as start:
        program = start()
        port = start(0, 0)
        yield Figure(
            "a bare round trip over pipes, C",
            1e6 / best_rate(lambda: bare_pipes(program, count)),
            "us",
        )
        yield Figure(
            "a bare round trip over TCP, C", 1e6 / best_rate(lambda: bare_tcp(port, count)), "us"
        )
        streams = rate(ProcessPlayer("peer", [program], 1))
        yield Figure("one subject in C over standard streams", streams, "interactions/s", 15_000)
        (part,) = parse(f"tcp://127.0.0.1:{port}")
        connected = rate(from_tcp(part, world, Limits()).sit(1))
        yield Figure("one subject in C over TCP", connected, "interactions/s", 15_000)
        code = Path(folder) / "still.py"
        code.write_text(
            f"class Still:\n    def act(self, observation, reward):\n        return {ACTION}\n"
        )
        own = rate(ProcessSubject(parse(f"{code}:Still")[0]).sit(1))
        yield Figure("one subject in Python in its process", own, "interactions/s")
        more = 1e6 / own - 1e6 / inside
        yield Figure("a process of one's own, more than in this one", more, "us", 60.0, False)


def bare_pipes(program: str, count: int) -> int:
    """Write, poll and read, and nothing else."""
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        into, out = process.stdin.fileno(), process.stdout.fileno()
        poll = select.poll()
        poll.register(out, select.POLLIN)
        for _ in range(count):
            os.write(into, b'{"id":1,"ask":"act"}\n')
            poll.poll()
            os.read(out, 1000)
    return count


def bare_tcp(port: int, count: int) -> int:
    """The same over a socket."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        for _ in range(count):
            connection.send(b'{"id":1,"ask":"act"}\n')
            poll.poll()
            connection.recv(1000)
    return count


MANY = """
import sys
from time import perf_counter, process_time
from mensura.assessments.battery import Battery
from mensura.agents.address import parse
from mensura.agents.sockets import from_tcp
from mensura.agent.task import Limits
from mensura.studies.runner import run
from mensura.worlds.lambda_class.world import Lambda

port, sittings, horizon = map(int, sys.argv[1:])
limits = Limits()

def seconds(count, horizon):
    world = Lambda(horizon=horizon)
    subject = from_tcp(parse(f"tcp://127.0.0.1:{port}")[0], world, limits)
    begun, cpu = perf_counter(), process_time()
    result = run(world, [subject], Battery(count), 1, limits=limits)
    (one,) = result.subjects
    assert one.moments.count == count and one.faults == 0, one
    return perf_counter() - begun, process_time() - cpu

seconds(2, 2)
print(*seconds(sittings, horizon))
"""


def many_peers(quick: bool) -> Iterator[Figure]:
    """A thousand subjects that take 100 ms for every answer, in one process."""
    sittings, horizon = (100, 20) if quick else (1000, 400)
    with c_peer() as start:
        port = start(0, 100)
        out = subprocess.run(
            [sys.executable, "-c", MANY, str(port), str(sittings), str(horizon)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    seconds, cpu = map(float, out.stdout.split())
    # Shaking hands, the beginning and the end are answered as slowly.
    pace = (horizon + 3) * 0.1 / seconds
    yield Figure(f"{sittings} slow subjects, share of full pace", 100 * pace, "%", 90.0)
    yield Figure(
        f"{sittings} slow subjects, processor time", 1e6 * cpu / (sittings * horizon), "us each"
    )


PARTS = (one_peer, many_peers)
