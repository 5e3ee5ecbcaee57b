"""Versions of the store: migrations give the schema, older stores are upgraded, newer ones are refused."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect
from tests.records.toys import make_batch, make_cells, new_run

from mensura.agent.errors import MensuraError
from mensura.records import database, schema, versions
from mensura.records.migrations.versions import v0008, v0009, v0013, v0015
from mensura.records.store import Store, open_store

MIGRATIONS = Path(versions.__file__).with_name("migrations")


def migrated(where: str) -> Engine:
    """A database that went through all versions, as the oldest stores did."""
    url = database.locate(where)
    make = database._sqlite if url.get_backend_name() == "sqlite" else database._postgresql
    engine = make(url)
    with database.writing(engine) as connection:
        versions.upgrade(connection)
    return engine


def test_the_migrations_give_exactly_the_schema(where: str) -> None:
    with database.reading(migrated(where)) as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "version_table": schema.VERSION_TABLE,
                "compare_type": True,
                "compare_server_default": True,
            },
        )
        assert compare_metadata(context, schema.metadata) == []


def test_a_new_store_is_that_of_all_migrations(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Tables with the order of their columns, their types and defaults, and constraints by their names."""

    def tables(engine: Engine) -> dict[str, object]:
        with database.reading(engine) as connection:
            there = inspect(connection)
            return {
                name: (
                    [{**one, "type": str(one["type"])} for one in there.get_columns(name)],
                    there.get_pk_constraint(name),
                    sorted(there.get_foreign_keys(name), key=str),
                    sorted(there.get_unique_constraints(name), key=str),
                    sorted(there.get_indexes(name), key=str),
                    there.get_check_constraints(name),
                )
                for name in there.get_table_names()
            }

    kind = database.locate(where).get_backend_name()
    other = (
        str(tmp_path / "migrated.db")
        if kind == "sqlite"
        else request.getfixturevalue("cluster").create()
    )
    with open_store(where) as store:
        made = tables(store._engine)
    assert made == tables(migrated(other))
    assert set(made) == {*schema.metadata.tables, schema.VERSION_TABLE}


def test_the_migrations_keep_sqlite_tables_as_small_as_the_schema_says(tmp_path: Path) -> None:
    def created(path: Path) -> dict[str, tuple[str, list[str], str]]:
        """Of each table what stands before, in and after the parentheses; what was added later stands last."""
        with sqlite3.connect(path) as connection:
            rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            tables = {name: re.sub(r"\s+", " ", sql) for name, sql in rows}
        connection.close()
        return {
            name: (sql.partition("(")[0], sorted(inside), sql.rpartition(")")[2].strip())
            for name, sql in tables.items()
            if name in schema.metadata.tables
            for inside in [
                [one.strip() for one in sql[sql.index("(") + 1 : sql.rindex(")")].split(",")]
            ]
        }

    migrated(str(tmp_path / "migrated.db"))
    open_store(tmp_path / "made.db").close()
    assert created(tmp_path / "migrated.db") == created(tmp_path / "made.db")


def test_the_head_is_the_last_revision() -> None:
    scripts = ScriptDirectory(str(MIGRATIONS))
    assert scripts.get_heads() == [schema.HEAD]
    assert all(revision.revision.isdigit() for revision in scripts.walk_revisions())


def test_a_new_store_has_this_version(store: Store) -> None:
    with database.reading(store._engine) as connection:
        assert versions.version(connection) == schema.HEAD


def test_a_store_is_made_and_opened_without_the_migrations(tmp_path: Path) -> None:
    program = (
        "import sys; from mensura.records.store import open_store\n"
        "for _ in range(2): open_store(sys.argv[1]).close()\n"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "store.db")], check=True)


LATER = f"{int(schema.HEAD) + 1:04}"

NEXT = f'''"""A later version."""

import sqlalchemy as sa
from alembic import op

revision = "{LATER}"
down_revision = "{schema.HEAD}"


def upgrade() -> None:
    with op.batch_alter_table("run") as table:
        table.add_column(sa.Column("mood", sa.Text, nullable=False, server_default="good"))
'''


