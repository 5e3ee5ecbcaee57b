"""What people agree to: the experimenter's own texts, by language, in versions of which none is ever changed.

Version 0 is the text of the pages themselves, where the experimenter has written none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, insert, select

from mensura.agent.errors import MensuraError, neighbors
from mensura.records import schema
from mensura.records.provenance import now
from mensura.web.page_texts import languages

if TYPE_CHECKING:
    from mensura.web.people.participants import Participant
    from mensura.web.people.studies import People, PeopleStudy

LONGEST = 50_000
"""So many letters a text may have."""


@dataclass(frozen=True)
class Consent:
    """What somebody agrees to."""

    version: int
    language: str
    text: str
    """Markdown; empty for the text of the pages themselves."""


def texts_of(people: People, study: PeopleStudy) -> dict[int, dict[str, str]]:
    """All texts of a study, by version and language."""
    table = schema.consent_text
    with people.reading() as connection:
        rows = connection.execute(
            select(table)
            .where(table.c.study == study.id)
            .order_by(table.c.version, table.c.language)
        ).all()
    found: dict[int, dict[str, str]] = {}
    for row in rows:
        found.setdefault(row.version, {})[row.language] = row.text
    return found


def consent_for(people: People, study: PeopleStudy, one: Participant, language: str) -> Consent:
    """What somebody has agreed to, or is asked to agree to, in their language or else in one that there is."""
    texts = texts_of(people, study)
    version = max(texts, default=0) if one.consent_version is None else one.consent_version
    offered = texts.get(version, {})
    wanted = one.consent_language or language
    for code in (wanted, study.language, *offered):
        if code in offered:
            return Consent(version, code, offered[code])
    return Consent(0, wanted, "")


def check_texts(texts: Mapping[str, str]) -> None:
    """Refuse languages that pages do not have, and texts that are empty or too long."""
    for language, text in texts.items():
        if language not in languages():
            known = neighbors(language, list(languages()))
            raise MensuraError(f"There are no pages in the language {language!r}; {known}")
        if not text.strip() or len(text) > LONGEST:
            raise MensuraError(
                f"The text of consent in {language!r} has {len(text)} letters; it needs 1 to {LONGEST}."
            )


def revise(people: People, study: PeopleStudy, texts: Mapping[str, str]) -> int:
    """A new version of the texts, which holds for all who agree from now on; its number. The same texts make none."""
    if not texts:
        raise MensuraError("A version of consent needs a text in one language at least.")
    check_texts(texts)
    table, owner = schema.consent_text, schema.people_study
    with people.writing() as connection:
        # Whoever revises at the same time waits for this row.
        connection.execute(
            select(owner.c.run).where(owner.c.run == study.id).with_for_update()
        ).one()
        last = connection.execute(
            select(func.max(table.c.version)).where(table.c.study == study.id)
        ).scalar()
        before = connection.execute(
            select(table.c.language, table.c.text).where(
                table.c.study == study.id, table.c.version == last
            )
        )
        if {row.language: row.text for row in before} == dict(texts):
            return int(last or 0)
        version = int(last or 0) + 1
        add_version(connection, study.id, version, texts)
    return version


def add_version(connection: Connection, study: int, version: int, texts: Mapping[str, str]) -> None:
    """Within a transaction: keep the texts of a version."""
    made = now()
    connection.execute(
        insert(schema.consent_text),
        [
            {"study": study, "version": version, "language": code, "text": text, "created": made}
            for code, text in texts.items()
        ],
    )
