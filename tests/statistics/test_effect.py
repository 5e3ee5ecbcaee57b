"""Effect sizes are those of the textbooks; their intervals agree with the t test and cover the truth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.agent.keys import fold
from mensura.statistics.effect import (
    cohen_d,
    hedges_g,
    noncentrality,
    paired_d,
    small_sample_factor,
    standardized,
)

RNG = np.random.default_rng(31)
ONE, TWO = RNG.normal(0.5, 1.0, 14), RNG.normal(0.0, 1.3, 20)


def test_cohens_d_is_the_difference_over_the_pooled_deviation() -> None:
    pooled = math.sqrt((13 * ONE.var(ddof=1) + 19 * TWO.var(ddof=1)) / 32)
    assert cohen_d(ONE, TWO).value == pytest.approx((ONE.mean() - TWO.mean()) / pooled)


def test_hedges_takes_out_the_bias_of_small_samples() -> None:
    assert hedges_g(ONE, TWO).value == pytest.approx(
        cohen_d(ONE, TWO).value * (1 - 3 / (4 * 32 - 1)), rel=1e-3
    )
    assert small_sample_factor(1e6) == pytest.approx(1.0, abs=1e-5)
    assert math.isnan(small_sample_factor(1.0))


def test_d_of_pairs_is_t_over_the_root_of_their_number() -> None:
    two = TWO[:14]
    t = stats.ttest_rel(ONE, two).statistic
    assert paired_d(ONE, two).value == pytest.approx(t / math.sqrt(14))


@pytest.mark.parametrize(("t", "df"), [(0.0, 5), (2.1, 12), (-3.3, 40), (9.0, 3), (35.0, 2000)])
def test_the_ends_of_an_interval_are_the_shifts_that_barely_give_t(t: float, df: float) -> None:
    low, high = noncentrality(t, df, 0.9)
    assert stats.nct.cdf(t, df, low) == pytest.approx(0.95, abs=1e-6)
    assert stats.nct.cdf(t, df, high) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("df", [1, 7, 23, 5000])
def test_a_t_beyond_measure_has_an_interval_that_joins_the_others(df: float) -> None:
    below, above = noncentrality(0.99e5, df), noncentrality(1.01e5, df)
    for near, far in zip(below, above, strict=True):
        assert far / near == pytest.approx(1.01 / 0.99, rel=1e-4)
    assert noncentrality(-1e17, df) == pytest.approx(
        [-end for end in noncentrality(1e17, df)][::-1]
    )


@given(st.integers(0, 10_000))
def test_the_interval_leaves_out_zero_just_where_the_test_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = rng.normal(0.6, 1, 12), rng.normal(0, 1, 12)
    assert (0.0 not in paired_d(one, two)) == (stats.ttest_rel(one, two).pvalue < 0.05)
    assert (0.0 not in cohen_d(one, two)) == (stats.ttest_ind(one, two).pvalue < 0.05)


@pytest.mark.thorough
def test_intervals_cover_the_true_effect(full_size: bool) -> None:
    cases = 5000 if full_size else 400
    hits = 0
    for case in range(cases):
        rng = np.random.default_rng(fold(32, case))
        hits += 0.8 in cohen_d(rng.normal(0.8, 1, 9), rng.normal(0, 1, 13))
        hits += 0.5 in paired_d(rng.normal(0.5, 1, 10), np.zeros(10))
    assert 0.93 <= hits / (2 * cases) <= 0.97


def test_without_scatter_an_effect_has_no_size() -> None:
    assert math.isnan(standardized(0.3, 0.0, 0.0, 9, 10).value)
    assert standardized(0.0, 0.0, 0.0, 9, 10).value == 0.0
    with pytest.raises(ValueError, match="one size from 2 on"):
        paired_d([1.0], [2.0])
    with pytest.raises(ValueError, match="three scores"):
        cohen_d([1.0], [2.0])
