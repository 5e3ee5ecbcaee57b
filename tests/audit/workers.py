"""Processes that play cells. One that hangs or dies costs its cell and no other."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

CONTEXT = get_context("spawn")


@dataclass(frozen=True)
class Outcome:
    """What a process made of a cell."""

    cell: str
    failure: str | None
    seconds: float


def serve(address: str, output: Path, connection: Connection) -> None:
    """Play cells until nobody sends any. It ends with whoever started it, and so does what it starts."""
    os.setsid()
    if sys.platform == "linux":
        from mensura.agents.isolation.linux import die_with_parent

        die_with_parent()
    file = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.dup2(file, 1)
    os.dup2(file, 2)
    faulthandler.enable()

    from tests.audit.law import verdict
    from tests.audit.laws import load

    law = load(address)
    with suppress(EOFError, OSError):
        while True:
            cell = connection.recv()
            connection.send(verdict(law, cell))


class Worker:
    """A process and the cell that it plays."""

    def __init__(self, address: str, output: Path) -> None:
        self.cell: str | None = None
        self.began = 0.0
        self.connection, there = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=serve, args=(address, output, there))
        self.process.start()
        there.close()

    def begin(self, cell: str) -> None:
        self.cell, self.began = cell, time.monotonic()
        with suppress(OSError):  # it is dead, as `result` will tell
            self.connection.send(cell)

    def result(self) -> tuple[str | None, bool]:
        """What failed in its cell, and whether it lives on."""
        try:
            failure: str | None = self.connection.recv()
            return failure, True
        except (EOFError, OSError):
            self.process.join()
            return f"its process {ending(self.process.exitcode or 0)}", False

    def kill(self) -> None:
        """With all processes that it has started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()


def ending(status: int) -> str:
    return (
        f"died of {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
    )


class Crew:
    """So many processes at the same time, replaced where they die or take longer than a cell may."""

    def __init__(self, address: str, jobs: int, limit: float, output: Path) -> None:
        self.address, self.jobs, self.limit, self.output = address, jobs, limit, output
        self.workers: list[Worker] = []
        output.write_bytes(b"")

    def play(self, cells: Sequence[str], until: float) -> Iterator[Outcome | None]:
        """Outcomes as they come, and None now and then meanwhile; no cell is begun after the time `until`."""
        left = list(reversed(cells))
        while True:
            while left and len(self._busy()) < self.jobs and time.monotonic() < until:
                self._idle().begin(left.pop())
            busy = self._busy()
            if not busy:
                return
            ready = wait([worker.connection for worker in busy], timeout=0.5)
            for worker in busy:
                outcome, lives = self._outcome(worker, worker.connection in ready)
                if outcome:
                    worker.cell = None
                    if not lives:
                        self._dismiss(worker)
                    yield outcome
            yield None

    def _outcome(self, worker: Worker, ready: bool) -> tuple[Outcome | None, bool]:
        seconds = time.monotonic() - worker.began
        if ready:
            failure, lives = worker.result()
        elif seconds > self.limit:
            failure, lives = f"it took longer than {self.limit:g} seconds", False
        else:
            return None, True
        return Outcome(worker.cell or "", failure, seconds), lives

    def _busy(self) -> list[Worker]:
        return [worker for worker in self.workers if worker.cell is not None]

    def _idle(self) -> Worker:
        """One that plays no cell: a new one where all do."""
        for worker in self.workers:
            if worker.cell is None:
                return worker
        self.workers.append(Worker(self.address, self.output))
        return self.workers[-1]

    def _dismiss(self, worker: Worker) -> None:
        worker.kill()
        self.workers.remove(worker)

    def close(self) -> None:
        for worker in list(self.workers):
            self._dismiss(worker)
