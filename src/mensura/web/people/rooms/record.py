"""Rooms in the store: who sits where since when, what was answered in each turn, and how they ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import to_plain
from mensura.agents.person import NAME
from mensura.records import schema
from mensura.records.provenance import now
from mensura.studies.stepped import joined
from mensura.web.people.admission import FIRST_PILOT, is_pilot
from mensura.web.people.participants import mark_finished, void_room, when
from mensura.web.people.rooms.live import Done, RoomLive
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.refusals import Refused


class Conflict(Exception):
    """Another server has answered for the same turn: look again."""


@dataclass(frozen=True)
class RoomFacts:
    """A room as it is kept."""

    number: int
    state: str
    seats: Mapping[int, Sequence[tuple[int, int | None]]]
    """Of each seat for people: since which turn it was whose, in order; None where a program has it."""
    answers: Mapping[tuple[int, int, str], Done]
    """By turn, seat and kind."""

    @property
    def sitting(self) -> dict[int, int]:
        """Who sits where now, by seat."""
        last = {seat: held[-1][1] for seat, held in self.seats.items()}
        return {seat: who for seat, who in last.items() if who is not None}

    @property
    def fills(self) -> tuple[int, ...]:
        """The seats of people that a program has had from the beginning."""
        return tuple(seat for seat, held in self.seats.items() if held[0][1] is None)


def form_room(
    people: People,
    study: PeopleStudy,
    seats: Sequence[int | None],
    *,
    pilot: bool,
    cell: int = 0,
    cells: int = 1,
) -> int | None:
    """A new room with these participants in its seats, and programs where nobody is named; its number.

    Rooms of the first of several conditions have the numbers 0, ``cells``, ... None where one of the participants is no
    longer there or has a room already.
    """
    numbers = [one for one in seats if one is not None]
    table, who, study_table = schema.room, schema.participant, schema.people_study
    among = table.c.number >= FIRST_PILOT if pilot else table.c.number < FIRST_PILOT
    with people.writing() as connection:
        connection.execute(
            select(study_table.c.run).where(study_table.c.run == study.id).with_for_update()
        )
        free = connection.execute(
            select(func.count())
            .select_from(who)
            .where(who.c.study == study.id, who.c.number.in_(numbers))
            .where(who.c.room.is_(None), who.c.state == "consented")
        ).scalar_one()
        if free < len(numbers):
            return None
        last = connection.execute(
            select(func.max(table.c.number)).where(
                table.c.study == study.id, among, table.c.number % cells == cell
            )
        ).scalar()
        number = first_number(cell, cells, pilot=pilot) if last is None else last + cells
        connection.execute(
            insert(table).values(study=study.id, number=number, state="open", created=now())
        )
        connection.execute(
            insert(schema.room_seat),
            [
                {"study": study.id, "room": number, "seat": i, "since": 0, "participant": one}
                for i, one in enumerate(seats)
            ],
        )
        connection.execute(
            update(who)
            .where(who.c.study == study.id, who.c.number.in_(numbers))
            .values(state="playing", room=number)
        )
    return number


def first_number(cell: int, cells: int, *, pilot: bool) -> int:
    """The number of the first room of a condition."""
    base = FIRST_PILOT if pilot else 0
    return base + (cell - base) % cells


def take_seat(
    people: People, study: int, room: int, seat: int, since: int, participant: int
) -> bool:
    """Somebody who waited takes the seat of one who left; whether they still can."""
    who = schema.participant
    mine = who.c.study == study, who.c.number == participant
    with people.writing() as connection:
        changed = connection.execute(
            update(who)
            .where(*mine, who.c.room.is_(None), who.c.state == "consented")
            .values(state="playing", room=room)
        )
        if changed.rowcount != 1:
            return False
        held = {"study": study, "room": room, "seat": seat, "since": since}
        connection.execute(
            delete(schema.room_seat).where(
                *(schema.room_seat.c[name] == value for name, value in held.items())
            )
        )
        connection.execute(insert(schema.room_seat).values(**held, participant=participant))
    return True


def read_room(people: People, study: int, number: int) -> RoomFacts:
    """All that is kept of a room."""
    with people.reading() as connection:
        room = schema.room
        state = connection.execute(
            select(room.c.state).where(room.c.study == study, room.c.number == number)
        ).scalar()
        if state is None:
            raise Refused(404, "There is no such room.")
        seat, answer = schema.room_seat, schema.room_answer
        held = connection.execute(
            select(seat.c.seat, seat.c.since, seat.c.participant)
            .where(seat.c.study == study, seat.c.room == number)
            .order_by(seat.c.seat, seat.c.since)
        ).all()
        rows = connection.execute(
            select(answer).where(answer.c.study == study, answer.c.room == number)
        ).all()
    seats: dict[int, list[tuple[int, int | None]]] = {}
    for one, since, participant in held:
        seats.setdefault(one, []).append((since, participant))
    answers = {(row.turn, row.seat, row.kind): _done(row) for row in rows}
    return RoomFacts(number, state, seats, answers)


def _done(row: Any) -> Done:
    return Done(
        json.loads(row.value),
        row.at,
        row.response_ms,
        row.waited_ms,
        row.message,
        None if row.kept is None else json.loads(row.kept),
    )


def keep(
    people: People, study: int, room: int, turn: int, given: Mapping[int, Done], kind: str = "act"
) -> None:
    """Write what was done in some seats in a turn; :class:`Conflict` where there is something already."""
    rows = [
        {
            "study": study,
            "room": room,
            "turn": turn,
            "seat": seat,
            "kind": kind,
            "value": json.dumps(done.value),
            "message": done.message,
            "at": done.at,
            "response_ms": done.response_ms,
            "waited_ms": done.waited_ms,
            "kept": None if done.kept is None else json.dumps(done.kept),
        }
        for seat, done in given.items()
    ]
    try:
        with people.writing() as connection:
            lock_open(connection, study, room)
            connection.execute(insert(schema.room_answer), rows)
    except MensuraError as error:
        if isinstance(error.__cause__, IntegrityError):
            raise Conflict from error
        raise


def lock_open(connection: Connection, study: int, room: int) -> None:
    """Refuse a room that is closed; whoever gives it up waits for this row, and whoever comes after finds it closed."""
    table = schema.room
    state = connection.execute(
        select(table.c.state)
        .where(table.c.study == study, table.c.number == room)
        .with_for_update()
    ).scalar()
    if state != "open":
        raise Refused(410, "This room is closed.")


def remade(
    people: People, study: PeopleStudy, facts: RoomFacts
) -> tuple[RoomLive, dict[int, Done]]:
    """The sitting of a room as its answers leave it, and what was answered already in the turn that it is in."""
    entry = study.people.together
    assert entry is not None

    def write(turn: int, seat: int, kind: str, done: Done) -> None:
        keep(people, study.id, facts.number, turn, {seat: done}, kind)

    (place,) = people.places(study.id)
    live = RoomLive(place, facts.number, entry, fills=facts.fills, keep=write, past=facts.answers)
    while live.played is None:
        given = {
            seat: facts.answers[live.turn, seat, "act"]
            for seat in live.waiting
            if (live.turn, seat, "act") in facts.answers
        }
        if len(given) < len(live.waiting):
            return live, given
        live.take(given)
    return live, {}


def finish_room(people: People, study: PeopleStudy, live: RoomLive, who: Iterable[int]) -> None:
    """Commit the sitting of a room that is over, once however often this is called; those in it have finished."""
    played = live.played
    assert played is not None
    own = {
        seat: sum(_rewards(live, seat)) / max(1, len(_rewards(live, seat)))
        for seat in live.player.people
    }
    facts = read_room(people, study.id, live.item)
    scores = {one: own[seat] for seat, one in facts.sitting.items() if seat in own}

    def mark(connection: Connection) -> None:
        table = schema.room
        connection.execute(
            update(table)
            .where(table.c.study == study.id, table.c.number == live.item)
            .values(state="over")
        )
        for number in who:
            mark_finished(connection, study.id, number, scores.get(number, played.score))

    if is_pilot(live.item):
        with people.writing() as connection:
            mark(connection)
        return
    names = [NAME if seat in live.player.people else name for seat, name in enumerate(live.names)]
    people.commit(study.id, [joined(live.place.cell, [played], 1, names)], mark)


def _rewards(live: RoomLive, seat: int) -> list[float]:
    return [one.reward for one in live.player.past if one.seat == seat]


def give_up(people: People, study: int, number: int) -> None:
    """A room that nobody is in any more, or that the experimenter closes: nothing of it is in any result."""
    with people.writing() as connection:
        void_room(connection, study, number)


def room_rows(people: People, study: PeopleStudy, *, pilot: bool) -> Iterator[Mapping[str, Any]]:
    """Every interaction of people in rooms, as it was shown and answered."""
    names = {one.number: one.pseudonym for one in people.participants(study)}
    for number, state, _, _ in rooms_of(people, study):
        if is_pilot(number) != pilot or state == "void":
            continue
        facts = read_room(people, study.id, number)
        try:
            live, _ = remade(people, study, facts)
        except Exception as error:
            why = " ".join(str(error).split()) or type(error).__name__
            yield {"room": number, "problem": f"Room {number} cannot be played again: {why}"}
            continue
        for one in live.player.past:
            who = _holder(facts, one.seat, one.turn)
            yield {
                "pseudonym": names.get(-1 if who is None else who),
                "room": number,
                "seat": one.seat,
                "exercise": one.episode + 1,
                "interaction": one.turn,
                "observation": to_plain(one.observation),
                "action": one.done.value,
                "message": one.done.message,
                "reward": float(one.reward),
                "response_ms": one.done.response_ms,
                "waited_ms": one.done.waited_ms,
                "at": when(one.done.at),
            }
        live.close()


def _holder(facts: RoomFacts, seat: int, turn: int) -> int | None:
    """Whose seat it was in a turn."""
    held = [who for since, who in facts.seats[seat] if since <= turn]
    return held[-1] if held else None


def rooms_of(people: People, study: PeopleStudy) -> list[tuple[int, str, str, int]]:
    """The rooms of a study: number, state, when it was made, and how many turns were played."""
    table, answer = schema.room, schema.room_answer
    with people.reading() as connection:
        turns = (
            select(answer.c.room, (func.max(answer.c.turn) + 1).label("turns"))
            .where(answer.c.study == study.id)
            .group_by(answer.c.room)
            .subquery()
        )
        rows = connection.execute(
            select(table.c.number, table.c.state, table.c.created, turns.c.turns)
            .outerjoin(turns, turns.c.room == table.c.number)
            .where(table.c.study == study.id)
            .order_by(table.c.number)
        ).all()
    return [(row.number, row.state, row.created, row.turns or 0) for row in rows]
