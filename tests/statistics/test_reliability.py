"""Reliability: against published numbers, in simulation, and where there is nothing to tell."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.statistics.samples import clustered, sample

from mensura.statistics.clusters import sample_mean
from mensura.statistics.interval import Estimate
from mensura.statistics.reliability import (
    coverage,
    intraclass_correlation,
    retest,
    settling,
    spearman_brown,
    split_half,
)
from mensura.statistics.sample import Sample

pytestmark = pytest.mark.quick

# Table 2 of Shrout and Fleiss (1979): six targets, four judges.
RATINGS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def bounds(share: float, studies: int) -> tuple[float, float]:
    slack = 4 * math.sqrt(share * (1 - share) / studies)
    return share - slack, share + slack


def test_the_intraclass_correlation_is_that_of_shrout_and_fleiss() -> None:
    found = intraclass_correlation(RATINGS)
    assert found.value == pytest.approx(0.29, abs=0.005)
    # The interval as R's psych and irr packages print it.
    assert (found.low, found.high) == pytest.approx((0.019, 0.761), abs=0.002)


@settings(max_examples=40)
@given(st.floats(-5, 5), st.floats(0.1, 10))
def test_it_does_not_depend_on_the_unit_of_scores(shift: float, factor: float) -> None:
    one, two = (
        intraclass_correlation(RATINGS),
        intraclass_correlation(np.array(RATINGS) * factor + shift),
    )
    assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high), abs=1e-6)


def test_occasions_that_agree_have_correlation_one_and_those_that_shift_less() -> None:
    scores = np.array([[0.1, 0.1], [0.5, 0.5], [0.9, 0.9]])
    assert intraclass_correlation(scores).value == 1.0
    assert intraclass_correlation(scores + np.array([0.0, 0.3])).value < 0.9


def subjects(
    rng: np.random.Generator, count: int, *, own: float, runs: int = 2, environments: int = 20
) -> list[Sample]:
    """Subjects whose true scores differ with standard deviation `own`, in runs on environments of their own."""
    means = rng.normal(0, own, count)
    parts = [
        clustered(rng, environments=environments, runs=runs, mean=mean, crossed=True)
        for mean in means
    ]
    return [
        sample(part.score, part.environment, part.run, label=f"subject {i}")
        for i, part in enumerate(parts)
    ]


def test_intervals_of_test_and_retest_cover_the_true_share_of_variance() -> None:
    studies, own = 150, 0.4
    truth = own**2 / (own**2 + 1 / 20)  # the noise of a mean over 20 sittings has variance 1/20
    hits = sum(
        truth in retest(subjects(np.random.default_rng(case), 12, own=own))
        for case in range(studies)
    )
    low, high = bounds(0.95, studies)
    assert low <= hits / studies <= high


@pytest.mark.thorough
def test_halves_agree_as_well_as_theory_says() -> None:
    own = 0.4
    truth = own**2 / (own**2 + 1 / 40)  # all 40 sittings of a subject
    found = [
        split_half(
            subjects(np.random.default_rng(case), 15, own=own, runs=1, environments=40),
            1,
            splits=20,
        )
        for case in range(60)
    ]
    values = [one.value for one in found]
    assert np.mean(values) == pytest.approx(truth, abs=4 * np.std(values) / math.sqrt(60) + 0.01)
    assert np.mean([truth in one for one in found]) >= bounds(0.95, 60)[0]


def test_subjects_that_do_not_differ_are_not_reliable() -> None:
    same = subjects(np.random.default_rng(1), 10, own=0.0, runs=3)
    assert retest(same).low <= 0.0
    assert split_half(same, 1).low <= 0.0


@given(st.floats(0, 1))
def test_a_longer_assessment_is_more_reliable(r: float) -> None:
    assert r <= spearman_brown(r) <= 1.0
    assert spearman_brown(spearman_brown(r), 0.5) == pytest.approx(r)


@pytest.mark.thorough
def test_twice_the_budget_moves_the_mean_as_far_as_expected() -> None:
    moved, expected, narrower, width = [], [], [], []
    for case in range(300):
        scores = np.random.default_rng(case).normal(0.2, 0.3, 120)
        half, whole = sample(scores[:60]), sample(scores)
        found = settling(half)
        moved.append(abs(scores.mean() - scores[:60].mean()))
        expected.append(found.change)
        narrower.append(found.narrower)
        width.append(sample_mean(whole).half_width)
    error = float(np.std(moved)) / math.sqrt(300)
    assert np.mean(moved) == pytest.approx(np.mean(expected), abs=4 * error)
    assert np.mean(narrower) == pytest.approx(np.mean(width), rel=0.02)


def test_a_path_of_estimates_ends_with_the_whole_sample() -> None:
    one = sample(np.random.default_rng(1).normal(0, 1, 20))
    found = settling(one)
    assert [estimate.n for estimate in found.path] == [2, 4, 8, 16, 20]
    assert found.path[-1] == sample_mean(one)


def test_a_drift_is_found_and_none_is_seldom_found() -> None:
    rng = np.random.default_rng(2)
    rising = sample(np.linspace(0, 1, 60) + rng.normal(0, 0.2, 60))
    assert settling(rising).p < 1e-6
    assert settling(rising).drift == pytest.approx(1.0, abs=0.3)
    flat = [settling(sample(np.random.default_rng(case).normal(0, 1, 40))).p for case in range(200)]
    assert np.mean(np.array(flat) < 0.05) <= bounds(0.05, 200)[1]
    assert math.isnan(settling(sample([0.5, 0.5, 0.5, 0.5])).p)


def test_a_single_sitting_tells_no_change() -> None:
    assert math.isnan(settling(sample([0.5])).change)


@pytest.mark.thorough
def test_intervals_of_normal_scores_cover_and_those_of_rare_ones_do_not() -> None:
    rng = np.random.default_rng(3)
    good = coverage(sample(rng.normal(0, 1, 2000)), 20, 1, studies=600)
    assert bounds(0.95, 600)[0] <= good.value <= bounds(0.95, 600)[1]
    assert good.value in good
    rare = coverage(sample((rng.random(2000) < 0.01).astype(float)), 20, 1, studies=600)
    assert rare.high < 0.9

    def too_short(one: Sample, level: float) -> Estimate:
        return sample_mean(one, 0.5)

    short = coverage(sample(rng.normal(0, 1, 2000)), 20, 1, studies=600, interval=too_short)
    assert bounds(0.5, 600)[0] <= short.value <= bounds(0.5, 600)[1]


def test_coverage_draws_whole_environments() -> None:
    many = clustered(np.random.default_rng(4), environments=400, sittings=4, by_environment=1.0)
    found = coverage(many, 25, 1, studies=600)
    assert bounds(0.95, 600)[0] <= found.value <= bounds(0.95, 600)[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: intraclass_correlation([[1, 2]]), "two subjects on two occasions"),
        (lambda: retest([sample([1, 2])]), "two subjects in two runs"),
        (lambda: retest([sample([1]), sample([2])]), "one sample of each subject"),
        (lambda: split_half([sample([1, 2])], 1), "three subjects in four environments"),
        (lambda: coverage(sample([1, 2, 3]), 1, 1), "two sittings or more"),
    ],
)
def test_what_cannot_be_told_is_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
