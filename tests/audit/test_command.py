"""The command says how far each law is, and what it cannot do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.audit import laws
from tests.audit.__main__ import main
from tests.audit.code import ROOT
from tests.audit.laws import LAWS, all_laws
from tests.audit.toys import make_toy

pytestmark = pytest.mark.quick


def test_it_lists_laws_with_their_sentences_and_how_far_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    toy = make_toy(tmp_path, ["a/x/0", "a/x/1"], monkeypatch)
    assert main(["--law", toy.address, "--root", str(tmp_path), "--list"]) == 0
    assert capsys.readouterr().out == "toy: 0 of 2 cells played, 0 failed\n    Toys hold.\n"


def test_a_cell_alone_is_played_here_and_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    toy = make_toy(tmp_path, ["a/x/0", "a/x/wrong"], monkeypatch)
    assert main(["--law", toy.address, "--cell", "a/x/0"]) == 0
    assert main(["--law", toy.address, "--cell", "a/x/wrong"]) == 1
    assert main(["--law", toy.address, "--cell", "a/x/none"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "toy: it holds",
        "toy: it is wrong",
        "No law has the cell a/x/none.",
    ]
    assert not toy.journal.exists()


def test_a_law_that_there_is_not_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--law", "nosuch"]) == 2
    assert "No law is called nosuch" in capsys.readouterr().out


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    for word in ("docs/audit/LAW.csv", "tests/audit/failed/LAW.txt", "make audit LAW=wrappers"):
        assert word in text


def test_make_hands_on_which_law_how_long_and_how_many_at_a_time() -> None:
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    words = ["make", "--dry-run", "audit", "LAW=wrappers", "MINUTES=30", "JOBS=2"]
    commands = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "-m tests.audit --law wrappers --minutes 30 --jobs 2" in commands


def test_names_of_laws_and_cells_are_safe_in_files_and_tables() -> None:
    assert len({law.name for law in all_laws()}) == len(LAWS)
    for law in all_laws():
        assert law.name.isidentifier()
        for cell in law.cells():
            assert not set(cell) & set(' ,\n"')


def test_what_is_no_law_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="is no law"):
        laws.load("tests.audit.laws:LAWS")
