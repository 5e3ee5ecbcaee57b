"""Worlds by name, and who can be assessed in them."""

from __future__ import annotations

import numpy as np
import pytest

import mensura as ms


def test_a_world_is_made_by_its_name_with_or_without_a_version() -> None:
    world = ms.make("lambda-star-v2", rows=6, subjects=np.int64(3))
    assert (world.rows, world.subjects) == (6, 3)  # type: ignore[attr-defined]
    assert ms.make("lambda-star", rows=6, subjects=3) == world
    assert ms.make("echo", preset="long").horizon == 200  # type: ignore[attr-defined]
    assert ms.make().id == "lambda-v1"


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("lamda", {}, "There is no world 'lamda'; did you mean lambda-v1"),
        ("echo", {"symbol": 3}, "has no parameter 'symbol'; did you mean symbols"),
        ("echo", {"symbols": "three"}, "symbols is 'three'; it must be a whole number."),
        (
            "echo",
            {"symbols": object()},
            "symbols is a value of type object; a parameter is a number",
        ),
        ("echo", {"preset": "longer"}, "has no preset 'longer'; did you mean long"),
        ("lambda-star-v0", {}, "is an older version of lambda-star-v2"),
    ],
)
def test_what_makes_no_world_is_told_in_a_sentence(
    name: str, given: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ms.MensuraError, match=sentence):
        ms.make(name, **given)  # type: ignore[arg-type]


def test_only_a_text_names_a_world() -> None:
    with pytest.raises(ms.MensuraError, match="by its name, a text such as 'lambda'"):
        ms.make(3)  # type: ignore[arg-type]


def test_subjects_are_those_of_the_world_and_those_of_every_world() -> None:
    found = ms.subjects(ms.make("lambda-star"))
    assert found["oracle"] == "knows where Good goes next"
    assert "linear" in found
    assert "oracle" not in ms.subjects("echo")
    with pytest.raises(ms.MensuraError, match="A value of type int is no world: it has no id"):
        ms.subjects(3)  # type: ignore[arg-type]
    with pytest.raises(ms.MensuraError, match=r"Echo is a class; .* as Echo\(\)"):
        ms.subjects(type(ms.make("echo")))  # type: ignore[arg-type]
    with pytest.raises(ms.MensuraError, match="this world is made already"):
        ms.subjects(ms.make("echo"), preset="long")
