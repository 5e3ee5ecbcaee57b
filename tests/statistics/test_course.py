"""The course of an episode: rewards by its parts, and what is gained from beginning to end."""

from __future__ import annotations

import numpy as np
import pytest

from mensura.statistics.course import Course, by_part, improvement, parts_of

pytestmark = pytest.mark.quick


def rising(subject: str, condition: str, sittings: int, slope: float, noise: float = 0.0) -> Course:
    rng = np.random.default_rng(1)
    rewards = slope * np.arange(20) / 19 + rng.normal(0, noise, (sittings, 20))
    return Course(subject, condition, tuple(rewards))


def test_parts_are_means_of_their_interactions() -> None:
    points = by_part([rising("a", "x", 3, 1.0)], 10)
    assert [one.value for one in points] == pytest.approx([(2 * i + 0.5) / 19 for i in range(10)])


def test_the_improvement_is_the_end_minus_the_beginning() -> None:
    found = improvement([rising("a", "x", 8, 1.0), rising("a", "y", 8, 0.0)], 10)
    # The last six interactions minus the first six are 14 steps of 1/19 apart; the other condition has none.
    assert found.value == pytest.approx(14 / 19 / 2)


def test_the_interval_of_no_improvement_holds_0() -> None:
    inside = 0
    for seed in range(200):
        rewards = np.random.default_rng(seed).normal(0, 0.5, (15, 20))
        inside += 0.0 in improvement([Course("a", "x", tuple(rewards))], 10)
    assert 180 <= inside <= 199


def test_short_episodes_have_fewer_parts() -> None:
    short = Course("a", "x", (np.zeros(3), np.zeros(7)))
    assert parts_of([short, rising("b", "x", 2, 1.0)]) == 3
    assert parts_of([Course("a", "x", ())]) == 10
    assert parts_of([Course("a", "x", (np.zeros(1),))]) == 1
