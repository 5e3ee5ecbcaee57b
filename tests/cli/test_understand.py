"""``mensura understand``, as a person types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.readers import ROOT, blocks
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


def test_an_agent_with_a_network_inside_is_assessed_and_asked_as_the_page_says(
    mensura: Typed,
) -> None:
    page = (ROOT / "docs/how-to/measure-understanding.md").read_text(encoding="utf-8")
    (code,) = [block for _, title, _, block in blocks(page) if title == "my_model.py"]
    assert "self.model = Network(" in code
    Path("my_model.py").write_text(code, encoding="utf-8")
    first, second = (line for line in page.splitlines() if "my_model.py:Mine --world" in line)
    assert first.startswith("mensura assess") and second.startswith("mensura understand")  # noqa: PT018
    status, out, err = mensura(*first.split()[1:], "--set", "horizon=5", "--episodes", "2")
    assert (status, "my_model.py:Mine" in out) == (0, True), err
    words = second.partition(" --json")[0].split()[1:]
    status, out, err = mensura(*words, "--questions", "2", "--json", "mine.json")
    assert status == 0, err
    (asked,) = json.loads(Path("mine.json").read_text())["understandings"]
    assert asked["recreate"]["value"] > 0.0
    assert asked["explain"]["value"] is None
    assert asked["explain"]["why"] == "its probes have no explain()"
    assert asked["faults"] == []


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
