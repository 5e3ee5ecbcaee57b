"""95% intervals cover the truth in 93 to 97% of simulated studies, also where scores are not independent.

CI simulates fewer studies; there the bounds are widened by what chance explains: four standard errors of a share.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.statistics.samples import clustered, sample

from mensura.agent.keys import fold
from mensura.statistics.bootstrap import (
    cluster_bootstrap,
    interquartile_mean_of_tables,
    stratified_bootstrap,
)
from mensura.statistics.clusters import sample_mean
from mensura.statistics.compare import compare
from mensura.statistics.improvement import probability_of_improvement
from mensura.statistics.interval import Estimate, mean_interval
from mensura.statistics.sample import Sample

Rng = np.random.Generator

STUDIES: dict[str, Callable[[Rng], Sample]] = {
    "independent": lambda rng: clustered(rng, environments=40),
    "environments met five times": lambda rng: clustered(
        rng, environments=30, sittings=5, by_environment=1.0
    ),
    "runs that differ": lambda rng: clustered(rng, environments=25, runs=8, by_run=0.8),
    "runs that do not differ": lambda rng: clustered(
        rng, environments=25, runs=6, by_environment=1.0
    ),
    "environments and runs crossed": lambda rng: clustered(
        rng, environments=30, runs=8, by_environment=1.0, by_run=0.5, crossed=True
    ),
}
"""Studies of a subject whose true mean is 0."""

NAIVE_FAILS = ("environments met five times", "runs that differ", "environments and runs crossed")


def shares(
    covers: Callable[[Rng], bool | tuple[bool, ...]], studies: int, name: str
) -> list[float]:
    """How often each interval covers, over so many studies."""
    hits = np.array(
        [
            np.atleast_1d(covers(np.random.default_rng(fold(95_000 + len(name), case))))
            for case in range(studies)
        ]
    )
    return [float(share) for share in hits.mean(axis=0)]


def holds(share: float, studies: int, full_size: bool) -> None:
    slack = 0.0 if full_size else 4 * math.sqrt(0.05 * 0.95 / studies)
    assert 0.93 - slack <= share <= 0.97 + slack


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
def test_the_mean_is_covered_and_the_naive_interval_fails(name: str, full_size: bool) -> None:
    studies = 8000 if full_size else 400

    def covers(rng: Rng) -> tuple[bool, bool]:
        one = STUDIES[name](rng)
        return 0.0 in sample_mean(one), 0.0 in mean_interval(one.score)

    ours, naive = shares(covers, studies, name)
    holds(ours, studies, full_size)
    if name in NAIVE_FAILS:
        assert naive < 0.85


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
def test_the_interquartile_mean_is_covered(name: str, full_size: bool) -> None:
    studies = 2000 if full_size else 50
    (ours,) = shares(
        lambda rng: 0.0 in cluster_bootstrap(STUDIES[name](rng), 7, resamples=500), studies, name
    )
    holds(ours, studies, full_size)


def two_subjects(rng: Rng, same: bool) -> tuple[Sample, Sample]:
    """The second is better by 0.1; environments are as hard for one as for the other."""
    hard = rng.normal(0, 1, 40)
    one = sample(hard + rng.normal(0, 0.5, 40))
    if not same:
        hard = rng.normal(0, 1, 40)
    two = sample(hard + 0.1 + rng.normal(0, 0.5, 40))
    return one, two if same else replace(two, environment=two.environment + np.uint64(500))


@pytest.mark.thorough
@pytest.mark.parametrize("same", [True, False], ids=["paired", "unpaired"])
def test_differences_and_probabilities_of_improvement_are_covered(
    same: bool, full_size: bool
) -> None:
    studies = 4000 if full_size else 120
    spread = 0.5 if same else math.sqrt(1.25)
    chance = 0.5 * math.erfc(0.1 / (spread * math.sqrt(2)) / math.sqrt(2))

    def covers(rng: Rng) -> tuple[bool, ...]:
        found = compare(*two_subjects(rng, same))
        assert found.paired == same
        effect = -0.1 / (spread * math.sqrt(2)) if same else -0.1 / spread
        return -0.1 in found.difference, chance in found.improvement, effect in found.effect

    for share in shares(covers, studies, "two"):
        holds(share, studies, full_size)


def test_pairs_are_worth_it() -> None:
    one, two = two_subjects(np.random.default_rng(5), True)
    apart = replace(two, environment=two.environment + np.uint64(500))
    assert compare(one, two).difference.half_width < compare(one, apart).difference.half_width / 1.5


def stratified(rng: Rng) -> tuple[bool, bool]:
    """Ten runs of 20 tasks that differ in difficulty; of each task the runs are normal."""
    tasks = np.linspace(-2, 2, 20)
    one, two = rng.normal(tasks, 1.0, (10, 20)), rng.normal(tasks, 1.0, (10, 20))
    found: Estimate = stratified_bootstrap([one], interquartile_mean_of_tables, 3, resamples=400)
    return 0.0 in found, 0.5 in probability_of_improvement(one, two, 3, resamples=400)


@pytest.mark.thorough
def test_tables_of_runs_by_tasks_are_covered(full_size: bool) -> None:
    studies = 2000 if full_size else 60
    for share in shares(stratified, studies, "tables"):
        holds(share, studies, full_size)
