"""Items as questions for pages: all that is observed and no more, with a worked example of every family."""

from __future__ import annotations

from typing import Any

import pytest

from mensura.core.abilities import kind_of, own_questions
from mensura.worlds.items import examples
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.observations import observed
from mensura.worlds.items.world import Items
from mensura.worlds.perturbed.world import perturbed

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("family", FAMILIES)
def test_a_question_shows_what_is_observed_and_its_options_are_the_actions(family: str) -> None:
    world = Items.preset(family)
    kind = FAMILIES[family]
    description = world.sample(7)
    observation = world.build(description).reset(0).observations[0]
    question = own_questions(world).question(observation)
    seen = world.seen(description)
    shown = [one for row in question.rows for one in row if one is not None]
    assert sorted(one.text for one in shown) == sorted(map(kind.text, seen.shown))
    assert [one.action for one in question.options] == [*range(1, len(seen.options) + 1)]
    assert [one.panel.text for one in question.options] == [*map(kind.text, seen.options)]
    assert question.form == ""
    openly = Items.preset(family, answer="open")
    unseen = observed(kind, world.item(description), openly.spaces(description, 0)[0])
    written = own_questions(openly).question(unseen)
    assert (written.options, written.none, written.form) == ((), "", kind.form)
    if seen.shown:
        assert written.rows == question.rows
    else:  # what is to be chosen from is shown where there are no options
        assert len(written.rows[0]) == len(seen.options)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_an_example_whose_answer_is_one_of_its_options(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = own_questions(Items.preset(family)).examples()
    assert one.answer.text in {option.panel.text for option in one.question.options}
    assert one.why.endswith(".")
    monkeypatch.setattr(examples, "WORKED", {})
    (other,) = own_questions(Items.preset(family)).examples()
    assert other.why == examples.WHY


def test_reasons_name_the_answers_that_they_are_for() -> None:
    for name, end in (
        ("letter-series", "e"),
        ("number-series", "29"),
        ("letter-analogies", "ghik"),
    ):
        (one,) = own_questions(Items.preset(name)).examples()
        assert one.answer.text == end
    (matrix,) = own_questions(Items.preset("matrices")).examples()
    assert matrix.answer.text.startswith("8 small light circle")
    (scene,) = own_questions(Items.preset("geometric-analogies")).examples()
    assert scene.answer.text.count("pentagon") == scene.answer.text.count("turned") == 1
    (odd,) = own_questions(Items.preset("odd-one-out")).examples()
    assert odd.answer.text == "huge gray square, huge black circle"
    (blank,) = own_questions(Items.preset("c-test")).examples()
    assert blank.answer.text == "e"


def test_in_a_mixed_test_there_is_an_example_of_each_family_and_items_tell_theirs() -> None:
    world: Any = Items.preset("mixed")
    fresh = {name for name, one in FAMILIES.items() if one.is_mixed}
    assert len(own_questions(world).examples()) == len(fresh)
    assert {world.kind_of(world.sample(key)) for key in range(80)} == fresh


def test_around_items_kinds_stay_and_what_is_perturbed_is_no_question() -> None:
    world: Any = perturbed(Items)(family="mixed", observation_noise=0.5)
    assert own_questions(world) is None
    assert len({kind_of(world, world.sample(key)) for key in range(80)}) == 7
    assert own_questions(perturbed(Items)(family="mixed")) is not None
