"""Answers on their way to the disk: all that came while one commit was under way go into the next together.

So an answer is safe before it is acknowledged, and hundreds of people a second cost a few dozen commits. Whether each
participant takes part still is looked at in the transaction that writes: what comes after a withdrawal is not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple

from sqlalchemy import Connection, Engine, insert, select, tuple_, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from mensura.agent.errors import MensuraError
from mensura.records import schema
from mensura.records.database import is_passing, reason, to_write
from mensura.records.provenance import now
from mensura.web.people.admission import TAKING_PART, NotAdmitted, barred, drawn_course, is_pilot
from mensura.web.people.live import Given
from mensura.web.refusals import Refused

MOST = 1000
"""So many answers go into one commit."""

ATTEMPTS = 3
"""So often a commit is tried where the database says that it may succeed in a moment."""


class Agreement(NamedTuple):
    """That somebody agrees to take part, and to which text."""

    version: int = 0
    language: str = ""
    reuse: bool | None = None
    """Whether what they do may be used further; None where they were not asked."""


Row = tuple[int, int, Given | Agreement]
"""The study, the participant, and what was answered or agreed to."""


class Writer:
    """A thread that commits answers, in groups."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: SimpleQueue[tuple[Row, Future[None]] | None] = SimpleQueue()
        self._connection: Connection | None = None
        self._thread = Thread(target=self._run, name="answers", daemon=True)
        self._thread.start()

    def write(self, study: int, participant: int, given: Given | Agreement) -> Future[None]:
        """Done when the answer, or that somebody agrees, is safe; :class:`Refused` where there is an answer of its
        number, or nobody to answer."""
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
            refusals = self._insert([row for row, _ in group])
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
            for (study, participant, given), future in group:
                refusal = refusals.get((study, participant))
                # Whoever agrees once more changes nothing, however far they are.
                again = isinstance(given, Agreement) and not isinstance(refusal, NotAdmitted)
                if refusal is None or (again and refusal.status != 404):
                    future.set_result(None)
                else:
                    future.set_exception(refusal)

    def _insert(self, rows: list[Row]) -> dict[tuple[int, int], Refused]:
        """Write the answers of those who take part; why not those of others."""
        for left in reversed(range(ATTEMPTS)):
            try:
                if self._connection is None:
                    self._connection = to_write(self._engine)
                with self._connection.begin():
                    return _insert_rows(self._connection, rows)
            except IntegrityError:
                raise
            except DBAPIError as error:
                self._drop()
                if not left or not is_passing(error):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _drop(self) -> None:
        if self._connection is not None:
            try:
                self._connection.invalidate()
                self._connection.close()
            except DBAPIError:
                pass
            self._connection = None


def _insert_rows(connection: Connection, rows: list[Row]) -> dict[tuple[int, int], Refused]:
    """Within a transaction: the rows of the participants are locked, so that none of them withdraws meanwhile."""
    table = schema.participant
    wanted = sorted({(study, participant) for study, participant, _ in rows})
    mine = tuple_(table.c.study, table.c.number)
    agreed = {
        (study, participant): given
        for study, participant, given in reversed(rows)
        if isinstance(given, Agreement)
    }
    kept_out = _admit(connection, agreed)
    found = connection.execute(
        select(table.c.study, table.c.number, table.c.state)
        .where(mine.in_(wanted))
        .order_by(table.c.study, table.c.number)
        .with_for_update()
    )
    states = {(row.study, row.number): row.state for row in found}
    refusals = {
        one: refusal_of(states.get(one)) for one in wanted if states.get(one) not in TAKING_PART
    }
    refusals |= {one: why for one, why in kept_out.items() if states.get(one) == "invited"}
    values = [
        {"study": study, "participant": participant, **given.row()}
        for study, participant, given in rows
        if isinstance(given, Given) and (study, participant) not in refusals
    ]
    if values:
        connection.execute(insert(schema.answer), values)
    begun = [
        (study, participant)
        for study, participant, given in rows
        if isinstance(given, Given)
        and given.number == 0
        and states.get((study, participant)) == "consented"
    ]
    if begun:
        connection.execute(update(table).where(mine.in_(begun)).values(state="playing"))
    return refusals


def _admit(
    connection: Connection, agreed: Mapping[tuple[int, int], Agreement]
) -> dict[tuple[int, int], NotAdmitted]:
    """Let those who agree take part, as many as a study wants; why not the others.

    The row of each study is locked, so that no two transactions give the last place away.
    """
    table, who = schema.people_study, schema.participant
    refused = {}
    for study in sorted({study for study, _ in agreed}):
        row = connection.execute(
            select(table).where(table.c.run == study).with_for_update()
        ).one_or_none()
        if row is None:
            continue
        for number in sorted(number for one, number in agreed if one == study):
            mine = who.c.study == study, who.c.number == number, who.c.state == "invited"
            why = barred(connection, row, pilot=is_pilot(number))
            if why is None:
                version, language, reuse = agreed[study, number]
                connection.execute(
                    update(who)
                    .where(*mine)
                    .values(
                        state="consented",
                        consented=now(),
                        consent_version=version,
                        consent_language=language,
                        reuse=reuse,
                        course=drawn_course(connection, row, number, pilot=is_pilot(number)),
                    )
                )
            else:
                refused[study, number] = NotAdmitted(why)
    return refused


def refusal_of(state: str | None) -> Refused:
    """Why somebody at this state, or who is not there, cannot answer."""
    if state is None:
        return Refused(404, "Nobody was invited with this code; look whether it is complete.")
    if state == "invited":
        return Refused(409, "Say first that you agree to take part.")
    if state == "withdrawn":
        return Refused(410, "You have withdrawn from this study.")
    if state == "screened":
        return Refused(409, "You cannot take part in this study.")
    return Refused(409, "You have answered everything already.")
