"""The test of the exponential distribution: it keeps its level, and finds what is not exponential."""

from __future__ import annotations

import numpy as np
import pytest

from mensura.statistics.exponential import exponential_test

pytestmark = pytest.mark.quick


@pytest.mark.thorough
def test_exponential_values_are_refused_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(1)
    refused = sum(exponential_test(rng.exponential(3.0, 40)).p < 0.05 for _ in range(200))
    assert 2 <= refused <= 20


def test_values_of_another_distribution_are_refused() -> None:
    rng = np.random.default_rng(2)
    assert exponential_test(rng.normal(5.0, 1.0, 60)).p < 0.01
    assert exponential_test(rng.uniform(0.0, 1.0, 100)).p < 0.05


def test_few_values_say_nothing() -> None:
    assert np.isnan(exponential_test(np.array([1.0, 2.0])).p)
    assert np.isnan(exponential_test(np.zeros(10)).p)
