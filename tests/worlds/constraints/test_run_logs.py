"""Logs of real runs: what is not as it was is found out, and the commands that write and check them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.worlds.constraints.real_runs import run_on
from typer.testing import CliRunner

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.commands import app
from mensura.worlds.constraints.execution.crew import Event
from mensura.worlds.constraints.execution.logs import Log, read_log, replayable, write_log
from mensura.worlds.constraints.execution.replay import check_log
from mensura.worlds.constraints.execution.runs import Plan
from mensura.worlds.constraints.formats import problem_text
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.problem import Problem


@cache
def queens() -> Problem:
    return FAMILIES["queens"].problem(np.random.default_rng(1), n=5)


@cache
def log() -> Log:
    return run_on(Plan(queens(), "abt", seed=7, logs=True), 3).log()


def first(wanted: Callable[[Event], object]) -> int:
    return next(at for at, one in enumerate(log().events) if wanted(one))


def with_event(at: int, **changes: Any) -> Log:
    events = list(log().events)
    events[at] = events[at]._replace(**changes)
    return replace(log(), events=tuple(events))


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_log(tmp_path / "run.jsonl", log())
    assert read_log(tmp_path / "run.jsonl") == log()
    assert check_log(queens(), log()).turns == len(log().events)


def test_the_page_of_a_real_run_shows_all_its_turns() -> None:
    checked = check_log(queens(), log())
    overview = checked.trace.overview()
    assert overview["turns"] == len(log().events)
    assert overview["ended"] == "all letters are read"
    assert sum(one["letters"] for one in checked.trace.turns(0, 10**6)) == sum(
        line[0].isdigit() for one in log().events for line in one.wrote
    )
    assert "<html" in checked.trace.page()


def test_the_order_of_lines_does_not_matter() -> None:
    backwards = replace(log(), events=tuple(reversed(log().events)))
    assert check_log(queens(), backwards).turns == len(log().events)


def test_every_forgery_is_found_out() -> None:
    reader = first(lambda one: one.read)
    letters = log().events[reader].read
    writer = first(lambda one: any(line[0].isdigit() for line in one.wrote))
    lines = log().events[writer].wrote
    one = log().events[reader]
    other = {name: (value + 1) % 5 for name, value in one.value.items()}
    forgeries = {
        "nobody had written to it by then": with_event(
            reader, read=[f"{one.agent} {letters[0]}", *letters[1:]]
        ),
        "which was not the next letter": with_event(reader, read=[letters[0] + "1", *letters[1:]]),
        "the value of the log is": with_event(reader, value=other),
        "the mail of the log is": with_event(writer, wrote=[lines[0] + "1", *lines[1:]]),
        "has 9 non-concurrent constraint checks in the log": with_event(reader, counter=9),
        "The clock of turn": with_event(reader, clock={**one.clock, one.agent: one.turn, 9: 0}),
        "no turn that could be played": replace(log(), events=()),
        "one of another problem": replace(log(), head=replace(log().head, digest="x")),
        "which does not exist": replace(log(), head=replace(log().head, order="x")),
        "nobody made one": replace(log(), head=replace(log().head, ended="claim")),
        "There is no algorithm 'x'": replace(log(), head=replace(log().head, algorithm="x")),
    }
    for sentence, forged in forgeries.items():
        with pytest.raises(MensuraError, match=sentence):
            check_log(queens(), forged)


def test_another_seed_is_found_out() -> None:
    with pytest.raises(MensuraError, match="of the log is"):
        check_log(queens(), replace(log(), head=replace(log().head, seed=8)))


def test_turns_whose_causes_are_lost_are_left_out_and_counted() -> None:
    kept = tuple(one for one in log().events if one.agent != 4)
    whole, left_out = replayable(kept)
    assert left_out > 0
    assert len(whole) + left_out == len(kept)
    checked = check_log(queens(), replace(log(), events=kept))
    assert (checked.turns, checked.left_out) == (len(whole), left_out)


HEAD = {"mensura": 1, "log": "constraints", "digest": "x", "algorithm": "abt", "agents": 2, "seed": 0, "order": "index",
        "parameters": {}, "ended": "quiet", "lost": []}  # fmt: skip
TURN = {
    "agent": 0,
    "turn": 1,
    "clock": {"0": 1},
    "read": [],
    "wrote": [],
    "value": {"x": 0},
    "counter": 0,
}


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "is empty"),
        (["{"], "line 1: it is no JSON"),
        ([{"mensura": 2}], "line 1: it is no head of a log"),
        ([{**HEAD, "seed": "a"}], "line 1: it does not say what was run"),
        ([{**HEAD, "seed": 1 << 64}], "line 1: it does not say what was run"),
        ([{**HEAD, "more": 1}], "line 1: it does not say what was run"),
        ([HEAD, TURN, []], "line 3: it is no turn of an agent"),
        ([HEAD, {**TURN, "agent": -1}], "line 2: agents, turns, counters, clocks and values are"),
        ([HEAD, {**TURN, "counter": -1}], "line 2: agents, turns, counters, clocks and values are"),
        (
            [HEAD, {name: one for name, one in TURN.items() if name != "counter"}],
            "line 2: it is no turn of an agent",
        ),
        ([HEAD, {**TURN, "wrote": [1]}], "line 2: letters are texts"),
        ([HEAD, {**TURN, "turn": 2}], "line 2: the clock of a turn counts it"),
    ],
)
def test_what_is_no_log_is_one_sentence(lines: list[Any], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    texts = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    path.write_text("\n".join(texts))
    with pytest.raises(MensuraError, match=sentence):
        read_log(path)


def typed(*words: str) -> str:
    result = CliRunner().invoke(app, [*words], catch_exceptions=False)
    assert result.exit_code == 0
    return " ".join(result.output.split())


def test_a_run_is_logged_and_checked_by_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.yaml").write_text(problem_text(queens()))
    said = typed(
        *("run", "q.yaml", "--with", "awcs", "--processes", "2", "--log", "run.jsonl", "--json", "r.json")
    )  # fmt: skip
    assert "awcs is done: cost 0, by" in said
    told = json.loads(Path("r.json").read_text())
    assert (told["verdict"], told["ended"], told["cost"]) == ("solved", "quiet", 0)
    assert len(told["values"]) == 5
    said = typed("check-log", "q.yaml", "run.jsonl", "--page", "run.html")
    assert "gave the same values, letters and counters; cost 0 after the last" in said
    assert f"{told['counts']['nccc']:,} non-concurrent constraint checks" in said
    assert told["counts"]["nccc"] > 0
    assert "<html" in Path("run.html").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "q.yaml", "--with", "magic"), "There is no algorithm 'magic'"),
        (("run", "q.yaml", "--order", "magic"), "There is no order 'magic'; there are index"),
        (("run", "q.yaml", "--set", "p"), "--set p is no parameter; one is NAME=NUMBER"),
        (("run", "q.yaml", "--hosts", "a:1"), "--hosts needs --token-file"),
        (("run", "q.yaml", "--hosts", "a", "--token-file", "t"), "'a' is no address"),
        (("run", "q.yaml", "--hosts", "a:1", "--token-file", "none"), "token file none cannot be used"),
        (("run", "q.yaml", "--hosts", "a:1", "--token-file", "t"), "has 5 characters; it needs at least 16"),
        (("run", "q.yaml", "--log", "none/run.jsonl"), "none"),
        (("check-log", "q.yaml", "none.jsonl"), "none.jsonl cannot be read"),
        (("host", "--listen", "nowhere"), "'nowhere' is no address"),
        (("host", "--token-file", "t"), "has 5 characters"),
    ],
)  # fmt: skip
def test_bad_commands_are_one_sentence(
    words: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.yaml").write_text(problem_text(queens()))
    Path("t").write_text("short\n")
    with pytest.raises(MensuraError, match=sentence):
        typed(*words)
