"""One link for all who take part, each with an id of their own: whoever comes back with it goes on where they were.

The code of somebody who joins follows from their id and a secret of the study, so that two tabs, or a server that is
killed in between, never make two entries of one id; of the code itself only the hash is kept, as of any other.
"""

from __future__ import annotations

import base64
import hmac
from dataclasses import dataclass

from pydantic import ValidationError
from sqlalchemy import Connection, or_, select, update
from sqlalchemy.exc import IntegrityError

from mensura.agent.errors import MensuraError
from mensura.records import schema
from mensura.studies.misfits import misfit
from mensura.studies.people import PeopleEntry
from mensura.web.people.admission import Barred, add, barred
from mensura.web.people.studies import CODE_BYTES, People, PeopleStudy, hash_of
from mensura.web.refusals import Refused

LONGEST_ID = 200


@dataclass(frozen=True)
class Arrival:
    """Somebody who comes by the link of a study."""

    study: PeopleStudy
    external: str
    code: str
    why: Barred | None
    """Why they cannot begin, where they cannot; then they have no entry."""


def study_of(people: People, token: str) -> tuple[PeopleStudy, bool]:
    """The study whose link it is, and whether it is that of the pilot."""
    table = schema.people_study
    with people.reading() as connection:
        row = connection.execute(
            select(table.c.run, table.c.pilot_token).where(
                or_(table.c.token == token, table.c.pilot_token == token)
            )
        ).one_or_none()
    if row is None:
        raise Refused(404, "There is no study with this link; look whether it is complete.")
    return people.study(row.run), row.pilot_token == token


def join(people: People, study: PeopleStudy, external: str, *, pilot: bool) -> Arrival:
    """The entry of an id, made where there is none yet."""
    external = external.strip()
    if not external or len(external) > LONGEST_ID or not external.isprintable():
        raise Refused(
            422,
            f"The link lacks {study.people.parameter}, or it is no id of 1 to {LONGEST_ID} letters; take the link that "
            "you were given.",
        )
    try:
        with people.writing() as connection:
            code, why = _enter(connection, study, external, pilot)
    except MensuraError as error:
        if not isinstance(error.__cause__, IntegrityError):
            raise
        # Another server was quicker: the entry is there now.
        with people.writing() as connection:
            code, why = _enter(connection, study, external, pilot)
    return Arrival(study, external, code, why)


def _enter(
    connection: Connection, study: PeopleStudy, external: str, pilot: bool
) -> tuple[str, Barred | None]:
    table, who = schema.people_study, schema.participant
    row = connection.execute(
        select(table).where(table.c.run == study.id).with_for_update()
    ).one_or_none()
    if row is None:
        raise Refused(404, f"The study {study.name} is no longer there.")
    code = _code(row.secret, external, pilot)
    known = select(who.c.number).where(who.c.code == hash_of(code))
    if connection.execute(known).one_or_none() is not None:
        return code, None
    why = barred(connection, row, pilot=pilot)
    if why is None and not pilot and row.invited >= row.places:
        why = "full"
    if why is None:
        add(connection, study.id, [hash_of(code)], pilot=pilot, external=external)
    return code, why


def _code(secret: bytes, external: str, pilot: bool) -> str:
    message = f"{'pilot' if pilot else 'real'} {external}".encode()
    digest = hmac.digest(secret, message, "sha256")[:CODE_BYTES]
    return base64.urlsafe_b64encode(digest).decode()


def change(
    people: People, study: PeopleStudy, *, quota: int | None, ends: str | None, wave: str | None
) -> None:
    """Set anew how many may take part, until when, and the wave of those who come from now on."""
    settings = study.people.model_dump() | {"quota": quota, "ends": ends, "wave": wave}
    try:
        PeopleEntry.model_validate(settings)
    except ValidationError as error:
        raise misfit(error, PeopleEntry) from None
    table = schema.people_study
    with people.writing() as connection:
        connection.execute(
            update(table).where(table.c.run == study.id).values(quota=quota, ends=ends, wave=wave)
        )
