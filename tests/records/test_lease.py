"""Whatever happens to who writes a run, every sitting counts exactly once, and nothing acknowledged is lost."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from tests.postgres import Cluster
from tests.records.toys import make_batch, make_cells, new_run, same

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key, unit
from mensura.records import database, files
from mensura.records import lease as lease_module
from mensura.records.lease import Lease
from mensura.records.run import Run
from mensura.records.store import Store, open_store

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def postgres(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty store in PostgreSQL."""
    monkeypatch.setenv("MENSURA_FILES", str(tmp_path / "files"))
    with open_store(cluster.create()) as store:
        yield store


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Store]:
    """An empty store in a file."""
    with open_store(tmp_path / "store.db") as store:
        yield store


def begin(store: Store, name: str = "run", sittings: int = 20, **more: Any) -> Run:
    return store.begin(new_run(name, make_cells(sittings=sittings, **more)))


# The lock and the fence ------------------------------------------------------------------------------


def test_one_process_at_a_time_holds_a_run(store: Store) -> None:
    run = begin(store)
    other = begin(store, "other")
    with store.seize(run):
        with pytest.raises(MensuraError, match="The run run is being written by another process"):
            store.seize(run)
        with store.seize(other):
            assert store.held(run)
    assert not store.held(run)
    store.seize(run).close()


def test_the_lock_of_a_file_says_who_has_it_and_is_removed_when_done(sqlite: Store) -> None:
    run = begin(sqlite)
    with sqlite.seize(run), pytest.raises(MensuraError, match=rf"process {os.getpid()}\)"):
        sqlite.seize(run)
    assert not list(Path(sqlite.url).parent.glob("*.lock"))


def lose_lock(store: Store, lease: Lease) -> None:
    """As when a network or a person takes the lock away."""
    if store._engine.name == "sqlite":
        for path in Path(store.url).parent.glob("*.lock"):
            path.unlink()
    else:
        assert lease._connection is not None
        lease._connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
        lease._connection.rollback()


def test_who_lost_the_lock_can_never_write_again(store: Store) -> None:
    cells = make_cells(sittings=20)
    run = begin(store)
    with store.seize(run) as late:
        late.commit([make_batch(cells[0], 0, 5)])
        lose_lock(store, late)
        with store.seize(run) as new:
            for attempt in (
                lambda: late.commit([make_batch(cells[0], 5, 10)]),
                lambda: late.finish("failed"),
            ):
                with pytest.raises(MensuraError, match="was taken over by another process"):
                    attempt()
            new.commit([make_batch(cells[0], 5, 10)])
            new.finish("stopped")
    assert store.find("run").status == "stopped"
    assert np.flatnonzero(store.done(run)[0]).tolist() == list(range(10))


def test_a_stopped_run_runs_again_when_it_is_seized_and_its_clock_goes_on(store: Store) -> None:
    cells = make_cells(sittings=20)
    run = begin(store)
    with store.seize(run) as lease:
        time.sleep(0.05)
        lease.finish("stopped")
    first = store.find("run")
    assert first.status == "stopped"
    assert first.seconds >= 0.05
    with store.seize(run) as lease:
        assert (store.find("run").status, store.find("run").ended) == ("running", "")
        lease.commit([make_batch(cells[0])])
        assert store.find("run").seconds > first.seconds


# Death -----------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_nothing_acknowledged_is_lost_when_the_coordinator_is_killed(
    where: str, full_size: bool
) -> None:
    """Killed at random moments again and again; each successor goes on with what is missing."""
    kills = 20 if full_size else 2
    cells = make_cells(sittings=300 if full_size else 120, training=2, keep_training=5)
    with open_store(where) as store:
        run = store.begin(new_run("mortal", cells))
    said: set[tuple[int, int]] = set()
    for life in range(kills + 1):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.records.committer", where, "mortal", "3"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        heard = []
        if life < kills:
            heard.append(process.stdout.readline())
            time.sleep(unit(key(life, where)) * 0.15)
            process.kill()
        heard += process.stdout.readlines()
        process.stdout.close()
        assert process.wait(60) in (0, -signal.SIGKILL)
        said |= {
            (int(cell), int(item))
            for cell, item in (line.split() for line in heard if line.endswith("\n"))
        }
        with open_store(where, create=False) as store:
            marks = store.done(run)
            done = {
                (cell, item) for cell in (0, 1) for item in np.flatnonzero(marks[cell]).tolist()
            }
            assert said <= done
            for cell in cells:
                for batch in store.batches(run, cell.number, size=1):
                    item = int(batch.item[0])
                    whole = make_batch(cell, item, item + 1, rich=True)
                    assert same(batch, replace(whole, traces=()))
                    done.remove((cell.number, item))
            assert not done
            if life < kills:
                assert not store.held(run)
    with open_store(where, create=False) as store:
        assert store.find("mortal").status == "finished"
        assert all(marks.all() for marks in store.done(run))


