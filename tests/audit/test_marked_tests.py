"""Tests that are marked `audit` are played by the audit, and by nobody else who does not name them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests import conftest
from tests.audit import marked_tests
from tests.audit.code import ROOT


class Item:
    """As much of a test as its marks are asked of."""

    def __init__(self, *marks: str) -> None:
        self.nodeid = "tests/test_x.py::test_" + "_".join(marks)
        self.marks = marks

    def get_closest_marker(self, mark: str) -> str | None:
        return mark if mark in self.marks else None


ITEMS: list[Any] = [Item(), Item("audit"), Item("thorough"), Item("thorough", "audit")]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("option", "arguments", "left"),
    [
        ("", [], [0]),
        ("--thorough", [], [2]),
        ("--audit", [], [1, 3]),
        ("", ["tests/test_x.py::test_audit"], [0, 1]),
    ],
)
def test_a_test_that_is_marked_is_left_to_who_asks_for_it(
    option: str, arguments: list[str], left: list[int]
) -> None:
    config: Any = SimpleNamespace(
        option=SimpleNamespace(markexpr=""),
        getoption=lambda name: name == option,
        args=arguments,
        hook=SimpleNamespace(pytest_deselected=lambda items: None),
    )
    items = list(ITEMS)
    conftest.leave_out(config, items)
    assert items == [ITEMS[number] for number in left]


CONFTEST = """
def pytest_addoption(parser):
    parser.addoption("--audit", action="store_true")

def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if item.get_closest_marker("audit")]
"""

MODULE = """
import pytest

@pytest.mark.parametrize("text", ["a b", "c, d"])
@pytest.MARK
def test_each(text):
    assert text == "a b"

@pytest.MARK
def test_that_holds():
    pass

@pytest.MARK
def test_that_is_skipped():
    pytest.skip("nothing here")

def test_another():
    pass
"""


@pytest.mark.thorough
def test_they_are_cells_and_fail_where_one_of_their_parameters_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (tmp_path / "tests" / "test_marked.py").write_text(
        MODULE.replace("MARK", marked_tests.MARK), encoding="utf-8"
    )
    monkeypatch.setattr(marked_tests, "ROOT", tmp_path)
    marked_tests.cells.cache_clear()
    each, holds, skipped = (
        f"tests/test_marked.py::test_{x}" for x in ("each", "that_holds", "that_is_skipped")
    )
    assert marked_tests.cells() == [each, holds, skipped]
    marked_tests.cells.cache_clear()
    assert marked_tests.check(holds) is None
    assert "FAILED" in (marked_tests.check(each) or "")
    assert "nothing here" in (marked_tests.check(skipped) or "")