def test_an_older_store_is_upgraded_with_its_rows_and_then_too_new_for_who_wrote_it(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = make_cells()
    with open_store(where) as old:
        run = old.begin(new_run("kept", cells))
        with old.seize(run) as lease:
            lease.commit([make_batch(cells[0])])
    newer = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, newer, ignore=shutil.ignore_patterns("__pycache__"))
    (newer / "versions" / f"v{LATER}.py").write_text(NEXT)
    with monkeypatch.context() as later:
        later.setattr(versions, "MIGRATIONS", str(newer))
        later.setattr(versions, "HEAD", LATER)
        with open_store(where, create=False) as upgraded:
            assert upgraded.find("kept").title == run.title
            assert upgraded.done(run)[0].all()
            with database.reading(upgraded._engine) as connection:
                moods = connection.exec_driver_sql("SELECT mood FROM run").scalars().all()
            assert moods == ["good"]
    with pytest.raises(
        MensuraError, match=rf"has version {LATER}, .* up to {schema.HEAD}: install"
    ):
        open_store(where)


def test_what_was_kept_of_people_after_they_withdrew_is_removed(where: str) -> None:
    """Before version 7 an answer could come after a withdrawal, and the last one made the participant finished."""
    cells = make_cells(sittings=4)
    with open_store(where) as made:
        run = made.begin(new_run("people", cells))
        with made.seize(run) as lease:
            lease.commit([make_batch(cells[0])])
        with database.writing(made._engine) as connection:
            study = connection.execute(
                schema.people_study.insert()
                .values(
                    run=run.id, theme="", language="", created="", closed=False, places=4, invited=4
                )
                .returning(schema.people_study.c.run)
            ).scalar_one()
            for number, (state, answers) in enumerate(PEOPLE_BEFORE):
                connection.execute(
                    schema.participant.insert().values(
                        study=study,
                        number=number,
                        pseudonym="",
                        code=bytes([number]),
                        state=state,
                        score=1.0,
                    )
                )
                for answer in answers:
                    connection.execute(
                        schema.answer.insert().values(
                            study=study, participant=number, number=answer, at=0.0, waited_ms=0.0
                        )
                    )
            connection.exec_driver_sql("ALTER TABLE people_study DROP COLUMN own_symbols")
            connection.exec_driver_sql("ALTER TABLE cell DROP COLUMN phases")
            later = (
                "start",
                "snapshot",
                "checkpoint",
                "run_pool",
                "pool",
                "part",
                "consent_text",
                "skeleton",
            )
            for table in (*later, *v0009.TABLES):
                connection.exec_driver_sql(f"DROP TABLE {table}")
            for version in (v0015, v0013, v0009, v0008):
                for table, columns in version.COLUMNS.items():
                    for column in columns:
                        connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
            connection.exec_driver_sql(f"UPDATE {schema.VERSION_TABLE} SET version_num = '0006'")
    with open_store(where) as opened:
        assert opened.done(run)[0].tolist() == [True, False, False, True]
        with database.reading(opened._engine) as connection:
            found = connection.exec_driver_sql(
                "SELECT state, score FROM participant ORDER BY number"
            ).all()
            answers = connection.exec_driver_sql(
                "SELECT participant, number FROM answer ORDER BY 1, 2"
            ).all()
    assert [tuple(one) for one in found] == [
        ("finished", 1.0),
        ("withdrawn", None),
        ("withdrawn", None),
        ("playing", 1.0),
    ]
    assert [tuple(one) for one in answers] == [(0, 0), (0, 1), (3, 0)]


PEOPLE_BEFORE = [("finished", [0, 1]), ("finished", [1]), ("withdrawn", [1]), ("playing", [0])]
"""States of participants and the numbers of their answers, as older versions could leave them."""


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, " * 20)
    with pytest.raises(MensuraError, match=r"notes.txt is not a store: it is not a database"):
        open_store(text)
    assert text.read_text() == "not a database, " * 20
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE song (title TEXT)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(MensuraError, match=r"a database of SQLite, but not a store of Mensura"):
        open_store(other)
    assert other.read_bytes() == before
    with pytest.raises(MensuraError, match=r"is a folder"):
        open_store(tmp_path)


