"""Candidates that may tell subjects apart, played: each is tried by one sitting, then all are played in one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import numpy.typing as npt

from mensura.records.batch import Batch
from mensura.records.samples import SampleCollector, collected_samples
from mensura.studies.choosing import Candidate, outcomes
from mensura.studies.desk import Desk, Job
from mensura.studies.layout import lay_out
from mensura.studies.place import Place
from mensura.studies.runner import Watcher, conduct
from mensura.studies.runs import Manner
from mensura.studies.study import Study


@dataclass(frozen=True)
class Tried:
    """A candidate that all subjects can play, with how long they take."""

    candidate: Candidate
    study: Study
    places: tuple[Place, ...]
    pace: tuple[float, ...]
    """Seconds of an interaction in each place, as one sitting tells."""
    seconds: float
    """Of all its sittings, one after another, if they are as long as the first."""

    @property
    def sittings(self) -> int:
        """How many there are to play."""
        return sum(place.cell.sittings for place in self.places)


@dataclass(frozen=True)
class Played:
    """What a candidate came to."""

    outcomes: Mapping[str, npt.NDArray[np.float64]]
    """Of each subject, environment by environment."""
    seconds: float
    """That one outcome takes, on the average over subjects, on one core."""


def tried(candidate: Candidate, study: Study) -> Tried:
    """Play the first sitting of each subject: whoever cannot play says so here, and it is seen how long it takes."""
    places = lay_out(study).places
    desk = Desk.laid(places)
    pace, total = [], 0.0
    for place in places:
        job = Job(place.cell.number, 0, 1)
        desk.prepare(job)
        if place.compiled:
            desk.play(job)  # the first one may have to compile
        begun = perf_counter()
        batch = desk.play(job)
        seconds = perf_counter() - begun
        pace.append(seconds / max(1, int(batch.interactions.sum())))
        total += seconds * place.cell.sittings
    return Tried(candidate, study, places, tuple(pace), total)


def played(
    candidates: Sequence[Tried], manner: Manner, watcher: Watcher | None = None
) -> list[Played]:
    """Play all candidates as one run, so that workers are started once; no number depends on that."""
    places: list[Place] = []
    for one in candidates:
        for place in one.places:
            places.append(replace(place, cell=replace(place.cell, number=len(places))))
    collectors = [SampleCollector(place.cell) for place in places]
    interactions = [0] * len(places)

    def sink(batches: list[Batch]) -> None:
        for batch in batches:
            collectors[batch.cell].add(batch)
            interactions[batch.cell] += int(batch.interactions.sum())

    conduct(*manner.made(places), sink, watcher=watcher)
    found, at = [], 0
    for one in candidates:
        cells = slice(at, at + len(one.places))
        scores = outcomes(one.study, collected_samples(collectors[cells]))
        seconds = sum(
            pace * number for pace, number in zip(one.pace, interactions[cells], strict=True)
        )
        found.append(Played(scores, seconds / sum(len(each) for each in scores.values())))
        at = cells.stop
    return found
