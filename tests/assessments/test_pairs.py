"""Pairs: both halves, switched ones, and halves of which nobody sees both."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.assessments.pairs import HALVES, PAIRS, SWITCHED, Halves, Pairs
from mensura.core.contract import Episode, Plan
from mensura.core.scored import measures_of
from mensura.worlds.items.winograd.files import set_text
from mensura.worlds.items.winograd.making import make_set
from mensura.worlds.items.world import Items

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def world() -> Items:
    return Items.preset("winograd", file=set_text(make_set(12, 1)))


def played(assessment: Any, world: Items, number: int, rewards: Any) -> tuple[list[Plan], float]:
    """The plans of a sitting whose episodes bring these rewards, and its score."""
    sitting = assessment.sitting_of(world, 7, number)
    plans = []
    plan = next(sitting)
    try:
        while True:
            plans.append(plan)
            plan = sitting.send(Episode((rewards(plan),), (1,), (0,)))
    except StopIteration as over:
        return plans, over.value


def test_a_pair_is_right_if_both_halves_are(world: Items) -> None:
    by_form = iter([1.0, -1.0, 1.0, 1.0])
    plans, score = played(Pairs(), world, 3, lambda _: next(by_form))
    assert [one.description.rule[1] for one in plans] == [  # type: ignore[attr-defined]
        "special",
        "alternate",
        "special switched",
        "alternate switched",
    ]
    told = measures_of(score)
    assert (score, told[HALVES], told[PAIRS], told[SWITCHED]) == (0.0, 0.5, 0.0, 1.0)
    assert all(one.fresh for one in plans)


def test_all_pairs_are_played_or_so_many_spread_over_the_set(world: Items) -> None:
    assert Pairs().sittings_in(world) == 12
    few = Pairs(sittings=4)
    assert few.sittings_in(world) == 4
    numbers = [
        played(few, world, number, lambda _: 1.0)[0][0].measures["pair"] for number in range(4)
    ]
    assert numbers == [0.0, 3.0, 6.0, 9.0]


@pytest.mark.parametrize(
    ("sittings", "sentence"),
    [(-1, "from 1 on, or 0 for all"), (13, "sittings is 13, and the set has 12 pairs; 12 or 0")],
)
def test_other_numbers_of_pairs_get_a_sentence(sittings: int, sentence: str, world: Items) -> None:
    with pytest.raises(MensuraError) as caught:
        Pairs(sittings=sittings).check(world)
    assert sentence in str(caught.value)


def test_a_world_without_pairs_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match="has no pairs as it is set"):
        Pairs().check(Items())


def test_nobody_sees_both_halves_and_all_are_asked_equally_often(world: Items) -> None:
    asked: Counter[tuple[int, int]] = Counter()
    one = Halves(sittings=24, items=5)
    for number in range(24):
        own = [(pair, half) for pair, half, _ in one.chosen(world, number)]
        assert len({pair for pair, _ in own}) == len(own) == 5
        asked.update(own)
    assert len(asked) == 24
    assert set(asked.values()) == {5}


def test_of_a_small_set_everybody_is_asked_for_each_pair_once(world: Items) -> None:
    assert len(list(Halves().chosen(world, 3))) == 12
