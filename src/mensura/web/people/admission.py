"""Who may begin: places, quotas, the end of a study; and the pilot, which is counted apart from all else.

Participants of the pilot have numbers of their own. No sitting of theirs is committed to the run, so no result, report,
comparison or leaderboard knows of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, func, insert, select, update

from mensura.records import schema
from mensura.studies.people import moment_of
from mensura.web.refusals import Refused

FIRST_PILOT = 1_000_000
"""The number of the first participant of the pilot."""

MOST_PILOTS = 10_000
"""So many take part in the pilot at most."""

TAKING_PART = ("consented", "playing")
"""Whoever is at one of these states may answer."""

COUNTED = (*TAKING_PART, "finished")
"""Whoever is at one of these states counts in a quota."""

Barred = Literal["closed", "ended", "full"]

SENTENCES: dict[Barred, str] = {
    "closed": "The study is closed: nobody can begin any more.",
    "ended": "The study has ended: nobody can begin any more.",
    "full": "The study is full: as many take part as are wanted.",
}


class NotAdmitted(Refused):
    """Somebody cannot begin, and why."""

    def __init__(self, why: Barred) -> None:
        super().__init__(409, SENTENCES[why])
        self.why = why


def is_pilot(number: int) -> bool:
    """Whether a participant, by number, belongs to the pilot."""
    return number >= FIRST_PILOT


def has_ended(ends: str | None) -> bool:
    """Whether the end of a study is over."""
    moment = moment_of(ends or "")
    return moment is not None and datetime.now(UTC) > moment


def barred(connection: Connection, row: Any, *, pilot: bool) -> Barred | None:
    """Why nobody can begin in the study of this row; None where somebody can."""
    if row.closed:
        return "closed"
    if has_ended(row.ends):
        return "ended"
    if row.quota is not None and not pilot and counted(connection, row.run) >= row.quota:
        return "full"
    if not open_courses(connection, row, pilot=pilot):
        return "full"
    return None


def open_courses(connection: Connection, row: Any, *, pilot: bool) -> dict[int, int]:
    """The ways through the conditions of a study that somebody may still be given, with how many are on each."""
    if (row.courses or 1) == 1 and not row.course_quotas:
        return {0: 0}
    table = schema.participant
    among = table.c.number >= FIRST_PILOT if pilot else table.c.number < FIRST_PILOT
    course = func.coalesce(table.c.course, 0)
    found = connection.execute(
        select(course, func.count())
        .where(table.c.study == row.run, among, table.c.state.in_(COUNTED))
        .group_by(course)
    )
    counts = dict.fromkeys(range(row.courses or 1), 0)
    for one, count in found:
        counts[one] = count
    quotas: list[int | None] = [None] * len(counts)
    if row.course_quotas and not pilot:
        quotas = json.loads(row.course_quotas)
    return {one: n for one, n in counts.items() if (most := quotas[one]) is None or n < most}


def drawn_course(connection: Connection, row: Any, number: int, *, pilot: bool) -> int:
    """The way through the conditions that a participant is given: of those with the fewest on them, one by lot.

    So each block of as many participants as there are ways has each of them once, in an order of its own (blocked
    randomization), and whoever withdraws is replaced on the same way.
    """
    counts = open_courses(connection, row, pilot=pilot)
    fewest = min(counts.values())
    among = sorted(one for one, count in counts.items() if count == fewest)
    secret = row.secret or b""
    lot = hashlib.sha256(secret + f"course {number}".encode()).digest()
    return among[int.from_bytes(lot, "big") % len(among)]


def counted(connection: Connection, study: int) -> int:
    """How many take part or have finished, without the pilot."""
    table = schema.participant
    return connection.execute(
        select(func.count())
        .select_from(table)
        .where(table.c.study == study, table.c.number < FIRST_PILOT, table.c.state.in_(COUNTED))
    ).scalar_one()


def add(
    connection: Connection,
    study: int,
    hashes: Sequence[bytes],
    *,
    pilot: bool = False,
    external: str | None = None,
) -> list[int]:
    """Within a transaction: new participants with the hashes of their codes; their numbers."""
    table = schema.people_study
    row = connection.execute(
        select(table).where(table.c.run == study).with_for_update()
    ).one_or_none()
    if row is None:
        raise Refused(404, "The study is no longer there.")
    if row.closed:
        raise Refused(409, "The study is closed: nobody can be invited.")
    taken = (row.piloted or 0) if pilot else row.invited
    left = (MOST_PILOTS if pilot else row.places) - taken
    if len(hashes) > left:
        raise Refused(409, f"The study has {left} places left, and {len(hashes)} were asked for.")
    changed = {"piloted" if pilot else "invited": taken + len(hashes)}
    connection.execute(update(table).where(table.c.run == study).values(changed))
    first = taken + (FIRST_PILOT if pilot else 0)
    letter = "T" if pilot else "P"
    connection.execute(
        insert(schema.participant),
        [
            {
                "study": study,
                "number": first + i,
                "pseudonym": f"{letter}{taken + i + 1:04}",
                "code": one,
                "state": "invited",
                "score": None,
                "external": external,
                "wave": row.wave,
            }
            for i, one in enumerate(hashes)
        ],
    )
    return list(range(first, first + len(hashes)))
