"""What all executors with workers share: who gets which job, who is overdue, and what a death leaves behind."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Generic, NamedTuple, TypeVar

from mensura.agent.errors import MensuraError
from mensura.studies.desk import Job
from mensura.studies.executors.executor import Outcome

SECONDS_TO_PREPARE = 600.0
"""How long a worker may take to start, to import and to compile before the clock of a job with a limit runs."""


class Given(NamedTuple):
    """A job that was handed over."""

    job: Job
    seconds: float | None
    """After which its worker is killed."""
    brief: bool
    """Whether another job may wait behind it."""


class Hand:
    """One worker, and the jobs that it was given: it plays the first of them."""

    def __init__(self) -> None:
        self.there = False
        """Whether it has started. Nothing is given to it before, so no job is blamed for a death on the way."""
        self.jobs: deque[Given] = deque()
        self._given = 0.0
        """When the first of its jobs became the first."""
        self._begun: float | None = None
        """When it was ready for it: its world made, its kernels compiled."""
        self._overdue = ""

    def hand_over(self, job: Job) -> None:
        """Send a job to the worker."""
        raise NotImplementedError

    def kill(self) -> None:
        """End the worker at once."""
        raise NotImplementedError

    def arrived(self) -> bool:
        """Whether something of it is waiting to be read."""
        return False

    def give(self, given: Given) -> None:
        """Another job for it."""
        if not self.jobs:
            self._given = monotonic()
        self.jobs.append(given)
        self.hand_over(given.job)

    def begun(self) -> None:
        """It is ready for the first of its jobs: the clock runs."""
        self._begun = monotonic()

    def finished(self) -> Job:
        """The first of its jobs is done."""
        self._given, self._begun = monotonic(), None
        return self.jobs.popleft().job

    def free_for(self, brief: bool) -> bool:
        """Whether it may be given a job: the only one, or a brief one behind a brief one."""
        if not self.there:
            return False
        return not self.jobs or (brief and len(self.jobs) == 1 and self.jobs[0].brief)

    @property
    def deadline(self) -> float:
        """When its present job is overdue."""
        seconds = self.jobs[0].seconds if self.jobs else None
        if seconds is None:
            return math.inf
        if self._begun is None:
            return self._given + SECONDS_TO_PREPARE
        return self._begun + seconds

    def end_if_overdue(self, now: float) -> None:
        """Kill it over a job that takes too long; one that arrived just in time counts."""
        if now >= self.deadline and not self.arrived():
            self._overdue = (
                f"it took longer than the {self.jobs[0].seconds:g} s that it may take"
                if self._begun is not None
                else f"it was not ready after {SECONDS_TO_PREPARE:g} s"
            )
            self.kill()

    def left_behind(self, how: str) -> list[Outcome]:
        """It is dead: the first of its jobs may be why, the others were only waiting."""
        death = self._overdue or how
        return [
            Outcome(given.job, death=death if place == 0 else "")
            for place, given in enumerate(self.jobs)
        ]


H = TypeVar("H", bound=Hand)


class Crew(Generic[H]):
    """The workers of an executor, and the jobs that wait for one."""

    def __init__(self) -> None:
        self.hands: list[H] = []
        self._queue: deque[Given] = deque()
        self._stillborn = 0
        """Workers in a row that died before they were there."""

    def submit(self, job: Job, seconds: float | None = None, brief: bool = False) -> None:
        """Give a job to the worker that has least to do, as soon as one may take it."""
        self._queue.append(Given(job, seconds, brief))
        self.hand_out()

    def hand_out(self) -> None:
        """Give waiting jobs to workers that are free for them."""
        while self._queue:
            free = [hand for hand in self.hands if hand.free_for(self._queue[0].brief)]
            if not free:
                return
            min(free, key=lambda hand: len(hand.jobs)).give(self._queue.popleft())

    def welcome(self, hand: H) -> None:
        """A worker has started."""
        hand.there = True
        self._stillborn = 0

    def mourn(self, hand: H, how: str) -> list[Outcome]:
        """What a dead worker leaves behind; where one after another dies on the way, it is no use to go on."""
        if not hand.there:
            self._stillborn += 1
            if self._stillborn > 2 * len(self.hands):
                raise MensuraError(f"No worker can be started: {how}.")
        return hand.left_behind(how)

    def patience(self, timeout: float) -> float:
        """How long to wait at most before somebody is overdue; who is already, is killed."""
        now = monotonic()
        for hand in self.hands:
            hand.end_if_overdue(now)
        deadlines: Sequence[float] = [hand.deadline for hand in self.hands]
        return max(0.0, min([timeout, *(deadline - now for deadline in deadlines)]))

    def drop(self) -> None:
        """Forget the jobs that no worker has."""
        self._queue.clear()

    def dismiss(self) -> list[H]:
        """Drop all jobs and end all workers; who they were."""
        self.drop()
        hands, self.hands = self.hands, []
        for hand in hands:
            hand.kill()
        return hands
