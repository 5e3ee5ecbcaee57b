"""Where environments come from: what each world of ours says, and that it is so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mensura.agent.keys import key
from mensura.core.abilities import (
    BANK,
    CONTENTS,
    FIXED,
    GENERATED,
    NOT_STATED,
    can_be_memorized,
    content_mark,
    content_of,
    make,
    presets,
)
from mensura.core.registry import WORLDS

NOT_GENERATED = {
    ("atari-v1", "usual"): FIXED,
    ("atari-v1", "hosu-2016"): FIXED,
    ("atari-v1", "mnih-2015"): FIXED,
    ("atari-v1", "any-game"): BANK,
    ("constraints-v1", "queens"): FIXED,
    ("framotec-v1", "paper"): FIXED,
    ("framotec-v1", "authors-2016"): FIXED,
    ("items-v1", "c-test"): BANK,
    ("items-v1", "c-test-1998"): BANK,
    ("items-v1", "c-test-abduction"): BANK,
    ("items-v1", "c-test-prediction"): BANK,
    ("items-v1", "mixed"): BANK,
    ("items-v1", "winograd"): BANK,
    ("items-v1", "winograd-calibration"): BANK,
    ("ratings-v1", "example"): FIXED,
    **{
        ("imitation-v1", preset): BANK
        for preset in ("three-party", "two-party", "gender", "gender-machine", "jury", "sustained")
    },
}
"""Every preset of our worlds whose environments are not generated afresh."""


def test_each_preset_of_our_worlds_says_where_its_environments_come_from() -> None:
    found = {
        (name, preset): content_of(make(kind, preset))
        for name, kind in WORLDS.all()
        for preset in presets(kind)
    }
    assert NOT_STATED not in found.values()
    assert {at: content for at, content in found.items() if content != GENERATED} == NOT_GENERATED


@pytest.mark.parametrize(
    ("world", "parameters", "content"),
    [
        ("lambda-v1", {}, GENERATED),
        ("lambda-v1", {"pattern": "203210200", "cells": 9, "actions": 4}, GENERATED),
        ("bf-v1", {"program": ",.,.#"}, FIXED),
        ("framotec-v1", {"task": "plotter-2d"}, GENERATED),
        ("framotec-v1", {"task": "car-race"}, FIXED),
        ("perturbed-items-v1", {"family": "winograd"}, BANK),
        ("perturbed-lambda-v1", {}, GENERATED),
        ("imitation-v1", {"seated": "all"}, GENERATED),
        ("constraints-v1", {"family": "coloring"}, GENERATED),
    ],
)
def test_the_content_follows_from_the_parameters(
    world: str, parameters: dict[str, Any], content: str
) -> None:
    assert content_of(make(WORLDS.load(world), **parameters)) == content


@pytest.mark.parametrize(
    ("world", "parameters"),
    [("framotec-v1", {}), ("atari-v1", {}), ("bf-v1", {"program": ",.,.#"})],
)
def test_what_is_fixed_is_one_environment(world: str, parameters: dict[str, Any]) -> None:
    home = make(WORLDS.load(world), **parameters)
    drawn = [home.sample(key(1, "content", number)).to_json() for number in range(5)]
    for description in drawn:
        description.pop("negated", None)
    assert content_of(home) == FIXED
    assert len({json.dumps(one, sort_keys=True) for one in drawn}) == 1


def test_all_but_what_is_generated_afresh_carries_a_mark() -> None:
    assert content_mark(GENERATED) == ""
    assert not can_be_memorized(GENERATED)
    for content in (*CONTENTS, NOT_STATED):
        if content != GENERATED:
            assert can_be_memorized(content)
            assert f"content: {content}" in content_mark(content)
            assert "No leaderboard ranks" in content_mark(content)
