"""The coordinator: it cuts cells into jobs, lets an executor compute them, and alone writes what comes back.

A sitting is played at least once and counted exactly once. Neither the executor, nor the number of workers, nor the
order in which they finish changes a bit of the result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, stretched
from mensura.agent.task import Limits
from mensura.core.abilities import (
    content_of,
    measure_of,
    pools_of,
    sittings_of,
    training_of,
    trains,
)
from mensura.core.contract import Assessment, World
from mensura.core.interrupts import noticed
from mensura.core.players import Subject
from mensura.records import provenance
from mensura.records.batch import Batch
from mensura.records.cell import Cell, held, repetition_root
from mensura.records.memories import FOLDER
from mensura.records.pool_shelf import FOLDER as POOLS
from mensura.records.results import RunResult
from mensura.records.run import Run
from mensura.records.summary import empty, summarize
from mensura.records.tally import Tally
from mensura.studies import begun_sittings
from mensura.studies.desk import Job
from mensura.studies.executors.executor import Executor, Outcome
from mensura.studies.executors.side_by_side import SideBySide
from mensura.studies.executors.threads import Threads
from mensura.studies.holding import holdings_of, warn_of
from mensura.studies.learner_sittings import notes_of
from mensura.studies.place import Place
from mensura.studies.pools_of_runs import lay_out_for_workers
from mensura.studies.schedule import Schedule
from mensura.studies.stepped import Step
from mensura.studies.subjects import isolation_of, summary
from mensura.studies.sweeping import Sweeper

PATIENCE = 1.0
"""Seconds between looks at the clock while nothing comes back."""

GATHER = 0.1
"""Seconds for which what comes back is gathered: writing ten batches costs little more than writing one."""


class Watcher(Protocol):
    """Whoever follows a run: a progress bar, a file of rows."""

    def counted(self, cell: Cell, batch: Batch) -> None:
        """These sittings are done, and safe where there is a store."""

    def died(self, cell: Cell, job: Job, death: str) -> None:
        """A worker died over a job; its sittings will be played again."""

    def stepped(self, cell: Cell, step: Step) -> None:
        """An episode of a sitting under way is over; of quick ones only some are told."""


Sink = Callable[[list[Batch]], None]


def conduct(
    places: Sequence[Place],
    executor: Executor,
    sink: Sink,
    *,
    done: Sequence[npt.NDArray[np.bool_]] | None = None,
    watcher: Watcher | None = None,
    journals: Path | None = None,
    unfinished: bool = False,
) -> None:
    """Play all sittings of the places that are not done yet; each batch goes to the sink exactly once.

    On Ctrl-C, on bad input and on an error of ours the executor is stopped and the exception goes on; what went to
    the sink before is counted. Where nobody will resume it, sittings that Ctrl-C finds ``unfinished`` are counted, too,
    if their assessment has a score at any moment and the executor can tell them to end.
    """
    if journals is None and any(
        place.cell.phases or pools_of(place.assessment) for place in places
    ):
        with TemporaryDirectory() as folder:
            conduct(
                places,
                executor,
                sink,
                done=done,
                watcher=watcher,
                journals=Path(folder),
                unfinished=unfinished,
            )
        return
    cells = {place.cell.number: place.cell for place in places}
    sweeper = None if journals is None else Sweeper(places, done, journals / FOLDER)
    learners = {place.cell.number for place in places if place.transfer is not None}
    schedule = Schedule(places, done, executor.workers)
    before = begun_sittings.counts(journals, cells.values())
    if journals is not None:
        journals.mkdir(mode=0o700, parents=True, exist_ok=True)
        lay_out_for_workers(places, journals)
    held: list[Batch] = []
    written = -GATHER

    def write() -> None:
        nonlocal written
        batches = [_with_attempts(batch, before) for batch in held]
        held.clear()
        if batches:
            sink(batches)
            _drop_journals(journals, batches, cells)
            _drop_notes(journals, batches, learners)
            if sweeper is not None:
                for batch in batches:
                    sweeper.counted(batch)
            if watcher is not None:
                for batch in batches:
                    watcher.counted(cells[batch.cell], batch)
        written = monotonic()

    try:
        executor.start(places, journals)
        while True:
            _fill(schedule, executor)
            if not schedule.in_flight:
                return
            outcomes = executor.wait(GATHER if held else PATIENCE)
            outcomes = _looked_on(outcomes, cells, watcher)
            for outcome in outcomes:
                _note(outcome, schedule, cells, watcher)
            # The workers have something to do while what they did is written.
            _fill(schedule, executor)
            held += [outcome.batch for outcome in outcomes if outcome.batch is not None]
            errors = [outcome.error for outcome in outcomes if outcome.error is not None]
            if errors or not schedule.in_flight or monotonic() - written >= GATHER:
                write()
            if errors:
                raise errors[0]
    except KeyboardInterrupt:
        noticed()
        if unfinished:
            held += [one.batch for one in executor.hurry() if one.batch is not None]
        write()
        raise
    finally:
        executor.stop()
        if journals is not None:
            rmtree(journals / POOLS, ignore_errors=True)


def _looked_on(
    outcomes: list[Outcome], cells: dict[int, Cell], watcher: Watcher | None
) -> list[Outcome]:
    """Tell of episodes of jobs that go on; the others."""
    for outcome in outcomes:
        if outcome.step is not None and watcher is not None:
            watcher.stepped(cells[outcome.step.cell], outcome.step)
    return [outcome for outcome in outcomes if outcome.step is None]


def _fill(schedule: Schedule, executor: Executor) -> None:
    """Give every worker a job, and those with brief ones another to go on with."""
    while schedule.in_flight < 2 * executor.workers:
        wanted = schedule.next(brief_only=schedule.in_flight >= executor.workers)
        if wanted is None:
            return
        executor.submit(*wanted)


def _note(
    outcome: Outcome, schedule: Schedule, cells: dict[int, Cell], watcher: Watcher | None
) -> None:
    if outcome.batch is None and outcome.error is None:
        if outcome.death and watcher is not None:
            watcher.died(cells[outcome.job.cell], outcome.job, outcome.death)
        schedule.died(outcome.job, outcome.death)
    else:
        schedule.finished(outcome.job, outcome.seconds)


def _with_attempts(batch: Batch, before: Mapping[int, npt.NDArray[np.int64]]) -> Batch:
    """The batch with what earlier coordinators of the run began of it."""
    if batch.cell not in before:
        return batch
    return replace(batch, attempts=batch.attempts + before[batch.cell][batch.item])


def _drop_journals(journals: Path | None, batches: Sequence[Batch], cells: dict[int, Cell]) -> None:
    """What is committed needs its journal on disk no longer: it is in the store."""
    if journals is None:
        return
    for batch in batches:
        if cells[batch.cell].ask_once:
            for item in batch.item.tolist():
                (journals / f"{batch.cell}-{item}.jsonl").unlink(missing_ok=True)


def _drop_notes(journals: Path | None, batches: Sequence[Batch], learners: set[int]) -> None:
    """What was noted of learners is in the store, too."""
    if journals is None:
        return
    for batch in batches:
        if batch.cell in learners:
            for item in batch.item.tolist():
                notes_of(journals, batch.cell, item).unlink(missing_ok=True)


# Subjects at hand -------------------------------------------------------------


def run(
    world: World,
    subjects: Sequence[Subject],
    assessment: Assessment,
    seed: Key,
    *,
    repetitions: int = 1,
    training: int | None = None,
    limits: Limits | None = None,
    threads: int | None = None,
    keep_training: int = 0,
    watcher: Watcher | None = None,
    title: str = "",
    command: str = "",
) -> RunResult:
    """Assess subjects that are at hand as objects, in this process, without a store.

    For tests and benchmarks, which make subjects of their own; people call :func:`mensura.assess`, which names subjects
    by address and can keep the run.

    ``seed`` is the root of all draws: the same seed gives the same result. ``training`` overrides how many training
    episodes each subject asks for. ``repetitions`` are identical experiments with other seeds.
    """
    names = [subject.name for subject in subjects]
    for name in names:
        if names.count(name) > 1:
            raise MensuraError(f"The subject {name} is named twice; once is enough.")
    shown = f"{', '.join(names[:3])}{' and others' if len(names) > 3 else ''} on {world.id}"
    root = stretched(seed)
    places: list[Place] = []
    for repetition in range(repetitions):
        for subject in subjects:
            own = training_of(subject) if training is None else training
            cell = Cell(
                number=len(places),
                condition=title or shown,
                world=world.id,
                parameters=parameters_of(world),
                assessment=assessment_name(assessment),
                assessment_parameters={
                    **parameters_of(assessment),
                    "measure": measure_of(assessment, world) or None,
                },
                subject=subject.name,
                name=subject.name,
                seed=repetition_root(root, repetition),
                sittings=sittings_of(assessment, world),
                training=own if trains(assessment) else 0,
                repetition=repetition,
                limits=limits or Limits(),
                summary=summary(subject, world),
                keep_training=keep_training,
            )
            place = Place(cell, world, subject, assessment)
            places.append(
                replace(
                    place, cell=replace(cell, compiled=place.compiled, content=content_of(world))
                )
            )
    begun = perf_counter()
    cores = os.cpu_count() or 1
    polled = max((place.waits for place in places if place.polled), default=0)
    executor: Executor
    if polled:
        executor = SideBySide(threads or cores, threads or polled)
    else:
        executor = Threads(threads or max(cores, *(place.waits for place in places)))
    warn_of(places)
    cells = held([place.cell for place in places], holdings_of(places))
    tallies = [Tally(empty(cell)) for cell in cells]
    stopped = False
    try:
        conduct(
            places,
            executor,
            lambda batches: add_up(tallies, batches),
            watcher=watcher,
            unfinished=True,
        )
    except KeyboardInterrupt:
        if not any(tally.done for tally in tallies):
            raise
        stopped = True
    facts = unrecorded(cells, seed, perf_counter() - begun, command=command)
    result = summarize(facts, cells, tallies).conditions[0]
    return (
        stopped_early(result, sittings_of(assessment, world) * repetitions) if stopped else result
    )


def unrecorded(
    cells: Sequence[Cell],
    seed: Key,
    seconds: float,
    *,
    study: Mapping[str, Any] | None = None,
    status: str = "finished",
    command: str = "",
) -> Run:
    """The facts of a run that no store holds."""
    study = study or {}
    ended = datetime.now(UTC)
    return Run(
        id=0,
        name=str(study.get("name", "")),
        title=str(study.get("title", "")),
        status=status,
        study=study,
        study_hash="",
        seed=seed,
        command=command,
        commit=provenance.commit(),
        versions=provenance.versions(),
        machine=provenance.machine(isolation_of(cells)),
        started=(ended - timedelta(seconds=seconds)).isoformat(timespec="seconds"),
        ended=ended.isoformat(timespec="seconds"),
        seconds=seconds,
        sittings=sum(cell.sittings for cell in cells),
    )


def add_up(tallies: Sequence[Tally], batches: Sequence[Batch]) -> None:
    """A sink that only sums up."""
    for batch in batches:
        tallies[batch.cell].add(batch)


def stopped_early(result: RunResult, wanted: int) -> RunResult:
    """What a run that was stopped early says of itself."""
    played = min(one.moments.count for one in result.subjects)
    missed = [one.subject for one in result.subjects if not one.moments.count]
    note = f"Stopped early: {played} of {wanted} sittings were played by every subject" + (
        f"; {', '.join(missed)} played none." if missed else "."
    )
    return replace(
        result,
        notes=(*result.notes, note),
        subjects=tuple(one for one in result.subjects if one.moments.count),
    )


def assessment_name(assessment: Assessment) -> str:
    """How the registry calls an assessment."""
    return str(getattr(assessment, "id", type(assessment).__name__.lower()))


def parameters_of(thing: Any) -> dict[str, Any]:
    """The parameters of a world or an assessment that is a dataclass, for the record."""
    if not is_dataclass(thing):
        return {}
    return {field.name: getattr(thing, field.name) for field in fields(thing)}
