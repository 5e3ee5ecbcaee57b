"""The pages on records name every table and column, and their examples run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.records.pages import MADE, PAGE, part
from tests.records.toys import make_batch, make_cells, new_run

from mensura.records import schema
from mensura.records.store import open_store


@pytest.mark.parametrize("name", MADE)
def test_the_reference_has_every_column_as_it_is(name: str) -> None:
    """Where it does not: python -m tests.records.pages"""
    found = part(name).search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    assert found[0] == MADE[name]()


def test_every_column_says_what_it_is() -> None:
    for table in schema.metadata.tables.values():
        for column in table.columns:
            assert column.doc, f"{table.name}.{column.name}"
            assert column.doc.endswith("."), f"{table.name}.{column.name}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store that the examples can be tried on."""
    monkeypatch.chdir(tmp_path)
    with open_store("mensura.db") as store:
        cells = make_cells()
        run = store.begin(new_run("lambda-star-2016", cells))
        with store.seize(run) as lease:
            lease.commit([make_batch(cell) for cell in cells])
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", ["reference/records.md", "how-to/records.md"])
def test_the_examples_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (PAGE.parent.parent / page).read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        exec(compile(example, page, "exec"), {})
    assert "random" in capsys.readouterr().out


def test_the_query_of_the_reference_gives_the_rows_of_a_cell(folder: Path) -> None:
    import sqlite3

    queries = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert queries
    connection = sqlite3.connect(folder / "mensura.db")
    assert len(connection.execute(queries[0]).fetchall()) == 10
    connection.close()
