"""Places on a scale of references agree with Welch's test, and are said in words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.statistics.moments import Moments
from mensura.statistics.placing import in_words, place, places, probability_above

pytestmark = pytest.mark.quick


@given(st.integers(2, 20), st.integers(2, 20), st.integers(0, 2**32 - 1), st.floats(-2, 2))
def test_the_probability_is_that_of_welchs_test(n: int, m: int, seed: int, gap: float) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.normal(gap, 1, n), rng.normal(0, 2, m)
    p = probability_above(Moments.of(one), Moments.of(other))
    test = stats.ttest_ind(one, other, equal_var=False, alternative="greater")
    assert p == pytest.approx(1 - test.pvalue, abs=1e-9)
    assert p + probability_above(Moments.of(other), Moments.of(one)) == pytest.approx(1)


def test_scores_without_scatter_are_above_or_below_for_sure() -> None:
    low, high = Moments.of([0.1, 0.1]), Moments.of([0.2, 0.2])
    assert probability_above(high, low) == 1.0
    assert probability_above(low, high) == 0.0
    assert probability_above(low, low) == 0.5
    assert math.isnan(probability_above(Moments.of([0.1]), low))


def test_a_place_names_the_nearest() -> None:
    rng = np.random.default_rng(1)
    scale = {
        name: Moments.of(rng.normal(mean, 0.01, 10))
        for name, mean in (("oracle", 0.9), ("random", 0.0), ("middle", 0.5), ("low", 0.2))
    }
    where = place(Moments.of(rng.normal(0.5, 0.01, 10)), scale)
    assert where is not None
    assert [name for name, _ in where.above] == ["random", "low"]
    assert [name for name, _ in where.beside] == ["middle"]
    assert [name for name, _ in where.below] == ["oracle"]
    words = in_words(where)
    assert words.startswith("above low (probability over 0.999), indistinguishable from middle")
    assert words.endswith("below oracle (probability over 0.999)")
    assert place(Moments.of([0.5]), scale) is None


def test_verdicts_are_corrected_for_how_many_are_made() -> None:
    """A score that is above alone, at 97%, is not among twenty."""
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 1, 40)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    low, near = Moments.of(noise), Moments.of(noise + 0.43)
    assert 0.95 < probability_above(near, low) < 0.98
    alone = place(near, {"low": low})
    assert alone is not None
    assert [name for name, _ in alone.above] == ["low"]
    others = {f"other {i}": Moments.of(rng.normal(0, 1, 40)) for i in range(19)}
    among = places({"near": near, **others}, {"low": low})["near"]
    assert among is not None
    assert [name for name, _ in among.beside] == ["low"]
    assert places({}, {"low": low}) == {}
    assert places({"near": near}, {}) == {"near": None}
