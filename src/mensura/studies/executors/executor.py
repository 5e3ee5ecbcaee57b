"""What an executor is: whoever plays jobs, and what comes back of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from mensura.agent.errors import MensuraError
from mensura.records.batch import Batch
from mensura.studies.desk import Job
from mensura.studies.place import Place
from mensura.studies.stepped import Step


class Lost(MensuraError):
    """The executor has lost its workers for good; what was committed is safe."""


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
