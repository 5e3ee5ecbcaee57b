"""Bringing a store to the version that this Mensura writes, and refusing one that is newer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from mensura.agent.errors import MensuraError
from mensura.records.schema import HEAD, VERSION_TABLE, metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

MIGRATIONS = "mensura.records:migrations"


def version(connection: Connection) -> str | None:
    """The version that a database has; None if it is no store yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return None if found is None else str(found)


def is_current(connection: Connection, where: str) -> bool:
    """Whether nothing needs to be done; a newer version is refused."""
    found = version(connection)
    if found is not None and found > HEAD:
        raise MensuraError(
            f"The store {where} has version {found}, and this Mensura knows versions up to {HEAD}: "
            f"install a newer Mensura to open it."
        )
    return found == HEAD


def make_current(connection: Connection) -> None:
    """Make a store of an empty database, or migrate one, within the transaction of the connection."""
    if version(connection) is None:
        create(connection)
    else:
        upgrade(connection)


def create(connection: Connection) -> None:
    """The tables as the last migration leaves them, without Alembic, whose import alone takes longer."""
    metadata.create_all(connection, checkfirst=False)
    connection.execute(
        text(
            f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, "
            f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')"))


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Migrate within the transaction of the connection, an empty database from the beginning."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
