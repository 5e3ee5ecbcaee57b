"""Intervals are those of the textbooks, are honest about too little data, and cover the truth."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.agent.keys import fold
from mensura.statistics import (
    Estimate,
    Moments,
    bootstrap_interval,
    difference,
    linear_regression,
    mean_interval,
    observed_spread,
    predicted_spread,
)
from mensura.statistics.interval import span

SCORES = st.floats(-1.0, 1.0)
SAMPLES = st.lists(SCORES, min_size=2, max_size=60).map(np.array).filter(lambda a: a.std() > 1e-6)


@given(SAMPLES, st.floats(0.5, 0.999))
def test_the_interval_of_a_mean_is_students(values: np.ndarray, level: float) -> None:
    found = mean_interval(values, level)
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(level)
    assert found.value == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), rel=1e-8, abs=1e-12)
    assert found.standard_error == pytest.approx(stats.sem(values), rel=1e-9)
    assert (found.level, found.n) == (level, len(values))


@given(SAMPLES, SAMPLES, st.floats(0.5, 0.999))
def test_the_interval_of_a_difference_is_welchs(
    one: np.ndarray, two: np.ndarray, level: float
) -> None:
    found = difference(one, two, paired=False, level=level)
    theirs = stats.ttest_ind(one, two, equal_var=False).confidence_interval(level)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), rel=1e-7, abs=1e-12)
    assert found.n == len(one) + len(two)
    assert Moments.of(one).minus(Moments.of(two), level).low == pytest.approx(found.low, abs=1e-12)


def test_pairs_are_compared_item_by_item() -> None:
    hard = np.linspace(-1, 1, 20)
    found = difference(hard + 0.1, hard, paired=True)
    assert found.value == pytest.approx(0.1)
    assert found.half_width < 1e-12
    assert difference(hard + 0.1, hard, paired=False).half_width > 0.3
    with pytest.raises(ValueError, match="two samples of one size, not of 20 and 19"):
        difference(hard, hard[1:], paired=True)


def test_one_value_says_nothing_about_its_error() -> None:
    alone = mean_interval([0.5])
    assert (alone.value, alone.low, alone.high) == (0.5, -math.inf, math.inf)
    assert math.isnan(alone.standard_error)
    assert difference([0.5], [0.1, 0.2], paired=False).high == math.inf
    assert bootstrap_interval([0.5], np.mean, 1).low == -math.inf


def test_equal_values_have_an_interval_of_no_length() -> None:
    assert mean_interval([0.25] * 5) == Estimate(0.25, 0.25, 0.25, 0.95, 5, 0.0)
    assert difference([1.0, 1.0], [0.5, 0.5], paired=False).half_width == 0.0


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([], "at least one value"),
        ([0.1, math.nan], "nan or infinity"),
        ([[0.1, 0.2]], "one dimension, not 2"),
    ],
)
def test_what_cannot_be_averaged_is_refused(values: list[float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        mean_interval(values)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, math.nan])
def test_a_level_is_a_probability(level: float) -> None:
    for ask in (
        lambda: mean_interval([1.0, 2.0], level),
        lambda: bootstrap_interval([1.0, 2.0], np.mean, 1, level=level),
        lambda: observed_spread([1.0, 2.0], level),
        lambda: linear_regression([1.0, 2.0], [1.0, 2.0], level),
    ):
        with pytest.raises(ValueError, match="between 0 and 1"):
            ask()


def test_an_estimate_reads_well_and_knows_what_it_contains() -> None:
    estimate = Estimate(0.4912, 0.48, 0.5024, 0.95, 1000, 0.0057)
    assert str(estimate) == "0.491 [0.480, 0.502]"
    assert 0.5 in estimate
    assert 0.51 not in estimate
    assert estimate.half_width == pytest.approx(0.0112)


def test_the_bootstraps_key_decides_its_draws() -> None:
    values = np.random.default_rng(5).normal(size=40)
    first = bootstrap_interval(values, np.median, 7)
    assert bootstrap_interval(values, np.median, 7) == first
    assert bootstrap_interval(values, np.median, 8) != first


def test_the_bootstrap_of_a_mean_is_near_students_interval() -> None:
    values = np.random.default_rng(6).normal(size=200)
    found, theirs = bootstrap_interval(values, np.mean, 3), mean_interval(values)
    assert found.value == theirs.value
    assert found.standard_error == pytest.approx(theirs.standard_error, rel=0.1)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_the_bootstrap_draws_whole_rows() -> None:
    pairs = np.column_stack([np.arange(30.0), np.arange(30.0)])
    found = bootstrap_interval(pairs, lambda rows: float(np.ptp(rows, axis=1).max()), 1)
    assert (found.low, found.high) == (0.0, 0.0)


def covers_mean(rng: np.random.Generator) -> bool:
    return 0.3 in mean_interval(rng.normal(0.3, 0.2, 8))


def covers_mean_of_flat_scores(rng: np.random.Generator) -> bool:
    return 0.0 in mean_interval(rng.uniform(-1, 1, 30))


def covers_difference(rng: np.random.Generator) -> bool:
    return 0.1 in difference(rng.normal(0.4, 0.3, 12), rng.normal(0.3, 0.1, 25), paired=False)


def covers_pairs(rng: np.random.Generator) -> bool:
    items = rng.uniform(-1, 1, 15)
    noise = rng.normal(0, 0.1, (2, 15))
    return 0.1 in difference(items + 0.1 + noise[0], items + noise[1], paired=True)


def covers_bootstrap(rng: np.random.Generator) -> bool:
    key = int(rng.integers(2**63))
    return 1.0 in bootstrap_interval(rng.normal(1.0, 0.5, 60), np.ndarray.mean, key, resamples=200)


def covers_observed_spread(rng: np.random.Generator) -> bool:
    return 0.01 in observed_spread(rng.normal(0.5, 0.01, 10))


def covers_predicted_spread(rng: np.random.Generator) -> bool:
    return 0.02 in predicted_spread(rng.normal(0.5, 0.2, 50), episodes=100)


def covers_slope(rng: np.random.Generator) -> bool:
    x = np.arange(2, 24)
    return -0.01 in linear_regression(x, 0.5 - 0.01 * x + rng.normal(0, 0.1, 22)).slope


def covers_correlation(rng: np.random.Generator) -> bool:
    x, noise = rng.normal(size=(2, 25))
    return 0.6 in linear_regression(x, 0.6 * x + 0.8 * noise).r


COVERS = [
    covers_mean,
    covers_mean_of_flat_scores,
    covers_difference,
    covers_pairs,
    # Its true coverage is 94%: at the small size chance alone could take it below 93%.
    pytest.param(covers_bootstrap, marks=pytest.mark.slow),
    covers_observed_spread,
    covers_predicted_spread,
    covers_slope,
    covers_correlation,
]


@pytest.mark.thorough
@pytest.mark.parametrize("covers", COVERS, ids=lambda covers: covers.__name__)
def test_95_percent_intervals_cover_the_truth_in_95_percent_of_cases(
    covers: Callable[[np.random.Generator], bool], full_size: bool
) -> None:
    cases = 20_000 if full_size else 1_500
    hits = sum(covers(np.random.default_rng(fold(95, case))) for case in range(cases))
    assert 0.93 <= hits / cases <= 0.97


def test_a_span_is_the_difference_of_the_ends_corrected_for_all_pairs() -> None:
    levels = [mean_interval(np.array([0.0, 1.0, 2.0, 1.0]) + shift) for shift in (0.0, 3.0, 1.0)]
    whole, p = span(levels)
    two, alone = span([levels[1], levels[0]])
    assert whole.value == two.value == pytest.approx(3.0)
    assert two == difference([3.0, 4.0, 5.0, 4.0], [0.0, 1.0, 2.0, 1.0], paired=False)
    assert p == pytest.approx(3 * alone)
    assert whole.low < two.low
    assert math.isinf(span([mean_interval([1.0]), levels[0]])[0].high)


def test_an_interval_on_a_scale_ends_with_it() -> None:
    one = mean_interval([0.9, 1.0, 1.0, 0.7])
    assert one.high > 1.0
    assert one.within(-1.0, 1.0) == replace(one, high=1.0)
    assert mean_interval([3.0, 4.0]).within(-1.0, 1.0) == mean_interval([3.0, 4.0])
    assert math.isinf(mean_interval([0.5]).within(-1.0, 1.0).high)
