"""A leaderboard as a file: what may be added, what is refused, and what is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Typed, mensura

from mensura.agent.errors import MensuraError
from mensura.api.leaderboard_entry import Entry, entries_of
from mensura.api.leaderboard_file import add, read, shown
from mensura.records.cell import PEOPLE

__all__ = ["mensura"]

Type = Callable[..., Typed]
BATTERY = ("-a", "battery", "-e", "8", "--complexity", "any", "-i", "20")


def run(mensura: Type, *words: str) -> None:
    ended = mensura("assess", *words, *BATTERY, "--store", "runs.db")
    assert ended.status == 0, ended.err


def entry(**more: Any) -> Entry:
    given: dict[str, Any] = {
        "subject": "mine",
        "summary": "",
        "run": "run",
        "world": "lambda-v1",
        "parameters": {"cells": 9},
        "assessment": "battery",
        "given": {"measure": "lempel_ziv"},
        "training": 0,
        "seed": 1,
        "count": 8,
        "mean": 0.25,
        "squares": 0.5,
        "minimum": -0.5,
        "maximum": 0.75,
        "actions": 100,
        "defaults": 0,
        "added": "2026-11-16T00:00:00+00:00",
        "version": "0.1.0",
        "content": "generated afresh",
        "isolation": "part of Mensura",
        "fresh_seed": True,
    }
    return Entry(**{**given, **more})


def test_runs_are_added_shown_and_written_as_a_page(mensura: Type) -> None:
    run(mensura, "random", "oracle", "--name", "one")
    run(mensura, "q-learning", "--name", "two")
    ended = mensura("leaderboard", "add", "one", "--store", "runs.db", "--say", "by=us")
    assert ended.status == 0, ended.err
    assert "2 added, 2 in all" in ended.out
    ended = mensura("leaderboard", "add", "two", "--store", "runs.db", "--subject", "q-learning")
    assert "1 added, 3 in all" in ended.out
    first = read(Path("leaderboard.json"))[0]
    assert first.extra == {"by": "us"}
    assert first.count == 8
    ended = mensura("leaderboard", "show", "-o", "page.html", "--json", "board.json")
    assert ended.status == 0, ended.err
    (board,) = json.loads(Path("board.json").read_text())
    names = [row["subject"] for row in board["rows"]]
    assert names[0] == "oracle"
    assert {"random", "q-learning"} <= set(names)
    page = Path("page.html").read_text()
    assert "http" not in page.replace("http://www.w3.org", "")
    for words in (*names, "The rules", "as told by whoever added it", "generated afresh"):
        assert words in page


@pytest.mark.thorough
def test_what_breaks_a_rule_is_refused_and_nothing_is_written(mensura: Type) -> None:
    run(mensura, "random", "--name", "chosen", "--seed", "7")
    ended = mensura("leaderboard", "add", "chosen", "--store", "runs.db")
    assert ended.status == 2
    assert "Somebody chose the seed" in ended.err
    ended = mensura(
        "assess", "random", "-a", "battery", "-e", "3", "--name", "few", "--store", "runs.db"
    )
    ended = mensura("leaderboard", "add", "few", "--store", "runs.db")
    assert "it takes at least 5" in ended.err
    run(mensura, "random", "--name", "fine")
    ended = mensura("leaderboard", "add", "fine", "--store", "runs.db", "--subject", "randm")
    assert "no subject 'randm'" in ended.err
    ended = mensura("leaderboard", "add", "fine", "--store", "runs.db", "--say", "nothing")
    assert "write NAME=VALUE" in ended.err
    assert not Path("leaderboard.json").exists()
    assert mensura("leaderboard", "add", "fine", "--store", "runs.db").status == 0
    before = Path("leaderboard.json").read_bytes()
    ended = mensura("leaderboard", "add", "fine", "--store", "runs.db")
    assert ended.status == 2
    assert "already; nothing was added" in ended.err
    assert Path("leaderboard.json").read_bytes() == before


def test_a_subject_that_did_not_answer_and_a_run_under_way_are_refused(mensura: Type) -> None:
    from mensura.records.store import open_store

    Path("silent.py").write_text("class Silent:\n    def act(self, *_):\n        return None\n")
    mensura(
        "assess",
        "silent.py:Silent",
        *BATTERY,
        "--in-process",
        "--name",
        "silent",
        "--store",
        "runs.db",
    )
    ended = mensura("leaderboard", "add", "silent", "--store", "runs.db")
    assert ended.status == 2
    assert "were the environment's default" in ended.err
    with open_store("runs.db") as store:
        found = store.find("silent")
        with pytest.raises(MensuraError, match="only finished ones"):
            entries_of(store, replace(found, status="stopped"))
        with pytest.raises(MensuraError, match="whose scores are not published"):
            entries_of(
                store, replace(found, study={**found.study, "subjects": [{"subject": PEOPLE}]})
            )


WRONG = {
    "[]": "no field mensura_leaderboard",
    "{": "is no leaderboard",
    '{"mensura_leaderboard": 9, "entries": []}': "has the format 9",
    '{"mensura_leaderboard": 2}': "its entries are no list",
    '{"mensura_leaderboard": 2, "entries": [3]}': "entry 1: This is no entry",
    '{"mensura_leaderboard": 2, "entries": [{"subject": "a"}]}': "There is no field 'summary'",
}


@pytest.mark.parametrize(("text", "words"), WRONG.items(), ids=WRONG)
def test_what_is_no_leaderboard_is_told_in_a_sentence(
    tmp_path: Path, text: str, words: str
) -> None:
    file = tmp_path / "board.json"
    file.write_text(text)
    with pytest.raises(MensuraError, match=words):
        read(file)
    with pytest.raises(MensuraError, match=words):
        add(file, [entry()])
    assert file.read_text() == text


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": 0},
        {"mean": 2.0},
        {"squares": -1.0},
        {"defaults": 101},
        {"mean": "0.1"},
        {"mean": float("nan")},
        {"seed": True},
        {"extra": []},
        {"fresh_seed": 1},
        {"content": None},
        {"unknown": 1},
    ],
    ids=str,
)
def test_numbers_that_cannot_be_are_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    file = tmp_path / "board.json"
    add(file, [entry()])
    data = json.loads(file.read_text())
    data["entries"][0] |= wrong
    file.write_text(json.dumps(data))
    with pytest.raises(MensuraError, match="entry 1"):
        read(file)


def test_what_was_made_under_other_rules_is_left_out_with_a_reason() -> None:
    boards, left_out = shown(
        [entry(), entry(world="lambda-star-v0", seed=2), entry(world="of-others-v0", seed=3)]
    )
    assert {board.world for board in boards} == {"lambda-v1", "of-others-v0"}
    (sentence,) = left_out
    assert "mine in the run run is left out" in sentence


def test_text_of_others_stays_text(tmp_path: Path) -> None:
    file = tmp_path / "board.json"
    hostile = "<script>alert(1)</script>\x1b[2J"
    add(file, [entry(subject=hostile)])
    boards, _ = shown(read(file))
    from mensura.cli.leaderboard import _board
    from mensura.reports.leaderboard_page import render_leaderboard

    page = render_leaderboard([_board(read(file), boards[0], {})])
    assert "<script>alert" not in page
    assert "\x1b" not in page
