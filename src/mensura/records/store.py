"""The store: runs with their cells and rows, in an SQLite file or in PostgreSQL.

    with open_store("mensura.db") as store:
        run = store.find("my-study")
        print(store.result(run).conditions[0].rows())
        episodes = store.frame("episodes", run)

A store is used by one thread of one process; any number of processes may have it open, and one of them at a time may
write to a run (:meth:`Store.seize`).
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import URL, Connection, Engine, Table, func, insert, select

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import GUESSABLE
from mensura.agent.task import Limits
from mensura.core.closing import Closing
from mensura.core.private_files import make_private
from mensura.records import files, provenance, reading, schema
from mensura.records.cell import Cell
from mensura.records.database import (
    DEFAULT,
    alone,
    in_words,
    locate,
    open_database,
    shown,
)
from mensura.records.database import reading as transaction_to_read
from mensura.records.database import writing as transaction_to_write
from mensura.records.deletion import delete_run, give_room_back
from mensura.records.encoding import clean, digest, from_text, signed, to_text, unsigned
from mensura.records.kept_pools import keep_pools, kept_digests, kept_pool, pool_facts
from mensura.records.kept_skeletons import keep_skeleton, kept_skeletons
from mensura.records.lease import SETTINGS, Lease
from mensura.records.lock import sharing
from mensura.records.run import NewRun, Run
from mensura.records.summary import empty, summarize
from mensura.records.tables import Chunk, Progress, progress, readable
from mensura.records.tally import Tally
from mensura.records.writing import places

if TYPE_CHECKING:
    import polars

    from mensura.records.batch import Batch
    from mensura.records.pool_shelf import PoolReference
    from mensura.records.pools import Pool
    from mensura.records.results import StudyResult
    from mensura.statistics.sample import Sample

__all__ = ["DEFAULT", "Lease", "NewRun", "Run", "Store", "open_store"]

NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


def open_store(where: str | Path | None = None, *, create: bool = True) -> Store:
    """Open a store: a file, or a URL as postgresql://HOST/DATABASE; else that of MENSURA_STORE, or mensura.db.

    What is not there is made, and what an older Mensura wrote is brought up to date; with `create=False` a store that
    is not there is an error.
    """
    url = locate(where)
    return Store(url, open_database(url, create=create))


class Store(Closing):
    """Runs and what they left behind; see :func:`open_store`."""

    def __init__(self, url: URL, engine: Engine) -> None:
        self.url = shown(url)
        """Where it is, without a password."""
        self._engine = engine
        if engine.name == "sqlite":
            self.files = Path(f"{url.database}.files")
        else:
            self.files = Path(os.environ.get("MENSURA_FILES") or "mensura-files")
            make_private(self.files)

    def close(self) -> None:
        """Close it."""
        self._engine.dispose()

    # Runs --------------------------------------------------------------------------------------------

    def begin(self, new: NewRun) -> Run:
        """Enter a new run with its cells, in one transaction; its versions, commit and machine are found out here."""
        if not NAME.fullmatch(new.name) or new.name.isdigit():
            raise MensuraError(
                f"A run cannot be called {new.name!r}; a name has letters, digits and . _ - between "
                f"them, and is not a number."
            )
        if [cell.number for cell in new.cells] != list(range(len(new.cells))):
            raise ValueError("cells are numbered from 0 in their order")
        facts = {
            "name": new.name,
            "title": clean(new.title),
            "status": "running",
            "study": to_text(new.study),
            "study_hash": new.study_hash,
            "seed": signed(new.seed),
            "command": clean(new.command),
            "commit_hash": provenance.commit(),
            "versions": to_text(provenance.versions()),
            "machine": provenance.machine(new.isolation),
            "started": provenance.now(),
            "ended": "",
            "seconds": 0.0,
            "sittings": sum(cell.sittings for cell in new.cells),
            "epoch": 0,
            "fresh_seed": new.fresh_seed,
        }
        with self._writing() as connection:
            alone(connection)
            run = schema.run
            if connection.execute(select(run.c.id).where(run.c.name == new.name)).scalar():
                raise MensuraError(
                    f"There is already a run {new.name} in {self.url}; choose another name, resume "
                    f"it with `mensura study resume {new.name}`, or delete it first."
                )
            number = connection.execute(insert(run).values(facts).returning(run.c.id)).scalar_one()
            if new.cells:
                connection.execute(insert(schema.cell), _cell_rows(connection, number, new.cells))
            keep_pools(connection, number, new.pools)
        return self._run(number)

    def find(self, name: str) -> Run:
        """The run of a name, or of a number as text."""
        run = schema.run
        with self._reading() as connection:
            found = connection.execute(select(run).where(run.c.name == name)).one_or_none()
            if found is None and name.isdecimal():
                found = connection.execute(select(run).where(run.c.id == int(name))).one_or_none()
            if found is None:
                known = connection.execute(select(run.c.name)).scalars().all()
        if found is not None:
            return _to_run(found)
        if not known:
            raise MensuraError(f"There is no run {name!r}: the store {self.url} is empty.")
        raise MensuraError(
            f"There is no run {name!r} in {self.url}; {neighbors(name, list(known))}"
        )

    def runs(self) -> list[Run]:
        """All runs, the newest first."""
        with self._reading() as connection:
            found = connection.execute(select(schema.run).order_by(schema.run.c.id.desc()))
            return [_to_run(row) for row in found]

    def cells(self, run: Run) -> list[Cell]:
        """The cells that the run began with."""
        cell, configuration, subject = schema.cell, schema.configuration, schema.subject
        query = (
            select(
                *(column.label(f"cell_{column.name}") for column in cell.c),
                *(column.label(f"configuration_{column.name}") for column in configuration.c),
                *(column.label(f"subject_{column.name}") for column in subject.c),
            )
            .join_from(cell, configuration, cell.c.configuration == configuration.c.id)
            .join(subject, cell.c.subject == subject.c.id)
            .where(cell.c.run == run.id)
            .order_by(cell.c.number)
        )
        with self._reading() as connection:
            return [_to_cell(row._mapping) for row in connection.execute(query)]

    def seize(self, run: Run) -> Lease:
        """The right to write to a run, which one process at a time can have; it dies with the process."""
        with in_words(self.url):
            return Lease(self._engine, run, self.url, self.files / "traces")

    def held(self, run: Run) -> bool:
        """Whether some process is writing to a run now."""
        with in_words(self.url):
            return Lease.is_held(self._engine, run)

    def delete(self, run: Run) -> None:
        """Remove a run with everything that it left behind; refused while somebody writes to it."""
        traces = self.files / "traces"
        with self.seize(run), ExitStack() as stack:
            if traces.is_dir():
                stack.enter_context(sharing(traces, alone=True))
            with self._writing() as connection:
                unused = delete_run(connection, run.id)
            files.remove(traces, unused)
        shutil.rmtree(self.journals(run), ignore_errors=True)
        with in_words(self.url):
            give_room_back(self._engine)

    def journals(self, run: Run) -> Path:
        """The folder for the journals of sittings that are not committed yet."""
        return self.files / "journals" / str(run.id)

    # What they left behind ---------------------------------------------------------------------------

    def done(self, run: Run) -> list[npt.NDArray[np.bool_]]:
        """For each cell by number: which items have a done-mark."""
        with self._reading() as connection:
            return [reading.done(connection, place) for place in places(connection, run.id)]

    def batches(self, run: Run, cell: int, size: int = reading.WINDOW) -> Iterator[Batch]:
        """The rows of a cell back as batches of up to so many sittings, in item order; without traces."""
        with in_words(self.url), self._engine.connect() as connection:
            with connection.begin():
                place = places(connection, run.id)[cell]
            yield from reading.batches(connection, cell, place, size)

    def result(self, run: Run) -> StudyResult:
        """What each subject scored: to the bit what the tallies of the live run gave, in flat memory."""
        cells = self.cells(run)
        tallies = [Tally(empty(cell)) for cell in cells]
        with in_words(self.url), self._engine.connect() as connection:
            with connection.begin():
                found = places(connection, run.id)
            for number, place in enumerate(found):
                for batch in reading.batches(connection, number, place):
                    tallies[number].add(batch)
        return summarize(self._run(run.id), cells, tallies)

    def samples(self, run: Run) -> list[Sample]:
        """The scores of each subject under each condition, all repetitions together."""
        groups: dict[tuple[str, str], list[Cell]] = {}
        for cell in self.cells(run):
            groups.setdefault((cell.condition, cell.name), []).append(cell)
        with in_words(self.url), self._engine.connect() as connection:
            with connection.begin():
                found = places(connection, run.id)
            return [
                reading.sample(connection, some, [found[cell.number] for cell in some])
                for some in (
                    sorted(group, key=lambda cell: (cell.repetition, cell.number))
                    for group in groups.values()
                )
            ]

    def sitting(self, run: Run, number: int) -> tuple[Cell, int, Batch | None]:
        """A sitting by its number in the run, counted through all cells: its cell, item, and rows if it is done."""
        cells = self.cells(run)
        item = number
        for cell in cells:
            if 0 <= item < cell.sittings:
                break
            item -= cell.sittings
        else:
            raise MensuraError(
                f"The run {run.name} has no sitting {number}; its sittings are 0 to {run.sittings - 1}."
            )
        with self._reading() as connection:
            first = places(connection, run.id)[cell.number].first
            at = first + item
            return cell, item, reading.batch_of(connection, cell.number, first, at, at + 1)

    def journal(self, run: Run, cell: int, item: int) -> list[bytes]:
        """The packed answers of each episode of a sitting, by sequence; none if it was not journaled."""
        with self._reading() as connection:
            sitting = places(connection, run.id)[cell].first + item
            columns = reading.window(connection, schema.journal, sitting, sitting + 1, "answers")
        return [bytes(answers) for answers in columns[0]] if columns else []

    def refused_reuse(self, run: Run) -> frozenset[int]:
        """The items of people who did not allow that what they do is used further, though they were asked."""
        table = schema.participant
        with self._reading() as connection:
            rows = connection.execute(
                select(table.c.number).where(table.c.study == run.id, table.c.reuse.is_(False))
            )
            return frozenset(row.number for row in rows)

    def pools(self, run: Run) -> list[str]:
        """The digests of the pools of checkpoints that a run needs; none of most."""
        with self._reading() as connection:
            return kept_digests(connection, run.id)

    def pool(self, digest: str) -> Pool | None:
        """A pool that some run needs, by its digest; None where none does."""
        with self._reading() as connection:
            return kept_pool(connection, digest)

    def pool_facts(self) -> list[tuple[PoolReference, list[str]]]:
        """What is said of all pools, each with the names of the runs that need it."""
        with self._reading() as connection:
            return pool_facts(connection)

    def skeletons(self, digests: Sequence[str]) -> dict[str, bytes]:
        """The skeletons of texts that are kept, by their digests."""
        with self._reading() as connection:
            return kept_skeletons(connection, digests)

    def keep_skeleton(self, digest: str, content: bytes) -> None:
        """Keep the skeleton of a text, unless it is there."""
        with self._writing() as connection:
            keep_skeleton(connection, digest, content)

    def parts(self, run: Run) -> dict[tuple[str, str], str]:
        """The parts of a profile that are measured, by name and subject, as JSON; none of another run."""
        part = schema.part
        with self._reading() as connection:
            found = connection.execute(
                select(part.c.name, part.c.subject, part.c.content).where(part.c.run == run.id)
            )
            return {(name, subject): content for name, subject, content in found}

    def profiles(self) -> set[int]:
        """The numbers of all runs that are profiles, measured to their end or not."""
        part = schema.part
        with self._reading() as connection:
            return set(
                connection.execute(select(part.c.run).where(part.c.name == SETTINGS)).scalars()
            )

    def progress(self, run: Run) -> Progress:
        """How far a run is: sittings done, episodes kept, faults."""
        with self._reading() as connection:
            return progress(connection, run)

    def measured(self, run: Run) -> list[dict[str, float]]:
        """For each cell by number: the sums of all measures of what is done, by name."""
        with self._reading() as connection:
            return [reading.measured(connection, place) for place in places(connection, run.id)]

    # Data frames -------------------------------------------------------------------------------------

    def chunks(self, table: str, runs: Sequence[Run]) -> Iterator[Chunk]:
        """The rows of a readable table, some thousand at a time."""
        chunks = readable(table).chunks
        cells = [self.cells(run) for run in runs]
        with self._reading() as connection:
            for run, some in zip(runs, cells, strict=True):
                yield from chunks(connection, run, some)

    def frame(self, table: str, run: Run | None = None) -> polars.DataFrame:
        """A readable table of a run, or of all runs, as a data frame of polars."""
        from mensura.records.frames import frame_of

        runs = self.runs()[::-1] if run is None else [run]
        return frame_of(table, self.chunks(table, runs))

    def trace(self, run: Run, cell: int, item: int) -> polars.DataFrame:
        """Every interaction of a sitting, where the study asked for traces."""
        from mensura.records.traces import read_trace

        with self._reading() as connection:
            sitting = places(connection, run.id)[cell].first + item
            found = reading.window(connection, schema.trace, sitting, sitting + 1, "hash")
        if not found:
            raise MensuraError(
                f"Item {item} of cell {cell} of the run {run.name} has no trace; ask for traces "
                f"in the study file."
            )
        return read_trace(files.place_of(self.files / "traces", bytes(found[0][0])), item)

    # Transactions ------------------------------------------------------------------------------------

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the store, for what has a module of its own."""
        return self._reading()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with in_words(self.url), transaction_to_read(self._engine) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with in_words(self.url), transaction_to_write(self._engine) as connection:
            yield connection

    def _run(self, number: int) -> Run:
        with self._reading() as connection:
            found = connection.execute(select(schema.run).where(schema.run.c.id == number)).one()
        return _to_run(found)


