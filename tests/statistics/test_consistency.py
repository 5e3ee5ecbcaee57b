"""Reliability of one person's score: known tests, laws, and what the intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.statistics.consistency import cronbach_alpha, marginal_reliability


def drawn(people: int, exercises: int, true: float, seed: int) -> np.ndarray:
    """Scores of a test whose internal consistency is known: a person's own part and noise in each exercise."""
    rng = np.random.default_rng(seed)
    own = true / (
        exercises * (1.0 - true) + true
    )  # the variance of the own part, that of noise being 1 - own
    persons = rng.normal(size=(people, 1)) * math.sqrt(own)
    return persons + rng.normal(size=(people, exercises)) * math.sqrt(1.0 - own)


def test_a_table_by_hand() -> None:
    # Variances of the columns 1 and 1; of the sums (2, 4, 6) 4: alpha is 2 (1 - 2 / 4) = 1.
    assert cronbach_alpha([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]).value == pytest.approx(1.0)
    # Columns 1 and 1, sums 4, 4 and 4: nobody differs.
    assert math.isnan(cronbach_alpha([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]).value)


@given(st.integers(0, 10_000), st.floats(-3.0, 3.0), st.floats(0.1, 10.0))
def test_shifting_and_stretching_all_scores_changes_nothing(
    seed: int, shift: float, stretch: float
) -> None:
    table = drawn(12, 4, 0.6, seed)
    one, two = cronbach_alpha(table), cronbach_alpha(table * stretch + shift)
    assert one.value == pytest.approx(two.value)
    assert (one.low, one.high) == pytest.approx((two.low, two.high))
    assert one.low <= one.value <= one.high <= 1.0


@pytest.mark.parametrize("true", [0.3, 0.8])
def test_the_interval_covers_what_it_promises(true: float) -> None:
    covered = [true in cronbach_alpha(drawn(20, 7, true, seed)) for seed in range(600)]
    assert 0.93 <= np.mean(covered) <= 0.97


def test_an_adaptive_test_is_as_reliable_as_its_errors_are_small() -> None:
    rng = np.random.default_rng(3)
    true = rng.normal(size=400)
    errors = np.full(400, 0.5)
    seen = true + rng.normal(size=400) * errors
    found = marginal_reliability(seen, errors, 1)
    assert 1.0 / 1.25 in found
    assert marginal_reliability(seen, errors * 0, 1).value == 1.0
    assert math.isnan(marginal_reliability([0.1, 0.1, 0.1], [0.2, 0.2, 0.2], 1).value)
    assert math.isnan(marginal_reliability([0.1, 0.3], [0.2, 0.2], 1).value)


@pytest.mark.parametrize("table", [[[1.0, 2.0]], [[1.0], [2.0]], [1.0, 2.0]])
def test_too_little_is_refused(table: list[object]) -> None:
    with pytest.raises(ValueError, match="two people"):
        cronbach_alpha(table)
