"""Threads of this process: at once there, and enough where subjects are compiled or have processes of their own."""

from __future__ import annotations

import queue
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from time import perf_counter

from mensura.core.devices import playing_on
from mensura.studies.desk import Desk, Job
from mensura.studies.executors.executor import Outcome
from mensura.studies.place import Place


class Threads:
    """Plays jobs in threads. Agents inside this process are called one at a time."""

    def __init__(self, workers: int = 1, desk: Desk | None = None, device: str = "cpu") -> None:
        self.workers = workers
        self.device = device
        """Where sittings are played that are played whole; all others are played here."""
        self.desk = desk
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="sitting")
        self._done: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._one_at_a_time = Lock()
        self._stopped = False

    def start(self, places: Sequence[Place], journals: Path | None) -> None:
        """Lay the desk, unless somebody has."""
        if self.desk is None:
            self.desk = Desk.laid(places, journals)
        self.desk.tell = lambda job, step: self._done.put(Outcome(job, step=step))

    def submit(self, job: Job, seconds: float | None = None, brief: bool = False) -> None:
        """Play a job in a thread. Nobody can kill a thread, so there is no limit of time."""
        self._pool.submit(self._play, job)

    def _play(self, job: Job) -> None:
        assert self.desk is not None
        if self._stopped:
            return
        begun = perf_counter()
        try:
            with playing_on(self.device):
                if self.desk.place(job.cell).concurrent:
                    batch = self.desk.play(job)
                else:
                    with self._one_at_a_time:
                        if self._stopped:
                            return
                        begun = perf_counter()
                        batch = self.desk.play(job)
        except BaseException as error:
            self._done.put(Outcome(job, error=error))
        else:
            self._done.put(Outcome(job, batch, seconds=perf_counter() - begun))

    def wait(self, timeout: float) -> list[Outcome]:
        """What has been finished meanwhile."""
        outcomes: list[Outcome] = []
        try:
            outcomes.append(self._done.get(timeout=timeout))
            while True:
                outcomes.append(self._done.get_nowait())
        except queue.Empty:
            return outcomes

    def hurry(self) -> list[Outcome]:
        """Let sittings under way end with the scores that they have by now; all that was finished meanwhile."""
        self.stop()
        return self.wait(0.0)

    def stop(self) -> None:
        """Drop what has not begun; what has is told to end, and waited for."""
        self._stopped = True
        if self.desk is not None:
            self.desk.hurry()
        self._pool.shutdown(cancel_futures=True)
