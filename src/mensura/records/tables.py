"""The readable tables: rows of the store joined to names, as data frames and exports show them.

Rows come in chunks of a few thousand, so that a million of them pass through in flat memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Table, func, select

from mensura.agent.errors import MensuraError, neighbors
from mensura.records import schema
from mensura.records.cell import Cell
from mensura.records.encoding import to_text
from mensura.records.reading import WINDOW, window
from mensura.records.run import Run
from mensura.records.writing import Place, places

Kind: TypeAlias = Literal["text", "integer", "key", "number", "flag"]
Column: TypeAlias = Sequence[Any] | npt.NDArray[Any]


@dataclass(frozen=True)
class Field:
    """A column of a readable table."""

    name: str
    kind: Kind
    """text, integer, key (an integer of 64 bits without a sign), number, or flag."""
    about: str


@dataclass(frozen=True)
class Chunk:
    """Some rows of a readable table, as columns; a value that all of them share stands once."""

    length: int
    shared: Mapping[str, Any]
    columns: Mapping[str, Column]


@dataclass(frozen=True)
class ReadableTable:
    """A table that people read: its columns, and how its rows are found."""

    about: str
    fields: tuple[Field, ...]
    chunks: Callable[[Connection, Run, Sequence[Cell]], Iterator[Chunk]]


WHOSE = (
    Field("run", "text", "The name of the run."),
    Field("condition", "text", "The world, the assessment and the levels, in words."),
    Field("subject", "text", "The name of the subject."),
    Field("repetition", "integer", "Which of several experiments that differ in seed only."),
    Field("cell", "integer", "The cell: the subject under the condition in the repetition."),
    Field(
        "item", "integer", "The number of the sitting in its cell; subjects meet the same items."
    ),
    Field("number", "integer", "The number of the sitting in its run, for `mensura replay`."),
)
"""What the rows of sittings and of what belongs to them begin with."""


def _of_sittings(about: str, table: Table, *fields: Field, **renamed: str) -> ReadableTable:
    """A table whose rows belong to sittings, read by windows of them; some columns are renamed."""
    key = "id" if table is schema.sitting else "sitting"
    names = [renamed.get(field.name, field.name) for field in fields]

    def chunks(connection: Connection, run: Run, cells: Sequence[Cell]) -> Iterator[Chunk]:
        before = 0
        for cell, place in zip(cells, places(connection, run.id), strict=True):
            shared = {
                "run": run.name,
                "condition": cell.condition,
                "subject": cell.name,
                "repetition": cell.repetition,
                "cell": cell.number,
            }
            end = place.first + place.sittings
            for low in range(place.first, end, WINDOW):
                high = min(low + WINDOW, end)
                found = window(connection, table, low, high, key, *names)
                if found:
                    item = np.array(found[0], np.int64) - place.first
                    named = dict(zip((f.name for f in fields), found[1:], strict=True))
                    yield Chunk(
                        len(item),
                        shared,
                        {"item": item, "number": item + before, **_spelled(named)},
                    )
            before += cell.sittings

    return ReadableTable(about, (*WHOSE, *fields), chunks)


def _spelled(columns: dict[str, Any]) -> dict[str, Column]:
    """Columns as people read them: a status as a word, an environment without a sign."""
    if "environment" in columns:
        columns["environment"] = np.array(columns["environment"], np.int64).view(np.uint64)
    if "status" in columns:
        columns["status"] = [
            "lost" if code == schema.LOST else "done" for code in columns["status"]
        ]
    return columns


def _runs(connection: Connection, run: Run, cells: Sequence[Cell]) -> Iterator[Chunk]:
    facts = {
        "run": run.name,
        "number": run.id,
        "title": run.title,
        "status": run.status,
        "sittings": run.sittings,
        "done": progress(connection, run).done,
        "seed": run.seed,
        "started": run.started,
        "ended": run.ended,
        "seconds": run.seconds,
        "command": run.command,
        "commit": run.commit,
        "machine": run.machine,
        "versions": to_text(run.versions),
        "study_hash": run.study_hash,
        "study": to_text(run.study),
    }
    yield Chunk(1, facts, {})


def _cells(connection: Connection, run: Run, cells: Sequence[Cell]) -> Iterator[Chunk]:
    for cell, place in zip(cells, places(connection, run.id), strict=True):
        facts = {
            "run": run.name,
            "cell": cell.number,
            "condition": cell.condition,
            "subject": cell.name,
            "repetition": cell.repetition,
            "address": cell.subject,
            "summary": cell.summary,
            "world": cell.world,
            "parameters": to_text(cell.parameters),
            "assessment": cell.assessment,
            "assessment_parameters": to_text(cell.assessment_parameters),
            "levels": to_text(cell.levels),
            "seed": cell.seed,
            "training": cell.training,
            "content": cell.content,
            "isolation": cell.isolation,
            "sittings": cell.sittings,
            "done": _count(connection, schema.sitting, place.first, place.first + place.sittings),
        }
        yield Chunk(1, facts, {})


def _checkpoints(connection: Connection, run: Run, cells: Sequence[Cell]) -> Iterator[Chunk]:
    checkpoint, own = schema.checkpoint, schema.run_pool
    rows = connection.execute(
        select(checkpoint)
        .join(own, own.c.pool == checkpoint.c.pool)
        .where(own.c.run == run.id)
        .order_by(checkpoint.c.pool, checkpoint.c.number)
    )
    names = [column.name for column in checkpoint.c]
    for some in rows.partitions(WINDOW):
        columns = dict(zip(names, zip(*some, strict=True), strict=True))
        yield Chunk(len(some), {"run": run.name}, columns)


READABLE = {
    "runs": ReadableTable(
        "One row a run.",
        (
            Field("run", "text", "Its name."),
            Field("number", "integer", "Its number, which commands take in place of the name."),
            Field("title", "text", "What it is, in words."),
            Field("status", "text", "running, finished, stopped or failed."),
            Field("sittings", "integer", "How many there are to be."),
            Field("done", "integer", "How many are done."),
            Field("seed", "key", "The root of all draws."),
            Field("started", "text", "When, as ISO 8601 in UTC."),
            Field("ended", "text", "When it last came to an end; empty while it runs."),
            Field("seconds", "number", "Wall time over all of its stretches."),
            Field("command", "text", "What to type to run it again."),
            Field("commit", "text", "Of the installed Mensura."),
            Field("machine", "text", "What it was started on."),
            Field("versions", "text", "Of Python and the packages that matter, as JSON."),
            Field("study_hash", "text", "BLAKE2b of the study."),
            Field("study", "text", "The study file as JSON, its seed filled in."),
        ),
        _runs,
    ),
    "cells": ReadableTable(
        "One row a cell: a subject under a condition in a repetition.",
        (
            Field("run", "text", "The name of the run."),
            Field("cell", "integer", "Its place in the study, from 0."),
            Field("condition", "text", "The world, the assessment and the levels, in words."),
            Field("subject", "text", "The name of the subject."),
            Field(
                "repetition", "integer", "Which of several experiments that differ in seed only."
            ),
            Field("address", "text", "What a command calls the subject."),
            Field("summary", "text", "A line on what the subject is."),
            Field("world", "text", "The id of the world."),
            Field("parameters", "text", "All parameters of the world, as JSON."),
            Field("assessment", "text", "The id of the assessment."),
            Field("assessment_parameters", "text", "Its parameters, as JSON."),
            Field("levels", "text", "The level of each factor, as JSON."),
            Field("seed", "key", "The root of all draws of its repetition."),
            Field("training", "integer", "Training episodes before each assessed one."),
            Field("content", "text", "Where environments come from, as the world says."),
            Field("isolation", "text", "How the subject was held."),
            Field("sittings", "integer", "How many there are to be."),
            Field("done", "integer", "How many are done."),
        ),
        _cells,
    ),
    "sittings": _of_sittings(
        "One row a sitting that is done.",
        schema.sitting,
        Field("status", "text", "done, or lost: its worker died each time."),
        Field("attempts", "integer", "How often it was begun."),
        Field("score", "number", "What the assessment made of its episodes."),
        Field("interactions", "integer", "Actions of all seats, training included."),
        Field("wall", "number", "Seconds that the subject took."),
        Field("cpu", "number", "Seconds of its processor time, where it can be told."),
        Field("faults", "integer", "How many there were in all of its episodes."),
        Field(
            "asked", "integer", "Questions that were put to the subject, where that was counted."
        ),
    ),
    "episodes": _of_sittings(
        "One row an assessed episode, and one a training episode where those were kept.",
        schema.episode,
        Field("sequence", "integer", "Its number in the sitting, training included, from 0."),
        Field("learning", "flag", "Training, or assessed."),
        Field("environment", "key", "Its key: of equal keys, environments are equal."),
        Field("complexity", "number", "By the assessment's measure, where it is known."),
        Field("reward", "number", "The average reward per subject and iteration."),
        Field("interactions", "integer", "Actions of all seats."),
        Field("wall", "number", "Seconds that the subject took over its answers."),
        Field("cpu", "number", "Seconds of its processor time, where it can be told."),
        Field("faults", "integer", "How many there were."),
        Field(
            "defaults",
            "integer",
            "Actions that the environment's default was played for, where that was counted.",
        ),
    ),
    "faults": _of_sittings(
        "One row a fault of a subject.",
        schema.fault,
        Field("sequence", "integer", "The episode."),
        Field("seat", "integer", "Whose fault."),
        Field("interaction", "integer", "When, in interactions of the seat."),
        Field("kind", "text", "raised, late, illegal, died or garbled."),
        Field("detail", "text", "What happened, in words."),
    ),
    "printed": _of_sittings(
        "One row a sitting in which the subject printed something: the first, and those in which something went wrong.",
        schema.printed,
        Field("text", "text", "What it printed, shortened."),
    ),
    "measures": _of_sittings(
        "One row a further measure of an episode: messages, tokens, coverage.",
        schema.measure,
        Field("sequence", "integer", "The episode."),
        Field("measure", "text", "What was measured."),
        Field("value", "number", "How much; missing if it was not a number."),
        measure="name",
    ),
    "descriptions": _of_sittings(
        "One row an episode whose environment was made by hand and not sampled.",
        schema.description,
        Field("sequence", "integer", "The episode."),
        Field("description", "text", "Its environment, as JSON."),
        description="json",
    ),
    "starts": _of_sittings(
        "One row an episode that began in a checkpoint.",
        schema.start,
        Field("sequence", "integer", "The episode."),
        Field("snapshot", "text", "The state that it began in, by its digest."),
    ),
    "checkpoints": ReadableTable(
        "One row a checkpoint of a pool that a run needs.",
        (
            Field("run", "text", "The name of the run."),
            Field("pool", "text", "The pool, by its digest."),
            Field("number", "integer", "Its place there, from 0."),
            Field("snapshot", "text", "Its state, by its digest."),
            Field("environment", "integer", "Its environment in the pool, from 0."),
            Field("player", "text", "Who played, by a pseudonym."),
            Field("episode", "text", "The episode that it is of."),
            Field("interaction", "integer", "When in that episode."),
            Field("score", "number", "The rewards of all seats until then."),
        ),
        _checkpoints,
    ),
}
"""The readable tables by name."""


def readable(name: str) -> ReadableTable:
    """The readable table of a name."""
    if name not in READABLE:
        raise MensuraError(f"There is no table {name!r}; {neighbors(name, list(READABLE))}")
    return READABLE[name]


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    done: int
    """Sittings that are done."""
    episodes: int
    """Episodes that were kept."""
    faults: int


def progress(connection: Connection, run: Run) -> Progress:
    """How far a run is, counted."""
    found: Sequence[Place] = places(connection, run.id)
    low = min((place.first for place in found), default=0)
    high = max((place.first + place.sittings for place in found), default=0)
    key = schema.sitting.c.id
    done, faults = connection.execute(
        select(func.count(), func.coalesce(func.sum(schema.sitting.c.faults), 0)).where(
            key >= low, key < high
        )
    ).one()
    return Progress(done, _count(connection, schema.episode, low, high), int(faults))


def _count(connection: Connection, table: Table, low: int, high: int) -> int:
    key = table.c.id if table is schema.sitting else table.c.sitting
    counted = select(func.count()).select_from(table).where(key >= low, key < high)
    return int(connection.execute(counted).scalar_one())
