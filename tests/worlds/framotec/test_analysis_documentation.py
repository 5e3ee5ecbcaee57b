"""The page on what tasks cost shows what really is: code that runs, and its own pictures and numbers."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.pages import DOCS, cells, follow

from mensura.worlds.framotec.analysis.dimensions import dimensions
from mensura.worlds.framotec.analysis.theory import PROPERTIES
from mensura.worlds.framotec.paper import SAMPLES

PAGE = (DOCS / "worlds" / "framotec-analysis.md").read_text(encoding="utf-8")
ROWS = [cells(line) for line in PAGE.splitlines() if line.startswith("|")]
PICTURES = re.findall(r"\]\(\.\./images/([\w.-]+)\)", PAGE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader has followed the page."""
    there = tmp_path_factory.mktemp("page")
    follow(PAGE, there)
    return there


@pytest.mark.thorough
@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_are_those_that_the_commands_draw(folder: Path, name: str) -> None:
    drawn, shown = (
        [*ElementTree.fromstring((place / name).read_text(encoding="utf-8")).itertext()]
        for place in (folder, DOCS / "images")
    )
    assert drawn == shown


def test_the_properties_are_those_that_there_are() -> None:
    shown = {row[0].strip("`"): row[1] for row in ROWS if len(row) == 2 and row[0].startswith("`")}
    assert shown == {name: what for name, (what, _) in PROPERTIES.items()}


def test_the_other_tasks_of_the_table_begin_with_their_least_time() -> None:
    for name, what, time, *_ in (row for row in ROWS if len(row) == 6):
        if what == "as it is":
            task = SAMPLES[name.strip("`")]().middle
            assert float(time) == pytest.approx(dimensions(task).part.fastest - task.dt, abs=1e-3)
