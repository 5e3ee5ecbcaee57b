"""The store gives back what it was given, once, whatever database it is in."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from tests.records.toys import SEED, make_batch, make_batches, make_cells, new_run, same

from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits
from mensura.records import database, schema
from mensura.records.batch import FaultRow, MeasureRow, TraceFile
from mensura.records.cell import Cell
from mensura.records.provenance import commit  # before it is looked for once
from mensura.records.store import Store, open_store
from mensura.records.traces import encode


def rows_in(store: Store) -> dict[str, int]:
    """How many rows each table has."""
    with database.reading(store._engine) as connection:
        return {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in schema.metadata.tables.items()
        }


# Runs and cells -------------------------------------------------------------------------------------


def test_a_run_is_found_by_its_name_and_by_its_number(store: Store) -> None:
    cells = make_cells(sittings=7)
    begun = store.begin(new_run("first", cells))
    assert begun.status == "running"
    assert begun.seed == SEED
    assert begun.sittings == 14
    assert begun.versions["mensura"]
    assert begun.started <= begun.started + begun.ended
    assert store.find("first") == begun == store.find(str(begun.id))
    second = store.begin(new_run("second", cells))
    assert store.runs() == [second, begun]


def test_a_run_names_the_commit_of_mensura(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.begin(new_run("here", make_cells())).commit == commit()
    monkeypatch.setenv("PATH", "")
    assert commit() == ""


def test_a_name_that_is_no_name_is_refused(store: Store) -> None:
    for name in ("", "3", "a b", "a/b", "-a", "a.", "ä"):
        with pytest.raises(MensuraError, match="cannot be called"):
            store.begin(new_run(name, make_cells()))
        assert store.runs() == [], name


def test_a_name_that_is_taken_is_refused_and_leaves_nothing_behind(store: Store) -> None:
    store.begin(new_run("taken", make_cells()))
    before = rows_in(store)
    with pytest.raises(MensuraError, match=r"already a run taken .* `mensura study resume taken`"):
        store.begin(new_run("taken", make_cells(("another",))))
    assert rows_in(store) == before


def test_an_unknown_run_is_answered_with_its_neighbors(store: Store) -> None:
    with pytest.raises(MensuraError, match="is empty"):
        store.find("lambda")
    store.begin(new_run("lambda-star", make_cells()))
    with pytest.raises(MensuraError, match="did you mean lambda-star"):
        store.find("lamda-star")
    with pytest.raises(MensuraError, match="There is no run '99'"):
        store.find("99")


def test_what_runs_share_stands_in_the_store_once(store: Store) -> None:
    cells = make_cells(repetitions=3)
    store.begin(new_run("one", cells))
    store.begin(new_run("two", cells))
    rows = rows_in(store)
    assert (rows["configuration"], rows["subject"], rows["cell"]) == (1, 2, 12)


def test_cells_that_are_not_numbered_from_zero_are_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="numbered"):
        store.begin(new_run("odd", [replace(make_cells()[0], number=3)]))


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
PLAIN: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KEYS = st.integers(0, 2**64 - 1)
CELL = st.builds(
    Cell,
    number=st.just(0),
    condition=TEXT,
    world=TEXT,
    parameters=st.dictionaries(TEXT, PLAIN, max_size=3),
    assessment=TEXT,
    assessment_parameters=st.dictionaries(TEXT, PLAIN, max_size=3),
    subject=TEXT,
    name=TEXT,
    seed=KEYS,
    sittings=st.integers(0, 2**40),
    training=st.integers(0, 2**40),
    repetition=st.integers(0, 1000),
    levels=st.dictionaries(TEXT, TEXT, max_size=3),
    limits=st.builds(
        Limits,
        seconds_per_action=st.floats(0.001, 100),
        faults=st.integers(1, 9),
        seconds_per_episode=st.none() | st.floats(0.001, 1e6),
        memory_mb=st.none() | st.integers(1, 10**6),
    ),
    in_process=st.booleans(),
    ask_once=st.booleans(),
    summary=TEXT,
    keep_training=st.integers(0, 2**40),
    traces=st.booleans(),
    compiled=st.booleans(),
)
NAMES = itertools.count()


def test_cells_and_study_come_back_exactly(store: Store, full_size: bool) -> None:
    @settings(max_examples=40 if full_size else 6)
    @given(cells=st.lists(CELL, max_size=4), study=st.dictionaries(TEXT, PLAIN, max_size=3))
    def come_back(cells: list[Cell], study: dict[str, Any]) -> None:
        given = [replace(cell, number=number) for number, cell in enumerate(cells)]
        run = store.begin(new_run(f"run-{next(NAMES)}", given, study=study, seed=2**64 - 1))
        assert store.cells(run) == given
        assert store.find(run.name).study == study
        assert store.find(run.name).seed == 2**64 - 1

    come_back()


# Rows -----------------------------------------------------------------------------------------------


def test_rows_come_back_as_they_were(store: Store) -> None:
    cells = make_cells(sittings=100, training=3, keep_training=10)
    run = store.begin(new_run("rows", cells))
    batches = [make_batch(cell, rich=True) for cell in cells]
    with store.seize(run) as lease:
        lease.commit(batches)
        lease.finish("finished")
    for cell, batch in zip(cells, batches, strict=True):
        (back,) = store.batches(run, cell.number)
        assert same(back, replace(batch, traces=()))
        small = list(store.batches(run, cell.number, size=7))
        assert [len(part) for part in small] == [7] * 14 + [2]
        assert np.concatenate([part.score for part in small]).tolist() == batch.score.tolist()
    ended = store.find("rows")
    assert (ended.status, bool(ended.ended)) == ("finished", True)
    assert ended.seconds > 0


def test_done_marks_are_those_of_committed_sittings(store: Store) -> None:
    cells = make_cells(sittings=20)
    run = store.begin(new_run("marks", cells))
    assert [marks.any() for marks in store.done(run)] == [False, False]
    with store.seize(run) as lease:
        lease.commit([make_batch(cells[1], 5, 9), make_batch(cells[0], 19, 20)])
        lease.commit([])
        lease.commit([make_batch(cells[1], 3, 3)])
    first, second = store.done(run)
    assert np.flatnonzero(first).tolist() == [19]
    assert np.flatnonzero(second).tolist() == [5, 6, 7, 8]
    assert store.progress(run).done == 5


def test_a_sitting_is_committed_once_and_a_second_time_refused_whole(store: Store) -> None:
    cells = make_cells(sittings=20)
    run = store.begin(new_run("once", cells))
    with store.seize(run) as lease:
        lease.commit([make_batch(cells[0], 0, 10)])
        before = rows_in(store)
        with pytest.raises(MensuraError, match="committed twice; nothing of this commit"):
            lease.commit([make_batch(cells[1], 0, 5), make_batch(cells[0], 9, 12)])
        assert rows_in(store) == before
        with pytest.raises(MensuraError, match="committed twice"):
            lease.commit([make_batch(cells[1], 0, 5), make_batch(cells[1], 4, 6)])
        assert rows_in(store) == before
        lease.commit([make_batch(cells[1], 0, 5)])
    assert store.progress(run).done == 15


def test_runs_do_not_touch_each_other(store: Store) -> None:
    cells = make_cells(sittings=10)
    one, two = (store.begin(new_run(name, cells)) for name in ("one", "two"))
    with store.seize(one) as first, store.seize(two) as second:
        first.commit([make_batch(cells[0], 0, 3)])
        second.commit([make_batch(cells[0], 2, 10), make_batch(cells[1])])
    assert [marks.sum() for marks in store.done(one)] == [3, 0]
    assert [marks.sum() for marks in store.done(two)] == [8, 10]


@pytest.mark.parametrize("cell", [-1, 2])
def test_a_batch_of_a_cell_that_is_not_there_is_refused(store: Store, cell: int) -> None:
    cells = make_cells()
    run = store.begin(new_run("bounds", cells))
    with store.seize(run) as lease, pytest.raises(ValueError, match="there is no cell"):
        lease.commit([replace(make_batch(cells[0]), cell=cell)])


def test_items_and_numbers_out_of_range_are_refused_before_anything_is_written(
    store: Store,
) -> None:
    cells = make_cells(sittings=10)
    run = store.begin(new_run("range", cells))
    good = make_batch(cells[0])
    with store.seize(run) as lease:
        with pytest.raises(ValueError, match="has 10 sittings"):
            lease.commit([replace(good, item=good.item + 1)])
        with pytest.raises(MensuraError, match="Item 0 of cell 0 has a score or a reward"):
            lease.commit([replace(good, score=np.full(10, np.nan))])
    assert rows_in(store)["sitting"] == 0


def test_what_subjects_say_cannot_break_the_store(store: Store) -> None:
    cells = make_cells(sittings=1)
    run = store.begin(new_run("words", cells))
    batch = replace(
        make_batch(cells[0]),
        faults=(FaultRow(0, 0, 0, 0, "raised", "zero \0, half \ud800, whole é"),),
        measures=(MeasureRow(0, 0, "tok\0ens", float("nan")),),
    )
    with store.seize(run) as lease:
        lease.commit([batch])
    (back,) = store.batches(run, 0)
    assert back.faults[0].detail == "zero \\0, half \\ud800, whole é"
    assert back.measures[0].name == "tok\\0ens"
    assert np.isnan(back.measures[0].value)


def test_a_sitting_is_found_by_its_number_in_the_run(store: Store) -> None:
    cells = make_cells(sittings=10)
    run = store.begin(new_run("numbers", cells))
    with store.seize(run) as lease:
        lease.commit([make_batch(cells[1], 4, 5, rich=True)])
    cell, item, batch = store.sitting(run, 14)
    assert (cell, item) == (cells[1], 4)
    assert batch is not None
    assert same(batch, replace(make_batch(cells[1], 4, 5, rich=True), traces=()))
    assert store.sitting(run, 3) == (cells[0], 3, None)
    for number in (-1, 20):
        with pytest.raises(MensuraError, match=r"no sitting .*; its sittings are 0 to 19"):
            store.sitting(run, number)


def test_the_journal_of_a_sitting_comes_back(store: Store) -> None:
    cells = make_cells(sittings=10)
    run = store.begin(new_run("journal", cells))
    with store.seize(run) as lease:
        lease.commit([make_batch(cells[1], rich=True)])
    assert store.journal(run, 1, 3) == [b"\0\x03\xff"]
    assert store.journal(run, 1, 4) == []


def test_equal_keys_are_the_same_environment_only_in_the_same_world(store: Store) -> None:
    (plain,) = make_cells(("a",), 10)
    cells = [
        plain,
        replace(
            plain,
            number=1,
            condition="longer",
            assessment_parameters={**plain.assessment_parameters, "episodes": 99},
        ),
        replace(plain, number=2, condition="larger", parameters={"rows": 99}),
        replace(plain, number=3, condition="harder", assessment_parameters={"spread": [9, 9]}),
    ]
    run = store.begin(new_run("worlds", cells))
    with store.seize(run) as lease:
        lease.commit([replace(make_batch(plain), cell=cell.number) for cell in cells])
    first, longer, larger, harder = (set(one.environment.tolist()) for one in store.samples(run))
    assert first == longer
    assert not first & larger
    assert not first & harder
    assert not larger & harder


def test_samples_hold_scores_and_environments_of_all_repetitions(store: Store) -> None:
    cells = make_cells(("a", "b"), 10, conditions=("x", "y"), repetitions=2)
    run = store.begin(new_run("samples", cells))
    with store.seize(run) as lease:
        lease.commit([make_batch(cell, rich=True) for cell in reversed(cells)])
    samples = store.samples(run)
    assert [(one.condition, one.label) for one in samples] == [
        ("x", "a"), ("x", "b"), ("y", "a"), ("y", "b"),
    ]  # fmt: skip
    first, second = (make_batch(cell) for cell in cells[:2])
    one = samples[0]
    assert one.score.tolist() == [*first.score.tolist(), *second.score.tolist()]
    assert one.run.tolist() == [0] * 10 + [1] * 10
    assert one.environment.dtype == np.uint64
    assert one.environment.tolist() == samples[1].environment.tolist()
    assert np.isnan(one.complexity).tolist() == [item % 7 == 6 for item in range(10)] * 2
    assert len(set(one.environment.tolist())) == 20


def test_a_sitting_without_an_episode_is_paired_with_nobody(store: Store) -> None:
    cells = make_cells(sittings=5)
    run = store.begin(new_run("absent", cells))
    batch = make_batch(cells[0])
    none = make_batch(cells[0], 0, 0).episodes
    with store.seize(run) as lease:
        lease.commit([replace(batch, episodes=none), make_batch(cells[1])])
    absent, _ = store.samples(run)
    assert absent.score.tolist() == batch.score.tolist()
    assert len(set(absent.environment.tolist())) == 5
    assert np.isnan(absent.complexity).all()
    (back,) = store.batches(run, 0)
    assert same(back.episodes, none)


def test_an_empty_run_has_an_empty_result(store: Store) -> None:
    run = store.begin(new_run("empty", make_cells()))
    result = store.result(run)
    assert (result.done, result.sittings) == (0, 20)
    assert [one.moments.count for one in result.conditions[0].subjects] == [0, 0]
    assert [len(sample) for sample in store.samples(run)] == [0, 0]


# Traces -----------------------------------------------------------------------------------------------


def trace_of(item: int) -> dict[str, list[Any]]:
    return {"item": [item] * 3, "action": [0, 1, 2], "reward": [0.5, -0.5, item / 3]}


def test_a_trace_is_a_file_that_is_there_before_the_row_and_comes_back_as_a_frame(
    store: Store,
) -> None:
    cells = make_cells(sittings=4, traces=True)
    run = store.begin(new_run("traced", cells))
    both = {name: trace_of(1)[name] + trace_of(2)[name] for name in trace_of(1)}
    batch = replace(make_batch(cells[0]), traces=(TraceFile((1, 2), encode(both)),))
    with store.seize(run) as lease:
        lease.commit([batch])
    (path,) = store.files.glob("traces/*/*.parquet")
    assert path.parent.name == path.name[:2]
    assert store.trace(run, 0, 2).to_dict(as_series=False) == trace_of(2)
    with pytest.raises(MensuraError, match="has no trace; ask for traces"):
        store.trace(run, 0, 3)
    path.unlink()
    with pytest.raises(MensuraError, match="cannot be read: No such file"):
        store.trace(run, 0, 2)


def test_a_trace_without_items_is_given_whole(store: Store) -> None:
    cells = make_cells(sittings=1)
    run = store.begin(new_run("whole", cells))
    content = encode({"x": np.arange(3)})
    with store.seize(run) as lease:
        lease.commit([replace(make_batch(cells[0]), traces=(TraceFile((0,), content),))])
    assert store.trace(run, 0, 0)["x"].to_list() == [0, 1, 2]


# Deleting ---------------------------------------------------------------------------------------------


def test_a_deleted_run_leaves_nothing_behind_and_others_untouched(store: Store) -> None:
    cells = make_cells(sittings=40, training=2, keep_training=9)
    runs = [store.begin(new_run(name, cells)) for name in ("kept", "gone")]
    other = make_cells(("stranger",), 10)
    runs.append(store.begin(new_run("last", other)))
    with store.seize(runs[0]) as lease:
        lease.commit([make_batch(cells[0], rich=True)])
    kept, result = rows_in(store), store.result(runs[0])
    with store.seize(runs[1]) as lease:
        lease.commit([make_batch(cell, rich=True) for cell in cells])
    journals = store.journals(runs[1])
    journals.mkdir(parents=True)
    (journals / "3.journal").write_text("half a sitting")
    store.delete(runs[1])
    kept["run"] -= 1
    kept["cell"] -= 2
    assert rows_in(store) == kept
    assert not journals.exists()
    assert store.result(runs[0]) == result
    assert len(list(store.files.glob("traces/*/*.parquet"))) == 1
    with pytest.raises(MensuraError, match="There is no run 'gone'"):
        store.find("gone")
    store.delete(store.find("last"))
    assert rows_in(store)["subject"] == 2
    store.delete(store.find("kept"))
    assert not any(rows_in(store).values())
    assert not list(store.files.glob("traces/*/*.parquet"))
    assert store.begin(new_run("gone", cells)).id > runs[-1].id


def test_a_run_that_somebody_writes_to_is_not_deleted(store: Store) -> None:
    cells = make_cells()
    run = store.begin(new_run("held", cells))
    with store.seize(run) as lease:
        assert store.held(run)
        with pytest.raises(MensuraError, match="is being written by another process"):
            store.delete(run)
        lease.commit([make_batch(cells[0])])
    assert not store.held(run)
    assert store.progress(run).done == 10
    store.delete(run)
    with pytest.raises(MensuraError, match="no longer in the store"):
        store.seize(run)


def test_a_file_shrinks_when_a_run_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with open_store(path) as store:
        cells = make_cells(("a",), 20_000)
        run = store.begin(new_run("large", cells))
        with store.seize(run) as lease:
            lease.commit(list(make_batches(cells[0])))
        store.delete(run)
    assert path.stat().st_size < 200_000


def test_a_link_that_leads_nowhere_stays_a_link_to_the_new_store(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    target = tmp_path / "elsewhere" / "store.db"
    link.symlink_to(target)
    with pytest.raises(MensuraError, match=r"The folder .*elsewhere does not exist; make it first"):
        open_store(link)
    target.parent.mkdir()
    open_store(link).close()
    assert link.is_symlink()
    assert target.stat().st_size
    empty = tmp_path / "empty.db"
    empty.touch()
    another = tmp_path / "another.db"
    another.symlink_to(empty)
    open_store(another).close()
    assert another.is_symlink()
    assert empty.stat().st_size
    itself = tmp_path / "itself.db"
    itself.symlink_to(itself)
    with pytest.raises(MensuraError, match="cannot be read"):
        open_store(itself)
    assert itself.is_symlink()


def test_rows_of_earlier_versions_say_that_defaults_were_not_recorded(store: Store) -> None:
    cells = make_cells(("a",), 12)
    run = store.begin(new_run("old", cells))
    with store.seize(run) as lease:
        lease.commit([make_batch(cells[0], rich=True)])
    (known,) = store.result(run).conditions[0].subjects
    assert known.default_share == pytest.approx(4 / (12 * 250))
    assert store.samples(run)[0].default_share == known.default_share
    assert [row.text for row in known.printed] == ["oh\n0", "oh\n3", "oh\n6"]
    with database.writing(store._engine) as connection:
        connection.execute(schema.sitting.update().values(asked=None))
        connection.execute(schema.episode.update().values(defaults=None))
    (one,) = store.result(run).conditions[0].subjects
    assert np.isnan([one.default_share, one.asked, store.samples(run)[0].default_share]).all()
    assert one.valid
    assert store.frame("sittings", run)["asked"].is_null().all()
    assert store.frame("episodes", run)["defaults"].is_null().all()
    assert store.frame("printed", run)["text"].to_list() == [f"oh\n{i}" for i in (0, 3, 6, 9)]
