"""Exports: rows come back as they were, and nothing in them is a formula."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.web import codebook
from mensura.web.exporting import (
    FORMULAS,
    csv_text,
    first_ready,
    in_pieces,
    parquet_file,
    plain_rows,
)

pytestmark = pytest.mark.quick

INTERACTIONS = codebook.types_of(codebook.INTERACTIONS)
QUESTIONNAIRES = codebook.types_of(codebook.QUESTIONNAIRES)

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\r\0"))


@given(st.lists(st.tuples(TEXTS, st.floats(allow_nan=False)), max_size=5))
def test_no_cell_is_a_formula_and_numbers_stay_numbers(rows: list[tuple[str, float]]) -> None:
    text = "".join(csv_text(["text", "number"], rows))
    names, *read = csv.reader(io.StringIO(text, newline=""))
    assert names == ["text", "number"]
    for (written, number), (cell, digits) in zip(rows, read, strict=True):
        assert not cell.startswith(FORMULAS)
        assert cell.removeprefix("'") == written.removeprefix("'")
        assert float(digits) == number


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_is_shown_as_text(text: str) -> None:
    (_, line) = csv_text(["answer"], [[text]])
    assert next(csv.reader(io.StringIO(line, newline=""))) == ["'" + text]


ROWS: list[Mapping[str, Any]] = [
    {
        "pseudonym": "P0001",
        "exercise": 1,
        "interaction": i,
        "observation": {"cells": [1, 2]},
        "action": 2,
        "reward": -0.5,
        "response_ms": 812.5,
        "waited_ms": None,
        "at": "2026-01-01T00:00:00.000+00:00",
    }
    for i in range(3000)
]


def test_interactions_come_back_from_parquet() -> None:
    polars = pytest.importorskip("polars")
    rows = first_ready(plain_rows(iter(ROWS), INTERACTIONS))
    file = io.BytesIO(b"".join(in_pieces(parquet_file(INTERACTIONS, rows))))
    frame = polars.read_parquet(file)
    assert frame.columns == list(INTERACTIONS)
    assert frame["interaction"].to_list() == list(range(3000))
    assert frame.row(7) == (
        "P0001", None, None, None, None, 1, 7, '{"cells":[1,2]}', "2", None, -0.5, 812.5, None,
        "2026-01-01T00:00:00.000+00:00", None,
    )  # fmt: skip


def test_a_file_of_nothing_has_its_columns() -> None:
    polars = pytest.importorskip("polars")
    rows = first_ready(plain_rows(iter(()), QUESTIONNAIRES))
    frame = polars.read_parquet(io.BytesIO(b"".join(in_pieces(parquet_file(QUESTIONNAIRES, rows)))))
    assert frame.columns == list(QUESTIONNAIRES)
    assert "".join(csv_text(list(QUESTIONNAIRES), [])) == "pseudonym,question,answer\r\n"


def test_what_is_wrong_is_told_before_an_answer_begins() -> None:
    def broken() -> Any:
        raise MensuraError("The rows cannot be read.")
        yield {}

    with pytest.raises(MensuraError, match="cannot be read"):
        first_ready(plain_rows(broken(), QUESTIONNAIRES))
