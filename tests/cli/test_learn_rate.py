"""``mensura learn-rate``, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SMALL = ("--set", "cells=4", "--set", "actions=2", "--tasks", "6", "--interactions", "64")


@pytest.mark.thorough
def test_it_prints_the_rate_and_its_check_and_writes_a_page_and_data(
    mensura: Any, words_only: None
) -> None:
    typed = mensura(
        *("learn-rate", "q-learning", *SMALL, "--learners", "2", "--seed", "1", "--level", "0.1"),
        *("--report", "page.html", "--json", "data.json"),
    )
    assert typed.status == 0, typed.err
    for words in ("learn rate r", "error of log T in held-out tasks", "T by the model", "seed 1"):
        assert words in typed.out
    data = json.loads(Path("data.json").read_text(encoding="utf-8"))
    assert (data["level"], len(data["times"])) == (0.1, 6)
    assert data["rate"]["held_out"]["tasks"] == 6
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Times by complexity" in page
    assert "--level 0.1" in page


def test_bad_input_is_a_sentence(mensura: Any) -> None:
    for words, sentence in (
        (("--tasks", "3"), "3 tasks are too few"),
        (("--level", "-2"), "The level -2 is no performance"),
        (("--measure", "weight"), "has no complexity 'weight'"),
    ):
        typed = mensura("learn-rate", "random", *SMALL, *words)
        assert typed.status == 2
        assert sentence in typed.err
        assert len(typed.err.strip().splitlines()) == 1
