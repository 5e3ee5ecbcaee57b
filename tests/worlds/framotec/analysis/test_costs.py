"""What attempts cost until a task is solved, and over attempts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.analysis.costs import (
    Attempt,
    Cost,
    attempts_of,
    over_attempts,
    share_interval,
    until_all_solved,
    until_solved,
)
from mensura.worlds.framotec.paper import car_race
from mensura.worlds.framotec.play.simulation import simulate

pytestmark = pytest.mark.quick

attempt = st.builds(Attempt, st.floats(0, 100), st.floats(0, 1000), st.booleans())


def test_all_that_was_spent_before_counts() -> None:
    tries = [Attempt(60, 900, False), Attempt(50, 700, True), Attempt(10, 100, True)]
    assert until_solved(tries) == Cost(110, 1600, 2, True)
    assert until_solved(tries, times=2) == Cost(120, 1700, 3, True)
    assert until_solved(tries[:1]) == Cost(60, 900, 1, False)
    assert until_all_solved({"a": tries, "b": tries[1:]}) == Cost(160, 2300, 3, True)
    assert until_all_solved({"a": tries, "b": tries[:1]}) == Cost(170, 2500, 3, False)
    assert until_all_solved({}) == Cost(0, 0, 0, True)


@given(st.lists(attempt))
def test_cost_until_solved_is_where_cumulative_cost_stands_then(tries: list[Attempt]) -> None:
    times = np.cumsum([one.time for one in tries])
    energies = np.cumsum([one.energy for one in tries])
    cost = until_solved(tries)
    assert cost.solved == any(one.solved for one in tries)
    if cost.attempts:
        assert cost.time == pytest.approx(times[cost.attempts - 1])
        assert cost.energy == pytest.approx(energies[cost.attempts - 1])
    assert not any(one.solved for one in tries[: max(cost.attempts - 1, 0)])


@given(st.lists(attempt), st.integers(1, 30))
def test_stretches_cover_all_attempts_once(tries: list[Attempt], stretch: int) -> None:
    found = over_attempts(tries, stretch)
    assert [n for one in found for n in range(one.first, one.last + 1)] == [
        *range(1, len(tries) + 1)
    ]
    total = sum(one.solved * (one.last - one.first + 1) for one in found)
    assert total == pytest.approx(sum(one.solved for one in tries))
    for one in found:
        assert 0.0 <= one.low <= one.solved <= one.high <= 1.0
        assert math.isnan(one.time) == (one.solved == 0.0)


def test_the_interval_of_a_share() -> None:
    """The example of Newcombe (1998), table I: 15 of 148."""
    assert share_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert share_interval(0, 20)[0] == 0.0
    assert share_interval(0, 0) == (0.0, 1.0)


def test_attempts_come_from_simulations_and_from_measures_of_episodes() -> None:
    outcomes = simulate(car_race(), np.array([[[200.0]] * 40, [[0.0]] * 40]))
    found = attempts_of(outcomes)
    assert [one.solved for one in found] == [True, False]
    rows = [{"time": one.time, "energy": one.energy, "solved": 1.0 * one.solved} for one in found]
    assert attempts_of(rows) == found


def test_impossible_counts_get_a_sentence() -> None:
    with pytest.raises(MensuraError, match="0 times"):
        until_solved([], 0)
    with pytest.raises(MensuraError, match="stretch of 0"):
        over_attempts([], 0)
