"""``mensura complexity``, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_it_tells_the_program_what_comes_next_and_whether_that_can_be_disputed(
    mensura: Any,
) -> None:
    typed = mensura("complexity", "a d g j", "--json", "c.json")
    assert typed.status == 0, typed.err
    assert "Kt 9.00, k 9: W + + + LOOPTOP" in typed.out
    assert "It goes on: m p s v y b" in typed.out
    assert "Unquestionable: all four conditions hold." in typed.out
    data = json.loads(Path("c.json").read_text(encoding="utf-8"))
    assert (data["kt"], data["k"], data["unquestionable"]) == (9.0, 9, True)
    assert data["letters"][0]["letter"] == "m"


def test_rivals_have_their_margins_and_the_failed_condition_is_named(mensura: Any) -> None:
    typed = mensura("complexity", "a", "a", "b", "--json", "c.json")
    assert "It ends after the series." in typed.out
    assert "Not unquestionable (goes on)" in typed.out
    data = json.loads(Path("c.json").read_text(encoding="utf-8"))
    costs = {one["letter"]: one["kt"] for one in data["letters"]}
    assert costs["a"] - costs["b"] == pytest.approx(1.26, abs=0.01)


def test_another_reading_of_the_machine_can_be_asked_for(mensura: Any) -> None:
    typed = mensura("complexity", "yyxwwv", "--machine", "start=y")
    assert "Kt 9.32, k 9: W W - W - LOOPTOP" in typed.out


def test_a_blank_is_filled(mensura: Any) -> None:
    typed = mensura("complexity", "a _ a z a y a")
    assert "a _ a z a y a: the blank" in typed.out


def test_it_says_how_far_it_got(mensura: Any) -> None:
    typed = mensura("complexity", "a q c x", "--length", "4")
    assert typed.status == 0
    assert "No program was found that prints this series." in typed.out
    assert "All programs up to length 4 were tried." in typed.out
    assert "was not settled" in typed.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["a b 3"],
            "mensura: A series has letters from a to z and at most one blank (_), not '3'.",
        ),
        ([""], "mensura: The series is empty: give at least one letter, as in a b c d."),
        (["a" * 30], "mensura: The series has 30 letters; at most 26 can be explained."),
        (["ab", "--length", "99"], "mensura: Programs have from 1 to 16 instructions, not 99."),
        (["ab", "--machine", "turing"], "mensura: 'turing' says nothing about the machine"),
    ],
)
def test_bad_input_is_one_sentence(mensura: Any, words: list[str], sentence: str) -> None:
    typed = mensura("complexity", *words)
    assert typed.status == 2
    assert typed.err.startswith(sentence)
    assert typed.err.count("\n") == 1
