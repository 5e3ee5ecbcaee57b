"""Opening the database of a store: where it is, how each kind is set up, and what its errors mean in words.

SQLite is asked to bring every commit to the disk before it says so (synchronous = FULL): with write-ahead logging that
is one flush for each commit of thousands of rows, which costs next to nothing, and what was acknowledged survives a
loss of power, not only the death of the process.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import sleep
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import NullPool, QueuePool

from mensura.agent.errors import MensuraError
from mensura.core import open_databases
from mensura.core.private_files import make_private
from mensura.records import versions
from mensura.records.lock import FileLock

DEFAULT = "mensura.db"
"""The store of a folder, unless MENSURA_STORE or an option names another."""

WAIT = 30.0
"""Seconds that a lost connection, or a lock of somebody else, may last."""

APPLICATION = 0x4D454E53
"""SQLite's mark of whose file it is: MENS."""

MAGIC = b"SQLite format 3\0"
SETTING_UP = 0x6D656E73
"""The advisory lock under which PostgreSQL stores are set up and runs begin, one at a time."""


def locate(where: str | Path | None) -> URL:
    """The address of a store from what a user wrote: a file, a URL, or nothing for the usual one."""
    if where is None:
        where = os.environ.get("MENSURA_STORE") or DEFAULT
    if isinstance(where, Path) or "://" not in where:
        return URL.create("sqlite", database=str(where))
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        raise MensuraError(
            "The address of the store is not understood; write a file as mensura.db, or "
            "postgresql://USER:PASSWORD@HOST/DATABASE."
        ) from None
    kind = url.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if kind == "sqlite" and url.database:
        return URL.create("sqlite", database=url.database)
    raise MensuraError(
        f"A store cannot be of the kind {kind!r}; it is a file, or postgresql://HOST/DATABASE."
    )


KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""After a minute of silence either end of a connection takes the other for dead."""


def shown(url: URL) -> str:
    """The address as people may see it, without a password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    query = {name: text for name, text in url.query.items() if name != "password"}
    return URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, query
    ).render_as_string()


def open_database(url: URL, *, create: bool) -> Engine:
    """An engine on a database of this version, created or migrated first where need be."""
    if url.get_backend_name() == "sqlite":
        path = Path(str(url.database))
        make_private(path)
        _check_file(path, create)
        engine = _sqlite(url)
    else:
        engine = _postgresql(url)
    where = shown(url)
    with in_words(where):
        with reading(engine) as connection:
            current = versions.is_current(connection, where)
            fresh = not current and versions.version(connection) is None
        if fresh and not create:
            raise MensuraError(_missing(where))
        if not current:
            with writing(engine) as connection:
                alone(connection)
                if not versions.is_current(connection, where):
                    versions.make_current(connection)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that sees one state of the database throughout."""
    options = {} if engine.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection in a transaction that is committed at the end."""
    with to_write(engine) as connection, connection.begin():
        yield connection


def to_write(engine: Engine) -> Connection:
    """A connection whose transactions begin by locking SQLite, so that none is overtaken and undone."""
    return engine.connect().execution_options(mensura_writes=True)


def alone(connection: Connection) -> None:
    """Wait until no other process is setting up or beginning a run; SQLite's writers are alone anyway."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({SETTING_UP})")


@contextmanager
def in_words(where: str) -> Iterator[None]:
    """What a database complains about, as one sentence."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise MensuraError(f"The store {where} cannot be used: {reason(error)}.") from error


def reason(error: BaseException) -> str:
    """What a database said, on one line."""
    said = str(error.orig if isinstance(error, DBAPIError) else error).strip()
    return " ".join(said.split()).rstrip(".?") or type(error).__name__


