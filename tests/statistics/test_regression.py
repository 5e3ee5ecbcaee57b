"""Linear regression: SciPy's numbers, and honesty at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.statistics import Grouped, linear_regression
from mensura.statistics.regression import grouped_regression

pytestmark = pytest.mark.quick


@given(st.integers(0, 2**32), st.integers(4, 60), st.floats(-3, 3))
def test_the_line_is_scipys(seed: int, n: int, slope: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.uniform(2, 23, n)
    y = slope * x + rng.normal(size=n)
    found, theirs = linear_regression(x, y), stats.linregress(x, y)
    reach = stats.t.ppf(0.975, n - 2)
    assert found.slope.value == pytest.approx(theirs.slope)
    assert found.slope.half_width == pytest.approx(reach * theirs.stderr)
    assert found.intercept.value == pytest.approx(theirs.intercept)
    assert found.intercept.half_width == pytest.approx(reach * theirs.intercept_stderr)
    r = stats.pearsonr(x, y).confidence_interval()
    assert found.r.value == pytest.approx(theirs.rvalue)
    assert (found.r.low, found.r.high) == pytest.approx((r.low, r.high))


def test_points_on_a_line_leave_no_doubt() -> None:
    line = linear_regression([1, 2, 3, 4], [3, 5, 7, 9])
    assert (line.slope.value, line.intercept.value, line.r.value) == pytest.approx((2, 1, 1))
    assert line.slope.half_width == pytest.approx(0, abs=1e-12)
    assert line(10) == pytest.approx(21)


def test_two_points_have_a_line_without_a_limit_to_its_error() -> None:
    line = linear_regression([0, 1], [0, 1])
    assert line.slope.value == 1.0
    assert line.slope.high == math.inf
    assert (line.r.low, line.r.high) == (-1.0, 1.0)


def test_a_flat_line_has_no_correlation_to_speak_of() -> None:
    line = linear_regression([1, 2, 3, 4, 5], [2, 2, 2, 2, 2])
    assert line.slope.value == 0.0
    assert math.isnan(line.r.value)


def test_points_above_one_another_have_no_line() -> None:
    with pytest.raises(ValueError, match="two different x"):
        linear_regression([1, 1], [1, 2])
    with pytest.raises(ValueError, match="as many x as y"):
        linear_regression([1, 2], [1])


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
    line = grouped_regression(Grouped().add(groups, scores))
    full = linear_regression(groups.astype(float), scores)
    assert line is not None
    assert line.slope.value == pytest.approx(full.slope.value, abs=1e-9)
    assert line.intercept.value == pytest.approx(full.intercept.value, abs=1e-9)
    assert line.slope.low == pytest.approx(full.slope.low, abs=1e-6)
    assert line.slope.high == pytest.approx(full.slope.high, abs=1e-6)
    if scores.std() > 1e-6:
        assert line.r.value == pytest.approx(full.r.value, abs=1e-6)
    assert line(7.0) == pytest.approx(full(7.0), abs=1e-8)


def test_there_is_no_line_through_one_complexity() -> None:
    assert grouped_regression(Grouped().add([4, 4, 4], [0.1, 0.2, 0.3])) is None
    assert grouped_regression(Grouped()) is None


def test_two_episodes_give_a_line_of_unknown_slope() -> None:
    line = grouped_regression(Grouped().add([2, 4], [0.0, 0.5]))
    assert line is not None
    assert line.slope.value == pytest.approx(0.25)
    assert line.slope.low == -math.inf