TAKING = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    except BlockingIOError:
        print("held")
"""
"""Tries to take what SQLite locks of a file that somebody reads (its file format, 'SHARED lock')."""


def test_opening_a_store_again_leaves_the_locks_of_others_alone(tmp_path: Path) -> None:
    """A connection of another thread keeps its locks, or a process that closes the store harms what it reads."""
    path = tmp_path / "store.db"
    with open_store(path) as store, database.reading(store._engine):
        for _ in range(2):
            open_store(path).close()
            taken = subprocess.run(
                [sys.executable, "-c", TAKING, str(path)],
                capture_output=True,
                text=True,
                check=True,
            )
            assert taken.stdout == "held\n"


def test_a_file_in_the_place_of_a_store_is_looked_at_as_well(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    open_store(path).close()
    for neighbor in ("store.db-wal", "store.db-shm"):
        (tmp_path / neighbor).unlink(missing_ok=True)
    path.write_bytes(b"not a database, " * 20)  # the same file for the file system
    with pytest.raises(MensuraError, match=r"store.db is not a store: it is not a database"):
        open_store(path)


def test_a_file_of_ours_that_was_damaged_gets_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    open_store(path).close()
    content = bytearray(path.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    path.write_bytes(content)
    with pytest.raises(MensuraError, match=r"The store .*store.db cannot be used: "):
        open_store(path)


def test_what_is_not_there_is_made_only_where_that_is_wanted(where: str) -> None:
    with pytest.raises(MensuraError, match=r"There is no store at .*--store or MENSURA_STORE"):
        open_store(where, create=False)
    open_store(where).close()
    open_store(where, create=False).close()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with open_store(tmp_path / "empty.db") as store:
        assert store.runs() == []


def test_a_folder_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match=r"The folder .*nowhere does not exist"):
        open_store(tmp_path / "nowhere" / "store.db")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("mysql://host/x", "cannot be of the kind 'mysql'"),
        ("postgresql://host:nonsense/x", "is not understood"),
        ("sqlite://", "cannot be of the kind 'sqlite'"),
    ],
)
def test_an_address_of_another_kind_gets_a_sentence(address: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        open_store(address)


def test_an_sqlite_file_may_be_named_by_a_url(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/store.db") as store:
        assert store.url == f"{tmp_path}/store.db"
    assert (tmp_path / "store.db").exists()


def test_a_server_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(MensuraError, match=r"The store postgresql://ada@.* cannot be used"):
        open_store(f"postgresql://ada:secret@/x?host={tmp_path}")


def test_the_address_that_is_shown_holds_no_password() -> None:
    url = database.locate("postgres://ada:secret@host:5433/mind?sslmode=require&password=too")
    assert database.shown(url) == "postgresql://ada@host:5433/mind?sslmode=require"


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MensuraError, match=r"install mensura\[postgres\]"):
        open_store("postgresql://host/x")


def test_the_environment_names_the_usual_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    open_store().close()
    assert (tmp_path / "mensura.db").exists()
    monkeypatch.setenv("MENSURA_STORE", str(tmp_path / "elsewhere.db"))
    with open_store() as store:
        assert store.url == str(tmp_path / "elsewhere.db")
        assert store.files == tmp_path / "elsewhere.db.files"


@pytest.mark.thorough
def test_many_processes_may_make_the_same_store_at_once(where: str, full_size: bool) -> None:
    many = 4 if full_size else 2
    program = (
        "import sys; from mensura.records.store import open_store\n"
        "with open_store(sys.argv[1]) as store: print(len(store.runs()))"
    )
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", program, where],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(many)
    ]
    assert [maker.communicate(timeout=120) for maker in makers] == [("0\n", "")] * many
