"""Files of databases that are open are opened by SQLite alone: a process that closes one gives up its locks."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import mensura as ms
from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.isolation.cage import for_class, for_command
from mensura.agents.isolation.code import Sight
from mensura.core import open_databases
from mensura.core.private_files import forgetting, private
from mensura.records.store import open_store

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the kernel's table of locks is Linux's"
)

AGENT = """
class Agent:
    def act(self, observation, reward):
        return 0
"""


def locks() -> list[str]:
    """The POSIX locks of this process, as the kernel has them."""
    rows = (row.split() for row in Path("/proc/locks").read_text().splitlines())
    return sorted(
        " ".join(row[1:]) for row in rows if row[1] == "POSIX" and int(row[4]) == os.getpid()
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An agent with a store beside it, that the process is in."""
    (tmp_path / "agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    with forgetting():
        yield tmp_path


@contextmanager
def reader(path: Path) -> Iterator[None]:
    """A connection in the middle of a transaction, with its locks."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        before = locks()
        assert before
        yield
        assert locks() == before


def cage(_: Path, **limits: object) -> None:
    (part,) = parse("agent.py:Agent")
    for_class(part, Limits(**limits))  # type: ignore[arg-type]


LOOKS: dict[str, Callable[[Path], object]] = {
    "the code of a class": lambda folder: Sight(private()).code(str(folder), programs=False),
    "the code of a program": lambda folder: Sight(private()).code(str(folder), programs=True),
    "a folder that may be read": lambda folder: Sight(private()).told(str(folder)),
    "the database by its name": lambda folder: Sight(private()).never(str(folder / "mensura.db")),
    "who knows no private files": lambda folder: Sight(()).told(str(folder)),
    "the cage of a class": cage,
    "the cage of a class that may read": lambda folder: cage(folder, readable=(str(folder),)),
    "the cage of a program": lambda folder: for_command([sys.executable, "agent.py"], Limits()),
    "the store, once more": lambda folder: open_store(folder / "mensura.db").close(),
    "a run": lambda folder: ms.assess("agent.py:Agent", "echo", "battery", episodes=2, seed=1),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=list(LOOKS))
def test_no_look_at_a_folder_gives_up_the_locks_of_a_store_in_it(
    folder: Path, look: Callable[[Path], object]
) -> None:
    with open_store(folder / "mensura.db"):
        os.link(folder / "mensura.db", folder / "notes.py")
        (folder / "notes.py").chmod(0o700)
        (folder / "run.sh").symlink_to(folder / "mensura.db")
        with reader(folder / "mensura.db"):
            os.link(folder / "mensura.db-shm", folder / "other.py")
            look(folder)


def test_a_store_that_was_moved_while_it_is_open_is_still_known(folder: Path) -> None:
    with open_store(folder / "mensura.db"), reader(folder / "mensura.db"):
        (folder / "mensura.db").rename(folder / "moved.db")
        assert open_databases.head(folder / "moved.db", 16) is None


def test_a_file_with_the_number_of_a_deleted_database_is_read(folder: Path) -> None:
    path = folder / "mensura.db"
    open_store(path).close()
    identity = open_databases.identity_of(path)
    assert open_databases.is_open(path)
    path.rename(
        folder / "program.py"
    )  # as if the number of the deleted file had been given to this
    (folder / "program.py").write_text(AGENT)
    assert open_databases.identity_of(folder / "program.py") == identity
    assert open_databases.head(folder / "program.py", 6) == AGENT.encode()[:6]


def test_what_is_no_database_is_read(folder: Path) -> None:
    assert open_databases.head(folder / "agent.py", 6) == AGENT.encode()[:6]
    with pytest.raises(FileNotFoundError):
        open_databases.head(folder / "nothing", 6)
