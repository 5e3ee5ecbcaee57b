"""Skeletons of texts in the store: bytes by digest, so that a text is parsed once."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from mensura.core import archives
from mensura.records import schema

MOST = 1 << 30
"""Bytes of a skeleton."""

SOME = 500
"""So many are asked for at a time: a database takes so many and no more."""


def kept_skeletons(connection: Connection, digests: Sequence[str]) -> dict[str, bytes]:
    """Those that are there."""
    table = schema.skeleton
    found: dict[str, bytes] = {}
    for first in range(0, len(digests), SOME):
        some = digests[first : first + SOME]
        rows = connection.execute(
            select(table.c.digest, table.c.content).where(table.c.digest.in_(some))
        )
        found.update((row.digest, archives.unpacked(row.content, MOST)) for row in rows)
    return found


def keep_skeleton(connection: Connection, digest: str, content: bytes) -> None:
    """Keep one, unless it is there, within the transaction of the connection."""
    table = schema.skeleton
    there = select(table.c.digest).where(table.c.digest == digest)
    if connection.execute(there).scalar() is None:
        connection.execute(insert(table).values(digest=digest, content=zlib.compress(content)))
