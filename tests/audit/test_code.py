"""Whatever a result may depend on makes it stale, and nothing else does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.audit.code import Code, commit, git

pytestmark = pytest.mark.quick


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {
        "src/mensura/core.py": "",
        "src/mensura/data.txt": "",
        "pyproject.toml": "",
        "a_law.py": "def check():\n    from tests.room import helper\n",
        "tests/conftest.py": "",
        "tests/room/helper.py": "import tests.deeper",
        "tests/deeper.py": "",
        "tests/other.py": "",
        "tests/golden.json": "",
        "tests/room/test_x.py": "from tests import other",
        "tests/audit/failed/wrappers.txt": "",
        "docs/index.md": "",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "a_law", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "stale"),
    [
        ("src/mensura/core.py", True),
        ("src/mensura/data.txt", True),
        ("src/mensura/new.py", True),
        ("pyproject.toml", True),
        ("constraints.txt", True),
        ("a_law.py", True),
        ("tests/room/helper.py", True),
        ("tests/deeper.py", True),
        ("tests/golden.json", True),
        ("tests/other.py", False),
        ("tests/room/test_x.py", False),
        ("tests/audit/failed/wrappers.txt", False),
        ("docs/index.md", False),
        ("src/mensura/__pycache__/core.pyc", False),
    ],
)
def test_a_change_makes_results_stale_where_they_may_depend_on_it(
    checkout: Path, file: str, stale: bool
) -> None:
    code = Code("a_law:LAW", [], checkout)
    (checkout / file).parent.mkdir(exist_ok=True)
    (checkout / file).write_text("# changed\n", encoding="utf-8")
    assert code.changed() is stale
    assert (Code("a_law:LAW", [], checkout).state != code.state) is stale


@pytest.mark.parametrize("file", ["tests/room/test_x.py", "tests/other.py", "tests/conftest.py"])
def test_where_cells_are_tests_their_files_count_with_what_they_import(
    checkout: Path, file: str
) -> None:
    code = Code("a_law:LAW", ["tests/room/test_x.py::test_y"], checkout)
    (checkout / file).write_text("# changed\n", encoding="utf-8")
    assert code.changed()


def test_files_that_are_written_anew_as_they_were_are_no_change(checkout: Path) -> None:
    code = Code("a_law:LAW", [], checkout)
    (checkout / "src" / "mensura" / "core.py").write_text("", encoding="utf-8")
    assert not code.changed()


def test_outside_of_a_checkout_there_is_no_commit(checkout: Path) -> None:
    assert commit(checkout) == ""
    git(checkout, "init", "--quiet")
    if (checkout / ".git").exists():
        (checkout / "inside").mkdir()
        assert git(checkout, "rev-parse", "--show-toplevel")
        assert git(checkout / "inside", "rev-parse", "--show-toplevel") == ""
