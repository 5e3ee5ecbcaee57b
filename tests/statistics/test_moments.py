"""Accumulators give what the whole array gives, however it is cut."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.statistics import Grouped, Histogram, Moments, mean_interval
from mensura.statistics.moments import rounded

SCORES = st.floats(-1e6, 1e6)
CHUNKS = st.lists(st.lists(SCORES, max_size=20), min_size=1, max_size=6).filter(any)


def whole(chunks: list[list[float]]) -> np.ndarray:
    return np.array([x for chunk in chunks for x in chunk])


@given(CHUNKS)
def test_chunks_have_the_moments_of_the_whole(chunks: list[list[float]]) -> None:
    values, moments = whole(chunks), Moments()
    for chunk in chunks:
        moments = moments.add(chunk)
    scale = np.abs(values).max() + 1e-300
    assert moments.count == len(values)
    assert moments.mean == pytest.approx(values.mean(), rel=1e-9, abs=1e-12 * scale)
    assert moments.squares == pytest.approx(
        np.square(values - values.mean()).sum(), rel=1e-9, abs=1e-12 * scale**2
    )
    assert (moments.minimum, moments.maximum) == (values.min(), values.max())


@given(CHUNKS, CHUNKS)
def test_merging_is_adding_and_its_order_hardly_matters(
    one: list[list[float]], two: list[list[float]]
) -> None:
    a, b = Moments.of(whole(one)), Moments.of(whole(two))
    assert a.add(whole(two)) == a + b
    assert (a + b).squares == pytest.approx((b + a).squares, rel=1e-9, abs=1e-300)
    assert a + Moments() == Moments() + a == a


def test_a_small_spread_beside_a_large_mean_keeps_its_digits() -> None:
    values = 1e9 + np.tile([4.0, 7.0, 13.0, 16.0], 5000)
    moments = Moments()
    for chunk in np.split(values, 100):
        moments = moments.add(chunk)
    assert moments.variance == pytest.approx(22.5 * 20_000 / 19_999, rel=1e-9)


def test_a_million_scores_become_five_numbers() -> None:
    rng, moments = np.random.default_rng(9), Moments()
    for _ in range(1000):
        moments = moments.add(rng.uniform(-1, 1, 1000))
    assert moments.count == 1_000_000
    assert 0.0 in moments.estimate(0.999)
    assert moments.standard_deviation == pytest.approx(1 / math.sqrt(3), rel=1e-3)


def test_the_estimate_is_that_of_the_scores_themselves() -> None:
    values = np.random.default_rng(10).normal(size=50)
    found, theirs = Moments.of(values).estimate(0.9), mean_interval(values, 0.9)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


def test_too_few_scores_are_admitted() -> None:
    assert math.isnan(Moments.of([1.0]).variance)
    assert Moments.of([1.0]).estimate().high == math.inf
    with pytest.raises(ValueError, match="none was seen"):
        Moments().estimate()
    with pytest.raises(ValueError, match="on either side"):
        Moments().minus(Moments.of([1.0]))
    with pytest.raises(ValueError, match="nan or infinity"):
        Moments().add([1.0, math.nan])


@given(CHUNKS)
def test_histograms_of_chunks_add_up_to_numpys(chunks: list[list[float]]) -> None:
    histogram = Histogram.even(-1e5, 1e5, 7)
    for chunk in chunks:
        histogram = histogram.add(chunk)
    counts, _ = np.histogram(whole(chunks), histogram.edges)
    assert list(histogram.counts) == counts.tolist()
    assert histogram.total == len(whole(chunks))


def test_a_histogram_counts_what_falls_outside() -> None:
    histogram = Histogram((0.0, 0.5, 1.0)).add([-0.1, 0.0, 0.5, 1.0, 1.1, 2.0])
    assert histogram == Histogram((0.0, 0.5, 1.0), (1, 2), under=1, over=2)
    assert (histogram + histogram).counts == (2, 4)


def test_histograms_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="same edges"):
        Histogram((0.0, 1.0)) + Histogram((0.0, 2.0))
    with pytest.raises(ValueError, match="each above the one before"):
        Histogram((0.0, 0.0))
    with pytest.raises(ValueError, match="do not bound"):
        Histogram((0.0, 1.0), (1, 2))
    with pytest.raises(ValueError, match="nan or infinity"):
        Histogram((0.0, 1.0)).add([math.nan])


@given(st.lists(st.lists(st.tuples(st.integers(-3, 5), SCORES), max_size=20), max_size=5))
def test_groups_have_the_moments_of_their_scores(chunks: list[list[tuple[int, float]]]) -> None:
    grouped, pairs = Grouped(), [pair for chunk in chunks for pair in chunk]
    for chunk in chunks:
        labels = np.array([k for k, _ in chunk], np.int64)
        grouped = grouped.add(labels, [x for _, x in chunk])
    assert list(grouped.groups) == sorted({k for k, _ in pairs})
    for k, moments in grouped.groups.items():
        expected = Moments.of([x for key, x in pairs if key == k])
        assert moments.count == expected.count
        assert moments.mean == pytest.approx(expected.mean, rel=1e-9, abs=1e-6)
    assert grouped.total().count == len(pairs)


def test_each_group_gets_its_interval() -> None:
    grouped = Grouped().add([2, 3, 2], [0.5, 0.25, 0.7]) + Grouped().add([2], [0.6])
    assert grouped.estimates()[2].value == pytest.approx(0.6)
    assert grouped.estimates()[2].n == 3
    assert grouped.estimates()[3].high == math.inf


def test_groups_and_scores_must_match() -> None:
    with pytest.raises(ValueError, match="do not match"):
        Grouped().add([1, 2], [0.5])
    with pytest.raises(ValueError, match="are numbers"):
        Grouped().add(["a"], [0.5])
    with pytest.raises(ValueError, match="are numbers"):
        Grouped().add([math.nan], [0.5])


def test_quantiles_of_a_histogram_are_those_of_the_scores_up_to_a_bin() -> None:
    scores = np.random.default_rng(1).normal(0.2, 0.2, 5000).clip(-1, 1)
    histogram = Histogram.even(-1.0, 1.0, 80).add(scores)
    for p in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert histogram.quantile(p) == pytest.approx(float(np.quantile(scores, p)), abs=2 / 80)


def test_a_quantile_ends_with_the_bin_that_holds_exactly_its_share() -> None:
    # 0.07 times 100 is 7.000000000000001, which is not a part of the next bin.
    assert Histogram((0.0, 1.0, 2.0, 3.0), (7, 0, 93)).quantile(0.07) == 1.0


def test_quantiles_count_scores_beyond_the_edges() -> None:
    histogram = Histogram.even(0.0, 1.0, 10).add([-5.0, -4.0, 0.55, 7.0])
    assert histogram.quantile(0.25) == 0.0 or histogram.quantile(0.25) <= 0.6
    assert 0.5 <= histogram.quantile(0.7) <= 0.6
    assert histogram.quantile(0.99) == 1.0
    assert math.isnan(Histogram.even(0.0, 1.0, 10).quantile(0.5))


@given(
    st.lists(st.tuples(st.integers(0, 50) | st.floats(0, 2), st.floats(-1, 1)), min_size=1),
    st.integers(1, 9),
)
def test_coarser_groups_hold_the_same_scores(scores: list[tuple[float, float]], most: int) -> None:
    groups, values = zip(*scores, strict=True)
    fine = Grouped().add(np.array(groups), values)
    coarse = fine.coarser(most)
    assert len(coarse.groups) <= max(most, 1)
    assert list(coarse.groups) == sorted(coarse.groups)
    assert coarse.total().count == len(scores)
    assert coarse.total().mean == pytest.approx(fine.total().mean, abs=1e-9)
    assert min(fine.groups) <= min(coarse.groups) + 1e-9
    assert max(coarse.groups) <= max(fine.groups) + 1e-9


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_rounding_keeps_the_order_and_three_digits(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert rounded(low) <= rounded(high)
    assert abs(float(rounded(high)) - high) <= max(0.0005, 0.00501 * high)


@given(st.integers(0, 999), st.integers(0, 3))
def test_numbers_of_three_digits_are_groups_of_their_own(number: int, places: int) -> None:
    written = f"{number / 10**places:.{places}f}"
    assert float(rounded(float(written))) == float(written)
