"""Scores of answers about phenomena: their laws, and examples that a person would look for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.statistics.understanding import (
    Probe,
    Understanding,
    brier,
    crps,
    goals_reached,
    graph_agreement,
    kappa,
    recreated,
    skill,
)

NUMBERS = st.floats(-100, 100)
TRUTH = [("a", "b", 1), ("b", "c", -1), ("c", "d", 0)]


def test_a_sure_and_right_answer_costs_nothing() -> None:
    assert brier({2.0: 1.0}, 2.0) == 0.0
    assert brier({2.0: 1.0}, 3.0) == 2.0
    assert crps([5.0], 5.0) == 0.0
    assert crps([5.0], 8.0) == 3.0


@given(st.lists(NUMBERS, min_size=1, max_size=12), NUMBERS)
def test_crps_is_its_definition(sample: list[float], outcome: float) -> None:
    distance = np.mean([abs(x - outcome) for x in sample])
    spread = np.mean([abs(x - y) for x, y in itertools.product(sample, sample)])
    assert crps(sample, outcome) == pytest.approx(distance - spread / 2, abs=1e-9)
    assert crps(sample, outcome) >= -1e-9


@given(st.integers(0, 100), st.integers(0, 100))
def test_no_probability_is_better_than_the_true_one(true: int, told: int) -> None:
    def expected(probability: float) -> float:
        forecast = {1.0: probability, 0.0: 1 - probability}
        return true / 100 * brier(forecast, 1.0) + (1 - true / 100) * brier(forecast, 0.0)

    assert expected(true / 100) <= expected(told / 100) + 1e-12


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 10)), max_size=8))
def test_skill_is_from_0_to_1(pairs: list[tuple[float, float]]) -> None:
    found = skill([one for one, _ in pairs], [two for _, two in pairs])
    assert found is None or 0.0 <= found <= 1.0
    assert (found is None) == all(two == 0.0 for _, two in pairs)


def test_the_reference_itself_has_no_skill_and_perfection_all() -> None:
    assert skill([1.0, 3.0], [1.0, 3.0]) == 0.0
    assert skill([0.0, 0.0], [1.0, 3.0]) == 1.0
    assert skill([0.0, 5.0], [1.0, 0.0]) == 1.0  # the second question is dropped


def test_goals_lie_between_chance_and_the_best() -> None:
    assert goals_reached(0.2, 0.2, 1.0) == 0.0
    assert goals_reached(1.0, 0.2, 1.0) == 1.0
    assert goals_reached(0.0, 0.2, 1.0) == 0.0
    assert goals_reached(1.0, 1.0, 1.0) is None


def test_the_true_graph_has_1_and_an_empty_one_0() -> None:
    assert graph_agreement(TRUTH, TRUTH, 4) == 1.0
    assert graph_agreement([], TRUTH, 4) == 0.0
    reversed_edges = [(two, one, sign) for one, two, sign in TRUTH]
    assert graph_agreement(reversed_edges, TRUTH, 4) == 0.0
    assert graph_agreement([("a", "b", -1)], TRUTH, 4) == 0.0  # the sign is wrong


def test_random_graphs_have_0_on_average_before_they_are_clipped() -> None:
    rng = np.random.default_rng(1)
    pairs = [(one, two) for one in "abcd" for two in "abcd" if one != two]
    shares = []
    for _ in range(4000):
        chosen = rng.choice(len(pairs), size=5, replace=False)
        graph = {(*pairs[i], int(rng.integers(-1, 2))) for i in chosen}
        shares.append(2 * len(graph & set(TRUTH)) / (5 + 3))
    by_chance = 2 * 5 * 3 / (3 * 12) / 8
    assert np.mean(shares) == pytest.approx(by_chance, abs=0.005)
    everything = [(*pair, 1) for pair in pairs]
    assert graph_agreement(everything, TRUTH, 4) < 0.1


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_a_constant_answer_has_no_kappa(truths: list[bool]) -> None:
    found = kappa([True] * len(truths), truths)
    assert found is None if len(set(truths)) == 1 else found == 0.0
    if len(set(truths)) == 2:
        assert kappa(truths, truths) == pytest.approx(1.0)


def test_a_model_is_compared_with_nothing_changes() -> None:
    assert recreated(0.0, 2.0) == 1.0
    assert recreated(2.0, 2.0) == 0.0
    assert recreated(9.0, 2.0) == 0.0
    assert recreated(0.0, 0.0) is None


def test_the_minimum_is_of_what_was_measured() -> None:
    none = Probe(None, why="it cannot be asked")
    found = Understanding("a", "b", Probe(0.9), Probe(0.4), none, none)
    assert found.minimum == 0.4
    assert Understanding("a", "b", none, none, none, none).minimum is None
