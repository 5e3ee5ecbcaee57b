"""The analysis of variance agrees with sums of squares written out, with SciPy, and with chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.statistics.anova import Effect, repeated_measures

pytestmark = pytest.mark.quick


def written_out(data: np.ndarray) -> list[tuple[float, int, int]]:
    """F and degrees of freedom by the textbook's sums of squares."""
    n, a, b = data.shape
    grand = data.mean()
    of_s, of_a, of_b = data.mean((1, 2)), data.mean((0, 2)), data.mean((0, 1))
    of_sa, of_sb, of_ab = data.mean(2), data.mean(1), data.mean(0)
    ss_a = n * b * ((of_a - grand) ** 2).sum()
    ss_b = n * a * ((of_b - grand) ** 2).sum()
    ss_ab = n * ((of_ab - of_a[:, None] - of_b[None] + grand) ** 2).sum()
    ss_sa = b * ((of_sa - of_s[:, None] - of_a[None] + grand) ** 2).sum()
    ss_sb = a * ((of_sb - of_s[:, None] - of_b[None] + grand) ** 2).sum()
    rest = (
        data
        - of_sa[:, :, None]
        - of_sb[:, None]
        - of_ab[None]
        + of_s[:, None, None]
        + of_a[None, :, None]
        + of_b[None, None]
        - grand
    )
    ss_sab = (rest**2).sum()
    found = []
    for ss, noise, df in (
        (ss_a, ss_sa, a - 1),
        (ss_b, ss_sb, b - 1),
        (ss_ab, ss_sab, (a - 1) * (b - 1)),
    ):
        error_df = df * (n - 1)
        found.append((ss / df / (noise / error_df), df, error_df))
    return found


@given(st.integers(2, 7), st.integers(2, 4), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_it_agrees_with_sums_of_squares_written_out(n: int, a: int, b: int, seed: int) -> None:
    data = np.random.default_rng(seed).normal(size=(n, a, b))
    for effect, (f, df, error_df) in zip(repeated_measures(data), written_out(data), strict=True):
        assert (effect.df, effect.error_df) == (df, error_df)
        assert effect.f == pytest.approx(f, rel=1e-9)
        assert effect.p == pytest.approx(stats.f.sf(f, df, error_df), rel=1e-8)
        assert 1 / df - 1e-12 <= effect.epsilon <= 1
        assert effect.share == pytest.approx(f * df / (f * df + error_df))


def test_two_levels_are_a_paired_t_test() -> None:
    data = np.random.default_rng(3).normal(size=(12, 2, 5))
    first: Effect = repeated_measures(data)[0]
    t = stats.ttest_rel(*data.mean(axis=2).T)
    assert first.f == pytest.approx(t.statistic**2)
    assert first.p == pytest.approx(t.pvalue)
    assert first.epsilon == 1.0
    assert first.p_corrected == first.p


def test_the_degrees_of_freedom_of_the_thesis() -> None:
    effects = repeated_measures(
        np.random.default_rng(1).normal(size=(20, 2, 7)), ("subject", "cells")
    )
    assert [(e.name, e.df, e.error_df) for e in effects] == [
        ("subject", 1, 19),
        ("cells", 6, 114),
        ("subject x cells", 6, 114),
    ]


def test_without_an_effect_p_is_evenly_spread() -> None:
    rng = np.random.default_rng(5)
    p = [[e.p for e in repeated_measures(rng.normal(size=(8, 2, 4)))] for _ in range(400)]
    for column in np.array(p).T:
        assert stats.kstest(column, "uniform").pvalue > 0.001


def test_what_everybody_shares_is_no_noise() -> None:
    """Adding a number to all that one person did changes nothing."""
    rng = np.random.default_rng(2)
    data = rng.normal(size=(6, 3, 4))
    moved = data + rng.normal(size=(6, 1, 1)) * 100
    for one, other in zip(repeated_measures(data), repeated_measures(moved), strict=True):
        assert one.f == pytest.approx(other.f, rel=1e-6)


@pytest.mark.parametrize("shape", [(1, 2, 2), (4, 1, 3), (4, 3)])
def test_too_little_gets_a_sentence(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="at least two by two by two"):
        repeated_measures(np.zeros(shape))
