"""Lempel-Ziv 1976: the compiled count agrees with the definition and with published examples."""

import math
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura import complexity
from mensura.complexity.lempel_ziv import count, lempel_ziv_76, normalized
from mensura.core.compiled import door

pytestmark = [pytest.mark.bounds, pytest.mark.pure]

SEQUENCES = st.integers(1, 12).flatmap(lambda size: st.lists(st.integers(0, size), max_size=40))


def exhaustive_history(sequence: Sequence[Any]) -> list[list[Any]]:
    """The components of the exhaustive history, as Lempel and Ziv (1976) define them.

    A component ends as soon as it no longer occurs in all that precedes its own last symbol (it is
    not reproducible from the prefix); the last component ends with the sequence at the latest.
    """
    symbols, history, begin = list(sequence), [], 0
    while begin < len(symbols):
        end = begin + 1
        while end < len(symbols) and occurs(symbols[begin:end], symbols[: end - 1]):
            end += 1
        history.append(symbols[begin:end])
        begin = end
    return history


def occurs(word: list[Any], text: list[Any]) -> bool:
    return any(text[i : i + len(word)] == word for i in range(len(text) - len(word) + 1))


@given(SEQUENCES)
def test_the_count_is_the_length_of_the_exhaustive_history(sequence: list[int]) -> None:
    assert lempel_ziv_76(sequence) == len(exhaustive_history(sequence))


@pytest.mark.parametrize(
    ("sequence", "components"),
    [
        (
            "0001101001000101",
            "0 001 10 100 1000 101",
        ),  # Lempel and Ziv (1976)
        ("01", "0 1"),
        ("00000000", "0 0000000"),  # Kaspar and Schuster (1987): a constant sequence has 2
        ("0101010101", "0 1 01010101"),  # and 01 repeated has 3
        ("73498734987349873498", "7 3 4 9 8 734987349873498"),  # Chmait et al. (2016), section 4.2
        ("0010", "0 01 0"),
        ("a", "a"),
        ("", ""),
    ],
)
def test_published_sequences_have_their_published_histories(sequence: str, components: str) -> None:
    assert ["".join(part) for part in exhaustive_history(sequence)] == components.split()
    assert lempel_ziv_76(sequence) == len(components.split())


@given(SEQUENCES, st.integers(1, 2**31))
def test_only_the_equality_of_symbols_counts(sequence: list[int], shift: int) -> None:
    assert lempel_ziv_76([s * 3 + shift for s in sequence]) == lempel_ziv_76(sequence)
    assert lempel_ziv_76([str(s) for s in sequence]) == lempel_ziv_76(sequence)
    assert lempel_ziv_76([(s, None) for s in sequence]) == lempel_ziv_76(sequence)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.float64, np.bool_])
def test_arrays_of_every_type_count_like_lists(dtype: type[np.generic]) -> None:
    bits = [0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1]
    assert lempel_ziv_76(np.array(bits, dtype)) == 6
    assert lempel_ziv_76(np.repeat(np.array(bits, dtype), 2)[::2]) == 6
    assert lempel_ziv_76(bytes(bits)) == 6


@given(SEQUENCES, st.integers(0, 12))
def test_more_symbols_never_make_a_sequence_simpler(sequence: list[int], symbol: int) -> None:
    before, after = lempel_ziv_76(sequence), lempel_ziv_76([*sequence, symbol])
    assert before <= after <= before + 1


@given(st.lists(st.integers(0, 9), min_size=1, max_size=10), st.integers(2, 6))
def test_repeating_a_segment_adds_one_component_at_most(segment: list[int], times: int) -> None:
    assert lempel_ziv_76(segment * times) <= lempel_ziv_76(segment) + 1


@door
def prefix_door(table: Any, row: Any, n: Any) -> Any:
    return count(table[row], n)


@pytest.mark.parametrize("dtype", [pytest.param(np.int16, marks=pytest.mark.thorough), np.int64])
def test_a_kernel_counts_a_prefix_of_a_row_in_place(dtype: type[np.generic]) -> None:
    table = np.array([[9] * 20, [7, 3, 4, 9, 8] * 4, list(range(20))], dtype)
    assert [prefix_door(table, row, 20) for row in range(3)] == [2, 6, 20]
    assert [prefix_door(table, 1, n) for n in range(8)] == [0, 1, 2, 3, 4, 5, 6, 6]


def test_the_normalized_count_is_over_n_by_log2_n() -> None:
    assert normalized([7, 3, 4, 9, 8] * 4) == pytest.approx(6 / (20 / math.log2(20)))
    assert normalized("01") == pytest.approx(1.0)
    assert normalized("0") == normalized("") == 0.0


def test_long_random_bits_come_near_one_when_normalized() -> None:
    bits = np.random.default_rng(1976).integers(0, 2, 2_000)
    assert 0.9 < normalized(bits) < 1.3


def test_a_table_is_not_a_sequence() -> None:
    with pytest.raises(ValueError, match="one dimension, not 2"):
        lempel_ziv_76(np.zeros((2, 3), np.int64))


@pytest.mark.thorough
def test_the_package_imports_numba_only_when_a_sequence_is_counted() -> None:
    program = (
        "import sys, mensura.complexity as c\n"
        "assert 'numba' not in sys.modules\n"
        "assert c.lempel_ziv_76('01') == 2\n"
        "assert 'numba' in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert complexity.lempel_ziv_76 is lempel_ziv_76
    with pytest.raises(AttributeError, match="no attribute 'lempel_ziv_77'"):
        complexity.lempel_ziv_77  # noqa: B018
