"""The work itself: a block of sittings of one cell in, what they left behind out.

A sitting is a pure function of its cell and its number, so it does not matter which process plays it, beside
whom, or how often. Where the world has a second door for the subject, whole blocks go through it at once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock
from time import monotonic
from typing import Any

from mensura.agent.waiting import Waiting, finish
from mensura.core.abilities import hurry
from mensura.core.contract import Stopped
from mensura.core.mixed import seat_names
from mensura.records.batch import Batch, concatenated
from mensura.records.cell import Cell
from mensura.records.memories import FOLDER
from mensura.records.pool_shelf import FOLDER as POOLS
from mensura.records.pool_shelf import SHELF
from mensura.studies import begun_sittings
from mensura.studies.bulk import roll_out
from mensura.studies.learner_sittings import learner_sitting
from mensura.studies.place import Place, PlaceMaker
from mensura.studies.stepped import Played, Step, joined, stepping
from mensura.studies.subjects import parts_of
from mensura.studies.understanding_sittings import examining

TOLD = 0.05
"""Seconds between two episodes that progress is told of: enough to be seen, and they cost nothing."""

SHELF_NUMBERS = 8_000_000
"""So many numbers the environments that are kept may take: 64 MB."""


@dataclass(frozen=True, slots=True)
class Job:
    """Neighboring sittings of one cell, within one block."""

    cell: int
    first: int
    count: int
    attempt: int = 1
    """How often these sittings were begun, this time included."""
    absent: str = ""
    """Why nobody sits down, where the worker died each time."""


class Desk:
    """Where a worker plays: it keeps the worlds and subjects of its cells, and environments that several meet."""

    def __init__(
        self, cells: Sequence[Cell], journals: Path | None = None, device: str = "cpu"
    ) -> None:
        """``device`` is that of the study, which says how many sittings jobs have."""
        self._device = device
        self._cells = {cell.number: cell for cell in cells}
        self._maker = PlaceMaker()
        self._places: dict[int, Place] = {}
        self._shelves: OrderedDict[tuple[Any, ...], tuple[Any, Any]] = OrderedDict()
        self._shelved = 0
        self._ready: set[int] = set()
        self._making = Lock()
        self._sampling = Lock()
        self._journals = journals
        if journals is not None:
            SHELF.look_in(journals / POOLS)
        self.stop = Event()
        """When it is set, sittings end as soon as they can: with a score, if their assessment has one by then."""
        self.tell: Callable[[Job, Step], None] | None = None
        """Called now and then with an episode that was played, for progress."""
        self._told = -TOLD

    @classmethod
    def laid(cls, places: Sequence[Place], journals: Path | None = None) -> Desk:
        """A desk in the process in which the places were made."""
        desk = cls([place.cell for place in places], journals)
        desk._places = {place.cell.number: place for place in places}
        return desk

    def hurry(self) -> None:
        """Let sittings end as soon as they can, and let subjects that wait their turn wait no longer."""
        self.stop.set()
        with self._making:
            places = list(self._places.values())
        for place in places:
            for subject in parts_of(place.subject):
                hurry(subject)

    def place(self, cell: int) -> Place:
        """The place of a cell, made when it is first needed."""
        with self._making:
            if cell not in self._places:
                made = self._maker.place(self._cells[cell])
                self._places[cell] = replace(made, device=self._device)
            return self._places[cell]

    def prepare(self, job: Job) -> None:
        """Make what a job needs before its clock runs: its world and subject, and kernels that are not compiled yet."""
        if job.cell not in self._ready:
            place = self.place(job.cell)
            if not place.compiled:
                place.warm_up()
            self._ready.add(job.cell)

    def play(self, job: Job) -> Batch:
        """Play the sittings of a job, waiting on the spot whenever there is something to wait for."""
        return finish(self.playing(job))

    def playing(self, job: Job) -> Waiting[Batch]:
        """Play the sittings of a job."""
        place = self.place(job.cell)
        if place.compiled and not job.absent:
            begun_sittings.note(self._journals, job.cell, job.first, job.count)
            items, patterns, first = self._shelf(place, job.first)
            return roll_out(place, items, patterns, first, job.first, job.count, job.attempt)
        played: list[Played] = []

        def tell(one: Step) -> None:
            now = monotonic()
            if self.tell is not None and now - self._told >= TOLD:
                self._told = now
                self.tell(job, one)

        if place.transfer is not None:
            return (yield from self._learners(place, job, tell))
        if place.asks_questions:
            return (yield from self._examinations(place, job))
        for item in range(job.first, job.first + job.count):
            journal = self._journal_of(place, item)
            begun_sittings.note(self._journals, job.cell, item, 1)
            try:
                one = stepping(
                    place,
                    item,
                    job.absent,
                    journal,
                    stop=self.stop,
                    tell=tell,
                    memories=None if self._journals is None else self._journals / FOLDER,
                )
                played.append((yield from one))
            except Stopped:
                if not played:
                    raise
                break
        return joined(place.cell, played, job.attempt, seat_names(place.subject, place.seats))

    def _learners(self, place: Place, job: Job, tell: Callable[[Step], None]) -> Waiting[Batch]:
        """Play sittings of transfer, a learner each."""
        batches: list[Batch] = []
        for item in range(job.first, job.first + job.count):
            begun_sittings.note(self._journals, job.cell, item, 1)
            try:
                one = learner_sitting(
                    place, item, job.attempt, job.absent, self._journals, self.stop, tell
                )
                batches.append((yield from one))
            except Stopped:
                if not batches:
                    raise
                break
        return concatenated(batches)

    def _examinations(self, place: Place, job: Job) -> Waiting[Batch]:
        """Play sittings of understanding, an examination each."""
        batches: list[Batch] = []
        for item in range(job.first, job.first + job.count):
            begun_sittings.note(self._journals, job.cell, item, 1)
            journal = self._journal_of(place, item)
            try:
                one = examining(place, item, job.attempt, job.absent, journal, self.stop)
                batches.append((yield from one))
            except Stopped:
                if not batches:
                    raise
                break
        return concatenated(batches)

    def _journal_of(self, place: Place, item: int) -> Path | None:
        if self._journals is None or not place.cell.ask_once:
            return None
        self._journals.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._journals / f"{place.cell.number}-{item}.jsonl"

    def _shelf(self, place: Place, item: int) -> tuple[Any, Any, int]:
        """The environments of the block that an item is in, sampled once for all subjects."""
        world: Any = place.world
        assessment: Any = place.assessment
        first, count = place.block_of(item)
        name = (place.root, place.world, place.assessment, first, count)
        with self._sampling:
            if name in self._shelves:
                self._shelves.move_to_end(name)
            else:
                items = assessment.items(place.root, first, count)
                sampled = world.sample_many(items.keys, place.measure, items.low, items.high)
                self._shelves[name] = items, sampled
                self._shelved += sampled.rows.size
                while self._shelved > SHELF_NUMBERS and len(self._shelves) > 1:
                    _, (_, oldest) = self._shelves.popitem(last=False)
                    self._shelved -= oldest.rows.size
            return *self._shelves[name], first
