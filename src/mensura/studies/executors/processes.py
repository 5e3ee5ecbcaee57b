"""Worker processes of this machine: real parallelism for Python, and a death in one harms nobody else.

A worker is a fresh interpreter (never a fork), so that neither locks nor threads of the coordinator reach it. It
dies with the coordinator: the kernel kills it where it can, and it ends at the end of its input elsewhere.
"""

from __future__ import annotations

import multiprocessing.connection as connections
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.interpreter import our_python
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.studies.desk import Desk, Job
from mensura.studies.executors.crew import Crew, Hand
from mensura.studies.executors.executor import Outcome
from mensura.studies.place import Place
from mensura.studies.stepped import Step

SECONDS_TO_END = 3.0
"""How long sittings may take to end when they are stopped."""

OUT_OF_MEMORY = 112
"""With this status a worker ends that has no memory left even for its own work."""


class Processes(Crew["Worker"]):
    """Plays jobs in so many processes; a worker that died is replaced by a new one."""

    def __init__(self, workers: int) -> None:
        super().__init__()
        self.workers = workers
        self._cells: Sequence[Cell] = ()
        self._journals: Path | None = None

    def start(self, places: Sequence[Place], journals: Path | None) -> None:
        """Start the workers; they make their worlds while the first jobs are on the way."""
        self._cells = [place.cell for place in places]
        self._journals = journals
        self.hands = [Worker(self._cells, journals) for _ in range(self.workers)]

    def wait(self, timeout: float) -> list[Outcome]:
        """What has been finished meanwhile, and who died."""
        outcomes: list[Outcome] = []
        patience = self.patience(timeout)
        ready = connections.wait([hand.pipe for hand in self.hands], patience)
        for place, worker in enumerate(self.hands):
            if worker.pipe not in ready:
                continue
            try:
                while worker.pipe.poll():
                    if not worker.there:
                        worker.pipe.recv()
                        self.welcome(worker)
                        continue
                    outcomes += worker.take()
            except (EOFError, OSError):
                outcomes += self.mourn(worker, f"its worker process died ({worker.bury()})")
                self.hands[place] = Worker(self._cells, self._journals)
        self.hand_out()
        return outcomes

    def hurry(self) -> list[Outcome]:
        """Let sittings under way end with the scores that they have by now; all that came of it in time."""
        self.drop()
        for worker in self.hands:
            worker.end_early()
        outcomes: list[Outcome] = []
        until = monotonic() + SECONDS_TO_END
        while any(hand.jobs for hand in self.hands) and monotonic() < until:
            outcomes += self.wait(0.1)
        return outcomes

    def stop(self) -> None:
        """Kill all workers."""
        for worker in self.dismiss():
            worker.bury()


class Worker(Hand):
    """One process behind a socket."""

    def __init__(self, cells: Sequence[Cell], journals: Path | None) -> None:
        super().__init__()
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                our_python("mensura.studies.executors.processes", str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=sys.stderr.fileno() if _has_descriptor(sys.stderr) else subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                # Ctrl-C is the coordinator's to answer.
                start_new_session=True,
            )
        self.pipe: connections.Connection[Any, Any] = connections.Connection(ours.detach())
        self._send((tuple(cells), journals))

    def hand_over(self, job: Job) -> None:
        """Send a job."""
        self._send(job)

    def take(self) -> list[Outcome]:
        """What it has finished, or that it has begun."""
        told = self.pipe.recv()
        if told is None:
            self.begun()
            return []
        if isinstance(told, Step):
            return [Outcome(self.jobs[0].job, step=told)]
        batch, error, seconds = told
        return [Outcome(self.finished(), batch, error=error, seconds=seconds)]

    def arrived(self) -> bool:
        """Whether something of it is waiting to be read."""
        return self.pipe.poll()

    def end_early(self) -> None:
        """Let it end its sittings with the scores that they have by now."""
        if self.there:
            try:
                os.kill(self.process.pid, signal.SIGUSR1)
            except ProcessLookupError:
                pass

    def kill(self) -> None:
        """End it at once, with whatever it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass

    def bury(self) -> str:
        """Make sure that it is gone; how it died."""
        self.kill()
        code = self.process.wait()
        self.pipe.close()
        if code == OUT_OF_MEMORY:
            return "it had used up its memory"
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"

    def _send(self, what: Any) -> None:
        try:
            self.pipe.send(what)
        except (BrokenPipeError, ConnectionResetError):  # its end will be noticed while waiting
            pass


def _has_descriptor(stream: Any) -> bool:
    try:
        stream.fileno()
    except (AttributeError, OSError, ValueError):
        return False
    return True


# Inside a worker --------------------------------------------------------------


def main() -> None:
    """Play jobs that come over the socket of the given number until it is closed."""
    from mensura.agent.client import die_with_parent

    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe: connections.Connection[Any, Any] = connections.Connection(int(sys.argv[1]))
    try:
        cells, journals = pipe.recv()
        desk = Desk(cells, journals)
        desk.tell = lambda _, step: pipe.send(step)
        signal.signal(signal.SIGUSR1, lambda *_: desk.stop.set())
        pipe.send(None)
        while True:
            job = pipe.recv()
            if prepared(desk, job):
                pipe.send(None)
            pipe.send(played(desk, job))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        # The coordinator is gone; agents in this process may have left threads that would hold us.
        os._exit(0)


def prepared(desk: Desk, job: Job) -> bool:
    """Get ready for a job; an error is told when it is played."""
    try:
        desk.prepare(job)
    except Exception:
        return False
    return True


def played(desk: Desk, job: Job) -> tuple[Batch | None, BaseException | None, float]:
    """Play a job: a batch or an error, as values that can be sent, and the seconds that it took."""
    begun = perf_counter()
    try:
        with within_memory(desk.place(job.cell)):
            return desk.play(job), None, perf_counter() - begun
    except MensuraError as error:
        return None, error, 0.0
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Exception as error:
        return None, RuntimeError("".join(traceback.format_exception(error))), 0.0


@contextmanager
def within_memory(place: Place) -> Iterator[None]:
    """On Linux, refuse an agent inside this worker more memory than its limit beyond what the worker has already."""
    megabytes = place.cell.limits.memory_mb
    if megabytes is None or place.concurrent or sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = _data_bytes() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    """What this process has of the memory that the limit counts."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) << 10
    return 0
