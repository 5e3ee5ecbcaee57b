"""Shares of two crossed factors."""

import numpy as np
import pytest

from mensura.statistics.factorial import two_way

pytestmark = pytest.mark.quick


def test_effects_that_add_up_have_no_interaction() -> None:
    table = np.add.outer([0.0, 1.0, 2.0], [0.0, 3.0])
    result = two_way(table, np.zeros((3, 2)))
    assert result.interaction == pytest.approx(0.0, abs=1e-12)
    # Variance of the rows (1, over 2 columns): 4; of the columns (3, over 3 rows): 13.5.
    assert result.rows == pytest.approx(4 / 17.5)
    assert result.columns == pytest.approx(13.5 / 17.5)


def test_effects_that_only_work_together_are_all_interaction() -> None:
    result = two_way([[1.0, -1.0], [-1.0, 1.0]], np.full((2, 2), 0.01))
    assert result.interaction == pytest.approx(1.0)
    assert result.significant


def test_noise_is_not_taken_for_an_effect() -> None:
    rng = np.random.default_rng(1)
    found = [
        two_way(rng.normal(0.0, 0.1, (4, 5)), np.full((4, 5), 0.1)).significant for _ in range(2000)
    ]
    assert sum(found) <= 10  # 2 expected at the level of 0.1%


def test_a_layout_of_one_row_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 x 2"):
        two_way([[1.0, 2.0]], [[0.1, 0.1]])
