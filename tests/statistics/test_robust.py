"""Robust averages agree with SciPy and rliable, and weights stand for copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import metrics, stats

from mensura.statistics.robust import (
    interquartile_mean,
    weighted_interquartile_mean,
)

pytestmark = pytest.mark.quick

VALUES = st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=50).map(np.array)


@given(VALUES)
def test_the_interquartile_mean_is_scipys_and_rliables(values: np.ndarray) -> None:
    found = interquartile_mean(values)
    assert found == pytest.approx(stats.trim_mean(values, 0.25), abs=1e-12)
    assert found == pytest.approx(metrics.aggregate_iqm(values[:, None]), abs=1e-12)


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
    found = weighted_interquartile_mean(values, weights)[0]
    assert found == pytest.approx(interquartile_mean(copies), abs=1e-9)


def test_a_wild_score_moves_the_mean_and_not_the_middle() -> None:
    calm = np.linspace(0.4, 0.6, 40)
    wild = np.append(calm[:-1], -1000.0)
    assert interquartile_mean(wild) == pytest.approx(interquartile_mean(calm), abs=0.01)
    assert wild.mean() < -20
