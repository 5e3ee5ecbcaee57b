"""Krippendorff's alpha: his example, laws, and its interval."""

from __future__ import annotations

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.statistics.agreement import alpha_with_interval, krippendorff_alpha

pytestmark = pytest.mark.quick
N = np.nan
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
)
"""Example C of Krippendorff (2011)."""


@pytest.mark.parametrize(
    ("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_published_example_has_the_published_values(scale: str, alpha: float) -> None:
    assert krippendorff_alpha(PUBLISHED, scale) == pytest.approx(alpha, abs=0.0006)  # type: ignore[arg-type]


def test_raters_who_agree_have_1_and_those_at_random_about_0() -> None:
    rng = np.random.default_rng(1)
    same = np.tile(rng.integers(1, 6, 30).astype(float), (3, 1))
    assert krippendorff_alpha(same) == 1.0
    assert abs(krippendorff_alpha(rng.integers(1, 6, (4, 500)).astype(float))) < 0.1
    assert np.isnan(krippendorff_alpha(np.ones((3, 5))))


def test_the_order_of_raters_and_units_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    turned = PUBLISHED[rng.permutation(4)][:, rng.permutation(12)]
    for scale in ("nominal", "ordinal", "interval"):
        assert krippendorff_alpha(turned, scale) == pytest.approx(  # type: ignore[arg-type]
            krippendorff_alpha(PUBLISHED, scale)  # type: ignore[arg-type]
        )


def test_the_interval_holds_the_value_and_narrows_with_more_units() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, 400).astype(float)
    table = np.clip(truth + rng.integers(-1, 2, (3, 400)), 1, 5)
    few, many = alpha_with_interval(table[:, :40], 1), alpha_with_interval(table, 1)
    for one in (few, many):
        assert one.low < one.value < one.high
    assert many.high - many.low < few.high - few.low


def test_too_few_units_are_refused() -> None:
    with pytest.raises(MensuraError, match="at least two units"):
        alpha_with_interval(np.array([[1.0, N], [1.0, 2.0]]), 1)
