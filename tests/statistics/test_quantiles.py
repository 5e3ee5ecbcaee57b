"""Quantiles agree with SciPy's and with tables in print."""

import math
from statistics import NormalDist

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.statistics.quantiles import (
    chi_square,
    fisher_f,
    noncentral_t_below,
    normal,
    normal_below,
    shift_where,
    student_t,
    student_t_above,
)

pytestmark = pytest.mark.quick

LEVELS = [1e-9, 1e-4, 0.005, 0.025, 0.05, 0.25, 0.45, 0.6, 0.9, 0.975, 0.995, 0.9995, 0.999999]
FREEDOM = [0.5, 1, 1.7, 2, 3, 4, 9, 29, 30.5, 99, 500, 999, 1999, 2000, 2001, 9999, 1e5]


@pytest.mark.parametrize("df", [*FREEDOM, 1e9])
def test_student_t_agrees_with_scipy(df: float) -> None:
    for p in LEVELS:
        assert student_t(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-10)


@pytest.mark.parametrize("df", FREEDOM)
def test_chi_square_agrees_with_scipy(df: float) -> None:
    for p in LEVELS:
        assert chi_square(p, df) == pytest.approx(stats.chi2.ppf(p, df), rel=1e-10)


@given(st.floats(1e-6, 1 - 1e-6), st.floats(0.5, 1e4))
def test_the_distribution_takes_a_quantile_back_to_its_probability(p: float, df: float) -> None:
    assume(abs(p - 0.5) > 1e-6)
    assert stats.t.cdf(student_t(p, df), df) == pytest.approx(p, rel=1e-8)
    assert stats.chi2.cdf(chi_square(p, df), df) == pytest.approx(p, rel=1e-8)


def test_values_that_stand_in_every_table() -> None:
    assert round(student_t(0.975, 9), 3) == 2.262
    assert round(student_t(0.975, 1), 3) == 12.706
    assert round(chi_square(0.95, 1), 3) == 3.841
    assert round(chi_square(0.025, 9), 3) == 2.700


@given(st.floats(1e-6, 0.5), st.floats(0.5, 1e5))
def test_student_t_is_symmetric(tail: float, df: float) -> None:
    p = 1.0 - tail
    assert student_t(1.0 - p, df) == -student_t(p, df)


def test_with_no_limit_to_its_freedom_student_t_is_normal() -> None:
    assert student_t(0.975, math.inf) == NormalDist().inv_cdf(0.975)
    assert student_t(0.5, 3) == 0.0


def test_beyond_a_million_degrees_chi_square_keeps_eight_digits() -> None:
    for p in (0.025, 0.5, 0.975):
        assert chi_square(p, 2e6) == pytest.approx(stats.chi2.ppf(p, 2e6), rel=1e-8)


@pytest.mark.parametrize("quantile", [student_t, chi_square])
@pytest.mark.parametrize(("p", "df"), [(0.0, 3), (1.0, 3), (math.nan, 3), (0.5, 0), (0.5, -1)])
def test_impossible_questions_are_refused(quantile, p: float, df: float) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"probability|positive"):
        quantile(p, df)


@pytest.mark.parametrize("df", [1, 1.7, 5, 30.5, 1000, 1e5, 1e6, math.inf])
def test_tails_of_student_t_agree_with_scipy(df: float) -> None:
    for t in (-30.0, -2.0, 0.0, 0.3, 2.0, 12.0, 36.0):
        assert student_t_above(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-8)


def test_the_normal_distribution_keeps_its_digits_in_the_tails() -> None:
    for x in (-37.0, -5.0, 0.0, 1.96, 8.0):
        assert normal_below(x) == pytest.approx(stats.norm.cdf(x), rel=1e-12)
    assert normal(0.975) == pytest.approx(1.959963984540054)


@pytest.mark.parametrize("df", [1, 2, 3, 9.5, 40, 1000, 1e5])
@pytest.mark.parametrize("shift", [-5.0, 0.0, 0.3, 2.0, 15.0])
def test_the_noncentral_t_agrees_with_scipy(df: float, shift: float) -> None:
    for t in (-3.0, 0.0, 0.5, 2.0, 6.0, 20.0):
        theirs = stats.nct.cdf(t, df, shift)
        if not math.isnan(theirs):
            assert noncentral_t_below(t, df, shift) == pytest.approx(theirs, abs=1e-6)


def test_a_steep_step_is_not_stepped_over() -> None:
    assert noncentral_t_below(1e4, 100, 1e4) == pytest.approx(stats.chi2.sf(100, 100), abs=1e-3)


def test_a_shift_is_found_from_a_poor_start() -> None:
    found = shift_where(lambda shift: noncentral_t_below(1.5, 2, shift), 0.975, 40.0)
    assert noncentral_t_below(1.5, 2, found) == pytest.approx(0.975, abs=1e-6)


@pytest.mark.parametrize(("df", "error_df"), [(1, 1), (3, 7), (2.5, 40.0), (200, 3)])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.975])
def test_quantiles_of_fisher_f_agree_with_scipy(p: float, df: float, error_df: float) -> None:
    assert fisher_f(p, df, error_df) == pytest.approx(stats.f.ppf(p, df, error_df), rel=1e-9)
