"""Who computes: threads of this process, processes of this machine, or a Ray cluster; all behind one interface.

Executors compute and never write. The coordinator hands them jobs and takes what comes back, in any order.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from mensura.core.errors import MensuraError, neighbors
from mensura.records.batch import Batch
from mensura.studies.desk import Job
from mensura.studies.place import Place
from mensura.studies.stepped import Step

KINDS = ("auto", "threads", "processes", "ray")


class Lost(MensuraError):
    """Whoever computes is gone and will not come back; what was committed is safe."""


class Outcome(NamedTuple):
    """What became of a job: a batch, a worker that died, or an error that ends the run."""

    job: Job
    batch: Batch | None = None
    death: str = ""
    """How the worker died over it; empty if it was only waiting at that worker."""
    error: BaseException | None = None
    seconds: float = 0.0
    """How long the worker took."""
    step: Step | None = None
    """An episode of it that was played; the job goes on."""


class Executor(Protocol):
    """Plays jobs somewhere else."""

    @property
    def workers(self) -> int:
        """How many jobs it plays at a time."""

    def start(self, places: Sequence[Place], journals: Path | None) -> None:
        """Get ready for jobs of these places; answers of subjects that are asked once are journaled there."""

    def submit(self, job: Job, seconds: float | None = None, brief: bool = False) -> None:
        """Play a job some time; its worker is killed if it takes longer than so many seconds.

        A brief one may wait behind another brief one at the same worker, so that workers are never idle.
        """

    def wait(self, timeout: float) -> list[Outcome]:
        """What has been finished meanwhile; nothing where that takes longer than so many seconds."""

    def hurry(self) -> list[Outcome]:
        """Let jobs under way end with the scores that they have by now, where that can be: what came of them."""

    def stop(self) -> None:
        """Drop all jobs and end all workers."""


def make_executor(
    kind: str,
    workers: int | None = None,
    address: str | None = None,
    concurrent: bool = True,
    side_by_side: int = 0,
    waits: int = 1,
) -> Executor:
    """An executor by its name.

    "auto" is threads where they are enough (``concurrent``: subjects are compiled or have processes of their own),
    else processes. With threads, so many sittings ``side_by_side`` of subjects that are waited for share one of them.
    Where nobody says how many, there are as many threads as cores, or as many as subjects that mostly wait are worth
    (``waits``).
    """
    if kind not in KINDS:
        raise MensuraError(f"There is no executor {kind!r}; {neighbors(kind, list(KINDS))}")
    if workers is not None and workers < 1:
        raise MensuraError(f"{workers} workers cannot do any work; at least 1 is needed.")
    if address is not None and kind != "ray":
        raise MensuraError(f"The executor {kind!r} needs no address; only 'ray' does.")
    count = workers or os.cpu_count() or 1
    if kind == "auto":
        kind = "threads" if concurrent or count == 1 else "processes"
    if kind == "threads" and side_by_side:
        from mensura.studies.executors.side_by_side import SideBySide

        return SideBySide(count, workers or side_by_side)
    if kind == "threads":
        from mensura.studies.executors.threads import Threads

        return Threads(count if workers else max(count, waits))
    if kind == "processes":
        from mensura.studies.executors.processes import Processes

        return Processes(count)
    from mensura.studies.executors.cluster import Cluster

    return Cluster(workers, address)