def is_full(error: BaseException) -> bool:
    """Whether a disk, or what is allowed of it, was full."""
    origin = error.orig if isinstance(error, DBAPIError) else error
    if getattr(origin, "sqlstate", None) == "53100":
        return True
    return getattr(origin, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL


def is_passing(error: DBAPIError) -> bool:
    """Whether the same may succeed in a moment: a lost connection, a server that starts, a deadlock."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    state = getattr(error.orig, "sqlstate", None)
    if state is None:  # psycopg could not connect, or was cut off in the middle
        return isinstance(error, OperationalError)
    return error.connection_invalidated or state[:2] in ("08", "40") or state.startswith("57P")


def _missing(where: str) -> str:
    return (
        f"There is no store at {where}; `mensura study run FILE` makes one, and --store or "
        f"MENSURA_STORE names another."
    )


# SQLite --------------------------------------------------------------------------------------------


def _check_file(path: Path, create: bool) -> None:
    """Refuse what is not ours before SQLite touches it; mark a new file as ours.

    A process reads a file itself before its first connection to it, and later asks SQLite
    (:mod:`mensura.core.open_databases` says why).
    """
    if path.is_dir():
        raise MensuraError(f"{path} is a folder; name a file in it as the store.")
    with open_databases.looking:
        head = _read_head(path)
        if head is None:
            _check_mark(path, _asked_mark(path))
            return
        if head:
            mark = int.from_bytes(head[68:72], "big") if head.startswith(MAGIC) else None
            _check_mark(path, mark)
        elif not create:
            raise MensuraError(_missing(str(path)))
        else:
            _mark(path)
        open_databases.add(path)


def _read_head(path: Path) -> bytes | None:
    """How a file begins, nothing where there is none; None of one that is open here."""
    try:
        return open_databases.head(path, 100)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise MensuraError(f"The store {path} cannot be read: {error.strerror}.") from error


def _asked_mark(path: Path) -> int | None:
    """The mark by SQLite; None where the file is no database."""
    with closing(
        sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=WAIT)
    ) as connection:
        try:
            mark: int = connection.execute("PRAGMA application_id").fetchone()[0]
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
                return None
            raise MensuraError(f"The store {path} cannot be used: {reason(error)}.") from error
    return mark


def _check_mark(path: Path, mark: int | None) -> None:
    if mark is None:
        raise MensuraError(f"{path} is not a store: it is not a database of SQLite.")
    if mark != APPLICATION:
        raise MensuraError(f"{path} is a database of SQLite, but not a store of Mensura.")


def _mark(path: Path) -> None:
    """Make an empty store elsewhere and move it here, so that nobody ever sees one without its mark.

    A link stays a link: the store is made where it leads.
    """
    path = Path(os.path.realpath(path))
    if not path.parent.is_dir():
        raise MensuraError(f"The folder {path.parent} does not exist; make it first.")
    lock = FileLock(path.with_name(f"{path.name}.new.lock"))
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        while not lock.take():
            sleep(0.02)
        if not path.exists() or path.stat().st_size == 0:
            # For nobody else to read: the seeds of runs that go on are in it. Its neighbors take after it.
            os.close(os.open(part, os.O_CREAT | os.O_WRONLY, 0o600))
            with closing(sqlite3.connect(part)) as connection:
                # Before the first page is written: so that deleting a run can give room back.
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute("PRAGMA journal_mode = WAL")
            part.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise MensuraError(f"The store {path} cannot be made: {error}.") from error
    finally:
        part.unlink(missing_ok=True)
        lock.give()


def kept_open(engine: Engine) -> Engine:
    """An engine on the same database whose connections are kept, for whoever reads often.

    To open a file of SQLite takes longer than to read a few rows of it; PostgreSQL's are kept anyway.
    """
    return _sqlite(engine.url, keep=True) if engine.name == "sqlite" else engine


def _sqlite(url: URL, *, keep: bool = False) -> Engine:
    pool: dict[str, Any] = {"poolclass": NullPool}
    if keep:
        pool = {"poolclass": QueuePool, "pool_size": 8, "max_overflow": -1}
    engine = create_engine(url, connect_args={"timeout": WAIT}, **pool)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _: Any) -> None:
        # Transactions begin where we say, below, and not before the first change.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA fullfsync = ON")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @event.listens_for(engine, "do_executemany")
    def _executing(cursor: Any, statement: str, parameters: Any, context: Any) -> bool:
        # Ctrl-C between two rows leaves a statement under way, which would keep the closed connection, and its lock.
        try:
            cursor.executemany(statement, parameters)
        except KeyboardInterrupt:
            cursor.connection.rollback()
            raise
        return True

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("mensura_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


# PostgreSQL ------------------------------------------------------------------------------------------


def _postgresql(url: URL) -> Engine:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MensuraError(
            "A store in PostgreSQL needs psycopg: install mensura[postgres]."
        ) from None
    connect: dict[str, Any] = {"connect_timeout": 10, **KEEPALIVES}
    if "options" not in url.query:
        # The server, too: else the lock of a coordinator whose machine lost its power is kept for hours.
        connect["options"] = " ".join(
            f"-c tcp_{name}={value}" for name, value in KEEPALIVES.items()
        )
    return create_engine(url, poolclass=NullPool, connect_args=connect)
