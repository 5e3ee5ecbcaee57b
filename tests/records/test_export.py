"""What is exported reads back as what the store holds, and an export is whole or not there."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.heavy import polars as pl
from tests.postgres import Cluster
from tests.records.toys import make_batch, make_cells, new_run

from mensura.agent.errors import MensuraError
from mensura.records import export as exports
from mensura.records.export import export
from mensura.records.frames import schema_of
from mensura.records.run import Run
from mensura.records.store import Store, open_store
from mensura.records.tables import READABLE


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def full(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """A store of each kind with two runs, which have some of everything; whoever exports only reads."""
    folder = tmp_path_factory.mktemp("full")
    with pytest.MonkeyPatch.context() as patch:
        where = str(folder / "store.db")
        if request.param == "postgresql":
            patch.setenv("MENSURA_FILES", str(folder / "files"))
            cluster: Cluster = request.getfixturevalue("cluster")
            where = cluster.create()
        with open_store(where) as store:
            fill(store)
            yield store
        if request.param == "postgresql":
            cluster.give_back(where)


def fill(store: Store) -> None:
    for name in ("one", "two"):
        cells = make_cells(sittings=30, training=2, keep_training=4, repetitions=2)
        with store.seize(store.begin(new_run(name, cells))) as lease:
            lease.commit([make_batch(cell, rich=True) for cell in cells])
            lease.finish("finished")


@pytest.fixture
def runs(full: Store) -> list[Run]:
    return [full.find(name) for name in ("one", "two")]


def test_a_frame_has_the_rows_of_a_run_with_names(full: Store, runs: list[Run]) -> None:
    frame = full.frame("episodes", runs[0])
    assert dict(frame.schema) == schema_of("episodes")
    cells = full.cells(runs[0])
    batches = [make_batch(cell, rich=True) for cell in cells]
    assert frame["reward"].to_list() == [r for b in batches for r in b.episodes.reward.tolist()]
    assert frame["environment"].to_list() == [
        key for batch in batches for key in batch.episodes.environment.tolist()
    ]
    assert frame["subject"].unique(maintain_order=True).to_list() == ["random", "local-search"]
    assert frame["complexity"].null_count() > 0
    assert frame["complexity"].is_nan().sum() == 0
    last = frame.row(-1, named=True)
    assert (last["run"], last["cell"], last["item"], last["number"]) == ("one", 3, 29, 119)
    assert frame.filter("learning").height == 4 * 4 * 2


def test_a_frame_of_all_runs_has_the_oldest_first(full: Store, runs: list[Run]) -> None:
    assert full.frame("runs")["run"].to_list() == ["one", "two"]
    assert full.frame("runs")["done"].to_list() == [120, 120]
    assert full.frame("sittings").height == 240
    assert full.frame("sittings", runs[1])["status"].unique().sort().to_list() == ["done", "lost"]
    assert full.frame("cells")["done"].to_list() == [30] * 8
    assert full.frame("cells")["seed"].dtype == pl.UInt64
    measures = full.frame("measures", runs[0])
    assert measures["measure"].unique().sort().to_list() == ["messages", "tokens"]
    assert full.frame("descriptions", runs[0])["description"][1] == '{"goal": 3}'
    assert full.frame("faults", runs[0])["detail"][0] == "Ünd\n'raised' at item 0"


def test_a_table_that_is_not_there_is_answered_with_its_neighbors(store: Store) -> None:
    with pytest.raises(MensuraError, match="no table 'episode'; did you mean episodes"):
        store.frame("episode")


def test_an_empty_table_has_its_columns(store: Store) -> None:
    assert dict(store.frame("faults").schema) == schema_of("faults")
    assert store.frame("faults").height == 0


def test_a_parquet_export_reads_back_equal(full: Store, runs: list[Run], tmp_path: Path) -> None:
    paths = export(full, runs, tmp_path / "out")
    assert sorted(path.name for path in paths) == sorted(f"{name}.parquet" for name in READABLE)
    for table in READABLE:
        frame = pl.read_parquet(tmp_path / "out" / f"{table}.parquet")
        kept = full.frame(table)
        assert frame.equals(kept), table
        assert frame.schema == kept.schema


def test_a_csv_export_reads_back_equal(full: Store, runs: list[Run], tmp_path: Path) -> None:
    export(full, runs[1], tmp_path / "out", "csv")
    for table in READABLE:
        frame = pl.read_csv(tmp_path / "out" / f"{table}.csv", schema=schema_of(table))
        expected = full.frame(table, runs[1])
        assert frame.with_columns(pl.col(pl.String).fill_null("")).equals(expected), table


def test_csv_needs_no_further_library(
    full: Store, runs: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    export(full, runs[0], tmp_path / "out", "csv")
    with (tmp_path / "out" / "episodes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 30 + 4 * 4 * 2
    assert {row["learning"] for row in rows} == {"true", "false"}
    with pytest.raises(MensuraError, match=r"need polars: install mensura\[data\]"):
        export(full, runs[0], tmp_path / "frames")
    assert not (tmp_path / "frames").exists()
    with pytest.raises(MensuraError, match=r"install mensura\[data\]"):
        full.frame("runs")


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_an_export_that_fails_leaves_what_was_there(
    full: Store,
    runs: list[Run],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    format: exports.Format,
) -> None:
    folder = tmp_path / "out"
    export(full, runs[0], folder, format)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    whole = Store.chunks

    def breaking(self: Store, table: str, wanted: Any) -> Iterator[Any]:
        yield from whole(self, table, wanted)
        if table == "faults":
            raise MensuraError("The store went away.")

    monkeypatch.setattr(Store, "chunks", breaking)
    with pytest.raises(MensuraError, match="went away"):
        export(full, runs[1], folder, format)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    with pytest.raises(MensuraError, match="went away"):
        export(full, runs[1], tmp_path / "new", format)
    assert not (tmp_path / "new").exists()


def test_places_that_cannot_be_written_get_a_sentence(
    full: Store, runs: list[Run], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MensuraError, match="is a file; name a folder"):
        export(full, runs[0], tmp_path / "file")
    with pytest.raises(MensuraError, match="cannot be made"):
        export(full, runs[0], tmp_path / "no" / "where")
    with pytest.raises(MensuraError, match="as parquet or csv, not as 'xlsx'"):
        export(full, runs[0], tmp_path, "xlsx")  # type: ignore[arg-type]
