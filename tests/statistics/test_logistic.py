"""Logistic regression: closed forms, known truths, and data of which nothing can be told."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mensura.statistics.logistic import logistic_regression, standardized


def test_one_influence_of_two_values_gives_the_odds_ratio() -> None:
    """30 of 40 and 20 of 50: the log of the ratio of odds, and the root of the sum of 1 / count as its error."""
    x = np.repeat([1.0, 0.0], [40, 50])
    y = np.concatenate([np.repeat([1, 0], [30, 10]), np.repeat([1, 0], [20, 30])])
    found = logistic_regression(x[:, None], y, np.zeros(90), np.arange(90))
    assert found is not None
    (effect,) = found.effects
    assert effect.value == pytest.approx(math.log(3.0 / (20 / 30)))
    error = math.sqrt(1 / 30 + 1 / 10 + 1 / 20 + 1 / 30)
    assert effect.standard_error == pytest.approx(error * math.sqrt(90 / 89), rel=1e-9)


def test_observations_of_one_draw_tell_no_more_than_one() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    y = (rng.random(200) < 1 / (1 + np.exp(-x))).astype(float)
    once = logistic_regression(x[:, None], y, np.zeros(200), np.arange(200))
    again = logistic_regression(
        np.tile(x, 5)[:, None], np.tile(y, 5), np.zeros(1000), np.tile(np.arange(200), 5)
    )
    assert once is not None
    assert again is not None
    assert again.clusters == 200
    assert again.effects[0].value == pytest.approx(once.effects[0].value)
    assert again.effects[0].standard_error == pytest.approx(once.effects[0].standard_error)


def test_partial_effects_are_found_with_others_held_and_intervals_cover() -> None:
    """The second influence only goes along with the first, and has no effect of its own."""
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(60):
        group = rng.integers(3, size=600)
        one = rng.normal(size=600)
        other = 0.8 * one + 0.6 * rng.normal(size=600)
        y = rng.random(600) < 1 / (1 + np.exp(-(np.array([-1.0, 0.0, 1.0])[group] - one)))
        found = logistic_regression(np.column_stack([one, other]), y, group, np.arange(600))
        assert found is not None
        first, second = found.effects
        covered += (-1.0 in first) + (0.0 in second)
    assert covered >= 106  # of 120, at 95% each


def test_nothing_is_told_of_what_cannot_be_told() -> None:
    x = np.arange(10.0)
    half = (x >= 5).astype(float)
    lone, ids = np.zeros(10), np.arange(10)
    mixed = np.array([0, 1, 0, 1, 0, 1, 1, 0, 1, 1.0])
    assert logistic_regression(x[:, None], half, lone, ids) is None  # separated
    assert logistic_regression(np.column_stack([x, 2 * x + 1]), mixed, lone, ids) is None
    assert logistic_regression(np.ones((10, 1)), mixed, lone, ids) is None
    assert logistic_regression(x[:, None], np.ones(10), lone, ids) is None
    assert logistic_regression(np.zeros((0, 1)), np.zeros(0), np.zeros(0), np.zeros(0)) is None
    one = logistic_regression(x[:, None], mixed, lone, np.zeros(10))
    assert one is not None
    assert one.effects[0].high == math.inf  # a single draw tells nothing of its error
    with pytest.raises(ValueError, match="do not go with"):
        logistic_regression(x[:, None], mixed[:5], lone, ids)


def test_groups_of_one_outcome_are_left_out() -> None:
    x = np.tile(np.arange(10.0), 2)
    mixed = np.array([0, 1, 0, 1, 0, 1, 1, 0, 1, 1.0])
    y = np.concatenate([mixed, np.ones(10)])
    both = logistic_regression(x[:, None], y, np.repeat([0, 1], 10), np.arange(20))
    alone = logistic_regression(x[:10, None], mixed, np.zeros(10), np.arange(10))
    assert both is not None
    assert both == alone


def test_standardized_columns_have_mean_0_and_deviation_1() -> None:
    table = standardized([np.array([1.0, 2.0, 6.0]), np.full(3, 4.0)])
    assert table.mean(0) == pytest.approx([0.0, 0.0])
    assert table.std(0) == pytest.approx([1.0, 0.0])
