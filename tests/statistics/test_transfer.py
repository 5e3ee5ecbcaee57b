"""Measures of transfer: their laws, their signs, times that were not reached, and that their intervals cover."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.sizes import examples

from mensura.agent.keys import fold
from mensura.statistics.interval import Estimate
from mensura.statistics.transfer import (
    added_bits,
    at_equal_distance,
    composite_time_transfer,
    compressed_bits,
    distances,
    forgetting,
    gain,
    jump_start,
    knowledge_transfer,
    loss,
    margins,
    parallel_transfer,
    raw_transfer,
    regret,
    split_of_budget,
    times_to_level,
    training_time_transfer,
)

Floats = npt.NDArray[np.float64]
DIFFERENCES = (jump_start, loss, regret, gain, split_of_budget, forgetting, parallel_transfer)

performances = arrays(np.float64, 5, elements=st.floats(-1.0, 1.0))


@settings(max_examples=examples(20, 100))
@given(performances)
def test_what_changes_nothing_is_worth_nothing(same: Floats) -> None:
    """So it is for a gain by 0 interactions in X, for B(0), and for whoever does not learn."""
    for measure in DIFFERENCES:
        found = measure(same, same)
        assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


@settings(max_examples=examples(20, 100))
@given(performances, performances)
def test_all_of_a_budget_in_the_wrong_task_costs_the_regret(own: Floats, other: Floats) -> None:
    assert split_of_budget(other, own).value == -regret(own, other).value


@settings(max_examples=examples(20, 100))
@given(performances, performances)
def test_measures_stay_on_their_scales(one: Floats, two: Floats) -> None:
    assert -1.0 <= raw_transfer(one).low <= raw_transfer(one).high <= 1.0
    for measure in DIFFERENCES:
        found = measure(one, two)
        assert -2.0 <= found.low <= found.value <= found.high <= 2.0


def test_signs_are_those_of_the_table() -> None:
    high, low = np.array([0.5, 0.6, 0.7]), np.array([0.1, 0.1, 0.2])
    assert jump_start(high, low).low > 0  # after X better than a newborn
    assert loss(high, low).low > 0  # worse in Y than in X
    assert regret(high, low).low > 0  # worse than who trained in Y
    assert gain(high, low).low > 0
    assert forgetting(high, low).low > 0  # worse in X than before


CHECKPOINTS = [0, 16, 32, 64, 128]


def test_a_level_is_reached_at_two_checkpoints_in_a_row() -> None:
    found = times_to_level(
        CHECKPOINTS,
        [
            [0.0, 0.9, 0.0, 0.5, 0.9],  # a lucky look at 16
            [0.0, 0.0, 0.0, 0.0, 0.9],  # only at the end: not seen to stay
            [0.6, 0.7, 0.7, 0.7, 0.7],  # before training
            [0.0, 1.0, 1.0, 1.0, 1.0],  # between 0 and the first
        ],
        0.5,
    )
    assert found.reached.tolist() == [True, False, True, True]
    assert found.times.tolist() == [64.0, 128.0, 0.0, 8.0]
    assert found.checkpoints.tolist() == [3, -1, 0, 1]
    assert found.survival().censored == 1


def test_time_between_checkpoints_is_interpolated_in_its_logarithm() -> None:
    found = times_to_level(CHECKPOINTS, [[0.0, 0.0, 0.0, 1.0, 1.0]], 0.5)
    assert found.times[0] == pytest.approx(math.sqrt(32 * 64))


@settings(max_examples=examples(20, 100))
@given(
    arrays(np.float64, (4, 5), elements=st.floats(-1.0, 1.0)),
    st.floats(-1.0, 1.0),
    st.floats(0.0, 0.5),
)
def test_a_higher_level_takes_no_less_time(curves: Floats, level: float, more: float) -> None:
    low, high = (
        times_to_level(CHECKPOINTS, curves, level),
        times_to_level(CHECKPOINTS, curves, level + more),
    )
    assert (low.times <= high.times + 1e-6).all()


RISING = [[0.0, 0.1, 0.2, 0.6, 0.9]] * 3
QUICK = [[0.0, 0.6, 0.8, 0.9, 0.9]] * 3
NEVER = [[0.0, 0.1, 0.1, 0.2, 0.2]] * 3


def test_time_that_is_saved_is_a_bound_where_a_level_was_not_reached() -> None:
    rising, quick, never = (times_to_level(CHECKPOINTS, one, 0.5) for one in (RISING, QUICK, NEVER))
    saved = training_time_transfer(rising, quick)
    assert saved.bound == ""
    assert saved.estimate is not None
    assert saved.estimate.value == pytest.approx(float(rising.times[0] - quick.times[0]))
    assert training_time_transfer(never, quick).bound == "at least"
    assert training_time_transfer(rising, never).bound == "at most"
    assert training_time_transfer(never, never).estimate is None


def test_to_teach_x_first_pays_only_if_it_saves_more_than_it_took() -> None:
    rising, quick = (times_to_level(CHECKPOINTS, one, 0.5) for one in (RISING, QUICK))
    saved = training_time_transfer(rising, quick).estimate
    short, long = (composite_time_transfer(rising, quick, n).estimate for n in (10, 1000))
    assert saved is not None
    assert short is not None
    assert long is not None
    assert short.value == saved.value - 10 > 0 > long.value


def test_knowledge_that_was_there_before_adds_few_bits() -> None:
    rng = np.random.default_rng(1)
    known, new = rng.bytes(4000), rng.bytes(4000)
    assert compressed_bits(known) > 8 * 3900
    assert added_bits(known, known) < 0.05 * compressed_bits(known)
    assert added_bits(new, known) > 0.95 * compressed_bits(new)
    assert compressed_bits(bytes(4000)) < 1000


def test_knowledge_transfer_counts_the_bits_at_the_level() -> None:
    rising, quick, never = (times_to_level(CHECKPOINTS, one, 0.5) for one in (RISING, QUICK, NEVER))
    bits = np.array([[0, 100, 200, 300, 400]] * 3)
    found = knowledge_transfer(bits, rising, bits, quick)
    assert found is not None
    assert found.value == 300 - 100
    assert knowledge_transfer(bits, rising, bits, never) is None
    assert knowledge_transfer(bits * math.nan, rising, bits, quick) is None


@settings(max_examples=examples(20, 100))
@given(
    arrays(np.float64, (4, 3), elements=st.floats(-100, 100)),
    st.sampled_from(["manhattan", "euclidean", "chebyshev"]),
)
def test_distance_is_a_pseudometric(properties: Floats, norm: str) -> None:
    found = distances(properties, norm)  # type: ignore[arg-type]
    assert (np.diag(found) == 0).all()
    assert np.allclose(found, found.T)
    through = found[:, :, None] + found[None, :, :]
    assert (found[:, None, :] <= through + 1e-9).all()


def test_a_property_without_spread_is_left_out() -> None:
    assert distances([[1.0, 5.0], [3.0, 5.0]]).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert not distances([[5.0], [5.0]]).any()


def test_at_equal_distance_what_a_line_explains_is_gone() -> None:
    apart = distances([[0.0], [1.0], [3.0]])
    level = at_equal_distance(0.7 - 0.2 * apart, apart)
    off = ~np.eye(3, dtype=np.bool_)
    assert np.allclose(level[off], level[off][0])
    assert np.isnan(np.diag(level)).all()


def test_margins_leave_the_diagonal_out() -> None:
    table = np.array([[[0.9, 0.1, 0.2], [0.3, 0.9, 0.4], [0.5, 0.6, 0.9]]] * 2)
    found = margins(table)
    assert [one.value for one in found.rows] == pytest.approx([0.15, 0.35, 0.55])
    assert [one.value for one in found.columns] == pytest.approx([0.4, 0.35, 0.3])
    few = margins(np.array([table[0], -table[0]])).rows[0]
    assert (few.low, few.high) == (-1.0, 1.0)


def simulated(rng: np.random.Generator, learners: int = 8) -> dict[str, Floats]:
    """Learners of different gifts, whose performance in X and Y is known in the mean: 0.3 and 0.5."""
    gift = rng.normal(0.0, 0.1, learners)
    return {
        name: mean + gift + rng.normal(0.0, 0.05, learners)
        for name, mean in (
            ("newborn", 0.1),
            ("from_x", 0.3),
            ("from_y", 0.5),
            ("after_x", 0.55),
            ("back", 0.35),
        )
    }


def test_intervals_over_learners_cover_the_known_transfer(full_size: bool) -> None:
    studies = 1000 if full_size else 150
    truths = {"raw": 0.3, "jump-start": 0.2, "regret": 0.2, "gain": 0.05, "forgetting": 0.15}
    hits = dict.fromkeys(truths, 0)
    for case in range(studies):
        p = simulated(np.random.default_rng(fold(4_200, case)))
        found: dict[str, Estimate] = {
            "raw": raw_transfer(p["from_x"]),
            "jump-start": jump_start(p["from_x"], p["newborn"]),
            "regret": regret(p["from_y"], p["from_x"]),
            "gain": gain(p["after_x"], p["from_y"]),
            "forgetting": forgetting(p["from_y"], p["back"]),
        }
        for name, truth in truths.items():
            hits[name] += truth in found[name]
    slack = 0.0 if full_size else 4 * math.sqrt(0.05 * 0.95 / studies)
    for name, count in hits.items():
        assert 0.93 - slack <= count / studies <= 0.97 + slack, name


def test_pairs_of_one_learner_make_short_intervals() -> None:
    p = simulated(np.random.default_rng(1), 40)
    paired = regret(p["from_y"], p["from_x"])
    shuffled = regret(p["from_y"], np.random.default_rng(2).permutation(p["from_x"]))
    assert paired.half_width < 0.75 * shuffled.half_width
