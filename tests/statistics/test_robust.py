"""Robust averages agree with SciPy, NumPy and rliable, and weights stand for copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import metrics, stats

from mensura.statistics.robust import (
    interquartile_mean,
    median,
    quantile,
    weighted_interquartile_mean,
    weighted_mean,
    weighted_quantile,
)

pytestmark = pytest.mark.quick

VALUES = st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=50).map(np.array)


@given(VALUES)
def test_the_interquartile_mean_is_scipys_and_rliables(values: np.ndarray) -> None:
    found = interquartile_mean(values)
    assert found == pytest.approx(stats.trim_mean(values, 0.25), abs=1e-12)
    assert found == pytest.approx(metrics.aggregate_iqm(values[:, None]), abs=1e-12)


@given(VALUES, st.floats(0.0, 1.0))
def test_quantiles_are_numpys(values: np.ndarray, p: float) -> None:
    assert quantile(values, p) == pytest.approx(np.quantile(values, p), abs=1e-9)
    assert median(values) == pytest.approx(np.median(values), abs=1e-12)


@given(
    st.lists(st.tuples(st.floats(-1.0, 1.0), st.integers(0, 4)), min_size=1, max_size=30).filter(
        lambda rows: any(times for _, times in rows)
    )
)
def test_a_weight_stands_for_so_many_copies(rows: list[tuple[float, int]]) -> None:
    rows = sorted(rows)
    values = np.array([value for value, _ in rows])
    weights = np.array([[times for _, times in rows]], np.float64)
    copies = np.repeat(values, weights[0].astype(int))
    for weighted, plain in (
        (weighted_mean, np.mean),
        (weighted_interquartile_mean, interquartile_mean),
        (weighted_quantile(0.5), median),
        (weighted_quantile(0.9), lambda array: quantile(array, 0.9)),
    ):
        assert weighted(values, weights)[0] == pytest.approx(plain(copies), abs=1e-9)


def test_a_wild_score_moves_the_mean_and_not_the_middle() -> None:
    calm = np.linspace(0.4, 0.6, 40)
    wild = np.append(calm[:-1], -1000.0)
    assert interquartile_mean(wild) == pytest.approx(interquartile_mean(calm), abs=0.01)
    assert wild.mean() < -20


def test_a_share_outside_of_0_to_1_is_refused() -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        quantile([1.0, 2.0], 1.5)