def test_who_is_interrupted_in_the_midst_of_a_commit_can_commit_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = make_cells(sittings=20)
    run = begin(store)
    whole = lease_module.insert_rows

    def interrupted(connection: Any, rows: Any) -> None:
        whole(connection, rows)
        raise KeyboardInterrupt

    with store.seize(run) as lease:
        with monkeypatch.context() as patched:
            patched.setattr(lease_module, "insert_rows", interrupted)
            with pytest.raises(KeyboardInterrupt):
                lease.commit([make_batch(cells[0], 0, 5)])
        assert store.progress(run).done == 0
        lease.commit([make_batch(cells[0], 0, 5)])
        assert store.held(run)
        lease.finish("stopped")
    assert store.progress(run).done == 5


# Lost connections ------------------------------------------------------------------------------------


def cut_off(cluster: Cluster) -> None:
    """End every session but our own."""
    cluster.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )


def test_a_session_that_the_server_ended_is_begun_again(cluster: Cluster, postgres: Store) -> None:
    cells = make_cells(sittings=20)
    run = begin(postgres)
    with postgres.seize(run) as lease:
        for item in range(5):
            cut_off(cluster)
            lease.commit([make_batch(cells[0], item, item + 1, rich=True)])
        assert postgres.held(run)
        cut_off(cluster)
        lease.finish("finished")
    assert np.flatnonzero(postgres.done(run)[0]).tolist() == list(range(5))
    assert postgres.find("run").status == "finished"


