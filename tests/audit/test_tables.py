"""Tables are small, and the page is what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.audit.code import ROOT
from tests.audit.journal import Result
from tests.audit.law import Law
from tests.audit.laws import all_laws
from tests.audit.tables import Row, page, page_of, read, rows, table_of, write

pytestmark = pytest.mark.quick

RESULTS = [
    *(
        Result(f"a/x/{n}", "wrong" if n < 4 else None, 0.5, "s", "c1", "2026-01-30")
        for n in range(9)
    ),
    Result("b/x/0", None, 2.0, "s", "c2", "2026-01-31"),
    Result("b/y", None, 2.0, "s", "c1", "2026-01-30"),
]
LAW = Law("toy", "Toys hold.", tuple, lambda cell: None, tuple, tuple)


def test_a_table_has_a_row_for_each_group_and_names_what_failed(tmp_path: Path) -> None:
    table = rows(RESULTS)
    assert table == [
        Row("a/x", 9, 4, 4, "c2", "2026-01-31", "a/x/0 a/x/1 a/x/2 a/x/3"),
        Row("b/x", 1, 0, 2, "c2", "2026-01-31", ""),
        Row("b/y", 1, 0, 2, "c2", "2026-01-31", ""),
    ]
    write(table_of("toy", tmp_path), table)
    assert read(table_of("toy", tmp_path)) == table


def test_the_page_sums_a_law_up_shows_its_table_and_names_a_few_failures(tmp_path: Path) -> None:
    write(table_of("toy", tmp_path), rows(RESULTS))
    text = page([LAW], tmp_path)
    assert "| [toy](#toy) | 11 | 4 | 8 | c2 | 2026-01-31 |" in text
    assert "## toy\n\nToys hold.\n" in text
    assert "| a | 9 | 4 | 4 | `a/x/0`, `a/x/1`, `a/x/2`, and 1 more |" in text
    assert "| b | 2 | 0 | 4 |  |" in text


def test_a_law_that_has_not_been_played_whole_says_so(tmp_path: Path) -> None:
    assert "| [toy](#toy) | | | | | not yet played |" in page([LAW], tmp_path)


def test_the_page_of_the_documentation_is_what_the_tables_say() -> None:
    assert page_of().read_text(encoding="utf-8") == page(all_laws()), (
        "write it anew: python -m tests.audit --page"
    )


def test_every_table_is_of_a_law() -> None:
    tables = {path.stem for path in (ROOT / "docs" / "audit").glob("*")}
    assert tables <= {law.name for law in all_laws()}
