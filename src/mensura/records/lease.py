"""The right to write to a run, held by one process at a time; everything that is committed goes through it.

Three things make each sitting count exactly once. A lock keeps two coordinators apart. The epoch of the run, which
rises whenever the run is seized and is checked in every transaction, refuses one that lost its lock without noticing.
And the primary key of the sitting refuses to be committed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, Engine, delete, func, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from mensura.agent.errors import MensuraError
from mensura.core.closing import Closing
from mensura.records import files, schema
from mensura.records.database import WAIT, is_full, is_passing, reason, to_write
from mensura.records.lock import (
    FileLock,
    give_advisory,
    is_advisory_taken,
    sharing,
    take_advisory,
)
from mensura.records.provenance import now
from mensura.records.writing import insert_rows, places, rows_of

if TYPE_CHECKING:
    from mensura.records.batch import Batch
    from mensura.records.run import Run

T = TypeVar("T")

SETTINGS, PROFILE = "settings", "profile"
"""The parts of a run that make it a profile: how it is measured, and what was found when all of it was."""
PAUSE = 0.2
"""Seconds between attempts to connect again."""


class Lease(Closing):
    """Exclusive: while it is held, no other process writes to its run."""

    def __init__(self, engine: Engine, run: Run, where: str, traces: Path) -> None:
        self.run = run
        self._engine = engine
        self._where = where
        self._traces = traces
        self._wait = WAIT
        self._lock: FileLock | None = None
        self._file: tuple[int, int] | None = None
        self._connection: Connection | None = None
        try:
            self._take()
            self._epoch, before = self._attempt(self._seize)
            self._places = self._attempt(lambda connection, _: places(connection, run.id))
        except BaseException:
            self.close()
            raise
        self._begun = monotonic() - before

    def close(self) -> None:
        """Let others seize the run."""
        if self._connection is not None:
            if self._engine.name != "sqlite":
                with suppress(DBAPIError):  # a connection that is lost has no lock either
                    give_advisory(self._connection, self.run.id)
            self._connection.close()
            self._connection = None
        if self._lock is not None:
            self._lock.give()

    def commit(
        self, batches: Sequence[Batch], also: Callable[[Connection], None] | None = None
    ) -> None:
        """Bring batches to the disk in one transaction, their done-marks with them; a sitting twice is refused.

        ``also`` is done in the same transaction: where it raises, nothing is written.
        """
        contents = {file.content for batch in batches for file in batch.traces}
        with ExitStack() as stack:
            names: dict[bytes, bytes] = {}
            if contents:
                try:
                    stack.enter_context(sharing(self._traces, alone=False))
                    names = files.keep(self._traces, contents)
                except OSError as error:
                    raise self._stopped(
                        f"a trace could not be written: {error.strerror}"
                    ) from error
            rows = rows_of(batches, self._places, names)
            sittings = [row[0] for row in rows[schema.sitting]]
            if not sittings:
                return
            if len(set(sittings)) < len(sittings):
                raise self._twice()

            def write(connection: Connection, again: bool) -> None:
                self._fence(connection)
                if again and _is_there(connection, sittings[0]):
                    return
                insert_rows(connection, rows)
                if also is not None:
                    also(connection)

            self._attempt(write)

    def keep_part(self, name: str, subject: str, content: str) -> None:
        """Keep a part of a profile, in the place of one that is there; the whole ``profile`` replaces all others."""
        part = schema.part
        own = part.c.run == self.run.id

        def write(connection: Connection, again: bool) -> None:
            self._fence(connection)
            replaced = own & (part.c.name == name) & (part.c.subject == subject)
            if name == PROFILE:
                replaced = own & (part.c.name != SETTINGS)
            connection.execute(delete(part).where(replaced))
            values = {"run": self.run.id, "name": name, "subject": subject, "content": content}
            connection.execute(insert(part).values(values))

        self._attempt(write)

    def keep_holdings(self, holdings: Mapping[int, str]) -> None:
        """Keep how the subjects of cells are held, by the number of the cell."""
        cell = schema.cell

        def write(connection: Connection, again: bool) -> None:
            self._fence(connection)
            for number, words in holdings.items():
                connection.execute(
                    update(cell)
                    .where((cell.c.run == self.run.id) & (cell.c.number == number))
                    .values(isolation=words)
                )

        self._attempt(write)

    def finish(self, status: str) -> None:
        """Say how it ended: finished, stopped or failed."""

        def write(connection: Connection, again: bool) -> None:
            self._fence(connection)
            connection.execute(
                update(schema.run)
                .where(schema.run.c.id == self.run.id)
                .values(status=status, ended=now())
            )

        self._attempt(write)

    @staticmethod
    def is_held(engine: Engine, run: Run) -> bool:
        """Whether some process has the lease of a run."""
        if engine.name == "sqlite":
            return _file_lock(engine, run).is_taken()
        with engine.connect() as connection:
            return is_advisory_taken(connection, run.id)

    # Holding it ------------------------------------------------------------------------------------

    def _take(self) -> None:
        if self._engine.name == "sqlite":
            lock = _file_lock(self._engine, self.run)
            # Who only asks whether it is taken shares it for a moment.
            attempts = 4
            while not lock.take():
                attempts -= 1
                if not attempts:
                    raise _held(self.run.name, lock.holder())
                sleep(PAUSE / 4)
            self._lock = lock
            there = Path(str(self._engine.url.database)).stat()
            self._file = there.st_dev, there.st_ino
            self._connection = to_write(self._engine)
        else:
            connection = to_write(self._engine)
            if not take_advisory(connection, self.run.id):
                connection.close()
                raise _held(self.run.name, "")
            self._connection = connection

    def _seize(self, connection: Connection, again: bool) -> tuple[int, float]:
        run = schema.run
        found = connection.execute(
            update(run)
            .where(run.c.id == self.run.id)
            .values(epoch=run.c.epoch + 1, status="running", ended="")
            .returning(run.c.epoch, run.c.seconds)
        ).one_or_none()
        if found is None:
            raise MensuraError(f"The run {self.run.name} is no longer in the store {self._where}.")
        return int(found[0]), float(found[1])

    def _fence(self, connection: Connection) -> None:
        """Go on only while nobody else has seized the run; the clock of the run goes on with us."""
        run = schema.run
        passed = connection.execute(
            update(run)
            .where(run.c.id == self.run.id, run.c.epoch == self._epoch)
            .values(seconds=monotonic() - self._begun)
        )
        if passed.rowcount != 1:
            raise MensuraError(
                f"The run {self.run.name} was taken over by another process, or deleted; "
                f"nothing more is written from here."
            )

    # Transactions ------------------------------------------------------------------------------------

    def _attempt(self, work: Callable[[Connection, bool], T]) -> T:
        """Do work in one transaction; where the connection is lost, again on a new one, for a while.

        The work is told whether it is done again: the first time may have been committed without our hearing of it.
        """
        again = False
        until = monotonic() + self._wait
        while True:
            try:
                if self._connection is None:
                    self._reconnect()
                self._check_file()
                assert self._connection is not None
                with self._connection.begin():
                    result = work(self._connection, again)
                return result
            except IntegrityError as error:
                raise self._twice() from error
            except DBAPIError as error:
                if is_full(error):
                    raise self._stopped("the disk is full") from error
                if not is_passing(error):
                    raise self._stopped(reason(error)) from error
                if monotonic() > until:
                    raise self._stopped(
                        f"the database was not available for {self._wait:.0f} seconds: {reason(error)}"
                    ) from error
                again = True
                if self._engine.name != "sqlite":
                    self._drop()
                sleep(PAUSE)
            except KeyboardInterrupt:
                # It may have struck anywhere, so the next commit begins on a connection of its own.
                self._drop()
                raise

    def _reconnect(self) -> None:
        connection = to_write(self._engine)
        try:
            # The server may notice only after a while that our old session is dead.
            until = monotonic() + self._wait
            while self._engine.name != "sqlite" and not take_advisory(connection, self.run.id):
                if monotonic() > until:
                    raise _held(self.run.name, "")
                sleep(PAUSE)
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def _drop(self) -> None:
        """Close the connection itself: what was given back to the pool could still hold a transaction, and its lock."""
        if self._connection is not None:
            try:
                self._connection.invalidate()
                self._connection.close()
            except DBAPIError:
                pass
            self._connection = None

    def _check_file(self) -> None:
        """Rows for a file that was moved or removed meanwhile would be lost."""
        if self._file is None:
            return
        path = Path(str(self._engine.url.database))
        try:
            there = path.stat()
        except OSError:
            there = None
        if there is None or (there.st_dev, there.st_ino) != self._file:
            raise MensuraError(
                f"The store {self._where} was moved or removed while the run {self.run.name} was "
                f"being written to it; put it back and go on with `mensura study resume {self.run.name}`."
            )

    def _stopped(self, why: str) -> MensuraError:
        return MensuraError(
            f"The run {self.run.name} was stopped: {why}; everything committed before is safe, and "
            f"`mensura study resume {self.run.name}` goes on from there."
        )

    def _twice(self) -> MensuraError:
        return MensuraError(
            f"A sitting of the run {self.run.name} was to be committed twice; nothing of this "
            f"commit was written."
        )


def _file_lock(engine: Engine, run: Run) -> FileLock:
    path = Path(str(engine.url.database))
    return FileLock(path.with_name(f"{path.name}.run{run.id}.lock"))


def _is_there(connection: Connection, sitting: int) -> bool:
    table = schema.sitting
    found = select(func.count()).select_from(table).where(table.c.id == sitting)
    return bool(connection.execute(found).scalar())


def _held(name: str, holder: str) -> MensuraError:
    by = f" (process {holder})" if holder else ""
    return MensuraError(
        f"The run {name} is being written by another process{by}; wait for it, or stop it first."
    )
