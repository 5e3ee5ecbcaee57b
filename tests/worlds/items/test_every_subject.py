"""What holds of all subjects: they take any item, follow from their key, and say where they have no idea."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.worlds.items.families.family import Item
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import generate
from mensura.worlds.items.observations import Seen, observation_space, observed
from mensura.worlds.items.subjects.chooser import IDEA
from mensura.worlds.items.subjects.table import MINDS

VARIANTS: dict[str, tuple[str, dict[str, float]]] = {
    **{name: (name, {}) for name in MINDS},
    "analogy?strategy=1": ("analogy", {"strategy": 1}),
    "raven?variant=1": ("raven", {"variant": 1}),
}
OF: dict[str, tuple[str, ...]] = {
    "pattern-inducer": ("letter-series",),
    "bounded-search": ("number-series",),
    "series-synthesis": ("letter-series", "number-series"),
    "kt-search": ("letter-series",),
    "analogy": ("geometric-analogies", "letter-analogies", "matrices"),
    "analogy?strategy=1": ("geometric-analogies", "letter-analogies", "matrices"),
    "structure-mapper": ("geometric-analogies", "letter-analogies"),
    "terraced-scan": ("letter-analogies",),
    "raven": ("matrices",),
    "raven?variant=1": ("matrices",),
    "sanghi-dowe": ("letter-series", "number-series", "geometric-analogies", "matrices"),
    "ensemble": tuple(name for name in FAMILIES if name != "winograd"),
}
"""Families that a model was made for."""
SERIES = ("letter-series", "number-series", "c-test", "c-test-1998")
"""Who solves series of one kind has ideas about some of others."""


def made(name: str) -> Any:
    kind, parameters = VARIANTS[name]
    return MINDS[kind].make(**parameters)


def answer(subject: Any, family: str, item: Item, key: int) -> int:
    """What a subject answers in a test with options."""
    subject.key = key
    space = observation_space([FAMILIES[family]], len(item.options))
    return int(subject.act(observed(FAMILIES[family], item, space), 0.0))


def drawn(family: str, count: int, key: int) -> Iterator[Item]:
    yield from generate(family, count, key).items


@pytest.mark.parametrize("name", VARIANTS)
@settings(max_examples=examples(4, 25), deadline=None)
@given(family=st.sampled_from(sorted(FAMILIES)), key=st.integers(0, 2**32))
def test_any_item_is_answered_alike_for_one_key(name: str, family: str, key: int) -> None:
    (item,) = drawn(family, 1, key)
    subject = made(name)
    first = answer(subject, family, item, key)
    assert 1 <= first <= len(item.options)
    assert subject.agent_metrics()[IDEA] in (0.0, 1.0)
    assert answer(made(name), family, item, key) == first


@pytest.mark.parametrize("name", VARIANTS)
@settings(max_examples=examples(3, 15), deadline=None)
@given(family=st.sampled_from(sorted(FAMILIES)), key=st.integers(0, 2**32))
def test_an_open_answer_has_the_form_of_an_answer(name: str, family: str, key: int) -> None:
    (item,) = drawn(family, 1, key)
    kind = FAMILIES[family]
    part = made(name).written(Seen(kind, item.shown, ()))
    if part is not None:
        assert kind.read(kind.text(part)) == part


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_but_options_is_answered_too(name: str) -> None:
    """As where the odd one is to be found."""
    parts = ((0, 1, 2), (0, 1, 1), (0, 1, 0), (2, 2, 2))
    values = made(name).values(Seen(FAMILIES["letter-analogies"], (), parts))
    assert values is None or len(values) == len(parts)


@pytest.mark.thorough
@pytest.mark.parametrize("name", OF)
def test_models_beat_chance_in_their_families_and_nowhere_else(name: str) -> None:
    for family in FAMILIES:
        subject = made(name)
        gains, ideas = [], 0.0
        for number, item in enumerate(drawn(family, 150 if family in OF[name] else 30, 12)):
            right = answer(subject, family, item, number) == item.right + 1
            ideas += subject.agent_metrics()[IDEA]
            if subject.agent_metrics()[IDEA]:
                gains.append(right - 1.0 / len(item.options))
        if family in OF[name]:
            assert np.mean(gains) > 2.0 * np.std(gains) / np.sqrt(len(gains))
        elif name != "sanghi-dowe" and not {family, OF[name][0]} <= set(SERIES):
            assert ideas == 0.0


def test_who_has_no_idea_guesses_evenly() -> None:
    (item,) = drawn("matrices", 1, 5)
    subject = made("kt-search")
    answers = [answer(subject, "matrices", item, key) for key in range(400)]
    counts = np.bincount(answers, minlength=9)[1:]
    assert counts.min() > 20
    assert subject.agent_metrics() == {IDEA: 0.0}
