"""The best tree, against all trees."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mensura.texts.parser.trees import best_tree


def is_tree(heads: tuple[int, ...]) -> bool:
    """Whether every word comes to the root, and one word depends on it."""
    if sum(one == 0 for one in heads) != 1:
        return False
    for word in range(1, len(heads) + 1):
        for _ in range(len(heads)):
            word = heads[word - 1] if word else 0
        if word:
            return False
    return True


def worth(scores: np.ndarray, heads: tuple[int, ...]) -> float:
    return float(sum(scores[word, head] for word, head in enumerate(heads, 1)))


@given(
    st.integers(2, 5).flatmap(
        lambda n: arrays(np.float64, (n, n), elements=st.integers(-20, 20).map(float))
    )
)
def test_no_tree_with_one_root_is_better(scores: np.ndarray) -> None:
    words = len(scores) - 1
    found = tuple(best_tree(scores))
    assert is_tree(found)
    best = max(
        worth(scores, one) for one in product(range(words + 1), repeat=words) if is_tree(one)
    )
    assert worth(scores, found) == best


def test_a_cycle_within_a_cycle_is_broken_where_it_costs_least() -> None:
    scores = np.full((5, 5), -10.0)
    scores[1, 2], scores[2, 1], scores[3, 4], scores[4, 3] = 9, 9, 8, 8
    scores[1, 3], scores[3, 1], scores[4, 0] = 5, 4, 3
    assert best_tree(scores) == [3, 1, 4, 0]


@pytest.mark.parametrize("words", [0, 1])
def test_the_smallest_sentences_have_a_tree(words: int) -> None:
    assert best_tree(np.zeros((words + 1, words + 1))) == [0] * words
