"""Correlations of values and of ranks, against SciPy, and laws that hold for all rows of numbers."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.heavy import stats

from mensura.statistics.correlation import kendall, pearson, probability, spearman

rows = st.integers(5, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-50, 50), min_size=n, max_size=n)] * 2)
)
KINDS = [
    (pearson, "pearsonr"),
    (spearman, "spearmanr"),
    (kendall, "kendalltau"),
]


@pytest.mark.parametrize(("ours", "theirs"), KINDS)
@given(pairs=rows)
def test_each_is_what_scipy_gives(ours, theirs, pairs) -> None:  # type: ignore[no-untyped-def]
    x, y = pairs
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    found = ours(x, y)
    assert found.value == pytest.approx(getattr(stats, theirs)(x, y).statistic, abs=1e-12)
    assert -1.0 <= found.low <= found.value <= found.high <= 1.0


@pytest.mark.parametrize(("ours", "_"), KINDS)
@given(pairs=rows)
def test_which_of_two_comes_first_does_not_matter_and_a_turned_sign_turns_it(
    ours, _, pairs
) -> None:  # type: ignore[no-untyped-def]
    x, y = pairs
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert ours(x, y).value == pytest.approx(ours(y, x).value, abs=1e-12)
    assert ours([-v for v in x], y).value == pytest.approx(-ours(x, y).value, abs=1e-12)


@given(pairs=rows)
def test_ranks_do_not_see_a_rising_change_of_scale(pairs: tuple[list[int], list[int]]) -> None:
    x, y = pairs
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    bent = [math.exp(v / 10) for v in x]
    assert spearman(bent, y).value == pytest.approx(spearman(x, y).value, abs=1e-12)
    assert kendall(bent, y).value == pytest.approx(kendall(x, y).value, abs=1e-12)


def test_a_constant_or_a_handful_tells_nothing() -> None:
    for one in (spearman([1, 1, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6]), pearson([1, 2, 3], [1, 2, 4])):
        assert (one.low, one.high) == (-1.0, 1.0)
        assert math.isnan(probability(one))


def test_the_probability_falls_as_ranks_agree() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=20)
    noisy = [spearman(x, x + s * rng.normal(size=20)) for s in (0.0, 0.5, 100.0)]
    p = [probability(one) for one in noisy]
    assert p[0] == 0.0 < p[1] < 0.001 < 0.05 < p[2]


@pytest.mark.thorough
def test_of_ranks_that_have_nothing_to_do_with_each_other_one_in_twenty_is_below_5_percent() -> (
    None
):
    rng = np.random.default_rng(5)
    found = [probability(spearman(*rng.normal(size=(2, 15)))) for _ in range(2000)]
    assert 0.035 < np.mean(np.array(found) < 0.05) < 0.065


@pytest.mark.thorough
@pytest.mark.parametrize("ours", [pearson, spearman, kendall])
def test_the_interval_holds_the_truth_about_95_times_of_100(ours) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(7)
    rho = 0.6
    truth = {
        pearson: rho,
        spearman: 6 / math.pi * math.asin(rho / 2),
        kendall: 2 / math.pi * math.asin(rho),
    }[ours]
    hits = 0
    for _ in range(1000):
        x, e = rng.normal(size=(2, 15))
        hits += truth in ours(x, rho * x + math.sqrt(1 - rho**2) * e)
    assert 920 <= hits <= 985
