"""Studies from the command line: run, stopped, resumed, looked at, played again."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

STUDY = """
mensura: 1
name: tiny
title: A tiny study
seed: 11
worlds:
  - {world: lambda-star, parameters: {rows: 4, cols: 4, subjects: 2, horizon: 6}}
subjects: [random, local-search, {subject: q-learning, training: 2}]
assessments: [{assessment: battery, parameters: {episodes: 20}}]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "tiny.yaml").write_text(STUDY)
    return tmp_path / "tiny.yaml"


@pytest.mark.usefixtures("study")
def test_a_study_is_run_into_the_store_and_then_never_again(mensura: Any, tmp_path: Path) -> None:
    first = mensura("study", "run", "tiny.yaml")
    assert first.status == 0, first.err
    assert "local-search" in first.out
    assert "run tiny in mensura.db, seed 11" in first.out
    again = mensura("study", "run", "tiny.yaml")
    assert "The run tiny is finished; there is nothing left to do." in again.out
    shown = [line for line in first.out.splitlines() if "local-search" in line]
    assert [line for line in again.out.splitlines() if "local-search" in line] == shown
    with sqlite3.connect(tmp_path / "mensura.db") as db:
        assert db.execute("select count(*) from sitting").fetchone() == (60,)


def test_a_study_that_has_changed_is_refused_with_what_changed(mensura: Any, study: Path) -> None:
    assert mensura("study", "run", "tiny.yaml").status == 0
    study.write_text(STUDY.replace("episodes: 20", "episodes: 30"))
    refused = mensura("study", "run", "tiny.yaml")
    assert refused.status == 2
    assert "the study has changed since: " in refused.err
    assert "20 became 30" in refused.err
    assert mensura("study", "run", "tiny.yaml", "--name", "larger").status == 0


@pytest.mark.usefixtures("study")
def test_events_for_programs_are_a_json_object_a_line(mensura: Any) -> None:
    typed = mensura("study", "run", "tiny.yaml", "--json")
    events = [json.loads(line) for line in typed.out.splitlines()]
    assert events[0]["event"] == "started"
    assert events[-1]["event"] == "finished"
    assert {one["event"] for one in events[1:-1]} == {"progress"}
    assert events[-2]["done"] == events[-2]["total"] == 60
    assert [one["subject"] for one in events[-1]["scores"]] == [
        "random",
        "local-search",
        "q-learning",
    ]


@pytest.mark.usefixtures("words_only")
@pytest.mark.usefixtures("study")
def test_a_run_is_reported_compared_replayed_and_deleted(mensura: Any, tmp_path: Path) -> None:
    assert mensura("study", "run", "tiny.yaml", "--report", "now.html").status == 0
    assert "A tiny study" in (tmp_path / "now.html").read_text()
    assert mensura("report", "tiny", "-o", "later.html").status == 0
    compared = mensura("compare", "tiny")
    assert "local-search scores higher than random" in " ".join(compared.out.split())
    replayed = mensura("replay", "tiny", "0", "25", "59", "--json", "replay.json")
    assert replayed.status == 0
    rows = json.loads((tmp_path / "replay.json").read_text())
    assert [(row["subject"], row["item"], row["identical"]) for row in rows] == [
        ("random", 0, True),
        ("local-search", 5, True),
        ("q-learning", 19, True),
    ]
    assert mensura("runs", "delete", "tiny", "--yes").status == 0
    assert "There is no run" in mensura("replay", "tiny", "0").err


@pytest.mark.usefixtures("study")
def test_a_replay_that_differs_says_so_and_fails(mensura: Any, tmp_path: Path) -> None:
    assert mensura("study", "run", "tiny.yaml").status == 0
    with sqlite3.connect(tmp_path / "mensura.db") as db:
        db.execute("update episode set reward = reward + 0.125 where sitting = 1")
        changed = db.execute("select min(id) from sitting").fetchone()[0]
    typed = mensura("replay", "tiny", str(1 - changed))
    assert typed.status == 1
    assert "DIFFERENT" in typed.out


@pytest.mark.usefixtures("study")
def test_status_and_resume_know_what_is_unfinished(mensura: Any, tmp_path: Path) -> None:
    assert mensura("study", "run", "tiny.yaml").status == 0
    assert "nothing to resume" in mensura("study", "resume").err
    with sqlite3.connect(tmp_path / "mensura.db") as db:
        for table, column in (("episode", "sitting"), ("sitting", "id")):
            db.execute(f"delete from {table} where {column} >= 30")
        db.execute("update run set status = 'running', ended = ''")
    status = mensura("study", "status", "--json", "status.json")
    assert "mensura study resume tiny" in status.out
    (row,) = json.loads((tmp_path / "status.json").read_text())
    assert row["status"] == "interrupted"
    assert 0 < row["done"] < 60
    resumed = mensura("study", "resume")
    assert resumed.status == 0, resumed.err
    assert "of 60 sittings are done; going on." in resumed.out
    assert mensura("replay", "tiny", "59").status == 0


def test_assess_keeps_its_run_where_asked(mensura: Any) -> None:
    words = (
        "assess",
        "random",
        "local-search",
        *("--world", "lambda-star", "--assessment", "battery"),
        *("-e", "20", "--grid", "4x4", "-i", "6"),
        "--seed",
        "3",
    )
    plain = mensura(*words)
    kept = mensura(*words, "--name", "mine")
    assert "kept as the run mine" in kept.out
    scores = [line for line in plain.out.splitlines() if line.startswith("│")]
    assert [line for line in kept.out.splitlines() if line.startswith("│")] == scores
    assert "mine" in mensura("runs", "list").out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("study", "run", "none.yaml"), "none.yaml"),
        (("study", "run", "tiny.yaml", "--executor", "tractor"), "There is no executor 'tractor'"),
        (("study", "run", "tiny.yaml", "-j", "0"), "0 workers cannot do any work"),
        (("study", "run", "tiny.yaml", "--address", "x:1"), "needs no address"),
        (
            ("study", "run", "tiny.yaml", "--report", "no/report.html"),
            "The folder no does not exist",
        ),
        (("study", "run", "tiny.yaml", "--seed", "-1"), "The seed -1 is out of range"),
        (("study", "run", "tiny.yaml", "--name", "a b"), "cannot be called 'a b'"),
        (("study", "resume"), "mensura.db"),
        (("study", "status", "tiny"), "mensura.db"),
        (("replay", "tiny", "0"), "mensura.db"),
        (("report", "tiny"), "mensura.db"),
    ],
)
@pytest.mark.usefixtures("study")
def test_bad_input_gets_one_sentence_and_leaves_nothing(
    mensura: Any, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    typed = mensura(*words)
    assert typed.status == 2, typed.out
    assert typed.err.startswith("mensura: ")
    assert sentence in typed.err
    assert "Traceback" not in typed.err
    left = {item.name for item in tmp_path.iterdir()} - {"tiny.yaml"}
    assert not [name for name in left if not name.startswith("mensura.db")]
