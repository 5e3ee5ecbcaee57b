"""Performance with weights, P*, and how likely a level is passed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.statistics.interval import Estimate, mean_interval
from mensura.statistics.performance import (
    Weights,
    efficiency,
    loss_in_p_star,
    normalized,
    performance,
    probability_above,
    weights_from,
)

SHARES = st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3).filter(lambda one: sum(one) > 0.01)


@given(SHARES, st.floats(-1.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_performance_is_in_its_range(shares: list[float], a: float, tau: float, eps: float) -> None:
    weights = weights_from([one / sum(shares) for one in shares])
    (p,) = performance([a], weights, tau=[tau], eps=[eps])
    assert -1.0 - 1e-9 <= p <= 1.0 + 1e-9


def test_accuracy_alone_is_performance_where_nobody_says() -> None:
    assert performance([0.25, -1.0]).tolist() == [0.25, -1.0]
    half = performance([1.0], Weights(0.5, 0.25, 0.25), tau=[0.5], eps=[0.0])
    assert half.tolist() == [0.5 + 0.0 - 0.25]


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ((0.5, 0.25, 0.5), "sum to 1.25; their sum is 1"),
        ((1.5, -0.5, 0.0), "are none"),
        ((1.0,), "are none"),
        ((math.nan, 0.0, 1.0), "are none"),
    ],
)
def test_weights_are_refused_in_a_sentence(weights: tuple[float, ...], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        weights_from(weights)


def test_time_counts_only_where_the_least_is_known() -> None:
    with pytest.raises(MensuraError, match="The least time of these episodes is not known"):
        performance([0.5], Weights(0.5, 0.5, 0.0))
    with pytest.raises(MensuraError, match="The least energy"):
        performance([0.5], Weights(0.5, 0.0, 0.5), tau=[1.0])


def test_efficiency_is_0_of_unsolved_episodes_and_never_above_1() -> None:
    assert efficiency([10.0, 10.0, 4.0], [5.0, 5.0, 5.0], [1.0, 0.0, 1.0]).tolist() == [
        0.5,
        0.0,
        1.0,
    ]


def test_p_star_is_0_of_chance_and_1_of_the_best() -> None:
    rng = np.random.default_rng(1)
    chance, best = rng.normal(0.0, 0.1, 40), rng.normal(0.8, 0.1, 40)
    for own, value in ((chance, 0.0), (best, 1.0), (2 * best - chance, 2.0)):
        found = normalized(own, chance, best, 1)
        assert found is not None
        assert found.value == pytest.approx(value)
        assert found.low - 1e-9 <= value <= found.high + 1e-9


def test_p_star_is_undefined_where_the_best_may_be_chance() -> None:
    rng = np.random.default_rng(1)
    one, two = rng.normal(0.0, 1.0, (2, 20))
    assert normalized(one, one, two, 1) is None
    assert normalized([1.0], [0.0], [1.0], 1) is None


def test_loss_in_p_star_does_not_mind_how_hard_tasks_are() -> None:
    rng = np.random.default_rng(3)
    noise = rng.normal(0.0, 0.01, (6, 12))
    # In X all can be had from 0 to 1, in Y from 0 to 0.2: half of what can be had in each is no loss.
    x = 0.5 + noise[0], noise[1], 1.0 + noise[2]
    y = 0.1 + noise[3] / 5, noise[4] / 5, 0.2 + noise[5] / 5
    found = loss_in_p_star(x, y, 1)
    assert found is not None
    assert found.low < 0.0 < found.high
    assert loss_in_p_star(x, x, 1) is not None
    assert loss_in_p_star(x, x, 1).value == 0.0  # type: ignore[union-attr]
    assert loss_in_p_star(x, (y[0], y[1], y[1]), 1) is None


def test_a_probability_goes_with_its_interval() -> None:
    found = mean_interval(np.random.default_rng(1).normal(0.3, 1.0, 20))
    assert probability_above(found, found.low) == pytest.approx(0.975)
    assert probability_above(found, found.high) == pytest.approx(0.025)
    assert probability_above(found, found.value) == pytest.approx(0.5)
    assert math.isnan(probability_above(mean_interval([1.0]), 0.0))
    assert probability_above(Estimate(1.0, 1.0, 1.0, 0.95, 5, 0.0), 0.5) == 1.0
