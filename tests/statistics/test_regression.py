"""Linear regression: SciPy's numbers, and honesty at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mensura.statistics import linear_regression


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
