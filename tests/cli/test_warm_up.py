"""Compiling ahead."""

from __future__ import annotations

from typing import Any

import pytest

from mensura.core import compiling
from mensura.studies.warming import warm_up


def test_all_worlds_are_compiled_and_it_is_said(mensura: Any) -> None:
    typed = mensura("warm-up", "echo", "framotec")
    assert typed.status == 0, typed
    assert typed.out.startswith("Compiled: echo, framotec, in ")


def test_after_it_nothing_is_compiled_any_more(mensura: Any) -> None:
    assert mensura("warm-up", "lambda-star", "--preset", "landscape").status == 0
    told: list[str] = []
    before = compiling.on_compile(told.append)
    try:
        steps = list(warm_up("lambda-star", ["landscape"]))
    finally:
        compiling.on_compile(before)
    assert not told
    assert steps[0] == "lambda-star landscape"
    assert "lambda-star landscape: swarm" in steps
    assert (
        "Compiling"
        not in mensura("watch", "swarm", "--world", "lambda-star", "--preset", "landscape").err
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--preset", "paper"], "--preset belongs to one world; name it"),
        (
            ["lambda", "--preset", "thesiss"],
            "'thesiss' is no preset of lambda; did you mean thesis",
        ),
        (["lamda"], "There is no world 'lamda'"),
    ],
)
def test_what_it_does_not_know_is_one_sentence(
    mensura: Any, words: list[str], sentence: str
) -> None:
    typed = mensura("warm-up", *words)
    assert typed.status == 2
    assert sentence in typed.err
