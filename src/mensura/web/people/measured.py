"""What is measured of how participants took part, and whom the rules of a study leave out of its analysis by it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from sqlalchemy import select

from mensura.records import schema
from mensura.web.people.participants import Participant
from mensura.web.people.studies import People, PeopleStudy

FAST = 200.0
"""Milliseconds within which nobody has seen, decided and acted."""


@dataclass(frozen=True)
class Measured:
    """How somebody took part, in numbers by name; those that cannot be told are left out."""

    values: Mapping[str, float]
    left_out: tuple[str, ...]
    """The rules that leave them out of the analysis, in words."""
    latency_ms: float | None
    """The median of what the network and the browser added to answers, by the server's clock."""


def measured_of(people: People, study: PeopleStudy) -> dict[int, Measured]:
    """What is measured of everybody in a study, by number, the pilot included."""
    table, who = schema.answer, schema.participant
    with people.reading() as connection:
        rows = connection.execute(
            select(table.c.participant, table.c.response_ms, table.c.waited_ms)
            .where(table.c.study == study.id)
            .where(table.c.action.is_not(None) | table.c.value.is_not(None))
        ).all()
        devices = {
            row.number: json.loads(row.device)
            for row in connection.execute(
                select(who.c.number, who.c.device).where(who.c.study == study.id)
            )
            if row.device
        }
    times: dict[int, list[tuple[float | None, float]]] = {}
    for number, response, waited in rows:
        times.setdefault(number, []).append((response, waited))
    return {
        one.number: _measured(study, one, times.get(one.number, []), devices.get(one.number))
        for one in people.participants(study)
    }


def _measured(
    study: PeopleStudy,
    one: Participant,
    times: list[tuple[float | None, float]],
    device: Mapping[str, Mapping[str, int]] | None,
) -> Measured:
    values: dict[str, float] = {
        "failed_checks": float((one.excluded or "").count("attention: ")),
        "tries": float(one.tries),
    }
    if device is not None:
        values["focus_losses"] = float(sum(device["pages"].values()))
    told = [response for response, _ in times if response is not None]
    if told:
        values["median_response_ms"] = median(told)
        values["fast_share"] = sum(one < FAST for one in told) / len(told)
    if one.started and one.last:
        took = datetime.fromisoformat(one.last) - datetime.fromisoformat(one.started)
        values["minutes"] = took.total_seconds() / 60.0
    late = [max(0.0, waited - response) for response, waited in times if response is not None]
    rules = study.people.exclude
    return Measured(
        values,
        tuple(str(rule) for rule in rules if rule.leaves_out(values.get(rule.measured))),
        median(late) if late else None,
    )
