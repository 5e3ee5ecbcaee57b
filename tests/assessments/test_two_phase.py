"""A pilot and what came later, put together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.assessments.two_phase import joined, mean, variance

VALUES = st.lists(st.floats(-1, 1), max_size=6)


@given(VALUES, VALUES, st.floats(0, 50))
def test_the_mean_lies_between_those_of_both_phases(
    pilot: list[float], later: list[float], more: float
) -> None:
    found = joined(pilot, later, more)
    parts = [mean(one) for one in (pilot, later) if one] or [0.0]
    assert min(parts) - 1e-12 <= found.mean <= max(parts) + 1e-12
    assert 0.0 <= found.factor <= 1.0
    if pilot and later:
        assert found.factor >= 1 / (len(pilot) + len(later)) - 1e-12


@given(VALUES)
def test_moments_are_the_usual_ones(values: list[float]) -> None:
    assert mean(values) == pytest.approx(np.mean(values) if values else 0.0)
    assert variance(values) == pytest.approx(np.var(values, ddof=1) if len(values) > 1 else 0.0)
