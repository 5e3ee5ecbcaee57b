"""What people answered to the halves of a set, from the records of their study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import select

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.steps import FORM, PAIR
from mensura.records import schema
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.run import Run
from mensura.records.store import Store, open_store
from mensura.worlds.items.winograd.calibration import Answers
from mensura.worlds.items.winograd.files import parse_set, text_of
from mensura.worlds.items.winograd.schema import HALVES, SchemaSet

BATTERY = "winograd-150"
BOTH = "both are possible"
"""The measure of an episode that says so."""
RIGHT = 1.0 - 1e-9


class Found(NamedTuple):
    """What a study found."""

    schemas: SchemaSet
    answers: dict[tuple[int, str], Answers]
    """By the number of the pair and the half."""
    sittings: int
    by_group: dict[str, dict[tuple[int, str], Answers]]
    """The same of each group of people, by what they said of themselves; empty where nobody asks for it."""
    members: dict[str, int]
    """How many there are in each group."""


def answers_in(name: str, subject: str, store: str | Path | None, question: str = "") -> Found:
    """The set that a study was on, and the answers to each half of it; by groups, as people answered a question."""
    records = open_store(store, create=False)
    try:
        run = records.find(name)
        cells = winograd_cells(records, run)
        own = [one for one in cells if one.name == subject]
        if not own:
            known = sorted({one.name for one in cells})
            raise MensuraError(
                f"Nobody in the run {name} is called {subject!r}; {neighbors(subject, known)}"
            )
        if len({str(one.parameters.get("file") or "") for one in own}) > 1:
            raise MensuraError(f"The run {name} is on several sets; calibrate them one by one.")
        groups = groups_in(records, run, question) if question else {}
        counts: dict[tuple[int, str], Counter[str]] = {}
        grouped: dict[str, dict[tuple[int, str], Counter[str]]] = {}
        members: Counter[str] = Counter()
        sittings = 0
        for cell in own:
            for batch in records.batches(run, cell.number):
                sittings += len(batch)
                for item, at, kind in single_answers(batch):
                    counts.setdefault(at, Counter())[kind] += 1
                    if item in groups:
                        of_group = grouped.setdefault(groups[item], {})
                        of_group.setdefault(at, Counter())[kind] += 1
                members.update(groups[one] for one in batch.item.tolist() if one in groups)
    finally:
        records.close()
    if not counts:
        raise MensuraError(
            f"No answer of {subject} in the run {name} tells of which half it is; the assessment has to be halves."
        )
    text = set_of(own[0])
    by_group = {name: _summed(one) for name, one in sorted(grouped.items())}
    return Found(parse_set(text), _summed(counts), sittings, by_group, dict(members))


def winograd_cells(records: Store, run: Run) -> list[Cell]:
    """The cells of a run that are about Winograd schemas; raise if there is none."""
    cells = [one for one in records.cells(run) if one.parameters.get("family") == "winograd"]
    if not cells:
        raise MensuraError(
            f"The run {run.name} is not about Winograd schemas; take one of items with the family winograd."
        )
    return cells


def set_of(cell: Cell) -> str:
    """The text of the set that a cell is on."""
    return str(cell.parameters.get("file") or "") or text_of(BATTERY)


def _summed(counts: dict[tuple[int, str], Counter[str]]) -> dict[tuple[int, str], Answers]:
    return {at: Answers(**found) for at, found in counts.items()}


def groups_in(records: Store, run: Run, question: str) -> dict[int, str]:
    """What people said of themselves in answer to a question of their study, by the number of their sitting."""
    table = schema.questionnaire
    with records.reading() as connection:
        rows = connection.execute(
            select(table.c.participant, table.c.question, table.c.answer).where(
                table.c.study == run.id
            )
        ).all()
    known = sorted({row.question for row in rows})
    if question not in known:
        what = neighbors(question, known) if known else "none was answered."
        raise MensuraError(f"Nobody in the run {run.name} answered a question {question!r}; {what}")
    return {row.participant: row.answer for row in rows if row.question == question and row.answer}


def single_answers(batch: Batch) -> Iterator[tuple[int, tuple[int, str], str]]:
    """The answers of a batch: of which sitting, to which half, and of which kind."""
    told: dict[tuple[int, int], dict[str, float]] = {}
    for one in batch.measures:
        told.setdefault((one.item, one.sequence), {})[one.name] = one.value
    episodes = batch.episodes
    for item, sequence, reward, learning in zip(
        episodes.item.tolist(),
        episodes.sequence.tolist(),
        episodes.reward.tolist(),
        episodes.learning.tolist(),
        strict=True,
    ):
        measures = told.get((item, sequence), {})
        if learning or PAIR not in measures or not 0 <= measures.get(FORM, -1) < len(HALVES):
            continue
        at = int(measures[PAIR]), HALVES[int(measures[FORM])]
        if reward >= RIGHT:
            kind = "right"
        elif measures.get(BOTH):
            kind = "both"
        else:
            kind = "other" if reward < 0 else "none"
        yield item, at, kind
