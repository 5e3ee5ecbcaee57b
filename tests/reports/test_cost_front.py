"""Score against cost: who is on the front, what is said of it, and the figure."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from mensura.reports.cost_figure import Scale
from mensura.reports.cost_front import Priced, figure, front_of, money, words
from mensura.statistics.interval import Estimate

pytestmark = pytest.mark.quick


def scored(value: float, reach: float = 0.05) -> Estimate:
    return Estimate(value, value - reach, value + reach, 0.95, 20, reach / 2)


RANDOM = Priced("random", scored(0.0), 0.0, asks_service=False)
SMALL = Priced("small", scored(0.2), 0.1)
MIDDLE = Priced("middle", scored(0.25), 1.0)
WORSE = Priced("worse", scored(0.1), 3.0)
LARGE = Priced("large", scored(0.8), 14.0)
UNPRICED = Priced("unpriced", scored(0.5), None)


def test_the_front_is_that_of_the_points() -> None:
    assert front_of([LARGE, RANDOM, WORSE, SMALL, UNPRICED, MIDDLE]) == [SMALL, MIDDLE, LARGE]


def test_words_name_the_front_and_say_where_intervals_overlap() -> None:
    said = list(words([LARGE, RANDOM, WORSE, SMALL, UNPRICED, MIDDLE]))
    assert said == [
        "On the front, by the points, are small (score +0.200, cost 0.1), middle (score +0.250, cost 1) and large "
        "(score +0.800, cost 14.00).",
        "The intervals of small and middle overlap: whether middle is worth its higher cost is open.",
        "worse (score +0.100, cost 3) is not on it: small (score +0.200, cost 0.1) is at least as good for no more; "
        "their intervals overlap, so that this may be chance.",
        "random asks no service and costs nothing.",
        "The cost of unpriced is unknown: left out of the figure.",
    ]


def test_who_scores_less_than_somebody_for_nothing_is_named() -> None:
    learner = replace(RANDOM, subject="q-learning", score=scored(0.22))
    said = list(words([RANDOM, learner, SMALL, LARGE]))
    assert said[-2:] == [
        "random and q-learning ask no service and cost nothing.",
        "small scores no more than q-learning, which has +0.220 for nothing.",
    ]


def test_ties_are_both_on_the_front() -> None:
    twin = replace(SMALL, subject="twin")
    assert front_of([SMALL, twin]) == [SMALL, twin]
    assert "small and twin cost and score the same." in list(words([SMALL, twin]))


def test_of_equal_scores_the_cheaper_is_on_the_front_alone() -> None:
    dear = replace(SMALL, subject="dear", cost=5.0)
    said = list(words([dear, SMALL]))
    assert front_of([dear, SMALL]) == [SMALL]
    assert said[0].startswith(
        "On the front, by the points, is small (score +0.200, cost 0.1) alone"
    )
    assert said[1].startswith("dear (score +0.200, cost 5) is not on it")


def test_one_subject_has_no_front() -> None:
    assert list(words([SMALL])) == [
        "Only small (score +0.200, cost 0.1) has a known cost, so there is no front to compare it with."
    ]
    assert figure([SMALL]) is not None


def test_nobody_with_a_cost_has_no_figure() -> None:
    assert list(words([])) == []
    assert list(words([RANDOM])) == []
    assert list(words([RANDOM, UNPRICED])) == [
        "The cost of unpriced is unknown, so there is no front of score against cost."
    ]
    assert figure([RANDOM, UNPRICED]) is None


def test_the_figure_is_read_to_the_blind() -> None:
    drawing = figure([RANDOM, SMALL, LARGE])
    assert drawing is not None
    assert (
        "Score against cost. small: cost 0.1, score +0.200 from +0.150 to +0.250, on the front. large: cost 14.00, "
        "score +0.800 from +0.750 to +0.850, on the front. random: cost 0.00, score +0.000 from -0.050 to +0.050"
    ) in drawing


@pytest.mark.parametrize("reach", [pytest.param(0.05, marks=pytest.mark.thorough), math.inf])
def test_everything_can_be_drawn(reach: float) -> None:
    some = [replace(one, score=scored(one.score.value, reach)) for one in (RANDOM, SMALL, LARGE)]
    assert figure(some) is not None
    assert figure([replace(one, cost=0.0) for one in some]) is not None


def test_the_axis_is_logarithmic_where_costs_span_a_decade() -> None:
    assert not Scale.of([0.0, 1.0, 9.0]).logarithmic
    scale = Scale.of([0.0, 0.01, 5.0])
    assert scale.logarithmic
    assert scale.at(0.0) < scale.at(0.01) < scale.at(5.0)
    places, texts = scale.ticks([0.0, 0.01, 5.0])
    assert places == sorted(places)
    assert texts[0] == "0"


def test_amounts_have_the_digits_that_they_need() -> None:
    assert [money(one) for one in (None, 0.0, 0.01234, 3.0, 1234.5)] == [
        "unknown",
        "0.00",
        "0.0123",
        "3",
        "1,234.50",
    ]
