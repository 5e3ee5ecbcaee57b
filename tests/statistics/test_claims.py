"""Verdicts: what is true is seldom refused, what is false is refuted, and words mean what they say."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mensura.statistics.claims import (
    Claim,
    Part,
    above,
    agreement,
    differences,
    equal,
    errors_of_blocks,
    near,
    of_complexity,
    power_law,
    spread,
    zeros,
)
from mensura.statistics.interval import Estimate, mean_interval
from mensura.statistics.sample import Sample

values = st.floats(-1, 1)
errors = st.floats(1e-6, 1)


def estimate(value: float, error: float, n: int = 30) -> Estimate:
    return Estimate(value, value - 2 * error, value + 2 * error, 0.95, n, error)


def part(value: float, error: float, name: str = "one") -> Part:
    return Part(name, estimate(value, error), 29)


def sample(scores: Any, complexity: Any = None, first: int = 0) -> Sample:
    score = np.asarray(scores, float)
    return Sample(
        "someone",
        score,
        np.arange(first, first + len(score), dtype=np.uint64),
        np.zeros(len(score), np.int64),
        np.zeros(len(score)) if complexity is None else np.asarray(complexity, float),
    )


# Words ---------------------------------------------------------------------------


@given(values, errors)
def test_above_and_below_are_mirror_images(value: float, error: float) -> None:
    (up,), (down,) = above([part(value, error)]), above([part(-value, error)], -1)
    assert up.verdict == down.verdict
    if up.verdict == "holds":
        assert value > 0
    if up.verdict == "does not hold":
        assert value < 0


@given(values, errors, st.floats(1e-3, 1))
def test_nothing_is_both_near_and_far(value: float, error: float, within: float) -> None:
    (found,) = near([part(value, error)], within)
    if found.verdict == "holds":
        assert abs(value) < within
    if found.verdict == "does not hold":
        assert abs(value) > within
    (wider,) = near([part(value, error)], 2 * within)
    order = ["does not hold", "holds within error", "holds"]
    assert order.index(wider.verdict) >= order.index(found.verdict)


@given(values, errors)
def test_that_something_is_zero_can_only_be_refuted_unless_there_is_a_margin(
    value: float, error: float
) -> None:
    (bare,) = equal([part(value, error)])
    assert bare.verdict != "holds"
    (wide,) = equal([part(value, error)], within=100.0)
    assert wide.verdict == ("does not hold" if bare.verdict == "does not hold" else "holds")


@given(st.lists(st.tuples(values, errors), min_size=1, max_size=8))
def test_more_parts_make_no_part_surer(pairs: list[tuple[float, float]]) -> None:
    together = above([part(*pair) for pair in pairs])
    for pair, one in zip(pairs, together, strict=True):
        (alone,) = above([part(*pair)])
        assert one.corrected >= alone.corrected
        assert one.verdict in (alone.verdict, "holds within error")


@given(st.lists(st.sampled_from(["holds", "holds within error", "does not hold"]), max_size=5))
def test_a_claim_is_as_good_as_its_worst_part(words: list[Any]) -> None:
    found = tuple(
        type(above([part(0.0, 1.0)])[0])("x", estimate(0, 1), 0.5, 0.5, word) for word in words
    )
    claim = Claim("a", "b", found, "score")
    if "does not hold" in words:
        assert claim.verdict == "does not hold"
    elif not words:
        assert claim.verdict == "not tried"
    elif set(words) == {"holds"}:
        assert claim.verdict == "holds"
    else:
        assert claim.verdict == "holds within error"
    assert sum(claim.count.values()) == len(words)


def test_what_cannot_be_told_is_open() -> None:
    unknown = Part("x", Estimate(0.5, -math.inf, math.inf, 0.95, 1, math.nan), 0)
    assert above([unknown])[0].verdict == "holds within error"
    assert near([unknown], 0.1)[0].verdict == "holds within error"


def test_a_difference_without_error_is_told_by_its_sign() -> None:
    assert [above([part(v, 0.0)])[0].verdict for v in (1.0, 0.0, -1.0)] == [
        "holds",
        "holds within error",
        "does not hold",
    ]


# How often -----------------------------------------------------------------------


def test_a_true_claim_of_many_parts_is_seldom_refused() -> None:
    rng = np.random.default_rng(3)
    refused = 0
    for _ in range(400):
        parts = [Part("x", mean_interval(rng.normal(size=40)), 39) for _ in range(10)]
        refused += any(one.verdict == "does not hold" for one in equal(parts))
    assert refused <= 0.09 * 400  # 5% and three standard errors


def test_a_score_at_a_single_complexity_that_is_not_zero_is_found() -> None:
    rng = np.random.default_rng(4)
    complexity = np.repeat(np.arange(1, 11), 200)
    scores = rng.normal(0, 0.3, 2000)
    fair = zeros([("random", sample(scores, complexity))], True, 0.1)
    assert len(fair) == 10
    assert {one.verdict for one in fair} <= {"holds", "holds within error"}
    bent = scores + 0.2 * (complexity == 7)
    found = zeros([("random", sample(bent, complexity))], True, 0.1)
    assert [one.of for one in found if one.verdict == "does not hold"] == ["random, complexity 7"]


# Differences and agreement -------------------------------------------------------


def test_subjects_in_the_same_environments_are_compared_in_pairs() -> None:
    rng = np.random.default_rng(5)
    hard = rng.normal(size=50)
    one, two = sample(hard), sample(hard + 0.1 + 0.01 * rng.normal(size=50))
    (paired,) = differences([("two less one", one, two)])
    (apart,) = differences([("two less one", one, sample(two.score, first=1000))])
    assert paired.estimate.value == pytest.approx(0.1, abs=0.01)
    assert paired.estimate.standard_error < apart.estimate.standard_error / 10


def test_complexities_may_stand_in_the_place_of_scores() -> None:
    assert of_complexity(sample([1, 2], [3, 4])).score.tolist() == [3, 4]


def test_agreement_has_three_measures_and_goes_by_ranks() -> None:
    one = agreement("a and b", range(12), [v**3 for v in range(12)])
    assert one.estimate.value == 1.0
    assert set(one.also) == {"Pearson", "Kendall"}
    assert one.also["Pearson"].value < 1.0
    assert above([one])[0].verdict == "holds"
    assert above([agreement("a and b", range(12), range(12, 0, -1))])[0].verdict == "does not hold"


# Errors and powers -----------------------------------------------------------------


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=40), st.floats(0.1, 10))
@example([0.0, 0.0, 0.0, 3.8043478772819024e-160], 0.5)  # whose squares are next to nothing
def test_the_spread_is_a_standard_deviation_and_scales(values: list[float], times: float) -> None:
    array = np.array(values)
    found, scaled = spread(array), spread(times * array)
    assert found.value == pytest.approx(array.std(ddof=1), abs=1e-12)
    assert scaled.value == pytest.approx(times * found.value, rel=1e-6, abs=1e-12)
    assert found.low <= found.value <= found.high


def test_the_jackknife_interval_of_a_spread_holds_it() -> None:
    rng = np.random.default_rng(6)
    for draw in (lambda: rng.normal(size=60), lambda: rng.uniform(-(3**0.5), 3**0.5, 60)):
        hits = sum(1.0 in spread(draw()) for _ in range(500))
        assert 445 <= hits <= 495


@given(st.floats(-2, 2), st.floats(0.01, 1))
def test_a_power_law_is_found_as_it_is(exponent: float, factor: float) -> None:
    points = [(x, estimate(factor * x**exponent, 0.1)) for x in (1.0, 4.0, 16.0, 64.0)]
    assert power_law("x", points).estimate.value == pytest.approx(exponent, abs=1e-9)


def test_means_of_independent_scores_scatter_as_the_root_of_their_number() -> None:
    rng = np.random.default_rng(8)
    points = errors_of_blocks(rng.choice([-1.0, 1.0], 4000))
    assert [x for x, _ in points] == [1.0, 4.0, 16.0]
    exponents = [
        power_law("x", errors_of_blocks(rng.choice([-1.0, 1.0], 4000))).estimate for _ in range(300)
    ]
    assert 275 <= sum(-0.5 in one for one in exponents) <= 297


def test_scores_that_hang_together_do_not() -> None:
    rng = np.random.default_rng(9)
    drifting = np.repeat(rng.normal(size=40), 100) + 0.1 * rng.normal(size=4000)
    assert equal([power_law("x", errors_of_blocks(drifting))], -0.5)[0].verdict == "does not hold"
