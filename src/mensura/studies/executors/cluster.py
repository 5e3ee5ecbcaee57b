"""A Ray cluster: one that is running, by its address, or a local one that is started for the run.

Ray's own retries are off: whether a sitting is played again is the coordinator's decision alone.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mensura.core.errors import MensuraError
from mensura.records.cell import Cell
from mensura.studies.desk import Desk, Job
from mensura.studies.executors import Outcome
from mensura.studies.executors.crew import Crew, Hand

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Which accelerators its workers see is not Ray's to change; said here, it does not warn.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # What it prints of workers that died would be told twice, and on the standard output.
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}
"""What Ray reads from the environment when it is imported."""

LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Set to 0, a local Ray listens to this machine only, on every system; else on all interfaces."""


class Cluster(Crew["Actor"]):
    """Plays jobs in actors, one processor each; an actor that died with its node or alone is replaced."""

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        super().__init__()
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        if address is None:
            os.environ.setdefault(LOOPBACK, "0")
        try:
            import ray
        except ModuleNotFoundError:
            raise MensuraError(
                "The executor 'ray' needs the library ray: pip install 'mensura[cluster]'."
            ) from None
        self._ray = ray
        self._wanted = workers
        self._address = address
        self._mine = False
        self.workers = workers or 1
        self._cells: Any = None
        self._journals: Path | None = None

    def start(self, cells: Sequence[Cell], journals: Path | None) -> None:
        """Connect, or start a local cluster, and place the workers."""
        ray = self._ray
        if not ray.is_initialized():
            self._mine = True
            try:
                if self._address is None:
                    ray.init(
                        num_cpus=self._wanted or os.cpu_count(),
                        include_dashboard=False,
                        log_to_driver=False,
                        logging_level="ERROR",
                    )
                else:
                    ray.init(address=self._address, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, RuntimeError, ValueError) as error:
                where = f"at {self._address}" if self._address else "on this machine"
                line = (
                    str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
                )
                raise MensuraError(f"There is no Ray cluster {where}: {line}") from error
        self.workers = self._wanted or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._cells = ray.put(tuple(cells))
        self._journals = journals
        self.hands = [self._actor() for _ in range(self.workers)]

    def _actor(self) -> Actor:
        return Actor(self._ray, self._cells, self._journals)

    def wait(self, timeout: float) -> list[Outcome]:
        """What has been finished meanwhile, and who died."""
        ray = self._ray
        patience = self.patience(timeout)
        first = {hand.references[0]: hand for hand in self.hands if hand.jobs}
        if not first:
            return []
        ready, _ = ray.wait(list(first), num_returns=1, timeout=patience)
        if ready:
            ready, _ = ray.wait(list(first), num_returns=len(first), timeout=0.0)
        outcomes: list[Outcome] = []
        for reference in ready:
            actor = first[reference]
            try:
                told = ray.get(reference)
            except ray.exceptions.RayError as lost:
                outcomes += actor.left_behind(f"its Ray worker died ({type(lost).__name__})")
                self.hands[self.hands.index(actor)] = self._actor()
                continue
            actor.references.popleft()
            if told is None:
                actor.begun()
            else:
                batch, error, seconds = told
                outcomes.append(Outcome(actor.finished(), batch, error=error, seconds=seconds))
        self.hand_out()
        return outcomes

    def stop(self) -> None:
        """End the workers, and the cluster where it was started for this run."""
        self.dismiss()
        if self._mine:
            self._ray.shutdown()
            self._mine = False


class Actor(Hand):
    """One worker of the cluster."""

    def __init__(self, ray: Any, cells: Any, journals: Path | None) -> None:
        super().__init__()
        self._ray = ray
        options = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
        self._remote = ray.remote(RemoteDesk).options(**options).remote(cells, journals, sys.path)
        self.references: deque[Any] = deque()
        """For each of its jobs: that it has begun, and what became of it."""

    def hand_over(self, job: Job) -> None:
        """Send a job."""
        self.references.append(self._remote.prepare.remote(job))
        self.references.append(self._remote.play.remote(job))

    def kill(self) -> None:
        """End it at once."""
        self._ray.kill(self._remote, no_restart=True)


class RemoteDesk:
    """A desk in an actor."""

    def __init__(self, cells: Sequence[Cell], journals: Path | None, path: Sequence[str]) -> None:
        sys.path[:] = [*path, *(entry for entry in sys.path if entry not in path)]
        self.desk = Desk(cells, journals)

    def prepare(self, job: Job) -> None:
        """Get ready for a job."""
        from mensura.studies.executors.processes import prepared

        prepared(self.desk, job)

    def play(self, job: Job) -> tuple[Any, BaseException | None, float]:
        """Play a job; errors come back as values, because Ray would wrap them."""
        from mensura.studies.executors.processes import played

        return played(self.desk, job)
