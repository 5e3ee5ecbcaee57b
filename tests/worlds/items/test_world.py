"""The world of items: the contract, what is shown in three ways, rewards, and bad input."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.core.chance import generator
from mensura.pictures.svg import as_svg
from mensura.testing import check_world
from mensura.worlds.items.drawing import drawn, read_picture
from mensura.worlds.items.families.family import Dice
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import Drawn, draw_item, generate, item_of
from mensura.worlds.items.observations import Seen, observation_space, observed, read_observation
from mensura.worlds.items.sentences import read, written
from mensura.worlds.items.world import Items, reward_of


@pytest.mark.thorough
@pytest.mark.parametrize("answer", ["choice", "open"])
@pytest.mark.parametrize("preset", Items.presets)
def test_items_keep_the_contract(preset: str, answer: Any) -> None:
    assert check_world(Items.preset(preset, answer=answer), balance=200) == []


@pytest.mark.parametrize("name", FAMILIES)
def test_text_arrays_and_drawing_tell_the_same(name: str, full_size: bool) -> None:
    family = FAMILIES[name]
    space = observation_space([family], family.usual_options)
    for item in generate(name, 60 if full_size else 6, 3).items:
        seen = Seen(family, item.shown, item.options)
        array, text, picture = observed(family, item, space), written(seen), drawn(seen)
        assert space.contains(array)
        assert read_observation(array) == seen
        assert read(family, text) == seen
        assert read_picture(family, picture) == seen


@pytest.mark.parametrize("name", FAMILIES)
def test_open_answers_are_read_as_they_are_written(name: str) -> None:
    world = Items(family=name, answer="open")
    for key in range(30):
        description = world.sample(key)
        item = world.item(description)
        environment = world.build(description)
        turn = environment.reset(1)
        assert "options" not in turn.observations[0].dtype.names
        answer = FAMILIES[name].text(item.answer)
        assert environment.legal(0, answer)
        assert list(environment.step([answer], [0.0]).rewards) == [1.0]
        assert environment.reset(1).ended is None
        assert list(environment.step([""], [0.0]).rewards) == [0.0]


@pytest.mark.parametrize("name", FAMILIES)
def test_an_item_is_rebuilt_from_its_description_to_the_byte(name: str, full_size: bool) -> None:
    world = Items(family=name)
    for key in range(30 if full_size else 10):
        description = world.sample(key)
        back = world.describe_from_json(json.loads(json.dumps(description.to_json())))
        item_of.cache_clear()
        first, second = (
            world.build(one).reset(7).observations[0].tobytes() for one in (description, back)
        )
        assert first == second


@pytest.mark.parametrize("name", FAMILIES)
def test_the_order_of_options_changes_no_score(name: str) -> None:
    for item in generate(name, 10, 5).items:
        by_part = {part: reward_of(item, i) for i, part in enumerate(item.options, 1)}
        assert sum(by_part.values()) == pytest.approx(0.0)
        for order in list(permutations(item.options))[:24]:
            turned = replace(item, options=order, right=order.index(item.answer))
            assert {p: reward_of(turned, i) for i, p in enumerate(order, 1)} == by_part


def test_no_answer_brings_nothing_and_ends_the_episode() -> None:
    world = Items()
    environment = world.build(world.sample(1))
    environment.reset(1)
    assert environment.default(0) == 0
    turn = environment.step([0], [0.0])
    assert (list(turn.rewards), turn.ended) == ([0.0], "terminated")


def test_a_seat_does_not_see_which_option_is_right() -> None:
    world = Items()
    environment = world.build(world.sample(1))
    environment.reset(1)
    assert "the right answer" in as_svg(environment.picture())
    assert "the right answer" not in as_svg(environment.picture(0))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"family": "letter-serie"}, "family of items-v1 is 'letter-serie'; it must be one of "),
        ({"options": 3}, "items of letter-series have 2 or 4 or 8, and 0 takes the usual 4"),
        ({"family": "c-test", "options": 8}, "items of c-test have 2 or 3 or 4 or 5 or 6, and 0"),
        (
            {"family": "odd-one-out", "options": 2},
            "items of odd-one-out have 4 or 5 or 6 or 7 or 8",
        ),
        (
            {"asks": "both"},
            "asks of items-v1 is 'both'; it must be one of any, prediction, abduction",
        ),
        ({"answer": "both"}, "answer of items-v1 is 'both'; it must be one of choice, open"),
    ],
)
def test_bad_parameters_get_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError) as caught:
        Items(**given)
    assert sentence in str(caught.value)


def test_of_a_complexity_that_no_item_has_the_nearest_is_named() -> None:
    with pytest.raises(
        MensuraError, match=r"No item of letter-series has bits from 1 to 2; the nearest has 6\.58"
    ):
        Items().sample(1, ("bits", 1, 2))
    with pytest.raises(MensuraError, match="has bits from 900 to 901; the nearest has"):
        Items.preset("mixed").sample(1, ("bits", 900, 901))


def test_an_open_answer_of_another_form_gets_a_sentence() -> None:
    world = Items(answer="open")
    description = world.sample(1)
    with pytest.raises(MensuraError) as caught:
        world.read_answer(description, "kk")
    assert str(caught.value) == (
        "'kk' is no answer to an item of letter-series: it must be one small letter, as k."
    )
    assert not world.build(description).legal(0, "kk")


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("c-test", "_", "one small letter, as k"),
        ("odd-one-out", "2", "a pair as it is shown, as tiny gray square, huge white circle"),
    ],
)
def test_open_answers_of_every_form_get_theirs(name: str, text: str, form: str) -> None:
    world = Items(family=name, answer="open")
    with pytest.raises(MensuraError) as caught:
        world.read_answer(world.sample(1), text)
    assert str(caught.value) == f"{text!r} is no answer to an item of {name}: it must be {form}."


def test_k_is_a_complexity_of_the_c_test_alone() -> None:
    assert list(Items(family="c-test").measures)[:2] == ["kt", "k"]
    for family in ("matrices", "mixed"):
        with pytest.raises(MensuraError, match="has no complexity 'k'"):
            Items(family=family).sample(1, ("k", 7, 9))


def test_descriptions_that_would_never_be_drawn_are_refused() -> None:
    world = Items()
    good = world.sample(1).to_json()
    for change in ({"kind": "matrices-of-old"}, {"rule": [1, [[0, 7]]]}, {"rule": []}):
        with pytest.raises(MensuraError, match="would never be drawn"):
            world.describe_from_json({**good, **change})


@pytest.mark.parametrize("name", FAMILIES)
def test_items_within_an_interval_have_that_complexity(name: str) -> None:
    family = FAMILIES[name]
    for measure, values in family.rules.measures.items():
        low, high = np.quantile(values, [0.2, 0.6])
        batch = generate(name, 5, 2, (measure, float(low), float(high)))
        assert all(low <= family.complexities(one.rule)[measure] <= high for one in batch.drawn)
        assert isinstance(batch.drawn[0], Drawn)


def test_the_generator_tells_what_it_threw_away() -> None:
    batch = generate("letter-series", 200, 1)
    assert len(batch.items) == 200
    assert batch.thrown_away["a simpler rule explains what is shown"] > 0


def test_whoever_samples_an_item_can_ask_what_was_thrown_away_before_it() -> None:
    world = Items(family="number-series")
    counts = [world.thrown_away(key) for key in range(20)]
    assert any(counts)
    for key in range(20):
        dice = Dice(int(generator(fold(key, 0)).integers(1 << 63)))
        thrown_away: Counter[str] = Counter()
        one = draw_item(world.families, dice, None, 0, thrown_away)
        assert (one.rule, one.surface) == (world.sample(key).rule, world.sample(key).surface)
        assert thrown_away == counts[key]
