"""Participants in the store: how far each of them is, that they have finished, and what is removed of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Select, Text, bindparam, cast, delete, func, select, update

from mensura.records import schema
from mensura.web.people.admission import TAKING_PART, is_pilot
from mensura.web.people.writing import refusal_of

State = Literal["invited", "consented", "playing", "finished", "withdrawn", "screened"]


@dataclass(frozen=True)
class Participant:
    """One participant and how far they are."""

    study: int
    number: int
    pseudonym: str
    state: State
    exercise: int
    """The number of the present exercise, from 1, practice included; 0 before the first."""
    exercises: int
    """How many there are; 0 where that is not known beforehand."""
    answered: int
    """How many actions were taken."""
    started: str
    last: str
    """When they first and last answered; empty where they have not."""
    score: float | None
    external: str | None = None
    """The id that they joined with."""
    wave: str | None = None
    """The wave in which they came."""
    course: int | None = None
    """Which way they go through the conditions; None before they agree."""
    room: int | None = None
    """The room that they are in, where several play together; None: none yet."""
    consented: str | None = None
    """When they agreed."""
    consent_version: int | None = None
    """What they agreed to; 0 is the text of the pages themselves."""
    consent_language: str | None = None
    """The language of that text."""
    reuse: bool | None = None
    """Whether what they do may be used further; None where they were not asked."""
    before_at: str | None = None
    """When they answered the questions before the instructions."""
    checked_at: str | None = None
    """When they passed the questions on the instructions."""
    tries: int = 0
    """How often they tried these."""
    after_at: str | None = None
    """When they answered the questions after the exercises; empty where that was not kept."""
    excluded: str | None = None
    """Why they were screened out, or which checks they failed."""

    @property
    def pilot(self) -> bool:
        """Whether they belong to the pilot, whose data are kept apart."""
        return is_pilot(self.number)


def participants_of(
    connection: Connection, study: int, exercises: int, number: int | None = None
) -> list[Participant]:
    """The participants of a study by number, or the one of a number."""
    if number is None:
        rows = connection.execute(_ALL, {"study": study})
    else:
        rows = connection.execute(_ONE, {"study": study, "number": number})
    return [_participant(row, exercises) for row in rows]


def participant_of(
    connection: Connection, code: bytes, exercises: Callable[[int], int]
) -> Participant | None:
    """The participant with the hash of a code; None where nobody has it."""
    row = connection.execute(_BY_CODE, {"code": code}).one_or_none()
    return None if row is None else _participant(row, exercises(row.study))


def _participant(row: Any, exercises: int) -> Participant:
    return Participant(
        study=row.study,
        number=row.number,
        pseudonym=row.pseudonym,
        state=row.state,
        exercise=(row.total or 0) - (row.actions or 0),
        exercises=exercises,
        answered=row.actions or 0,
        started=when(row.first),
        last=when(row.last),
        score=row.score,
        external=row.external,
        wave=row.wave,
        course=row.course,
        room=row.room,
        consented=row.consented,
        consent_version=row.consent_version,
        consent_language=row.consent_language,
        reuse=row.reuse,
        before_at=row.before_at,
        checked_at=row.checked_at,
        tries=row.tries or 0,
        after_at=row.after_at,
        excluded=row.excluded,
    )


# Statements are made once: to put one together takes longer than to run it.


def _with_answers(*conditions: Any) -> Select[Any]:
    """Participants with how much they have answered; each of a few, looked up by its key."""
    who, answer = schema.participant, schema.answer
    own = (answer.c.study == who.c.study) & (answer.c.participant == who.c.number)

    def told(value: Any, name: str) -> Any:
        return select(value).where(own).correlate(who).scalar_subquery().label(name)

    done = func.count(func.coalesce(cast(answer.c.action, Text), answer.c.value))
    return select(
        who,
        told(func.count(), "total"),
        told(done, "actions"),
        told(func.min(answer.c.at), "first"),
        told(func.max(answer.c.at), "last"),
    ).where(*conditions)


def _everybody() -> Select[Any]:
    """All participants of a study with how much they have answered, counted in one pass."""
    who, answer = schema.participant, schema.answer
    study: Any = bindparam("study")
    found = (
        select(
            answer.c.participant,
            func.count().label("total"),
            func.count(func.coalesce(cast(answer.c.action, Text), answer.c.value)).label("actions"),
            func.min(answer.c.at).label("first"),
            func.max(answer.c.at).label("last"),
        )
        .where(answer.c.study == study)
        .group_by(answer.c.participant)
        .subquery()
    )
    query = select(who, found).outerjoin(found, found.c.participant == who.c.number)
    return query.where(who.c.study == study).order_by(who.c.number)


_ALL = _everybody()
_ONE = _with_answers(
    schema.participant.c.study == bindparam("study"),
    schema.participant.c.number == bindparam("number"),
)
_BY_CODE = _with_answers(schema.participant.c.code == bindparam("code"))


def mark_finished(connection: Connection, study: int, number: int, score: float | None) -> None:
    """Within a transaction: somebody has finished, unless they take part no more."""
    table = schema.participant
    mine = table.c.study == study, table.c.number == number
    changed = connection.execute(
        update(table)
        .where(*mine, table.c.state.in_((*TAKING_PART, "finished")))
        .values(state="finished", score=score)
    )
    if changed.rowcount != 1:
        raise refusal_of(connection.execute(select(table.c.state).where(*mine)).scalar())


def remove_answers(connection: Connection, study: int, number: int) -> None:
    """Within a transaction: remove what somebody answered alone, and the sittings that were committed of it."""
    for table in (schema.answer, schema.questionnaire):
        connection.execute(
            delete(table).where(table.c.study == study, table.c.participant == number)
        )
    if not is_pilot(number):
        remove_sittings(connection, study, number)


def remove_sittings(connection: Connection, study: int, item: int) -> None:
    """Within a transaction: remove the sittings of an item of all conditions."""
    cell = schema.cell
    firsts = connection.execute(select(cell.c.first_sitting).where(cell.c.run == study)).scalars()
    sittings = [first + item for first in firsts]
    for table in schema.OF_SITTINGS:
        connection.execute(delete(table).where(table.c.sitting.in_(sittings)))
    connection.execute(delete(schema.sitting).where(schema.sitting.c.id.in_(sittings)))


def leave_room(connection: Connection, study: int, number: int) -> None:
    """Within a transaction: remove what somebody answered, and give up the rooms that they were in, if any."""
    for table in (schema.answer, schema.questionnaire):
        connection.execute(
            delete(table).where(table.c.study == study, table.c.participant == number)
        )
    seat = schema.room_seat
    rooms = connection.execute(
        select(seat.c.room)
        .where(seat.c.study == study, seat.c.participant == number)
        .group_by(seat.c.room)
    ).scalars()
    for room in list(rooms):
        void_room(connection, study, room)


def void_room(connection: Connection, study: int, number: int) -> None:
    """Within a transaction: give a room up. What was answered in it and its sitting go; who played waits again."""
    room, answer, who = schema.room, schema.room_answer, schema.participant
    connection.execute(
        update(room).where(room.c.study == study, room.c.number == number).values(state="void")
    )
    connection.execute(delete(answer).where(answer.c.study == study, answer.c.room == number))
    connection.execute(
        update(who)
        .where(who.c.study == study, who.c.room == number, who.c.state == "playing")
        .values(state="consented", room=None)
    )
    if not is_pilot(number):
        remove_sittings(connection, study, number)


def when(at: float | None) -> str:
    """A moment as ISO 8601 in UTC; empty where there is none."""
    return "" if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
