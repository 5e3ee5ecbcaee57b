"""The commands on runs, as a person types them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.records.toys import make_batch, make_cells, new_run

from mensura.records.store import Store, open_store

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(mensura: Typed) -> Store:
    """The store of the folder, with a finished run and one that was interrupted."""
    with open_store() as opened:
        cells = make_cells(sittings=30, training=2, keep_training=2)
        run = opened.begin(new_run("whole", cells))
        with opened.seize(run) as lease:
            lease.commit([make_batch(cell, rich=True) for cell in cells])
            lease.finish("finished")
        run = opened.begin(new_run("half", cells))
        with opened.seize(run) as lease:
            lease.commit([make_batch(cells[0], 0, 20)])
        return opened


@pytest.mark.usefixtures("store")
def test_list_says_how_far_runs_are(mensura: Typed) -> None:
    status, out, _ = mensura("runs", "list", "--json", "runs.json")
    assert status == 0
    half, whole = json.loads(Path("runs.json").read_text())
    assert (half["run"], half["status"], half["done"]) == ("half", "interrupted", 20)
    assert (whole["run"], whole["status"], whole["episodes"]) == ("whole", "finished", 68)
    assert "60 of 60" in out
    assert "The study whole" in out
    assert "UTC" in out


def test_a_run_that_is_held_says_running(mensura: Typed, store: Store) -> None:
    with store.seize(store.find("half")):
        assert "interrupted" not in mensura("runs", "list")[1]


def test_a_store_that_is_not_there_or_empty_gets_a_sentence(mensura: Typed) -> None:
    status, _, err = mensura("runs", "list")
    assert status == 2
    assert "There is no store at mensura.db" in err
    assert not Path("mensura.db").exists()
    open_store("mensura.db").close()
    status, out, _ = mensura("runs", "list")
    assert status == 0
    assert "There are none yet" in out


@pytest.mark.usefixtures("store")
def test_show_tells_what_it_was_where_it_comes_from_and_what_it_found(mensura: Typed) -> None:
    status, out, _ = mensura("runs", "show", "whole", "--json", "whole.json")
    assert status == 0
    for words in (
        "The study whole",
        "After A paper (2016).",
        "2 subjects (random and local-search) under 1 condition: 60 of 60 sittings done",
        "A note.",
        "mensura study run whole.yaml",
        "95% interval",
        "fault of random: item 0",
    ):
        assert words in out
    data = json.loads(Path("whole.json").read_text())
    assert {row["subject"] for row in data["scores"]} == {"random", "local-search"}
    assert data["scores"][0]["low"] < data["scores"][0]["score"] < data["scores"][0]["high"]


@pytest.mark.usefixtures("store")
def test_show_shows_an_unfinished_run_as_far_as_it_is(mensura: Typed) -> None:
    status, out, _ = mensura("runs", "show", "2")
    assert status == 0
    assert "20 of 60 sittings done" in out
    assert "mensura study resume half" in out


def test_show_of_a_run_without_rows_has_no_table_of_scores(mensura: Typed, store: Store) -> None:
    store.begin(new_run("none", make_cells()))
    status, out, _ = mensura("runs", "show", "none", "--json", "none.json")
    assert status == 0
    assert "95% interval" not in out
    assert json.loads(Path("none.json").read_text())["scores"] == []


@pytest.mark.usefixtures("store")
def test_an_unknown_run_is_answered_with_its_neighbors(mensura: Typed) -> None:
    for command in (("show", "hole"), ("export", "hole", "-o", "out"), ("delete", "hole", "-y")):
        status, _, err = mensura("runs", *command)
        assert status == 2
        assert "did you mean whole" in err
    assert not Path("out").exists()


@pytest.mark.usefixtures("store")
def test_export_writes_a_file_a_table_and_says_where(mensura: Typed) -> None:
    status, out, _ = mensura("runs", "export", "whole", "half", "whole", "-o", "out", "-f", "csv")
    assert status == 0
    assert "out/episodes.csv (" in out
    assert len(Path("out/episodes.csv").read_text().splitlines()) == 1 + 68 + 24
    status, _, err = mensura("runs", "export", "whole", "-o", "out", "--format", "xlsx")
    assert status == 2
    assert "parquet or csv" in err


def test_delete_wants_a_word_where_nobody_can_be_asked(
    mensura: Typed, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    status, _, err = mensura("runs", "delete", "half")
    assert status == 2
    assert "confirm with --yes" in err
    assert mensura("runs", "delete", "half", "--yes")[0] == 0
    assert [run.name for run in store.runs()] == ["whole"]


@pytest.mark.parametrize(("answer", "left"), [(True, ["half"]), (False, ["half", "whole"])])
def test_delete_asks_in_a_terminal(
    mensura: Typed, store: Store, monkeypatch: pytest.MonkeyPatch, answer: bool, left: list[str]
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda question: answer)
    status, out, _ = mensura("runs", "delete", "whole")
    assert status == (0 if answer else 1)
    assert "60 sittings, 68 episodes" in out
    assert [run.name for run in store.runs()] == left


def test_delete_leaves_a_run_alone_that_is_being_worked_on(mensura: Typed, store: Store) -> None:
    with store.seize(store.find("half")):
        status, _, err = mensura("runs", "delete", "half", "--yes")
    assert status == 2
    assert "is being written by another process" in err