@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_of_unknown_outcome_counts_once(
    postgres: Store, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    cells = make_cells(sittings=20)
    run = begin(postgres)
    with postgres.seize(run) as lease:
        commit = psycopg.Connection.commit
        calls = []

        def unheard(connection: psycopg.Connection[Any]) -> None:
            calls.append(connection)
            if committed or len(calls) > 1:
                commit(connection)
            if len(calls) == 1:
                connection.close()
                raise psycopg.OperationalError("server closed the connection unexpectedly")

        with monkeypatch.context() as broken:
            broken.setattr(psycopg.Connection, "commit", unheard)
            lease.commit([make_batch(cells[0], 0, 5, rich=True)])
        assert len(calls) == 2
    (batch,) = postgres.batches(run, 0)
    assert same(batch, replace(make_batch(cells[0], 0, 5, rich=True), traces=()))


@pytest.mark.thorough
def test_a_server_that_restarts_is_waited_for(cluster: Cluster, postgres: Store) -> None:
    cells = make_cells(sittings=20)
    run = begin(postgres)
    with postgres.seize(run) as lease:
        lease.commit([make_batch(cells[0], 0, 5)])
        cluster.stop()
        # The server dies with the thread that started it, so the commit is what goes into another.
        waiting = threading.Thread(target=lease.commit, args=([make_batch(cells[0], 5, 10)],))
        waiting.start()
        time.sleep(1.0)
        assert waiting.is_alive()
        cluster.start()
        waiting.join(60)
    assert postgres.progress(run).done == 10


@pytest.mark.thorough
def test_a_server_that_stays_away_ends_the_run_with_a_sentence(
    cluster: Cluster, postgres: Store
) -> None:
    cells = make_cells(sittings=20)
    run = begin(postgres)
    with postgres.seize(run) as lease:
        lease.commit([make_batch(cells[0], 0, 5)])
        lease._wait = 1.0
        cluster.stop()
        try:
            with pytest.raises(MensuraError, match=r"not available .* `mensura study resume run`"):
                lease.commit([make_batch(cells[0], 5, 10)])
        finally:
            cluster.start()
    with postgres.seize(run) as lease:
        lease.commit([make_batch(cells[0], 5, 10)])
    assert postgres.progress(run).done == 10


def test_who_was_cut_off_and_overtaken_is_refused(cluster: Cluster, postgres: Store) -> None:
    cells = make_cells(sittings=20)
    run = begin(postgres)
    with postgres.seize(run) as late:
        late._wait = 1.0
        cut_off(cluster)
        with postgres.seize(run) as new:
            with pytest.raises(MensuraError, match="is being written by another process"):
                late.commit([make_batch(cells[0], 0, 5)])
            new.commit([make_batch(cells[0], 0, 5)])
        with pytest.raises(MensuraError, match="was taken over"):
            late.commit([make_batch(cells[0], 5, 10)])
    assert postgres.progress(run).done == 5


def test_a_file_that_is_locked_for_long_is_waited_for(sqlite: Store) -> None:
    cells = make_cells(sittings=20)
    run = begin(sqlite)
    with sqlite.seize(run) as lease:
        assert lease._connection is not None
        lease._connection.exec_driver_sql("PRAGMA busy_timeout = 10")
        lease._connection.rollback()
        with database.writing(sqlite._engine) as blocker:
            lease._wait = 0.3
            with pytest.raises(MensuraError, match=r"not available .*: database is locked"):
                lease.commit([make_batch(cells[0], 0, 5)])
            blocker.rollback()
        lease.commit([make_batch(cells[0], 0, 5)])
    assert sqlite.progress(run).done == 5


def test_a_file_that_was_moved_away_is_noticed(sqlite: Store, tmp_path: Path) -> None:
    cells = make_cells(sittings=20)
    run = begin(sqlite)
    with sqlite.seize(run) as lease:
        lease.commit([make_batch(cells[0], 0, 5)])
        shutil.move(sqlite.url, tmp_path / "elsewhere.db")
        with pytest.raises(MensuraError, match=r"was moved or removed .* put it back"):
            lease.commit([make_batch(cells[0], 5, 10)])


# A full disk -----------------------------------------------------------------------------------------


def test_a_full_disk_stops_the_run_with_a_sentence_and_it_goes_on_when_there_is_room(
    sqlite: Store,
) -> None:
    cells = make_cells(sittings=20_000)
    run = begin(sqlite, sittings=20_000)
    with sqlite.seize(run) as lease:
        lease.commit([make_batch(cells[0], 0, 1000)])
        assert lease._connection is not None
        lease._connection.exec_driver_sql("PRAGMA max_page_count = 100")
        lease._connection.rollback()
        with pytest.raises(MensuraError, match=r"the disk is full; .* `mensura study resume run`"):
            lease.commit([make_batch(cells[0], 1000, 20_000)])
        assert sqlite.progress(run).done == 1000
        lease._connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        lease._connection.rollback()
        lease.commit([make_batch(cells[0], 1000, 20_000)])
    assert sqlite.progress(run).done == 20_000


def on_a_small_disk(folder: Path, test: str) -> None:
    """Run a test of `tests/records/small_disk.py` where nobody else sees the disk that it fills."""
    alone = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    mount = f"mount -t tmpfs -o size=2m tmpfs {folder}"
    if (
        not shutil.which("unshare")
        or subprocess.run([*alone, "sh", "-c", mount], capture_output=True, check=False).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    program = f"{mount} && exec {sys.executable} -m tests.records.small_disk {test} {folder}"
    said = subprocess.run(
        [*alone, "sh", "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stderr


def test_a_disk_that_is_really_full_loses_nothing(tmp_path: Path) -> None:
    on_a_small_disk(tmp_path, "rows")


@pytest.mark.thorough
def test_a_trace_that_does_not_fit_stops_the_run_and_leaves_no_part_of_it(tmp_path: Path) -> None:
    on_a_small_disk(tmp_path, "trace")


def test_what_postgresql_says_of_a_full_disk_is_understood() -> None:
    error = database.DBAPIError("", None, psycopg.errors.DiskFull("no space left on device"))
    assert database.is_full(error)
    assert not database.is_full(psycopg.errors.UniqueViolation("twice"))


# Files -----------------------------------------------------------------------------------------------


def test_files_with_the_same_content_are_one(tmp_path: Path) -> None:
    first = files.keep(tmp_path, [b"one", b"two"])
    (path,) = [path for path in tmp_path.rglob("*.parquet") if path.read_bytes() == b"one"]
    before = path.stat().st_mtime_ns
    assert files.keep(tmp_path, [b"one"]) == {b"one": first[b"one"]}
    assert path.stat().st_mtime_ns == before
    files.remove(tmp_path, first.values())
    assert list(tmp_path.iterdir()) == []


class _Interrupted(list[Any]):
    """Rows between which somebody presses Ctrl-C."""

    def __iter__(self) -> Iterator[Any]:
        yield self[0]
        raise KeyboardInterrupt


def test_ctrl_c_between_two_rows_leaves_no_lock_behind(tmp_path: Path) -> None:
    url = database.locate(tmp_path / "mensura.db")
    engine = database.open_database(url, create=True)
    rows = _Interrupted([(b"1", "w", "", "a", ""), (b"2", "w", "", "a", "")])
    sql = (
        "INSERT INTO configuration (hash, world, parameters, assessment, assessment_parameters) "
        "VALUES (?, ?, ?, ?, ?)"
    )
    with pytest.raises(KeyboardInterrupt) as held, database.writing(engine) as connection:
        connection.exec_driver_sql(sql, rows)
    assert held.traceback, "what it held is still there"
    with closing(sqlite3.connect(tmp_path / "mensura.db", timeout=0.0)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert other.execute("SELECT count(*) FROM configuration").fetchone() == (0,)
