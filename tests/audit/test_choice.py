"""What `make test` plays of a law changes from day to day, but never for one commit."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.audit.choice import A_DAY, chosen, day_of_the_commit, drawn, failed_once, remember
from tests.audit.law import Law

pytestmark = pytest.mark.quick

CELLS = [f"a/x/{number}" for number in range(100)]
LAW = Law("toy", "Toys hold.", lambda: CELLS, lambda cell: None, lambda: CELLS[:2], lambda: CELLS)


def test_fixed_cells_those_that_failed_once_and_some_of_the_day_are_played_once_each(
    tmp_path: Path,
) -> None:
    for cell in ("a/x/50", "a/x/0", "a/x/50"):
        remember("toy", cell, tmp_path)
    assert failed_once("toy", tmp_path) == ["a/x/50", "a/x/0"]
    cells = chosen(LAW, "2026-01-31", tmp_path)
    assert cells[:3] == ["a/x/0", "a/x/1", "a/x/50"]
    assert len(set(cells)) == len(cells) == 3 + A_DAY
    assert cells == chosen(LAW, "2026-01-31", tmp_path)


def test_within_months_all_cells_have_their_day() -> None:
    days = [f"2026-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]
    assert {cell for day in days for cell in drawn(CELLS, day)} == set(CELLS)


def test_the_day_is_that_of_the_commit_and_outside_of_a_checkout_the_version(
    tmp_path: Path,
) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n', encoding="utf-8")
    assert day_of_the_commit(tmp_path) == "1.2.3"
    try:
        subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    except OSError:
        pytest.skip("git is not installed")
    assert day_of_the_commit(tmp_path) == "1.2.3"  # nothing is committed yet
    who = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    made = ("commit", "--quiet", "--allow-empty", "--message", "Begin", "--no-verify")
    subprocess.run(["git", *who, *made], cwd=tmp_path, check=True)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day_of_the_commit(tmp_path))