# Rows and what they stand for ----------------------------------------------------------------------


def _to_run(row: Any) -> Run:
    return Run(
        id=row.id,
        name=row.name,
        title=row.title,
        status=row.status,
        study=from_text(row.study),
        study_hash=row.study_hash,
        seed=unsigned(row.seed),
        command=row.command,
        commit=row.commit_hash,
        versions=from_text(row.versions),
        machine=row.machine,
        started=row.started,
        ended=row.ended,
        seconds=row.seconds,
        sittings=row.sittings,
        # Earlier versions did not note it; a seed that a person chose is hardly ever as large as one that was drawn.
        fresh_seed=unsigned(row.seed) >= GUESSABLE if row.fresh_seed is None else row.fresh_seed,
    )


def _cell_rows(connection: Connection, run: int, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The rows of new cells, each with the numbers of sittings that nobody has yet."""
    cell = schema.cell
    ends = func.max(cell.c.first_sitting + cell.c.sittings)
    first = connection.execute(select(ends)).scalar() or 0
    configurations = _Once(connection, schema.configuration)
    subjects = _Once(connection, schema.subject)
    rows = []
    for one in cells:
        rows.append(
            {
                "run": run,
                "number": one.number,
                "configuration": configurations.number(
                    world=one.world,
                    parameters=to_text(one.parameters),
                    assessment=one.assessment,
                    assessment_parameters=to_text(one.assessment_parameters),
                ),
                "subject": subjects.number(
                    address=clean(one.subject),
                    name=clean(one.name),
                    summary=clean(one.summary),
                    in_process=one.in_process,
                    ask_once=one.ask_once,
                    limits=to_text(asdict(one.limits)),
                ),
                "condition": clean(one.condition),
                "repetition": one.repetition,
                "seed": signed(one.seed),
                "levels": to_text(one.levels),
                "sittings": one.sittings,
                "training": one.training,
                "keep_training": one.keep_training,
                "keep": clean(one.keep),
                "phases": to_text(list(one.phases)) if one.phases else "",
                "traces": one.traces,
                "compiled": one.compiled,
                "content": one.content,
                "isolation": one.isolation,
                "first_sitting": first,
            }
        )
        first += one.sittings
    return rows


class _Once:
    """A table whose rows stand in it once each, by their hash."""

    def __init__(self, connection: Connection, table: Table) -> None:
        self._connection = connection
        self._table = table
        self._known: dict[bytes, int] = {}

    def number(self, **values: Any) -> int:
        """The number of the row with these values, a new one if there is none."""
        table, name = self._table, digest(values)
        if name not in self._known:
            found = self._connection.execute(
                select(table.c.id).where(table.c.hash == name)
            ).scalar()
            if found is None:
                new = insert(table).values(hash=name, **values).returning(table.c.id)
                found = self._connection.execute(new).scalar_one()
            self._known[name] = found
        return self._known[name]


def _to_cell(row: Any) -> Cell:
    return Cell(
        number=row["cell_number"],
        condition=row["cell_condition"],
        world=row["configuration_world"],
        parameters=from_text(row["configuration_parameters"]),
        assessment=row["configuration_assessment"],
        assessment_parameters=from_text(row["configuration_assessment_parameters"]),
        subject=row["subject_address"],
        name=row["subject_name"],
        seed=unsigned(row["cell_seed"]),
        sittings=row["cell_sittings"],
        training=row["cell_training"],
        repetition=row["cell_repetition"],
        levels=from_text(row["cell_levels"]),
        limits=Limits(**from_text(row["subject_limits"])),
        in_process=row["subject_in_process"],
        ask_once=row["subject_ask_once"],
        summary=row["subject_summary"],
        keep_training=row["cell_keep_training"],
        keep=row["cell_keep"],
        phases=tuple(from_text(row["cell_phases"])) if row["cell_phases"] else (),
        traces=row["cell_traces"],
        compiled=row["cell_compiled"],
        content=row["cell_content"] or "",
        isolation=row["cell_isolation"] or "",
    )
