"""Options tell nothing by themselves."""

from __future__ import annotations

import math

import pytest
from tests.worlds.items.options_alone import accuracy

from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import generate


@pytest.mark.parametrize("name", FAMILIES)
def test_whoever_sees_the_options_alone_does_not_beat_chance(name: str, full_size: bool) -> None:
    count = 20_000 if full_size else 2_000
    family = FAMILIES[name]
    items = generate(name, count, 11).items
    half = count // 2
    chance = 1.0 / family.usual_options
    error = math.sqrt(chance * (1.0 - chance) / (count - half))
    assert accuracy(family, items[:half], items[half:]) < chance + 3.5 * error


def test_options_that_do_tell_are_found_out() -> None:
    """The subject would find the largest letter, were it always the right one."""
    from dataclasses import replace

    items = [
        replace(one, right=max(range(len(one.options)), key=one.options.__getitem__))
        for one in generate("letter-series", 600, 11).items
    ]
    assert accuracy(FAMILIES["letter-series"], items[:300], items[300:]) > 0.9
