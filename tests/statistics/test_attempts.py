"""Attempts at a task: shares, costs and changes of sittings, against what they are by definition."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mensura.statistics.attempts import Attempts, mean_energy, mean_time, ratio, solved_share
from mensura.statistics.interval import mean_interval

SHAPE = st.tuples(st.integers(2, 5), st.integers(4, 12))


def made(solved: list[list[int]], time: list[list[float]] | None = None) -> Attempts:
    own = np.array(solved, bool)
    times = np.array(time, float) if time is not None else np.ones(own.shape)
    return Attempts("somebody", "a task", own, times, 10.0 * times)


@st.composite
def any_attempts(draw: st.DrawFn) -> Attempts:
    shape = draw(SHAPE)
    solved = draw(arrays.arrays(bool, shape))
    time = draw(arrays.arrays(float, shape, elements=st.floats(0.1, 60)))
    return Attempts("somebody", "a task", solved, time, 200.0 * time)


def test_shares_and_costs_are_means_over_sittings_of_what_was_solved() -> None:
    one = made([[1, 1, 0, 0], [1, 0, 0, 0]], [[2, 4, 9, 9], [5, 9, 9, 9]])
    assert one.share().value == pytest.approx(np.mean([0.5, 0.25]))
    assert one.cost(one.time) == replace(mean_interval([3.0, 5.0]), low=0.0)
    assert one.spread(one.time).value == pytest.approx(math.sqrt(2.0))


def test_a_sitting_without_a_solution_has_no_cost() -> None:
    one = made([[0, 0, 0, 0], [1, 0, 0, 1]], [[9] * 4, [2, 9, 9, 4]])
    assert one.cost(one.time).value == 3.0
    none = made([[0] * 4] * 3)
    assert none.share().value == 0.0
    assert math.isnan(none.cost(none.time).value)
    assert none.cost(none.time).n == 0


def test_change_is_the_last_quarter_less_the_first() -> None:
    one = made([[0, 1, 0, 1, 1, 1, 1, 1]] * 2, [[9, 8, 9, 9, 9, 9, 2, 4]] * 2)
    assert one.change(solved_share).value == pytest.approx(0.5)
    assert one.change(mean_time).value == pytest.approx(3.0 - 8.0)
    assert one.change(mean_energy).value == pytest.approx(-50.0)


def test_what_was_spent_until_the_first_solution_is_summed() -> None:
    one = made([[0, 0, 1, 1], [0, 0, 0, 0]], [[1, 2, 3, 4], [1, 1, 1, 1]])
    spent = one.until_solved(one.time)
    assert spent[0] == 6.0
    assert math.isnan(spent[1])


@given(any_attempts())
def test_the_share_is_a_share_and_so_is_its_interval(one: Attempts) -> None:
    share = one.share()
    assert 0.0 <= share.low <= share.value <= share.high <= 1.0
    assert share.value == pytest.approx(one.solved.mean())


@given(any_attempts())
def test_who_is_held_against_itself_has_as_much(one: Attempts) -> None:
    found = ratio(mean_time, one, one)
    if one.solved.any():
        assert found.value == pytest.approx(1.0)
        assert not found.low > 1.0
        assert not found.high < 1.0
    else:
        assert math.isnan(found.value)


@given(any_attempts(), st.floats(0.5, 4.0))
def test_twice_the_energy_is_twice_as_much(one: Attempts, factor: float) -> None:
    more = Attempts(one.subject, one.world, one.solved, one.time, factor * one.energy)
    if one.solved.any():
        assert ratio(mean_energy, one, more).value == pytest.approx(factor)


@given(any_attempts())
def test_early_and_late_attempts_are_equally_many_and_do_not_overlap(one: Attempts) -> None:
    early, late = one.parts()
    assert early.solved.shape == late.solved.shape
    assert 2 * early.solved.shape[1] <= one.solved.shape[1]
