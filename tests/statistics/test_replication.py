"""The unit of a study: one decision for all its subjects and conditions, and intervals that hold what they say."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from tests.statistics.samples import clustered, sample

from mensura.agent.keys import fold
from mensura.statistics.clusters import design_of, sample_mean, weighted_error
from mensura.statistics.compare import compare_all, pairs_within
from mensura.statistics.replication import replication_of
from mensura.statistics.sample import Sample

pytestmark = pytest.mark.quick

Rng = np.random.Generator


def played(
    rng: Rng, conditions: int, runs: int, by_run: float, subjects: int = 2, episodes: int = 40
) -> list[Sample]:
    """Subjects whose true score is 0 under every condition; repetitions differ by so much."""
    return [
        sample(one.score, one.environment, one.run, f"subject {who}", f"condition {place}")
        for place in range(conditions)
        for who in range(subjects)
        for one in [clustered(rng, environments=episodes, runs=runs, by_run=by_run)]
    ]


def test_all_conditions_and_subjects_have_one_unit() -> None:
    """Cell by cell, the same scores would change from 80 environments to 2 runs and back."""
    samples = played(np.random.default_rng(1), 6, 2, by_run=0.15)
    found = replication_of(samples)
    assert (found.unit, found.repetitions, found.estimable) == ("run", 2, True)
    errors = [design_of(one).error_of_mean(one.score, found.of(one.label)) for one in samples]
    assert {(error.unit, error.units) for error in errors} == {("run", 2)}
    widths = [error.around(0.0, 80).half_width for error in errors]
    assert max(widths) < 2 * min(widths)


def test_variances_are_pooled_over_the_conditions_of_a_subject() -> None:
    samples = played(np.random.default_rng(2), 5, 3, by_run=0.4)
    share = replication_of(samples).of("subject 0")
    ratios = [
        (one.score.reshape(3, 40).mean(axis=1).var(ddof=1) / 3) / (one.score.var(ddof=1) / 120)
        for one in samples
        if one.label == "subject 0"
    ]
    assert share.ratio == pytest.approx(np.mean(ratios))
    assert share.df == 10


def test_a_mean_over_conditions_is_no_better_known_than_the_ratio_they_share() -> None:
    samples = [one for one in played(np.random.default_rng(2), 5, 3, 0.4) if one.label[-1] == "0"]
    share = replication_of(samples).of("subject 0")
    errors = [design_of(one).error_of_mean(one.score, share) for one in samples]
    assert weighted_error([(0.2, error) for error in errors]).df == pytest.approx(share.df)


def test_subjects_of_one_condition_each_borrow_from_the_others() -> None:
    samples = [
        sample(one.score, one.environment, one.run, one.condition, one.condition)
        for one in played(np.random.default_rng(3), 8, 2, by_run=0.5, subjects=1)
    ]
    found = replication_of(samples)
    assert {share.df for share in found.shares.values()} == {8.0}
    assert len({share.ratio for share in found.shares.values()}) == 1


def test_two_repetitions_of_one_condition_tell_nothing_of_others() -> None:
    agreeing = np.random.default_rng(4).normal(0, 1, (2, 40))
    agreeing -= agreeing.mean(axis=1, keepdims=True)
    run = np.repeat([0, 1], 40)
    found = replication_of([sample(agreeing.ravel(), run=run)])
    assert (found.unit, found.estimable) == ("environment", False)
    apart = sample(agreeing.ravel() + 2.0 * run, run=run)
    found = replication_of([apart])
    assert (found.unit, found.estimable) == ("run", False)
    assert math.isnan(sample_mean(apart).standard_error)
    (compared,) = compare_all(
        [(sample(agreeing.ravel() + 2.0 * run, run=run), sample(np.zeros(80), run=run))]
    )
    assert (compared.verdict, compared.too_few_runs) == ("unknown", True)


def test_one_environment_makes_repetitions_the_unit() -> None:
    run = np.repeat([0, 1], 40)
    found = replication_of([sample(np.arange(80) / 80, np.zeros(80), run)])
    assert (found.unit, found.estimable, found.one_environment) == ("run", False, True)
    thrice = replication_of([sample(np.arange(120) / 120, np.zeros(120), np.arange(120) // 40)])
    assert (thrice.unit, thrice.estimable) == ("run", True)


def test_one_run_needs_no_decision() -> None:
    found = replication_of([sample(np.arange(10.0))])
    assert (found.unit, found.repetitions, found.estimable) == ("environment", 1, True)
    assert replication_of([]).unit == "environment"


def test_comparisons_of_a_study_have_one_unit() -> None:
    """Differences of two repetitions each, of which some agree by chance."""
    samples = played(np.random.default_rng(5), 6, 2, by_run=0.3, subjects=3)
    found = compare_all(pairs_within(samples))
    assert {(one.unit, one.units) for one in found} == {("run", 2)}
    assert {one.repetitions_tell for one in found} == {True}


def test_no_difference_is_promised_that_the_scale_does_not_have() -> None:
    run = np.repeat(np.arange(3), 40)
    shift = np.repeat([0.9, -0.8, 0.1], 40)
    one, two = sample(shift, run=run), sample(np.zeros(120), run=run)
    (found,) = compare_all([(one, two)])
    assert (found.unit, found.smallest, found.widest) == ("run", math.inf, 2.0)
    (beyond,) = compare_all([(sample(10 * shift, run=run), two)])
    assert 2.0 < beyond.smallest < math.inf


STUDIES: dict[str, tuple[int, int, float]] = {
    "two repetitions that do not differ": (4, 2, 0.0),
    "two repetitions that differ a little": (4, 2, 0.16),
    "two repetitions that differ": (4, 2, 0.5),
    "eight repetitions that do not differ": (1, 8, 0.0),
    "eight repetitions that differ a little": (1, 8, 0.16),
    "eight repetitions that differ": (1, 8, 0.5),
}
"""How many conditions, how many repetitions of 40 episodes, and by how much repetitions differ."""


def covered(name: str, studies: int, interval: Callable[[Sample, list[Sample]], bool]) -> float:
    """The share of intervals that hold the truth, of the first condition of the first subject."""
    conditions, runs, by_run = STUDIES[name]
    hits = 0
    for case in range(studies):
        samples = played(np.random.default_rng(fold(len(name), case)), conditions, runs, by_run)
        hits += interval(samples[0], samples)
    return hits / studies


@pytest.mark.thorough
@pytest.mark.parametrize("name", STUDIES)
def test_intervals_of_a_study_cover_the_truth_with_and_without_variance_between_repetitions(
    name: str, full_size: bool
) -> None:
    studies = 8000 if full_size else 150

    def holds(one: Sample, samples: list[Sample]) -> bool:
        return 0.0 in sample_mean(one, share=replication_of(samples).of(one.label))

    slack = 0.01 if full_size else 4 * math.sqrt(0.05 * 0.95 / studies)
    assert 0.93 - slack <= covered(name, studies, holds) <= 0.97 + slack
    if name.endswith("that differ"):

        def naive(one: Sample, _: list[Sample]) -> bool:
            whole = sample(one.score, one.environment)
            return 0.0 in sample_mean(whole)

        assert covered(name, 150, naive) < 0.8


def test_intervals_of_two_repetitions_alone_cover_the_score_in_these_repetitions(
    full_size: bool,
) -> None:
    """Of one condition; they speak of other environments, and where they would not, there are none."""
    studies = 4000 if full_size else 150
    hits = []
    for case in range(studies):
        rng = np.random.default_rng(fold(11, case))
        shift = np.repeat(rng.normal(0, 0.16, 2), 40)
        one = sample(shift + rng.normal(0, 1, 80), run=np.repeat([0, 1], 40))
        share = replication_of([one]).of(one.label)
        if share.unit == "environment":
            hits.append(float(shift.mean()) in sample_mean(one, share=share))
    assert len(hits) > 0.7 * studies
    assert np.mean(hits) >= 0.93 - (0.0 if full_size else 4 * math.sqrt(0.05 * 0.95 / studies))
