"""Mutual information of subject and outcome: its bounds, and what it is where it is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.sizes import examples

from mensura.statistics.information import mutual_information


def test_outcomes_that_never_overlap_tell_all() -> None:
    two = mutual_information([np.zeros(40), np.ones(40)])
    assert two.value == pytest.approx(1.0, abs=0.03)
    four = mutual_information([np.full(60, at) for at in range(4)])
    assert four.value == pytest.approx(2.0, abs=0.06)


@pytest.mark.thorough
def test_outcomes_that_are_alike_tell_nothing() -> None:
    rng = np.random.default_rng(1)
    found = [mutual_information(rng.normal(size=(2, 40)), seed) for seed in range(12)]
    assert np.mean([one.value for one in found]) < 0.05
    assert np.mean([one.low <= 0.02 for one in found]) > 0.9
    assert mutual_information([np.zeros(20), np.zeros(20)]).value == 0.0


def test_it_rises_with_how_far_subjects_are_apart() -> None:
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(2, 200))
    bits = [mutual_information([noise[0], noise[1] + apart]).value for apart in (0.0, 1.0, 3.0)]
    assert bits[0] < bits[1] < bits[2]


@settings(max_examples=examples(3, 6), deadline=None)
@given(arrays.arrays(np.float64, (3, 9), elements=st.floats(-1, 1)))
def test_it_is_from_0_to_the_bits_of_who(table: np.ndarray) -> None:
    found = mutual_information(table)
    assert 0.0 <= found.low <= found.value <= found.high <= np.log2(3) + 1e-9
    assert mutual_information(table) == found
