"""What participants play with, as their browser tells: device, size, input, language, how often they look away.

A page counts its own losses of focus and sends the count so far under a name of its own, so that a message that is sent
twice, or comes late, counts once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import select, update

from mensura.records import schema
from mensura.web.people.admission import COUNTED
from mensura.web.people.measured import measured_of
from mensura.web.people.participants import Participant
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.people.writing import refusal_of
from mensura.web.refusals import Refused

MOST_PAGES = 500
"""Of so many pages of a participant the losses of focus are counted."""


def keep_device(
    people: People, one: Participant, page: str, losses: int, facts: Mapping[str, str]
) -> None:
    """Keep what a page tells; what it tells of itself replaces what it told before."""
    table = schema.participant
    mine = table.c.study == one.study, table.c.number == one.number
    with people.writing() as connection:
        row = connection.execute(
            select(table.c.state, table.c.device).where(*mine).with_for_update()
        ).one_or_none()
        if row is None or row.state not in COUNTED:
            raise refusal_of(None if row is None else row.state)
        device = json.loads(row.device) if row.device else {"pages": {}}
        pages = device["pages"]
        if page not in pages and len(pages) >= MOST_PAGES:
            raise Refused(409, "There are too many pages of this participant.")
        pages[page] = max(losses, pages.get(page, 0))
        device |= {name: text for name, text in facts.items() if text}
        connection.execute(update(table).where(*mine).values(device=json.dumps(device)))


def participants_table(
    people: People, study: PeopleStudy, *, pilot: bool = False
) -> Iterator[dict[str, Any]]:
    """Everybody in the study, or in its pilot, as a row for each."""
    table = schema.participant
    with people.reading() as connection:
        found = connection.execute(
            select(table.c.number, table.c.device).where(table.c.study == study.id)
        )
        devices = {row.number: json.loads(row.device) for row in found if row.device}
    measured = measured_of(people, study)
    for one in people.participants(study):
        if one.pilot != pilot:
            continue
        row = {name: None if value == "" else value for name, value in asdict(one).items()}
        facts = measured[one.number]
        row |= devices.get(one.number, {}) | facts.values
        row["latency_ms"] = facts.latency_ms
        row["conditions"] = "; ".join(study.conditions_on(one.course)) or None
        row["left_out"] = "; ".join(facts.left_out) or None
        yield row
