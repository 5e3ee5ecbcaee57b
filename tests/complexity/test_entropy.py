"""Entropy: the search space of a grid and distributions in general."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.complexity import search_space_entropy, shannon_entropy

pytestmark = pytest.mark.quick


def test_the_search_space_of_a_ten_by_ten_grid_has_9900_states() -> None:
    assert search_space_entropy(10, 10) == math.log2(100 * 99)
    assert search_space_entropy(5, 5) == pytest.approx(9.2288, abs=1e-4)


@given(st.integers(2, 40), st.integers(2, 40))
def test_it_is_the_entropy_of_all_placements_being_equally_likely(rows: int, columns: int) -> None:
    states = rows * columns * (rows * columns - 1)
    assert search_space_entropy(rows, columns) == pytest.approx(-math.log2(1 / states))
    assert search_space_entropy(rows, columns) == search_space_entropy(columns, rows)


@given(st.integers(1, 6), st.integers(2, 6))
def test_a_larger_grid_hides_things_better(rows: int, columns: int) -> None:
    assert search_space_entropy(rows + 1, columns) > search_space_entropy(rows, columns)


def test_grids_of_any_size_are_exact() -> None:
    side = 10**200
    assert search_space_entropy(side, side) == pytest.approx(4 * math.log2(side), rel=1e-15)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (0, 5), (-2, -3)])
def test_a_grid_without_room_for_two_is_refused(rows: int, columns: int) -> None:
    with pytest.raises(ValueError, match="no room for 2 objects"):
        search_space_entropy(rows, columns)


def test_a_fair_coin_has_one_bit_and_certainty_none() -> None:
    assert shannon_entropy([0.5, 0.5]) == 1.0
    assert shannon_entropy([1.0, 0.0]) == 0.0
    assert shannon_entropy([0.25] * 4) == 2.0
    assert shannon_entropy([0.5, 0.25, 0.25]) == 1.5


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=20))
def test_no_distribution_exceeds_the_even_one(weights: list[float]) -> None:
    total = math.fsum(weights)
    entropy = shannon_entropy([w / total for w in weights])
    assert -1e-9 <= entropy <= math.log2(len(weights)) + 1e-9


@pytest.mark.parametrize("weights", [[0.5, 0.6], [1.5, -0.5], []])
def test_what_is_no_distribution_is_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        shannon_entropy(weights)
