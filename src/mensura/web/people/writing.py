"""Answers on their way to the disk: all that came while one commit was under way go into the next together.

So an answer is safe before it is acknowledged, and hundreds of people a second cost a few dozen commits.
"""

from __future__ import annotations

from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread

from sqlalchemy import Connection, Engine, bindparam, insert, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from mensura.core.errors import MensuraError
from mensura.records import schema
from mensura.records.database import is_passing, reason, to_write
from mensura.web.people.live import Given
from mensura.web.refusals import Refused

MOST = 1000
"""So many answers go into one commit."""

ATTEMPTS = 3
"""So often a commit is tried where the database says that it may succeed in a moment."""

Row = tuple[int, int, Given]
"""The study, the participant, and what was answered."""

_BEGUN = (
    update(schema.participant)
    .where(
        schema.participant.c.study == bindparam("s"),
        schema.participant.c.number == bindparam("p"),
        schema.participant.c.state == "consented",
    )
    .values(state="playing")
)


class Writer:
    """A thread that commits answers, in groups."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: SimpleQueue[tuple[Row, Future[None]] | None] = SimpleQueue()
        self._connection: Connection | None = None
        self._thread = Thread(target=self._run, name="answers", daemon=True)
        self._thread.start()

    def write(self, study: int, participant: int, given: Given) -> Future[None]:
        """Done when the answer is safe; :class:`Refused` where there is one of its number, or nobody to answer."""
        future: Future[None] = Future()
        self._queue.put(((study, participant, given), future))
        return future

    def close(self) -> None:
        """Commit what came, and end."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        open_ = True
        while open_:
            group = []
            one = self._queue.get()
            while one is not None:
                group.append(one)
                if len(group) == MOST or self._queue.empty():
                    break
                one = self._queue.get()
            open_ = one is not None
            if group:
                self._commit(group)
        self._drop()

    def _commit(self, group: list[tuple[Row, Future[None]]]) -> None:
        try:
            self._insert([row for row, _ in group])
        except IntegrityError:
            if len(group) == 1:
                group[0][1].set_exception(Refused(409, "This was answered already."))
                return
            # One of them cannot be: the others are not to suffer from it.
            for one in group:
                self._commit([one])
        except Exception as error:
            why = reason(error) if isinstance(error, DBAPIError) else str(error)
            for _, future in group:
                future.set_exception(MensuraError(f"The answer could not be kept: {why}."))
        else:
            for _, future in group:
                future.set_result(None)

    def _insert(self, rows: list[Row]) -> None:
        values = [
            {"study": study, "participant": participant, **given.row()}
            for study, participant, given in rows
        ]
        for left in reversed(range(ATTEMPTS)):
            try:
                if self._connection is None:
                    self._connection = to_write(self._engine)
                with self._connection.begin():
                    self._connection.execute(insert(schema.answer), values)
                    for study, participant, given in rows:
                        if given.number == 0:
                            self._connection.execute(_BEGUN, {"s": study, "p": participant})
                return
            except IntegrityError:
                raise
            except DBAPIError as error:
                self._drop()
                if not left or not is_passing(error):
                    raise

    def _drop(self) -> None:
        if self._connection is not None:
            try:
                self._connection.invalidate()
                self._connection.close()
            except DBAPIError:
                pass
            self._connection = None
