"""The audit goes on where it was stopped, however that was, and a cell that fails costs itself alone."""

from __future__ import annotations

import math
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.audit import journal, runner, tables
from tests.audit.choice import failed_once
from tests.audit.code import ROOT
from tests.audit.journal import InUseError, Journal, Result
from tests.audit.runner import Call, ChangedError, Standing, play
from tests.audit.toys import Toy, lives, make_toy, wait_until
from tests.audit.workers import Crew

MakeToy = Callable[..., Toy]


@pytest.fixture
def toy_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeToy:
    return lambda *cells: make_toy(tmp_path, list(cells), monkeypatch)


def begin(toy: Toy, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        toy.command(*options), cwd=ROOT, env=toy.settings(), stdout=subprocess.PIPE, text=True
    )


def call(toy: Toy, until: float = math.inf, again: bool = False) -> Call:
    return Call(toy.root, 1, 600, until, again)


def test_a_killed_audit_loses_the_cell_under_way_and_counts_none_twice(toy_of: MakeToy) -> None:
    toy = toy_of("a/x/0", "a/x/wait", "a/y/wrong", "b/x/0")
    with begin(toy) as first:
        worker = toy.process_of("a/x/wait")
        first.kill()
    wait_until(lambda: not lives(worker))  # it ends with whoever started it
    with toy.journal.open("a", encoding="utf-8") as file:
        file.write('{"cell": "a/x/wait", "fai')  # torn by a machine that stopped
    toy.open()
    with begin(toy) as second:
        said = second.communicate()[0]
    assert second.returncode == 1  # a cell failed
    assert "toy: 1 of 4 cells played, 0 failed, about" in said
    assert "failed: a/y/wrong: it is wrong" in said
    assert Counter(toy.played()) == {"a/x/0": 1, "a/x/wait": 2, "a/y/wrong": 1, "b/x/0": 1}
    results = journal.read(toy.journal)
    assert Counter(result.cell for result in results) == Counter(set(toy.played()))
    (x, y, b) = tables.read(tables.table_of("toy", toy.root))
    assert [(row.group, row.cells, row.failed) for row in (x, y, b)] == [
        ("a/x", 2, ""),
        ("a/y", 1, "a/y/wrong"),
        ("b/x", 1, ""),
    ]
    assert failed_once("toy", toy.root) == ["a/y/wrong"]


def test_ctrl_c_says_how_far_it_is(toy_of: MakeToy) -> None:
    toy = toy_of("a/x/0", "a/x/wait", "a/x/1")
    with begin(toy) as audit:
        worker = toy.process_of("a/x/wait")
        audit.send_signal(signal.SIGINT)
        said = audit.communicate()[0]
    assert audit.returncode == 130
    assert "Stopped. toy: 1 of 3 cells played, 0 failed, about" in said
    assert not lives(worker)


def test_a_cell_that_hangs_or_dies_costs_itself_only(toy_of: MakeToy, tmp_path: Path) -> None:
    toy = toy_of()
    crew = Crew(toy.address, 1, math.inf, tmp_path / "output")
    failures: dict[str, str | None] = {}
    try:
        for outcome in crew.play(["a/x/die", "a/x/wait", "a/x/0"], math.inf):
            if outcome:
                failures[outcome.cell] = outcome.failure
                crew.limit = math.inf
            elif "a/x/wait" in toy.played() and "a/x/wait" not in failures:
                crew.limit = 0.0
    finally:
        crew.close()
    assert failures == {
        "a/x/die": "its process died of SIGSEGV",
        "a/x/wait": "it took longer than 0 seconds",
        "a/x/0": None,
    }


def test_an_exception_is_a_failure_on_one_line_and_its_process_goes_on(
    toy_of: MakeToy, tmp_path: Path
) -> None:
    toy = toy_of()
    crew = Crew(toy.address, 1, math.inf, tmp_path / "output")
    try:
        outcomes = [outcome for outcome in crew.play(["a/x/raise", "a/x/0"], math.inf) if outcome]
    finally:
        crew.close()
    assert [outcome.failure for outcome in outcomes] == ["ValueError: that is wrong", None]
    assert toy.process_of("a/x/raise") == toy.process_of("a/x/0")


def test_results_of_code_that_has_changed_are_stale_and_its_table_stays(toy_of: MakeToy) -> None:
    toy = toy_of("a/x/0", "a/x/1")
    assert not play(toy.address, call(toy)).missing()
    table = tables.table_of("toy", toy.root).read_text(encoding="utf-8")
    assert play(toy.address, call(toy)).results.keys() == {"a/x/0", "a/x/1"}
    assert len(toy.played()) == 2
    toy.file.write_text(toy.file.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    changed = play(toy.address, call(toy, until=-math.inf))  # no time to play
    assert changed.missing() == ["a/x/0", "a/x/1"]
    assert changed.seconds_left(changed.missing(), 1)  # known from the other state
    assert tables.table_of("toy", toy.root).read_text(encoding="utf-8") == table


def test_code_that_changes_while_it_is_played_ends_the_call(
    toy_of: MakeToy, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = toy_of("a/x/0", "a/x/1")
    monkeypatch.setattr(runner, "LOOKED_EVERY", 0.0)
    source = toy.root / "src" / "new.py"

    def edit(line: str) -> None:
        source.parent.mkdir(exist_ok=True)
        source.touch()

    monkeypatch.setattr(runner, "say", edit)
    with pytest.raises(ChangedError):
        play(toy.address, call(toy))
    assert journal.read(toy.journal) == []
    source.unlink()
    assert Standing(toy.address, toy.root).missing() == ["a/x/0", "a/x/1"]


def test_cells_that_failed_are_played_again_on_request(toy_of: MakeToy) -> None:
    toy = toy_of("a/x/0", "a/x/wrong")
    play(toy.address, call(toy))
    play(toy.address, call(toy))
    play(toy.address, call(toy, again=True))
    assert toy.played() == ["a/x/0", "a/x/wrong", "a/x/wrong"]


RESULT = Result("a/x/0", None, 0.5, "state", "commit", "2026-01-31")


def test_a_line_that_is_torn_is_none_and_harms_no_other(tmp_path: Path) -> None:
    path = tmp_path / "toy.jsonl"
    for text in ("", '{"cell": "a', '"a"', "{}", "\0\0"):
        path.write_text(text, encoding="utf-8")
        writer = Journal(path)
        writer.add(RESULT)
        writer.close()
        assert journal.read(path) == [RESULT]


def test_two_do_not_play_one_law_at_the_same_time(tmp_path: Path) -> None:
    first = Journal(tmp_path / "toy.jsonl")
    with pytest.raises(InUseError, match="toy"):
        Journal(tmp_path / "toy.jsonl")
    first.close()
    Journal(tmp_path / "toy.jsonl").close()


def test_the_last_result_of_a_cell_counts_and_only_in_its_state() -> None:
    failed = Result(**{**asdict(RESULT), "failure": "it is wrong"})
    other = Result(**{**asdict(RESULT), "state": "other"})
    assert journal.of_state([failed, RESULT, other], "state") == {"a/x/0": RESULT}
    assert journal.of_state([RESULT, failed, other], "state") == {"a/x/0": failed}
