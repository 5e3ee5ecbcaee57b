"""Who sat where in the rooms of a study of people, by pseudonym, and what they allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from mensura.records import schema

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store


class Seated(NamedTuple):
    """Somebody in a seat."""

    pseudonym: str
    reuse: bool
    """Whether what they did may be published and used further."""


def people_at(store: Store, run: Run) -> dict[int, dict[int, Seated]]:
    """By room and seat; who sat there last where a seat changed hands. Empty where a run has no rooms."""
    seat, who = schema.room_seat, schema.participant
    mine = (who.c.study == seat.c.study) & (who.c.number == seat.c.participant)
    with store.reading() as connection:
        rows = connection.execute(
            select(seat.c.room, seat.c.seat, who.c.pseudonym, who.c.reuse)
            .join(who, mine)
            .where(seat.c.study == run.id)
            .order_by(seat.c.room, seat.c.seat, seat.c.since)
        ).all()
    found: dict[int, dict[int, Seated]] = {}
    for row in rows:
        found.setdefault(row.room, {})[row.seat] = Seated(row.pseudonym, bool(row.reuse))
    return found
