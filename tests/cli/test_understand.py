"""``mensura understand``, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.reports.reading import check

Typed = Callable[..., tuple[int, str, str]]

SMALL = ("--world", "lambda-star", "--questions", "2", "--seed", "1")


@pytest.mark.usefixtures("words_only")
def test_a_table_a_page_and_data(mensura: Typed) -> None:
    words = ("understand", "oracle-model", "random", *SMALL, "-p", "evil")
    status, out, err = mensura(*words, "--json", "u.json", "-o", "u.html")
    assert (status, err) == (0, "")
    assert "Understanding of evil in lambda-star-v2" in out
    data = json.loads(Path("u.json").read_text())
    assert [one["subject"] for one in data["understandings"]] == ["oracle-model", "random"]
    assert data["understandings"][0]["minimum"] == 1.0
    page = check(Path("u.html").read_text(encoding="utf-8"))
    assert "parts-table" in page.tables


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("random", "random"), "The subject random is named twice"),
        (("random", "-p", "gold"), "lambda-star-v2 has no phenomenon 'gold'"),
        (("nobody",), "There is no subject 'nobody'"),
    ],
)
def test_bad_input_is_one_sentence(mensura: Typed, words: tuple[str, ...], sentence: str) -> None:
    status, _, err = mensura("understand", *words, *SMALL)
    assert status == 2
    assert sentence in err
