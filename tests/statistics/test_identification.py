"""Right identifications: intervals over judges, the tests by name, how many games they take."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.statistics.identification import (
    as_often,
    design_effect,
    games_needed,
    identified,
    indistinguishable,
    intraclass,
    majority_of_independent,
    more_games,
    sensitivity,
    turing_1950,
)


def studies(count: int, judges: int, games: int, p: float, spread: float, seed: int) -> np.ndarray:
    """Right or not, shape (studies, judges, games): judges differ in the logit of how often they are right."""
    from scipy.optimize import brentq

    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    middle = brentq(
        lambda b: float((weights / (1 + np.exp(-(b + spread * nodes)))).sum()) - p, -10, 10
    )
    rng = np.random.default_rng(seed)
    own = 1 / (1 + np.exp(-(middle + spread * rng.normal(size=(count, judges, 1)))))
    return (rng.random((count, judges, games)) < own).astype(np.float64)


@pytest.mark.thorough
@pytest.mark.parametrize("p", [0.5, 0.7])
def test_intervals_cover_and_the_criterion_of_1950_hardly_errs_where_judges_differ(
    p: float,
) -> None:
    """1,000 simulated studies of 40 judges with 4 games each."""
    covered = erred = naive = 0
    judges = np.repeat(np.arange(40), 4).tolist()
    for one in studies(1000, 40, 4, p, 1.0, 11):
        found = identified(one.ravel().tolist(), judges)
        covered += p in found.estimate
        erred += turing_1950(found).met
        naive += turing_1950(identified(one.ravel().tolist(), list(range(160)))).met
    assert 930 <= covered <= 970
    if p == 0.7:
        assert erred <= 50
        assert naive > 60, "games that are taken for independent err more often"


def test_the_games_that_are_needed_are_those_of_the_exact_binomial_test() -> None:
    assert [games_needed(p) for p in (0.50, 0.44, 0.60)] == [39, 25, 144]
    assert games_needed(0.70) is None


def test_games_of_one_judge_are_worth_less() -> None:
    assert design_effect(5, 0.2) == pytest.approx(1.8)
    assert design_effect(1, 0.9) == design_effect(3, math.nan) == 1.0


def test_judges_who_differ_widen_the_interval() -> None:
    alike = identified([1, 0] * 20, np.repeat(np.arange(10), 4).tolist())
    apart = identified([1] * 20 + [0] * 20, np.repeat(np.arange(10), 4).tolist())
    assert alike.estimate.value == apart.estimate.value == 0.5
    assert apart.estimate.half_width > 1.5 * alike.estimate.half_width
    assert (alike.icc, apart.icc) == (0.0, pytest.approx(1.0))


def test_human_witnesses_who_repeat_widen_it_too() -> None:
    right = [1.0, 1.0, 0.0, 0.0] * 10
    judges = list(range(40))
    witnesses = [0, 0, 1, 1] * 10
    alone = identified(right, judges)
    both = identified(right, judges, [f"w{one}" for one in np.repeat(np.arange(10), 4)])
    crossed = identified(right, judges, witnesses)
    assert crossed.estimate.half_width > alone.estimate.half_width
    assert both.estimate.half_width >= alone.estimate.half_width - 1e-9


def test_one_judge_tells_of_itself_alone() -> None:
    found = identified([1.0, 0.0, 1.0, 1.0], ["one"] * 4)
    assert not found.over_judges
    assert math.isnan(found.icc)


@given(
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=4, max_size=60),
    st.integers(2, 8),
)
@settings(max_examples=examples(30, 100), deadline=None)
def test_bounds_are_in_order_and_within_0_and_1(right: list[float], judges: int) -> None:
    found = identified(right, [number % judges for number in range(len(right))])
    one = found.estimate
    assert 0.0 <= one.low <= one.value <= one.high <= 1.0
    assert found.within[0] >= one.low - 1e-12
    assert found.within[1] - 1e-12 <= found.upper <= 1.0


def test_tests_are_called_by_their_names_and_nothing_passes_the_turing_test() -> None:
    half = identified([1.0, 0.0] * 60, list(range(120)))
    seen_through = identified([1.0] * 50, list(range(50)))
    assert turing_1950(half).met
    assert "Meets Turing's 1950 criterion" in turing_1950(half).sentence
    assert not turing_1950(seen_through).met
    assert indistinguishable(identified([1.0, 0.0] * 300, list(range(600)))).met
    assert not indistinguishable(half).met or half.within[0] >= 0.4
    assert as_often(half, half).met is (half.within[1] - half.within[0] <= 0.2 / math.sqrt(2))
    assert not as_often(seen_through, half).met
    for test in (turing_1950(half), indistinguishable(half), as_often(half, half)):
        assert "passed" not in test.sentence
        assert "intelligent" not in test.sentence


def test_how_many_more_games_would_do() -> None:
    few = identified([1.0, 0.0] * 5, list(range(10)))
    assert more_games(few) == 29
    assert more_games(identified([1.0] * 9 + [0.0], list(range(10)))) is None


def test_sensitivity_and_bias_of_a_judge() -> None:
    fair = sensitivity(8, 10, 2, 10)
    assert fair.d_prime > 1.2
    assert fair.bias == pytest.approx(0.0)
    assert sensitivity(10, 10, 10, 10).bias < -1
    assert sensitivity(5, 10, 5, 10).d_prime == pytest.approx(0.0)
    assert math.isfinite(sensitivity(10, 10, 0, 10).d_prime)


def test_a_majority_of_independent_jurors_is_right_more_often_than_each() -> None:
    assert majority_of_independent([0.6]) == pytest.approx(0.6)
    assert majority_of_independent([0.6] * 3) == pytest.approx(0.648)
    assert majority_of_independent([0.6] * 2) == pytest.approx(0.6)
    assert majority_of_independent([0.5] * 6) == pytest.approx(0.5)


def test_intraclass_correlation_of_clusters_of_one_is_unknown() -> None:
    assert math.isnan(intraclass(np.array([0.0, 1.0]), np.array([0, 1])))
