"""Degradation under perturbations: its laws, and what its intervals cover."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.agent.keys import fold
from mensura.statistics.degradation import (
    crossing,
    degradation,
    falling,
    noticing,
    recovery,
    width,
)

STRENGTHS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


def scores(
    rho: list[float], seed: int, n: int = 40, noise: float = 0.1
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of a subject with this retention, and of chance, in n environments."""
    rng = np.random.default_rng(seed)
    talent = rng.normal(0.4, 0.1, (n, 1))
    own = talent * np.array(rho) + rng.normal(0.0, noise, (n, len(rho)))
    return own, rng.normal(0.0, noise, (n, len(rho)))


curves = st.lists(st.floats(0.0, 1.2), min_size=6, max_size=6).map(lambda rest: [1.0, *rest])
seeds = st.integers(0, 10_000)


@given(curves, seeds)
@settings(max_examples=20, deadline=None)
def test_all_of_the_advantage_is_there_at_strength_0(rho: list[float], seed: int) -> None:
    found = degradation(STRENGTHS, *scores(rho, seed), seed, resamples=50)
    assert found.retention is not None
    first = found.retention[0]
    assert (first.value, first.low, first.high) == (1.0, 1.0, 1.0)


@given(seeds, st.integers(5, 60))
@settings(max_examples=20, deadline=None)
def test_who_loses_nothing_has_area_1_and_never_breaks(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    advantage = rng.normal(0.4, 0.05, (n, 1))
    chance = rng.normal(0.0, 0.3, (n, 7))
    found = degradation(STRENGTHS, chance + advantage, chance, seed, resamples=50)
    assert found.area is not None
    assert found.area.value == pytest.approx(1.0)
    assert found.area.low == pytest.approx(1.0)
    assert found.breaking is not None
    assert (found.breaking.value, found.breaking.low, found.breaking.high) == (math.inf,) * 3
    assert found.width is None
    assert found.manner is None


@given(curves, seeds, st.floats(0.01, 100.0), st.floats(-5.0, 5.0))
@settings(max_examples=20, deadline=None)
def test_neither_the_scale_of_rewards_nor_their_zero_matters(
    rho: list[float], seed: int, factor: float, shift: float
) -> None:
    own, chance = scores(rho, seed)
    one = degradation(STRENGTHS, own, chance, seed, resamples=50)
    two = degradation(STRENGTHS, factor * own + shift, factor * chance + shift, seed, resamples=50)
    assert one.area is not None
    assert two.area is not None
    assert two.area.value == pytest.approx(one.area.value, abs=1e-6)
    assert (two.area.low, two.area.high) == pytest.approx((one.area.low, one.area.high), abs=1e-6)
    assert one.breaking is not None
    assert two.breaking is not None
    assert two.breaking.value == pytest.approx(one.breaking.value, abs=1e-4)


@given(curves, seeds)
@settings(max_examples=20, deadline=None)
def test_the_same_key_gives_the_same_and_the_estimate_lies_in_its_interval(
    rho: list[float], seed: int
) -> None:
    own, chance = scores(rho, seed)
    one = degradation(STRENGTHS, own, chance, 7, resamples=200)
    assert one == degradation(STRENGTHS, own, chance, 7, resamples=200)
    assert one.breaking is not None
    assert one.breaking.low <= one.breaking.value <= one.breaking.high


def test_nothing_is_told_of_a_subject_that_is_no_better_than_chance() -> None:
    _, one = scores([1.0] * 7, 1)
    _, two = scores([1.0] * 7, 2)
    found = degradation(STRENGTHS, one, two, 0)
    assert (found.retention, found.area, found.breaking, found.width) == (None,) * 4
    assert found.at(0.5) is None
    assert len(found.advantage) == 7


def test_nothing_is_told_of_a_single_environment() -> None:
    found = degradation(STRENGTHS, np.ones((1, 7)), np.zeros((1, 7)), 0)
    assert found.retention is None


def test_strengths_that_end_before_1_tell_no_area_and_a_breaking_point_within_them() -> None:
    own, chance = scores([1.0, 0.2], 3)
    found = degradation((0.0, 0.5), own, chance, 0)
    assert found.area is None
    assert found.breaking is not None
    assert 0.2 < found.breaking.value < 0.45


@pytest.mark.parametrize("strengths", [(0.0,), (0.1, 1.0), (0.0, 1.0, 0.5), (0.0, 1.5)])
def test_strengths_rise_from_0_to_1(strengths: tuple[float, ...]) -> None:
    table = np.ones((5, len(strengths)))
    with pytest.raises(ValueError, match="rise from 0"):
        degradation(strengths, table, 0 * table, 0)


def test_breaking_points_lie_between_strengths_on_a_line() -> None:
    fit = np.array([1.0, 0.8, 0.2])
    assert crossing((0.0, 0.4, 0.8), fit, 0.5) == pytest.approx(0.6)
    assert crossing((0.0, 0.4, 0.8), np.array([1.0, 0.8, 0.5]), 0.5) == math.inf
    assert crossing((0.0, 0.5, 1.0), np.array([1.0, 1.0, 0.0]), 0.5) == pytest.approx(0.75)


def test_a_retention_that_rises_again_is_pooled() -> None:
    assert falling(np.array([1.0, 0.2, 0.6, 0.1])).tolist() == pytest.approx([1.0, 0.4, 0.4, 0.1])


def test_a_breakdown_is_abrupt_or_graceful_by_its_width() -> None:
    own, chance = scores([1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 4, n=400, noise=0.01)
    found = degradation(STRENGTHS, own, chance, 0, resamples=50)
    assert found.manner == "abrupt"
    own, chance = scores([1 - s for s in STRENGTHS], 4, n=400, noise=0.01)
    found = degradation(STRENGTHS, own, chance, 0, resamples=50)
    assert found.width == pytest.approx(0.8, abs=0.05)
    assert found.manner == "graceful"
    assert width(STRENGTHS, np.linspace(1.0, 0.3, 7)) is None


def test_recovery_is_the_share_of_the_loss_that_comes_back() -> None:
    rng = np.random.default_rng(5)
    clean = rng.normal(0.5, 0.1, 60)
    before = clean - rng.normal(0.4, 0.05, 60)
    found = recovery(clean, before, (clean + before) / 2, 0)
    assert found is not None
    assert found.value == pytest.approx(0.5)
    assert recovery(clean, before, clean, 0) is not None
    assert recovery(clean, clean, before, 0) is None


def test_noticing_is_1_for_an_alarm_that_is_always_right_and_a_half_for_one_that_never_changes() -> (
    None
):
    clean, loud = np.linspace(0.0, 0.4, 20), np.linspace(0.5, 1.0, 60).reshape(20, 3)
    assert noticing(clean, loud, 0).value == 1.0
    assert noticing(np.zeros(20), np.zeros((20, 3)), 0).value == 0.5
    rng = np.random.default_rng(6)
    guess = noticing(rng.random(80), rng.random((80, 2)), 0)
    assert 0.5 in guess
    assert not math.isfinite(noticing([0.1], [[0.4]], 0).low)


TRUE = [1.0, 0.95, 0.9, 0.7, 0.3, 0.1, 0.0]
"""Retention whose breaking point is 0.4, and whose area is known."""


@pytest.mark.thorough
def test_intervals_cover(full_size: bool) -> None:
    studies = 1000 if full_size else 60
    truth = float(np.trapezoid(TRUE, STRENGTHS))
    hits = []
    for case in range(studies):
        own, chance = scores(TRUE, fold(4_300, case), n=50, noise=0.25)
        found = degradation(STRENGTHS, own, chance, case, resamples=1000 if full_size else 200)
        assert found.area is not None
        assert found.breaking is not None
        hits.append((0.4 in found.breaking, truth in found.area))
    breaking, area = np.mean(hits, axis=0)
    slack = 0.0 if full_size else 4 * math.sqrt(0.05 * 0.95 / studies)
    assert 0.93 - slack <= breaking <= 0.985 + slack
    assert 0.93 - slack <= area <= 0.97 + slack
