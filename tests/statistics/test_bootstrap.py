"""The bootstrap: the same key the same draws; beside rliable and SciPy on shared data; quick at a million scores."""

import math
from time import process_time

import numpy as np
import pytest
from tests.heavy import library, metrics, stats
from tests.statistics.samples import (
    clustered,
    mean_of_tables,
    sample,
    weighted_mean,
    weighted_median,
)

from mensura.statistics import bootstrap
from mensura.statistics.bootstrap import (
    cluster_bootstrap,
    interquartile_mean_of_tables,
    stratified_bootstrap,
)
from mensura.statistics.clusters import sample_mean
from mensura.statistics.robust import interquartile_mean

TABLE = np.random.default_rng(11).beta(2, 3, (10, 26)) + np.linspace(0, 1, 26)


RLIABLE = np.array([[0.87819901, 0.86548696], [0.92592634, 0.92445626]])
"""The ends of the intervals of rliable 1.2 for this table with 50,000 resamples; it has no seed."""


def test_the_stratified_bootstrap_agrees_with_rliable(full_size: bool) -> None:
    def aggregates(table: np.ndarray) -> np.ndarray:
        return np.array([metrics.aggregate_mean(table), metrics.aggregate_iqm(table)])

    intervals = RLIABLE
    if full_size:
        intervals = library.get_interval_estimates({"one": TABLE}, aggregates, reps=8000)[1]["one"]
    for i, statistic in enumerate((mean_of_tables, interquartile_mean_of_tables)):
        found = stratified_bootstrap([TABLE], statistic, 5, resamples=20_000, expanded=False)
        assert found.value == pytest.approx(aggregates(TABLE)[i], abs=1e-12)
        width = intervals[1, i] - intervals[0, i]
        assert found.low == pytest.approx(intervals[0, i], abs=0.04 * width)
        assert found.high == pytest.approx(intervals[1, i], abs=0.04 * width)


def test_a_single_stratum_is_scipys_bootstrap() -> None:
    values = np.random.default_rng(12).normal(size=40)
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    found = stratified_bootstrap(
        [values[:, None]], mean_of_tables, 5, resamples=20_000, expanded=False
    )
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert found.low == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert found.high == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)
    assert found.standard_error == pytest.approx(theirs.standard_error, rel=0.03)


def test_expanded_percentiles_reach_as_far_as_student() -> None:
    values = np.random.default_rng(13).normal(size=8)
    found = stratified_bootstrap([values[:, None]], mean_of_tables, 5, resamples=40_000)
    plain = stratified_bootstrap(
        [values[:, None]], mean_of_tables, 5, resamples=40_000, expanded=False
    )
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval()
    assert found.high - found.low == pytest.approx(theirs.high - theirs.low, rel=0.08)
    assert plain.high - plain.low < 0.85 * (theirs.high - theirs.low)


def test_tasks_are_strata_so_that_their_differences_are_no_noise() -> None:
    level_tasks = np.tile(np.arange(5.0), (6, 1))
    found = stratified_bootstrap([level_tasks], mean_of_tables, 1)
    assert (found.low, found.high) == (2.0, 2.0)


def test_one_run_tells_no_interval() -> None:
    assert stratified_bootstrap([[[0.1, 0.2]]], mean_of_tables, 1).low == -math.inf


def test_a_table_has_two_dimensions() -> None:
    with pytest.raises(ValueError, match="runs and tasks, not 1 dimensions"):
        stratified_bootstrap([[0.1, 0.2]], mean_of_tables, 1)


def test_the_key_decides_the_draws() -> None:
    one = clustered(np.random.default_rng(1), environments=30, sittings=2, by_environment=1.0)
    assert cluster_bootstrap(one, 7) == cluster_bootstrap(one, 7)
    assert cluster_bootstrap(one, 7) != cluster_bootstrap(one, 8)
    first = stratified_bootstrap([TABLE], mean_of_tables, 7)
    assert stratified_bootstrap([TABLE], mean_of_tables, 7) == first
    assert stratified_bootstrap([TABLE], mean_of_tables, 8) != first


@pytest.mark.parametrize(
    "design",
    [
        {"environments": 80},
        {"environments": 40, "sittings": 5, "by_environment": 1.0},
        {"environments": 20, "runs": 12, "by_run": 1.0},
        {"environments": 30, "runs": 12, "by_environment": 1.0, "by_run": 0.7, "crossed": True},
    ],
    ids=["alone", "environments", "runs", "crossed"],
)
def test_clusters_drawn_anew_tell_the_error_of_a_mean_as_the_formula_does(
    design: dict[str, float],
) -> None:
    one = clustered(np.random.default_rng(21), **design)  # type: ignore[arg-type]
    found, exact = cluster_bootstrap(one, 3, weighted_mean, resamples=8000), sample_mean(one)
    assert found.value == pytest.approx(exact.value)
    assert found.standard_error == pytest.approx(exact.standard_error, rel=0.05)


def test_the_interval_of_an_interquartile_mean_is_tukeys_and_mclaughlins() -> None:
    """Whose standard error is that of winsorized scores over what trimming leaves (1963)."""
    values = np.random.default_rng(22).standard_t(3, 400)
    found = cluster_bootstrap(sample(values), 3)
    cut = np.clip(values, *np.quantile(values, [0.25, 0.75]))
    assert found.value == interquartile_mean(values)
    assert found.standard_error == pytest.approx(
        cut.std(ddof=1) / (0.5 * math.sqrt(len(values))), rel=0.1
    )


@pytest.mark.thorough
@pytest.mark.parametrize("runs", [1, 4])
def test_blocks_and_bins_give_what_single_scores_give(
    monkeypatch: pytest.MonkeyPatch, runs: int, full_size: bool
) -> None:
    environments = (12_000 if full_size else 4000) // runs
    one = clustered(
        np.random.default_rng(23), environments=environments, runs=runs, by_run=0.1, noise=0.5
    )
    for statistic in (bootstrap.weighted_interquartile_mean, weighted_median):
        single = cluster_bootstrap(one, 3, statistic)
        with monkeypatch.context() as patch:
            patch.setattr(bootstrap, "EXACT", 1000)
            binned = cluster_bootstrap(one, 3, statistic)
        assert binned.value == single.value
        assert binned.standard_error == pytest.approx(single.standard_error, rel=0.1)


@pytest.mark.thorough
def test_a_million_scores_take_seconds(full_size: bool) -> None:
    size = 1_000_000 if full_size else 200_000
    rng = np.random.default_rng(24)
    one = sample(rng.normal(0.3, 0.2, size), rng.permutation(size), np.arange(size) % 5)
    start = process_time()
    found = cluster_bootstrap(one, 1)
    assert process_time() - start < 20
    assert found.value == pytest.approx(0.3, abs=0.005)
    assert 0.3 in found
