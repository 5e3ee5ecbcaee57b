"""The unit of replication: what repeats of the same environment or run are worth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import regression, sandwich, stats
from tests.statistics.samples import clustered, sample

from mensura.agent.keys import fold
from mensura.statistics.clusters import (
    Design,
    Error,
    average,
    design_of,
    sample_mean,
    variance_of_mean,
)
from mensura.statistics.interval import mean_interval

pytestmark = pytest.mark.quick

SCORES = st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=60).map(np.array)


@given(SCORES.filter(lambda a: a.std() > 1e-6), st.floats(0.5, 0.99))
def test_scores_in_environments_of_their_own_have_students_interval(
    values: np.ndarray, level: float
) -> None:
    found, theirs = sample_mean(sample(values), level), mean_interval(values, level)
    assert (found.value, found.n) == (theirs.value, theirs.n)
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


@given(SCORES.filter(lambda a: a.std() > 1e-6), st.integers(2, 5))
def test_copies_of_a_score_in_the_same_environment_tell_nothing_new(
    values: np.ndarray, copies: int
) -> None:
    once = sample_mean(sample(values))
    often = sample_mean(
        sample(np.repeat(values, copies), np.repeat(np.arange(len(values)), copies))
    )
    assert (often.low, often.high) == pytest.approx((once.low, once.high), abs=1e-9)


def test_runs_that_differ_are_the_unit() -> None:
    runs = np.array([0.1, 0.4, 0.5, 0.8])
    noise = np.random.default_rng(1).normal(0, 0.01, 400)
    found = sample_mean(sample(np.repeat(runs, 100) + noise, run=np.repeat(np.arange(4), 100)))
    means = (np.repeat(runs, 100) + noise).reshape(4, 100).mean(axis=1)
    theirs = stats.ttest_1samp(means, 0.0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))


def test_runs_that_agree_by_chance_do_not_shorten_the_interval() -> None:
    values = np.random.default_rng(2).normal(0, 1, (50, 4))
    values -= values.mean(axis=0)
    run = np.tile(np.arange(4), 50)
    error = design_of(sample(values.ravel(), run=run)).error_of_mean(values.ravel())
    assert (error.unit, error.units) == ("environment", 200)
    assert error.variance == pytest.approx(values.var(ddof=1) / 200)


def test_the_unit_is_named() -> None:
    rng = np.random.default_rng(3)
    by_run = clustered(rng, environments=20, runs=6, by_run=2.0)
    error = design_of(by_run).error_of_mean(by_run.score)
    assert (error.unit, error.units) == ("run", 6)
    both = clustered(rng, environments=20, runs=6, by_environment=3.0, by_run=0.2, crossed=True)
    error = design_of(both).error_of_mean(both.score)
    assert (error.unit, error.units) == ("environment", 20)


def test_crossed_environments_and_runs_add_their_errors() -> None:
    """Against the variance that the model has: environments, runs and noise."""
    found = [
        design_of(one).error_of_mean(one.score).variance
        for i in range(1500)
        for one in [
            clustered(
                np.random.default_rng(fold(4, i)),
                environments=40,
                runs=20,
                by_environment=0.5,
                by_run=0.4,
                crossed=True,
            )
        ]
    ]
    truth = 0.25 / 40 + 0.16 / 20 + 1 / 800
    assert np.mean(found) == pytest.approx(truth, rel=0.05)


@pytest.mark.slow
def test_variances_of_clusters_are_those_of_statsmodels() -> None:
    one = clustered(
        np.random.default_rng(8), environments=9, runs=5, sittings=2, by_run=0.5, crossed=True
    )
    found = design_of(one).variances(variance_of_mean(one.score))
    line = regression.OLS(one.score, np.ones((len(one), 1))).fit()
    groups = one.environment.astype(np.int64), one.run
    both_ways, by_environment, by_run = sandwich.cov_cluster_2groups(line, *groups)
    assert found.by_environment == pytest.approx(by_environment.item())
    assert found.by_run == pytest.approx(by_run.item())
    assert found.by_environment + found.by_run - found.both == pytest.approx(both_ways.item())


def test_one_environment_in_one_run_tells_no_error() -> None:
    alone = sample_mean(sample([0.5, 0.6], [7, 7]))
    assert (alone.low, alone.high) == (-math.inf, math.inf)
    assert math.isnan(alone.standard_error)
    twice = sample_mean(sample([0.5, 0.6], [7, 7], [0, 1]))
    assert math.isnan(twice.standard_error)  # of two runs there is a single difference
    thrice = sample_mean(sample([0.5, 0.6, 0.7], [7, 7, 7], [0, 1, 2]))
    assert math.isfinite(thrice.low)


def test_independent_errors_add_as_welch_says() -> None:
    rng = np.random.default_rng(5)
    one, two = rng.normal(0, 1, 20), rng.normal(0, 3, 35)
    error = Design.of(*columns(20)).error_of_mean(one) + Design.of(*columns(35)).error_of_mean(two)
    theirs = stats.ttest_ind(one, two, equal_var=False)
    assert error.df == pytest.approx(theirs.df)
    found = error.around(float(one.mean() - two.mean()), 55)
    assert found.low == pytest.approx(theirs.confidence_interval().low)


def columns(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(n, dtype=np.uint64), np.zeros(n, np.int64)


def test_conditions_count_the_same_however_many_scores_they_have() -> None:
    few, many = sample([0.0, 0.2, 0.1]), sample(np.full(3000, 0.9) + np.tile([0.01, -0.01], 1500))
    parts = [(sample_mean(one), design_of(one).error_of_mean(one.score)) for one in (few, many)]
    found = average(parts)
    assert found.value == pytest.approx(0.5)
    assert found.n == 3003
    assert found.standard_error == pytest.approx(parts[0][0].standard_error / 2, rel=0.01)


def test_columns_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match="do not match"):
        Design.of(np.zeros(3, np.uint64), np.zeros(2, np.int64))
    assert Error(math.nan, 0.0, "environment", 1).around(0.5, 1).high == math.inf
