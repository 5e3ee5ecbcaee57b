"""What reports derive from summaries is what the episodes themselves would tell."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.reports.derived import quantile, trend
from mensura.statistics.moments import Grouped, Histogram
from mensura.statistics.regression import linear_regression


@given(
    st.lists(
        st.tuples(st.integers(2, 23), st.floats(-1, 1, allow_subnormal=False)),
        min_size=3,
        max_size=60,
    ).filter(lambda pairs: len({k for k, _ in pairs}) > 1)
)
def test_the_line_from_moments_is_the_regression_over_all_episodes(
    pairs: list[tuple[int, float]],
) -> None:
    groups, scores = np.array([k for k, _ in pairs]), np.array([score for _, score in pairs])
    line = trend(Grouped().add(groups, scores))
    full = linear_regression(groups.astype(float), scores)
    assert line is not None
    assert line.slope.value == pytest.approx(full.slope.value, abs=1e-9)
    assert line.intercept == pytest.approx(full.intercept.value, abs=1e-9)
    assert line.slope.low == pytest.approx(full.slope.low, abs=1e-6)
    assert line.slope.high == pytest.approx(full.slope.high, abs=1e-6)
    if scores.std() > 1e-6:
        assert line.r == pytest.approx(full.r.value, abs=1e-6)
    assert line(7.0) == pytest.approx(full(7.0), abs=1e-8)


def test_there_is_no_line_through_one_complexity() -> None:
    assert trend(Grouped().add([4, 4, 4], [0.1, 0.2, 0.3])) is None
    assert trend(Grouped()) is None


def test_two_episodes_give_a_line_of_unknown_slope() -> None:
    line = trend(Grouped().add([2, 4], [0.0, 0.5]))
    assert line is not None
    assert line.slope.value == pytest.approx(0.25)
    assert line.slope.low == -math.inf


def test_quantiles_of_a_histogram_are_those_of_the_scores_up_to_a_bin() -> None:
    scores = np.random.default_rng(1).normal(0.2, 0.2, 5000).clip(-1, 1)
    histogram = Histogram.even(-1.0, 1.0, 80).add(scores)
    for p in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert quantile(histogram, p) == pytest.approx(float(np.quantile(scores, p)), abs=2 / 80)


def test_quantiles_count_scores_beyond_the_edges() -> None:
    histogram = Histogram.even(0.0, 1.0, 10).add([-5.0, -4.0, 0.55, 7.0])
    assert quantile(histogram, 0.25) == 0.0 or quantile(histogram, 0.25) <= 0.6
    assert 0.5 <= quantile(histogram, 0.7) <= 0.6
    assert quantile(histogram, 0.99) == 1.0
    assert math.isnan(quantile(Histogram.even(0.0, 1.0, 10), 0.5))
