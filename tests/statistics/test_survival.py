"""Kaplan and Meier's estimate: by hand, without censoring, and in simulated studies."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.statistics.interval import mean_interval
from mensura.statistics.survival import Survival, kaplan_meier

pytestmark = pytest.mark.quick

# Freireich et al. (1963), as in every textbook: weeks until relapse of 21 patients, censored ones last.
WEEKS = [6, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
RELAPSED = [True] * 9 + [False] * 12


def test_the_textbook_example_comes_out() -> None:
    survival = kaplan_meier(WEEKS, RELAPSED)
    assert survival.time.tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert survival.share == pytest.approx(
        [0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448], abs=5e-4
    )
    assert survival.error[0] == pytest.approx(0.0764, abs=5e-5)
    assert survival.error[-1] == pytest.approx(0.1346, abs=5e-5)
    median = survival.median()
    assert (median.value, median.low, median.high) == (23, 13, math.inf)
    assert survival.at(5.9) == 1.0
    assert survival.at(6) == pytest.approx(18 / 21)
    assert survival.censored == 12


@given(st.lists(st.integers(1, 50), min_size=2, max_size=40))
def test_without_censoring_it_is_the_share_itself_and_the_mean_the_mean(times: list[int]) -> None:
    survival = kaplan_meier(times, [True] * len(times))
    for time in times:
        assert survival.at(time) == pytest.approx(np.mean(np.array(times) > time))
    mean = survival.restricted_mean()
    assert mean.value == pytest.approx(np.mean(times))
    assert mean.standard_error == pytest.approx(mean_interval(times).standard_error, abs=1e-9)


@pytest.mark.parametrize("n", range(2, 202, 2))
def test_the_median_of_an_even_number_is_where_exactly_half_are_there(n: int) -> None:
    # As a product of shares the half may come out as 0.5000000000000001: so do 24 times.
    assert kaplan_meier(np.arange(1.0, n + 1), np.ones(n, bool)).median().value == n / 2


def test_the_median_of_a_curve_that_somebody_else_computed_is_the_same() -> None:
    for half in (0.5, 0.5 + 1e-16, np.nextafter(0.5, 1.0), 0.5 + 1e-12):
        curve = Survival(
            np.array([1.0, 2.0, 3.0, 4.0]),
            np.array([0.75, half, 0.25, 0.0]),
            np.array([0.2, 0.25, 0.2, 0.0]),
            4.0,
            4,
            0,
        )
        assert curve.median().value == 2.0


@given(
    st.lists(st.tuples(st.integers(1, 30), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 30),
)
def test_shares_never_rise_and_agree_with_scipy(pairs: list[tuple[int, bool]], time: int) -> None:
    times, seen = [float(t) for t, _ in pairs], [s for _, s in pairs]
    survival = kaplan_meier(times, seen)
    assert (np.diff(survival.share) <= 1e-12).all()
    if any(seen):
        data = stats.CensoredData.right_censored(times, ~np.array(seen))
        other = stats.ecdf(data).sf.evaluate(time)
        assert survival.at(time) == pytest.approx(float(other), abs=1e-9)


@pytest.mark.thorough
def test_intervals_cover_the_median_and_the_restricted_mean_of_censored_times() -> None:
    studies, until = 300, 30.0
    truth_median, truth_mean = 20 * math.log(2), 20 * (1 - math.exp(-until / 20))
    median, mean = 0, 0
    for case in range(studies):
        rng = np.random.default_rng(case)
        times = rng.exponential(20, 80)
        seen = times <= until
        survival = kaplan_meier(np.minimum(times, until), seen)
        median += truth_median in survival.median()
        mean += truth_mean in survival.restricted_mean(until)
    slack = 4 * math.sqrt(0.05 * 0.95 / studies)
    for share in (median / studies, mean / studies):
        assert abs(share - 0.95) <= slack


def test_nobody_who_got_there_has_an_infinite_median() -> None:
    survival = kaplan_meier([10, 10, 10], [False, False, False])
    assert survival.median().value == math.inf
    assert survival.restricted_mean().value == 10


@pytest.mark.parametrize(
    ("times", "seen", "message"),
    [
        ([1, 2], [True], "do not match"),
        ([0, 2], [True, True], "above 0"),
        ([], [], "at least one"),
    ],
)
def test_times_that_are_none_are_refused(
    times: list[float], seen: list[bool], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        kaplan_meier(times, seen)


def test_a_mean_beyond_what_was_watched_is_refused() -> None:
    with pytest.raises(ValueError, match="restricted to a time from 0 to 2"):
        kaplan_meier([1, 2], [True, True]).restricted_mean(3)
