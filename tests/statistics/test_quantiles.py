"""Quantiles as callers rely on them: by the tables in print, without bounds to degrees of freedom, to the far tails."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.statistics.quantiles import (
    chi_square,
    fisher_f,
    fisher_f_above,
    noncentral_t_below,
    normal,
    normal_below,
    shift_where,
    student_t,
    student_t_above,
)

pytestmark = pytest.mark.quick


def test_values_that_stand_in_every_table() -> None:
    assert round(student_t(0.975, 9), 3) == 2.262
    assert round(student_t(0.975, 1), 3) == 12.706
    assert round(chi_square(0.95, 1), 3) == 3.841
    assert round(chi_square(0.025, 9), 3) == 2.700
    assert round(fisher_f(0.95, 3, 10), 3) == 3.708
    assert round(normal(0.975), 3) == 1.960


@pytest.mark.parametrize("df", [0.5, 1, 1.7, 3, 30.5, 999, 2001, 1e5, 1e9, math.inf])
def test_a_quantile_is_left_above_as_often_as_it_says(df: float) -> None:
    for p in (1e-9, 0.005, 0.025, 0.25, 0.6, 0.975, 0.9995):
        assert student_t_above(student_t(p, df), df) == pytest.approx(1 - p, rel=1e-9)
        assert student_t_above(-student_t(p, df), df) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(("df", "error_df"), [(1, 1), (3, 7), (2.5, 40.0), (200, 3)])
def test_so_are_those_of_fisher_f(df: float, error_df: float) -> None:
    for p in (0.01, 0.5, 0.975):
        assert fisher_f_above(fisher_f(p, df, error_df), df, error_df) == pytest.approx(1 - p)


def test_with_no_limit_to_its_freedom_student_t_is_normal() -> None:
    assert student_t(0.975, math.inf) == pytest.approx(NormalDist().inv_cdf(0.975), rel=1e-14)
    assert student_t(0.5, 3) == 0.0
    assert noncentral_t_below(2.0, math.inf, 1.0) == pytest.approx(normal_below(1.0))


@pytest.mark.parametrize("quantile", [student_t, chi_square])
@pytest.mark.parametrize(("p", "df"), [(0.0, 3), (1.0, 3), (math.nan, 3), (0.5, 0), (0.5, -1)])
def test_impossible_questions_are_refused(quantile, p: float, df: float) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"probability|positive"):
        quantile(p, df)


def test_tails_keep_their_digits() -> None:
    assert normal_below(-37.0) == pytest.approx(math.erfc(37 / math.sqrt(2)) / 2, rel=1e-12)
    assert 0.0 < student_t_above(36.0, 1e6) < 1e-280
    assert fisher_f_above(0.0, 2, 3) == 1.0
    assert math.isnan(fisher_f_above(math.nan, 2, 3))


@given(st.floats(1, 1e7), st.floats(-60, 60), st.floats(-60, 60))
def test_the_noncentral_t_is_a_probability_even_where_next_to_nothing_is_left_of_it(
    df: float, shift: float, t: float
) -> None:
    assert 0.0 <= noncentral_t_below(t, df, shift) <= 1.0


def test_a_steep_step_is_not_stepped_over() -> None:
    assert noncentral_t_below(1e4, 100, 1e4) == pytest.approx(stats.chi2.sf(100, 100), abs=1e-3)


def test_a_shift_is_found_however_far_off() -> None:
    for high in (0.5, 40.0, 1e4):
        found = shift_where(lambda shift: noncentral_t_below(1.5, 2, shift), 0.025, -40.0, high)
        assert noncentral_t_below(1.5, 2, found) == pytest.approx(0.025, abs=1e-9)
