"""Conversations in the store: what was said when, how they ended, and who has met whom."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from mensura.agents.person import NAME
from mensura.records import schema
from mensura.studies.people import TogetherEntry
from mensura.studies.place import Place
from mensura.studies.stepped import joined
from mensura.web.people.admission import is_pilot
from mensura.web.people.participants import mark_finished, when
from mensura.web.people.rooms.matching import Game, History, Shape
from mensura.web.people.rooms.record import Conflict, lock_open, rooms_of
from mensura.web.people.rooms.talk_live import Said, TalkLive
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.refusals import Refused

KIND = "said"
"""Of what is kept of a conversation among the answers of rooms; its turns are the order of arrival."""


class TalkFacts(NamedTuple):
    """A conversation as it is kept."""

    number: int
    state: str
    began: float
    """When, in seconds since 1970."""
    sitting: dict[int, int]
    """Who sits where, by seat."""
    said: list[Said]


def place_of(people: People, study: PeopleStudy, number: int) -> tuple[Place, TogetherEntry]:
    """Where a room plays, and what it is like: with its own machine."""
    places = people.places(study.id)
    cell = number % len(places)
    entry = study.people.together
    assert entry is not None
    if entry.machines:
        entry = entry.model_copy(update={"programs": entry.machines[cell]})
    return places[cell], entry


def read_talk(people: People, study: PeopleStudy, number: int) -> TalkFacts:
    """All that is kept of a conversation."""
    room, seat, answer = schema.room, schema.room_seat, schema.room_answer
    with people.reading() as connection:
        found = connection.execute(
            select(room.c.state, room.c.created).where(
                room.c.study == study.id, room.c.number == number
            )
        ).one_or_none()
        if found is None:
            raise Refused(404, "There is no such room.")
        held = connection.execute(
            select(seat.c.seat, seat.c.participant)
            .where(seat.c.study == study.id, seat.c.room == number)
            .order_by(seat.c.seat, seat.c.since)
        ).all()
        rows = connection.execute(
            select(answer)
            .where(answer.c.study == study.id, answer.c.room == number, answer.c.kind == KIND)
            .order_by(answer.c.turn)
        ).all()
    began = datetime.fromisoformat(found.created).timestamp()
    last = {row.seat: row.participant for row in held}
    sitting = {one: who for one, who in last.items() if who is not None}
    return TalkFacts(number, found.state, began, sitting, [_said(row, began) for row in rows])


def _said(row: Any, began: float) -> Said:
    told = json.loads(row.value)
    fault: Any = tuple(told["fault"]) if "fault" in told else None
    return Said(
        row.seat,
        told["action"],
        row.at - began,
        told.get("id", ""),
        row.waited_ms / 1000.0,
        fault,
        None if row.kept is None else json.loads(row.kept),
        fresh=False,
    )


def keep_said(people: People, study: int, room: int, turn: int, at: float, one: Said) -> None:
    """Write what somebody did; :class:`Conflict` where another server has written since."""
    answer = schema.room_answer
    told = {"action": one.action, "id": one.id}
    if one.fault is not None:
        told["fault"] = list(one.fault)
    with people.writing() as connection:
        lock_open(connection, study, room)
        last = connection.execute(
            select(func.max(answer.c.turn)).where(answer.c.study == study, answer.c.room == room)
        ).scalar()
        if (-1 if last is None else last) + 1 != turn:
            raise Conflict
        connection.execute(
            insert(answer).values(
                study=study,
                room=room,
                turn=turn,
                seat=one.seat,
                kind=KIND,
                value=json.dumps(told),
                at=at,
                waited_ms=one.seconds * 1000.0,
                kept=None if one.kept is None else json.dumps(one.kept),
            )
        )


def finish_talk(
    people: People, study: PeopleStudy, live: TalkLive, sitting: Mapping[int, int]
) -> None:
    """Commit a conversation that is over, once however often this is called; who has played all games has finished."""
    played = live.played
    assert played is not None
    entry = study.people.together
    assert entry is not None
    rewards = played.episodes[0][1].rewards
    table, seat, who = schema.room, schema.room_seat, schema.participant

    def mark(connection: Connection) -> None:
        connection.execute(
            update(table)
            .where(table.c.study == study.id, table.c.number == live.item)
            .values(state="over")
        )
        for own, number in sitting.items():
            games = connection.execute(
                select(func.count(func.distinct(seat.c.room)))
                .join(table, (table.c.study == seat.c.study) & (table.c.number == seat.c.room))
                .where(seat.c.study == study.id, seat.c.participant == number)
                .where(table.c.state == "over")
            ).scalar_one()
            before = connection.execute(
                select(who.c.score).where(who.c.study == study.id, who.c.number == number)
            ).scalar()
            score = ((before or 0.0) * (games - 1) + float(rewards[own])) / max(1, games)
            if games >= entry.games:
                mark_finished(connection, study.id, number, score)
            else:
                connection.execute(
                    update(who)
                    .where(who.c.study == study.id, who.c.number == number)
                    .values(score=score)
                )

    if is_pilot(live.item):
        with people.writing() as connection:
            mark(connection)
        return
    names = [
        NAME if one in live.player.people else name for one, name in enumerate(live.player.names)
    ]
    people.commit(study.id, [joined(live.place.cell, [played], 1, names)], mark)


def to_the_next(people: People, study: PeopleStudy, number: int) -> None:
    """Somebody whose game is over waits for the next one."""
    who = schema.participant
    with people.writing() as connection:
        connection.execute(
            update(who)
            .where(who.c.study == study.id, who.c.number == number, who.c.state == "playing")
            .values(state="consented", room=None)
        )


def report_room(people: People, study: int, number: int) -> None:
    """A room that somebody reports is over at once, in no result, and kept for the experimenter to look at."""
    room, who = schema.room, schema.participant
    with people.writing() as connection:
        connection.execute(
            update(room)
            .where(room.c.study == study, room.c.number == number, room.c.state == "open")
            .values(state="reported")
        )
        connection.execute(
            update(who)
            .where(who.c.study == study, who.c.room == number, who.c.state == "playing")
            .values(state="consented", room=None)
        )


def history_of(people: People, study: PeopleStudy, shape: Shape, *, pilot: bool) -> History:
    """Who has met whom in the rooms of a study, in their order."""
    room, seat = schema.room, schema.room_seat
    with people.reading() as connection:
        rows = connection.execute(
            select(seat.c.room, seat.c.seat, seat.c.participant, room.c.state)
            .join(room, (room.c.study == seat.c.study) & (room.c.number == seat.c.room))
            .where(seat.c.study == study.id)
            .order_by(room.c.created, seat.c.room, seat.c.seat, seat.c.since)
        ).all()
    found: dict[int, tuple[str, list[tuple[int, int]]]] = {}
    for row in rows:
        if is_pilot(row.room) == pilot:
            held = found.setdefault(row.room, (row.state, []))[1]
            if row.participant is not None:
                held.append((row.seat, row.participant))
    history = History()
    for number, (state, held) in found.items():
        judges = tuple(who for own, who in held if own < shape.judges)
        witnesses = tuple(who for own, who in held if own >= shape.judges)
        machine = shape.machines[number % len(shape.machines)] if shape.machines else None
        history.add(Game(judges, witnesses, machine), void=state in ("void", "reported"))
    return history


def talk_rows(people: People, study: PeopleStudy, *, pilot: bool) -> Iterator[Mapping[str, Any]]:
    """Everything that people did in conversations which counts, in the order of arrival."""
    names = {one.number: one.pseudonym for one in people.participants(study)}
    for number, state, _, _ in rooms_of(people, study):
        if is_pilot(number) != pilot or state in ("void", "reported"):
            continue
        facts = read_talk(people, study, number)
        for turn, one in enumerate(facts.said):
            who = facts.sitting.get(one.seat)
            if who is None:
                continue
            yield {
                "pseudonym": names.get(who),
                "room": number,
                "seat": one.seat,
                "exercise": 1,
                "interaction": turn,
                "action": one.action,
                "at": when(facts.began + one.at),
            }
