"""Which sittings are played next: nobody is far behind, and a slow subject does not hold the others.

Compiled cells share a lane and go forward together, block by block, so that the environments of a block are
sampled once. Every other cell has a lane of its own. The lane that has had the least of the workers' time is next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.studies.desk import Job
from mensura.studies.place import Place

BULK = 400_000
"""A compiled job has about so many actions: enough to hide the cost of handing it over."""

BULK_ON_GPU = 40_000_000
"""The same where a GPU plays."""

JOB_SECONDS = 0.2
"""So long a job of the step door should take, as far as sittings can be put together."""

LARGEST_JOB = 256
"""The most sittings of a job of the step door."""

BRIEF = 1.0
"""A job that takes less than so many seconds may wait behind another one."""

ATTEMPTS = 3
"""The third death of a sitting's worker is recorded as its fault."""


class Schedule:
    """The jobs of a run, one after another, in an order that depends on how long they take."""

    def __init__(
        self,
        places: Sequence[Place],
        done: Sequence[npt.NDArray[np.bool_]] | None,
        workers: int,
    ) -> None:
        """``done`` tells for each place which of its sittings are not to be played again."""
        self._workers = workers
        rows = {
            place.cell.number: _Row(place, None if done is None else done[at])
            for at, place in enumerate(places)
        }
        self._rows = rows
        compiled = [row for row in rows.values() if row.place.compiled]
        stepped = [_Lane(own) for own in _together(rows.values())]
        self._lanes = [*([_Lane(compiled)] if compiled else []), *stepped]
        self._lane_of = {row.number: lane for lane in self._lanes for row in lane.rows}
        self.in_flight = 0

    def next(self, brief_only: bool = False) -> tuple[Job, float | None, bool] | None:
        """A job with the seconds that it may take, and whether it is brief; None if there is none now."""
        waiting = [lane for lane in self._lanes if lane.ready]
        waiting.sort(key=lambda lane: lane.used + lane.owed)
        for lane in waiting:
            if brief_only and not lane.brief:
                continue
            alone = len(waiting) == 1
            if not lane.shared and not alone and lane.flying >= max(1, self._workers - 1):
                continue
            row = lane.front
            assert row is not None
            job = row.pop()
            lane.fly(job, row)
            self.in_flight += 1
            return job, row.seconds_for(job), lane.brief
        return None

    def finished(self, job: Job, seconds: float) -> None:
        """A job is done and took so long."""
        self._land(job, seconds)
        self._rows[job.cell].learn(job, seconds)

    def died(self, job: Job, death: str) -> None:
        """The worker of a job died, over it or while it was waiting there (no reason given)."""
        self._land(job, 0.0)
        row = self._rows[job.cell]
        self._lane_of[job.cell].back(row)
        if not death:
            row.again.append(job)
            return
        if job.absent:
            raise MensuraError(
                f"Item {job.first} of {row.place.cell.name} in {row.place.cell.condition} kills its worker even "
                f"with nobody in its seats: {death}."
            )
        for item in range(job.first, job.first + job.count):
            one = Job(job.cell, item, 1, job.attempt + 1)
            if job.attempt >= ATTEMPTS:
                one = replace(one, attempt=job.attempt, absent=f"{death}, {job.attempt} times")
            row.again.append(one)

    def _land(self, job: Job, seconds: float) -> None:
        self.in_flight -= 1
        self._lane_of[job.cell].land(job, self._rows[job.cell], seconds)


def _together(rows: Iterable[_Row]) -> list[list[_Row]]:
    """Cells of the step door by lane: each has its own, and those whose learners share their phases have one.

    They go forward block by block, so that whatever a phase of one leads to is there when the next ones need it.
    """
    lanes: dict[Any, list[_Row]] = {}
    for row in rows:
        cell = row.place.cell
        if not row.place.compiled:
            shared = (cell.subject, cell.name, cell.world, cell.assessment, cell.seed)
            lanes.setdefault(shared if cell.phases else cell.number, []).append(row)
    return list(lanes.values())


