"""The probability of improvement: rliable's and Mann and Whitney's, with ties as halves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import library, metrics, stats

from mensura.statistics.clusters import Design
from mensura.statistics.improvement import (
    improvement_of_tables,
    paired_improvement,
    probability_of_improvement,
    unpaired_improvement,
)

STEPS = st.lists(st.integers(-3, 3), min_size=2, max_size=30).map(lambda x: np.array(x, np.float64))


def design(n: int) -> Design:
    return Design.of(np.arange(n, dtype=np.uint64), np.zeros(n, np.int64))


@given(STEPS, STEPS)
def test_of_two_samples_it_is_mann_and_whitneys_u(one: np.ndarray, two: np.ndarray) -> None:
    found = unpaired_improvement(one, two, (design(len(one)), design(len(two))))
    u = stats.mannwhitneyu(one, two).statistic
    assert found.value == pytest.approx(u / (len(one) * len(two)))
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0


@given(STEPS)
def test_of_pairs_it_is_the_share_won_and_half_the_ties(gaps: np.ndarray) -> None:
    found = paired_improvement(gaps, design(len(gaps)))
    assert found.value == pytest.approx(((gaps > 0).sum() + (gaps == 0).sum() / 2) / len(gaps))
    back = paired_improvement(-gaps, design(len(gaps)))
    assert (found.low, found.high) == pytest.approx((1 - back.high, 1 - back.low))


def test_of_pairs_without_ties_it_is_nearly_wilsons_interval() -> None:
    gaps = np.where(np.arange(200) < 130, 1.0, -1.0)
    theirs = stats.binomtest(130, 200).proportion_ci(method="wilson")
    found = paired_improvement(gaps, design(200))
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.002)


def test_winning_always_is_not_certain_to_go_on() -> None:
    found = paired_improvement(np.ones(20), design(20))
    assert found.high == found.value == 1.0
    assert 0.75 < found.low < 0.9
    apart = unpaired_improvement([1.0, 2.0, 3.0], [-1.0, -2.0], (design(3), design(2)))
    assert apart.value == apart.high == 1.0
    assert apart.low < 0.6


def test_its_error_is_delongs() -> None:
    rng = np.random.default_rng(3)
    one, two = rng.normal(0.5, 1, 60), rng.normal(0, 1, 90)
    found = unpaired_improvement(one, two, (design(60), design(90)))
    wins = (one[:, None] > two).astype(float)
    error = np.sqrt(wins.mean(axis=1).var(ddof=1) / 60 + wins.mean(axis=0).var(ddof=1) / 90)
    assert found.standard_error == pytest.approx(error)


RLIABLE = (0.4175, 0.5790)
"""The interval of rliable 1.2 with 3000 resamples for the tables below; it has no seed and takes half a minute."""


def test_tables_of_runs_by_tasks_give_what_rliable_gives(full_size: bool) -> None:
    rng = np.random.default_rng(4)
    one, two = rng.normal(0.3, 1, (8, 12)).round(1), rng.normal(0, 1, (6, 12)).round(1)
    found = probability_of_improvement(one, two, 5, resamples=4000)
    assert found.value == pytest.approx(float(metrics.probability_of_improvement(one, two)))
    low, high = RLIABLE
    if full_size:
        _, intervals = library.get_interval_estimates(
            {"a,b": (one, two)}, metrics.probability_of_improvement, reps=3000
        )
        low, high = (float(end) for end in np.ravel(intervals["a,b"]))
    # Ours reaches a little further out, for few runs.
    assert 0.95 < (found.high - found.low) / (high - low) < 1.3
    assert (found.low + found.high) / 2 == pytest.approx((low + high) / 2, abs=0.02)


@given(STEPS)
def test_nobody_improves_on_oneself(values: np.ndarray) -> None:
    table = values.reshape(1, 1, -1)
    assert improvement_of_tables(table, table)[0] == 0.5
