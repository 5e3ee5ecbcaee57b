"""Options tell nothing by themselves."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.worlds.items.options_alone import accuracy, accuracy_alone

from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import generate

KEYS = (770_001, pytest.param(770_002, marks=pytest.mark.slow))
"""No family was designed with these in sight. The second draws other items of the same kind: at full size."""


def limit(chance: float, tried: int) -> float:
    """Who guesses is hardly ever above this."""
    return chance + 3.5 * math.sqrt(chance * (1.0 - chance) / tried)


@pytest.mark.thorough
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "name",
    [
        name
        for name, family in FAMILIES.items()
        # A few fixed items can be learned by heart; and where options are all that is shown, they have to tell.
        if family.is_mixed and name != "odd-one-out"
    ],
)
def test_whoever_sees_the_options_alone_does_not_beat_chance(
    name: str, key: int, full_size: bool
) -> None:
    count = 20_000 if full_size else 2_000
    family = FAMILIES[name]
    items = generate(name, count, key).items
    half = count // 2
    chance = 1.0 / family.usual_options
    assert accuracy(family, items[:half], items[half:]) < limit(chance, count - half)


@pytest.mark.thorough
@pytest.mark.parametrize("key", KEYS)
def test_whoever_sees_one_figure_at_a_time_does_not_find_the_odd_one(
    key: int, full_size: bool
) -> None:
    """All figures together tell which is the odd one, as they should; no figure tells by itself that it is."""
    count = 8_000 if full_size else 1_200
    items = generate("odd-one-out", count, key).items
    half = count // 2
    assert accuracy_alone(items[:half], items[half:]) < limit(0.5, count - half)


@pytest.mark.thorough
def test_a_figure_that_does_tell_is_found_out() -> None:
    """The subject would find the largest figure, were it always the right one."""
    items = [
        replace(one, answer=max(one.options), right=one.options.index(max(one.options)))
        for one in generate("odd-one-out", 600, 11).items
    ]
    assert accuracy_alone(items[:300], items[300:]) > 0.65


def test_options_that_do_tell_are_found_out() -> None:
    """The subject would find the largest letter, were it always the right one."""
    items = [
        replace(one, right=max(range(len(one.options)), key=one.options.__getitem__))
        for one in generate("letter-series", 300, 11).items
    ]
    assert accuracy(FAMILIES["letter-series"], items[:150], items[150:]) > 0.9
