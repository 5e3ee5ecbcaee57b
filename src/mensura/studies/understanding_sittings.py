"""Sittings of understanding: one examination of a subject, as rows that go into a store.

Each probe that was measured is an episode of the sitting, with its parts as measures; the minimum of the probes is
the score. What was not measured has no row.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from time import perf_counter, thread_time

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold, key
from mensura.agent.waiting import Waiting, finish
from mensura.core.players import Player
from mensura.records.batch import Batch, Episodes, FaultRow, JournalRow, MeasureRow
from mensura.records.journal import pack
from mensura.statistics.understanding import Understanding
from mensura.studies.inquiry import Questioning
from mensura.studies.place import Place
from mensura.studies.stages import Nobody
from mensura.studies.stepped import Recorder
from mensura.studies.understanding import understanding
from mensura.studies.understanding_assessment import UnderstandingAssessment

CONTRAST = "contrast"
"""The measure of how much a tool helps, or an obstacle hinders."""


LEFT_OUT = "left out"
"""The measure of how many questions of a probe were left out, after the name of the probe."""


class NothingMeasured(MensuraError):
    """An examination in which no probe was measured, so that it has no score."""


def examined(
    place: Place,
    item: int,
    attempt: int = 1,
    absent: str = "",
    journal: Path | None = None,
    stop: Event | None = None,
) -> Batch:
    """:func:`examining`, waiting on the spot."""
    return finish(examining(place, item, attempt, absent, journal, stop))


def examining(
    place: Place,
    item: int,
    attempt: int = 1,
    absent: str = "",
    journal: Path | None = None,
    stop: Event | None = None,
    questioning: Questioning | None = None,
) -> Waiting[Batch]:
    """Ask a subject all that a sitting asks; ``absent`` is why nobody sits down, where that is so.

    With a ``journal`` answers are safe before they are used, and nobody is asked twice. ``questioning`` is how they
    are asked where somebody else knows; of a player that sits down for the subject the time of answers counts alone.
    """
    assessment = place.assessment
    assert isinstance(assessment, UnderstandingAssessment)
    inquiry = assessment.inquiry(place.world, fold(place.root, item), place.cell.limits)
    subject = Nobody(place.subject.name, absent) if absent else place.subject
    begun, cpu = perf_counter(), thread_time()
    how = questioning or Questioning(journal=None if absent else journal, stop=stop)
    recorders: list[Recorder] = []

    def recorded(player: Player) -> Recorder:
        recorders.append(Recorder(player))
        return recorders[0]

    # Who can be asked again is, where it is played again: it may sit down several times, and has more than answers.
    if not absent and (how.player is not None or place.cell.ask_once):
        how.around = recorded
    found = yield from understanding(
        place.cell.name, subject, inquiry, inquiry.examination(), questioning=how
    )
    took = perf_counter() - begun, thread_time() - cpu
    if how.player is not None:
        took = how.seconds, np.nan
    batch = _batch(place, item, attempt, bool(absent), found, how, *took)
    first = int(batch.episodes.sequence[0])
    for recorder in recorders:
        recorder.turn_page()
    pages = (JournalRow(item, first, pack(page)) for one in recorders for page in one.pages)
    return replace(batch, journals=tuple(pages))


def _batch(
    place: Place,
    item: int,
    attempt: int,
    lost: bool,
    found: Understanding,
    questioning: Questioning,
    wall: float,
    cpu: float,
) -> Batch:
    probes = {name: one for name, one in found.probes.items() if one.value is not None}
    score = found.minimum
    if score is None:
        raise NothingMeasured(
            f"Nothing of what {place.cell.name} understands of {found.phenomenon} can be measured in sitting {item}: "
            "it answers no questions, and no goal is between chance and what can be reached; another phenomenon may do."
        )
    names = list(found.probes)
    sequences = [names.index(name) for name in probes]
    measures = [
        MeasureRow(item, names.index(name), f"{name}: {part}" if part else name, float(value))
        for name, probe in probes.items()
        for part, value in {"": probe.value, **probe.parts}.items()
        if value is not None
    ]
    last = sequences[-1]
    measures += [
        MeasureRow(
            item, names.index(name) if name in probes else last, f"{name}: {LEFT_OUT}", one.left_out
        )
        for name, one in found.probes.items()
        if one.left_out
    ]
    if found.contrast is not None:
        measures.append(MeasureRow(item, last, CONTRAST, found.contrast))
    measures += [MeasureRow(item, last, name, one) for name, one in questioning.used.items()]
    faults = [_fault(item, sequences, names, last, one) for one in found.faults]
    many = len(probes)
    environment = key(fold(place.root, item), "environment")
    counts = np.array([sum(one.sequence == at for one in faults) for at in sequences], np.int64)
    return Batch(
        cell=place.cell.number,
        item=np.array([item], np.int64),
        score=np.array([score], np.float64),
        attempts=np.array([attempt], np.int64),
        lost=np.array([lost]),
        interactions=np.array([questioning.asked], np.int64),
        wall=np.array([wall]),
        cpu=np.array([cpu]),
        fault_count=np.array([len(faults)], np.int64),
        asked=np.array([float(questioning.asked)]),
        episodes=Episodes(
            item=np.full(many, item, np.int64),
            sequence=np.array(sequences, np.int64),
            learning=np.zeros(many, np.bool_),
            environment=np.full(many, environment, np.uint64),
            complexity=np.full(many, np.nan),
            reward=np.array([one.value for one in probes.values()], np.float64),
            interactions=np.array([one.asked for one in probes.values()], np.int64),
            wall=np.full(many, wall / many),
            cpu=np.full(many, cpu / many),
            faults=counts,
            defaults=np.zeros(many),
        ),
        faults=tuple(faults),
        measures=tuple(measures),
    )


def _fault(item: int, sequences: list[int], names: list[str], last: int, told: str) -> FaultRow:
    """A sentence about an answer, as a row: of the probe whose answer it was, where that was measured."""
    probe, _, sentence = told.partition(": ")
    at = names.index(probe) if probe in names else last
    return FaultRow(item, at if at in sequences else last, 0, 0, "garbled", sentence)
