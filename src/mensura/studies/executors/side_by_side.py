"""Sittings side by side in one thread, for subjects that are waited for: a thousand slow ones cost one process.

All others are played in threads, as always.
"""

from __future__ import annotations

import gc
import sys
from functools import partial
from threading import Thread
from time import perf_counter
from typing import Any

from mensura.core.contract import Stopped
from mensura.core.event_loop import EventLoop
from mensura.studies.desk import Desk, Job
from mensura.studies.executors.executor import Outcome
from mensura.studies.executors.threads import Threads

RARELY = 100_000
"""After so many new objects Python looks for circles among them. The answers of a thousand sittings are kept until
they end, and to go through them all every few hundred interactions would take a sixth of the time."""

SPARE_FILES = 200
"""So many files may be open beside the connections."""


class SideBySide(Threads):
    """Plays jobs of subjects that are waited for in an event loop, so many at a time, and others in threads."""

    def __init__(self, threads: int, at_once: int, desk: Desk | None = None) -> None:
        super().__init__(threads, desk)
        self.workers = max(threads, min(at_once, allowed_files(at_once)))
        self._collecting = gc.get_threshold()
        gc.set_threshold(RARELY, *self._collecting[1:])
        self._loop = EventLoop()
        self._thread = Thread(target=self._loop.run, name="sittings", daemon=True)
        self._thread.start()

    def submit(self, job: Job, seconds: float | None = None, brief: bool = False) -> None:
        """Play a job. Nobody can kill a thread, so there is no limit of time."""
        assert self.desk is not None
        if not self.desk.place(job.cell).polled:
            super().submit(job, seconds, brief)
        elif not self._stopped:
            self._loop.add(self.desk.playing(job), partial(self._finished, job, perf_counter()))

    def _finished(self, job: Job, begun: float, batch: Any, error: BaseException | None) -> None:
        if error is None:
            self._done.put(Outcome(job, batch, seconds=perf_counter() - begun))
        else:
            self._done.put(Outcome(job, error=error))

    def stop(self) -> None:
        """Drop what has not begun; what has is told to end, wherever it waits."""
        super().stop()
        if self._thread.is_alive():
            self._loop.interrupt(Stopped)
            self._loop.stop()
            self._thread.join()
            gc.set_threshold(*self._collecting)


def allowed_files(wanted: int) -> int:
    """How many connections may be open at once, after asking the system for as many as are wanted."""
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted + SPARE_FILES:
        return wanted
    more = wanted + SPARE_FILES
    if hard != resource.RLIM_INFINITY:
        more = min(more, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
    return max(1, more - SPARE_FILES)
