"""Sittings of transfer: one learner with all that is asked of it, as rows that go into a store and come back.

A test is an episode of the sitting, in the order of the looks; the sizes of memories are measures of the first test at
them. So a table of transfer, and its page, can be made from records alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import perf_counter, thread_time

import numpy as np

from mensura.agent.keys import Key
from mensura.agent.waiting import Waiting
from mensura.records.batch import Batch, Episodes, MeasureRow
from mensura.records.memories import ANEW, FOLDER, TRAINED, TRAINING_FAULTS, MemoriesOnDisk
from mensura.studies.looks import Look, Notebook, Seen, joined_looks
from mensura.studies.place import Place
from mensura.studies.stepped import Step
from mensura.studies.training_tree import TrainingTree
from mensura.studies.transfer import Transferred, learner_root, table_of, total_of

BITS, ADDED = "memory [bits]", "added by the last phase [bits]"
TRAININGS = "trainings"


def learner_sitting(
    place: Place,
    item: int,
    attempt: int,
    absent: str,
    journals: Path | None,
    stop: Event,
    tell: Callable[[Step], None],
) -> Waiting[Batch]:
    """Train and test one learner; with a folder it goes on where it was stopped.

    ``absent`` is why nobody sits down, where that is so: then nothing that was noted before counts.
    """
    study = place.transfer
    assert study is not None
    root = learner_root(place.cell.seed, item)
    looks = list(study.looks(root))
    notebook = Notebook()
    memories = None
    if journals is not None:
        journals.mkdir(mode=0o700, parents=True, exist_ok=True)
        notes = notes_of(journals, place.cell.number, item)
        if absent:
            notes.unlink(missing_ok=True)
        notebook = Notebook(notes)
        memories = MemoriesOnDisk(journals / FOLDER, place.cell.subject)
    done = [len(notebook.tested)]

    def tested() -> None:
        last = next(reversed(notebook.tested.values()))
        done[0] += 1
        told = last.performance, last.interactions
        tell(Step(place.cell.number, item, done[0], math.nan, *told, None, {}))

    tree = TrainingTree(
        place.stages.without(absent) if absent else place.stages,
        root,
        episodes=study.episodes,
        stop=stop,
        tested=tested,
        memories=memories,
        notebook=notebook,
        answers=memories.folder if memories is not None and place.cell.ask_once else None,
    )
    begun, cpu = perf_counter(), thread_time()
    seen = yield from tree.looking(looks)
    took = perf_counter() - begun, thread_time() - cpu
    batch = _batch(place, item, attempt, looks, seen, *took)
    return replace(batch, lost=np.array([bool(absent)]))


def notes_of(journals: Path, cell: int, item: int) -> Path:
    """The file with what was found of a learner so far."""
    return journals / f"{cell}-{item}.looks"


def _order(looks: Iterable[Look]) -> list[tuple[Look, str]]:
    """The tests of a learner, in the order of its rows."""
    return [(look, test) for look in joined_looks(looks) for test in sorted(look.tests)]


def _batch(
    place: Place,
    item: int,
    attempt: int,
    looks: Sequence[Look],
    seen: Seen,
    wall: float,
    cpu: float,
) -> Batch:
    study = place.transfer
    assert study is not None
    order = _order(looks)
    tests = [seen.tested[look.path, test] for look, test in order]
    environments = {one.identity: one.environment or 0 for one in study.tasks}
    measures: list[MeasureRow] = []
    weighed = set()
    for at, (look, _) in enumerate(order):
        if look.path in seen.bits and look.path not in weighed:
            weighed.add(look.path)
            measures.append(MeasureRow(item, at, BITS, float(seen.bits[look.path])))
            if look.path in seen.added:
                measures.append(MeasureRow(item, at, ADDED, float(seen.added[look.path])))
    count, many = seen.count, len(order)
    in_tests = sum(one.faults for one in tests) if seen.is_kept else count.faults
    took: dict[str, float] = {TRAININGS: count.trainings, TRAINED: count.interactions, **seen.used}
    took[TRAINING_FAULTS] = count.faults - in_tests
    measures += [MeasureRow(item, many - 1, name, float(value)) for name, value in took.items()]
    if not seen.is_kept:
        measures.append(MeasureRow(item, many - 1, ANEW, 1.0))
    share = np.full(many, wall / many), np.full(many, cpu / many)
    return Batch(
        cell=place.cell.number,
        item=np.array([item], np.int64),
        score=np.array([_score(place, seen)], np.float64),
        attempts=np.array([attempt], np.int64),
        lost=np.array([False]),
        interactions=np.array(
            [count.interactions + sum(one.interactions for one in tests)], np.int64
        ),
        wall=np.array([wall]),
        cpu=np.array([cpu]),
        fault_count=np.array([count.faults], np.int64),
        asked=np.zeros(1),
        episodes=Episodes(
            item=np.full(many, item, np.int64),
            sequence=np.arange(many),
            learning=np.zeros(many, np.bool_),
            environment=np.array([environments[test] for _, test in order], np.uint64),
            complexity=np.full(many, np.nan),
            reward=np.array([one.performance for one in tests], np.float64),
            interactions=np.array([one.interactions for one in tests], np.int64),
            wall=share[0],
            cpu=share[1],
            faults=np.array([one.faults for one in tests], np.int64),
            defaults=np.array([one.faults for one in tests], np.float64),
        ),
        measures=tuple(measures),
    )


def _score(place: Place, seen: Seen) -> float:
    """The mean raw transfer to other tasks; the mean performance after training where these are not tested."""
    study = place.transfer
    assert study is not None
    many = range(len(study.tasks))
    if study.curves_only:
        ends = [study.path((x, study.interactions)) for x in many]
        own = zip(ends, (one.identity for one in study.tasks), strict=True)
        return float(np.mean([seen.performance[at] for at in own]))
    found = [
        seen.performance[study.path((x, study.interactions)), study.tasks[y].identity]
        for x in many
        for y in many
        if x != y
    ]
    return float(np.mean(found))


def read_back(place: Place, seed: Key, batches: Iterable[Batch]) -> Transferred:
    """What was found of a cell of transfer, from its rows; learners that are not done are left out."""
    study = place.transfer
    assert study is not None
    roots, found = [], []
    for batch in batches:
        for item in batch.item.tolist():
            root = learner_root(place.cell.seed, item)
            roots.append(root)
            found.append(_seen(batch, item, _order(study.looks(root))))
    return Transferred(
        table_of(study, place.stages, roots, found),
        seed,
        all(one.is_kept for one in found),
        total_of(one.count for one in found),
    )


def _seen(batch: Batch, item: int, order: Sequence[tuple[Look, str]]) -> Seen:
    seen = Seen()
    own = np.flatnonzero(batch.episodes.item == item)
    for at, (look, test) in zip(own, order, strict=True):
        seen.performance[look.path, test] = float(batch.episodes.reward[at])
    for row in batch.measures:
        if row.item != item:
            continue
        path = order[row.sequence][0].path
        if row.name == BITS:
            seen.bits[path] = int(row.value)
        elif row.name == ADDED:
            seen.added[path] = int(row.value)
        elif row.name == ANEW:
            seen.is_kept = False
        elif row.name == TRAININGS:
            seen.count.trainings = int(row.value)
        elif row.name == TRAINED:
            seen.count.interactions = int(row.value)
    seen.count.tests = len(order)
    seen.count.faults = int(batch.fault_count[batch.item == item][0])
    return seen
