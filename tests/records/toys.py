"""Plausible cells and batches, made quickly: what a runner would hand to a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mensura.agent.keys import Key, fold_array, key
from mensura.agent.task import Limits
from mensura.core.steps import RUNNING, SLOT, USED, WANTED
from mensura.records.batch import (
    Batch,
    DescriptionRow,
    Episodes,
    FaultRow,
    JournalRow,
    MeasureRow,
    PrintedRow,
    TraceFile,
)
from mensura.records.cell import Cell
from mensura.records.run import NewRun

SEED = 0xFEDC_BA98_7654_3210
"""Above 2**63, so that every test meets the sign."""


def make_cells(
    subjects: Sequence[str] = ("random", "local-search"),
    sittings: int = 10,
    *,
    conditions: Sequence[str] = ("toy-v0",),
    repetitions: int = 1,
    seed: Key = SEED,
    **more: Any,
) -> list[Cell]:
    """Cells in the order of a study: condition, subject, repetition."""
    cells = []
    for condition in conditions:
        for subject in subjects:
            for repetition in range(repetitions):
                cells.append(
                    Cell(
                        number=len(cells),
                        condition=condition,
                        world="toy-v0",
                        parameters={"rows": 10, "wrap": True, "future": [0, 1]},
                        assessment="battery",
                        assessment_parameters={"complexity": "2:23"},
                        subject=f"{subject}?alpha=0.1",
                        name=subject,
                        seed=key(seed, "repetition", repetition) if repetition else seed,
                        sittings=sittings,
                        repetition=repetition,
                        levels={"condition": condition},
                        limits=Limits(seconds_per_action=2.5, memory_mb=100),
                        summary=f"The subject {subject}.",
                        **more,
                    )
                )
    return cells


def new_run(name: str, cells: Sequence[Cell], **more: Any) -> NewRun:
    """A run of these cells."""
    facts = {
        "title": f"The study {name}",
        "study": {"title": name, "source": "A paper (2016)", "notes": ["A note."]},
        "study_hash": "0123",
        "seed": cells[0].seed if cells else SEED,
        "command": f"mensura study run {name}.yaml",
    }
    return NewRun(name=name, cells=cells, **{**facts, **more})


def make_batch(cell: Cell, start: int = 0, stop: int | None = None, *, rich: bool = False) -> Batch:
    """The sittings from start to stop of a cell, the same whenever they are asked for.

    Each has its training episodes where the cell keeps them, then an assessed one. A rich batch has some of
    everything that a batch can hold, of every third sitting.
    """
    item = np.arange(start, cell.sittings if stop is None else stop, dtype=np.int64)
    environment = fold_array(cell.seed, item.astype(np.uint64))
    own = key(cell.seed, "subject", cell.name)
    trained = np.where(item < cell.keep_training, cell.training, 0)
    count = trained + 1
    rows = np.repeat(np.arange(len(item)), count)
    sequence = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    draws = fold_array(own, (item[rows] * 1000 + sequence).astype(np.uint64))
    reward = (draws >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0
    learning = sequence < trained[rows]
    assessed = np.flatnonzero(~learning)
    wall = np.abs(reward) / 100
    faulty = item[item % 3 == 0].tolist() if rich else []
    faults = np.isin(item, faulty).astype(np.int64)
    last = dict(zip(item.tolist(), sequence[assessed].tolist(), strict=True))
    complexity = (environment[rows] % np.uint64(22)).astype(np.float64) + 2.0
    complexity[item[rows] % 7 == 6] = np.nan
    cpu = np.where(item % 2 == 0, np.nan, 0.5) if rich else np.full(len(item), np.nan)
    batch = Batch(
        cell=cell.number,
        item=item,
        score=reward[assessed],
        attempts=np.ones(len(item), np.int64),
        lost=np.zeros(len(item), np.bool_),
        interactions=np.full(len(item), 250, np.int64) * (1 + cell.training),
        wall=wall[assessed],
        cpu=cpu,
        fault_count=faults,
        asked=np.full(len(item), 252.0),
        episodes=Episodes(
            item=item[rows],
            sequence=sequence,
            learning=learning,
            environment=environment[rows],
            complexity=complexity,
            reward=reward,
            interactions=np.full(len(rows), 250, np.int64),
            wall=wall,
            cpu=cpu[rows],
            faults=faults[rows] * ~learning,
            defaults=(faults[rows] * ~learning).astype(np.float64),
        ),
    )
    if not rich:
        return batch
    return replace(
        batch,
        lost=item % 5 == 4,
        attempts=np.where(item % 5 == 4, 3, 1),
        faults=tuple(
            FaultRow(one, last[one], 0, at, kind, f"Ünd\n'{kind}' at item {one}")
            for one in faulty
            for at, kind in enumerate(("raised", "late"))
        ),
        measures=tuple(
            MeasureRow(one, last[one], name, float(one) / 7)
            for one in faulty
            for name in ("messages", "tokens")
        ),
        journals=tuple(JournalRow(one, last[one], bytes([0, one % 256, 255])) for one in faulty),
        descriptions=tuple(DescriptionRow(one, last[one], f'{{"goal": {one}}}') for one in faulty),
        printed=tuple(PrintedRow(one, f"oh\n{one}") for one in faulty),
        traces=(TraceFile(tuple(faulty), b"trace of %r" % faulty),) if faulty else (),
    )


def make_chains(cell: Cell, start: int = 0, stop: int | None = None) -> Batch:
    """Sittings of 1 to 5 assessed episodes in environments that get more complex, which tell the score before each."""
    item = np.arange(start, cell.sittings if stop is None else stop, dtype=np.int64)
    count = 1 + item % 5
    rows = np.repeat(np.arange(len(item)), count)
    sequence = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    draws = fold_array(key(cell.seed, cell.name), (item[rows] * 10 + sequence).astype(np.uint64))
    reward = (draws >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0
    score = np.array([reward[rows == i].mean() for i in range(len(item))])
    measures = []
    for at, (row, number) in enumerate(zip(rows.tolist(), sequence.tolist(), strict=True)):
        one, before = int(item[row]), reward[(rows == row) & (sequence < number)]
        told = {
            WANTED: 1.0 + number,
            USED: 1.0 + number + number % 2,
            SLOT: 10.0,
            RUNNING: float(before.mean()) if number else 0.0,
            "tokens": float(at % 3),
        }
        measures += [MeasureRow(one, number, name, value) for name, value in told.items()]
    many = np.ones(len(rows), np.int64)
    return Batch(
        cell=cell.number,
        item=item,
        score=score,
        attempts=np.ones(len(item), np.int64),
        lost=np.zeros(len(item), np.bool_),
        interactions=10 * count,
        wall=np.full(len(item), 0.5),
        cpu=np.full(len(item), np.nan),
        fault_count=np.zeros(len(item), np.int64),
        asked=12.0 * count,
        episodes=Episodes(
            item=item[rows],
            sequence=sequence,
            learning=np.zeros(len(rows), np.bool_),
            environment=draws,
            complexity=np.where(item[rows] % 7 == 6, np.nan, 1.0 + sequence),
            reward=reward,
            interactions=10 * many,
            wall=0.25 * many,
            cpu=np.full(len(rows), np.nan),
            faults=0 * many,
            defaults=np.zeros(len(rows)),
        ),
        measures=tuple(measures),
    )


def make_batches(cell: Cell, size: int = 4096, *, rich: bool = False) -> Iterator[Batch]:
    """All sittings of a cell, so many at a time."""
    for start in range(0, cell.sittings, size):
        yield make_batch(cell, start, min(start + size, cell.sittings), rich=rich)


def same(left: Any, right: Any) -> bool:
    """Whether two batches, samples or parts of them are equal, nan to nan and to the bit."""
    if isinstance(left, np.ndarray):
        return bool(
            left.dtype == right.dtype
            and left.shape == right.shape
            and np.array_equal(left, right, equal_nan=left.dtype.kind == "f")
        )
    if hasattr(left, "__dataclass_fields__"):
        return type(left) is type(right) and all(
            same(getattr(left, name), getattr(right, name)) for name in left.__dataclass_fields__
        )
    return bool(left == right)