class _Lane:
    """Cells that are played by turns."""

    def __init__(self, rows: Sequence[_Row]) -> None:
        self.rows = rows
        self._order = {row.number: i for i, row in enumerate(rows)}
        self._heap = [(row.rank, i) for i, row in enumerate(rows)]
        """How far each cell was when it was last looked at; cells only go on, so none is further back."""
        heapify(self._heap)
        self.shared = rows[0].place.compiled
        self.used = 0.0
        """Seconds that workers gave it."""
        self.owed = 0.0
        """Seconds that jobs on the way will probably take."""
        self.flying = 0

    @property
    def ready(self) -> bool:
        """Whether there is anything left to begin."""
        return self.front is not None

    @property
    def front(self) -> _Row | None:
        """The cell that is least far, of those that have something left; the first of several."""
        while self._heap:
            rank, i = self._heap[0]
            row = self.rows[i]
            if not row.left:
                heappop(self._heap)
            elif rank != row.rank:
                heapreplace(self._heap, (row.rank, i))
            else:
                return row
        return None

    def back(self, row: _Row) -> None:
        """A cell has something left again."""
        heappush(self._heap, (row.rank, self._order[row.number]))

    @property
    def brief(self) -> bool:
        """Whether its jobs are short."""
        return self.shared or self.rows[0].brief

    def fly(self, job: Job, row: _Row) -> None:
        """A job is on its way."""
        self.flying += 1
        self.owed += row.each * job.count

    def land(self, job: Job, row: _Row, seconds: float) -> None:
        """A job is back."""
        self.flying -= 1
        self.used += seconds
        self.owed = max(0.0, self.owed - row.each * job.count) if self.flying else 0.0


class _Row:
    """The sittings of one cell that are still to be begun, in their order."""

    def __init__(self, place: Place, done: npt.NDArray[np.bool_] | None) -> None:
        self.place = place
        self.number = place.cell.number
        self.again: deque[Job] = deque()
        """Jobs whose worker died."""
        self.each = 0.01
        """Seconds of a sitting, as far as known."""
        self._done = done
        self._blocks = place.blocks()
        self.at = 0
        self._end = 0
        self._size = 1
        if place.compiled:
            bulk = BULK_ON_GPU if place.device == "gpu" else BULK
            self._size = max(1, bulk // max(1, place.actions))
        self._known = False
        self._skip()

    @property
    def rank(self) -> int:
        """How far it is: who is least far is next. Cells with phases count whole blocks."""
        return self._end if self.place.cell.phases else self.at

    @property
    def left(self) -> bool:
        """Whether a job can be had."""
        return bool(self.again) or self.at < self._end

    @property
    def brief(self) -> bool:
        """Whether its jobs are known to be short."""
        return self._known and self.each * self._size < BRIEF

    def pop(self) -> Job:
        """The next job."""
        if self.again:
            return self.again.popleft()
        first = self.at
        stop = min(self._end, first + self._size)
        if self._done is not None:
            taken = np.flatnonzero(self._done[first:stop])
            if len(taken):
                stop = first + int(taken[0])
        self.at = stop
        self._skip()
        return Job(self.number, first, stop - first)

    def _skip(self) -> None:
        """Go to the next sitting that is not done."""
        while True:
            if self._done is not None and self.at < self._end:
                open_ones = np.flatnonzero(~self._done[self.at : self._end])
                self.at = self.at + int(open_ones[0]) if len(open_ones) else self._end
            if self.at < self._end:
                return
            following = next(self._blocks, None)
            if following is None:
                return
            self.at = following[0]
            self._end = following[0] + following[1]

    def learn(self, job: Job, seconds: float) -> None:
        """Jobs grow until they take about as long as they should."""
        self.each = seconds / job.count
        self._known = True
        if not self.place.compiled:
            wanted = int(JOB_SECONDS / max(self.each, 1e-6))
            self._size = max(1, min(wanted, 2 * self._size, LARGEST_JOB))

    def seconds_for(self, job: Job) -> float | None:
        """How long a worker may take over agents that run inside it; the others are limited where they run."""
        cell, limits = self.place.cell, self.place.cell.limits
        if self.place.concurrent or limits.seconds_per_episode is None:
            return None
        episodes = job.count * (cell.training + 1)
        return (
            episodes * self.place.seats * limits.seconds_per_episode
            + job.count * limits.seconds_to_start
        )
