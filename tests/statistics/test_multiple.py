"""Corrections for many comparisons: as those of statsmodels, as published, and keeping what they promise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.heavy import multitest

from mensura.statistics.multiple import corrected

pytestmark = pytest.mark.quick

PS = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20)


@pytest.mark.slow
@given(PS)
def test_holms_is_that_of_statsmodels(p: list[float]) -> None:
    assert corrected(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


def test_benjamini_and_hochbergs_on_an_example_by_hand() -> None:
    found = corrected([0.01, 0.04, 0.03, 0.005], "benjamini-hochberg")
    assert found == pytest.approx([0.02, 0.04, 0.04, 0.02])


def test_holms_on_an_example_by_hand() -> None:
    assert corrected([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(PS)
def test_corrections_keep_the_order_and_never_lower(p: list[float]) -> None:
    for way in ("holm", "benjamini-hochberg"):
        found = corrected(p, way)
        assert (found >= np.array(p) - 1e-12).all()
        assert (found <= 1.0).all()
        assert (np.diff(found[np.argsort(p, kind="stable")]) >= -1e-12).all()
    assert (corrected(p) >= corrected(p, "benjamini-hochberg") - 1e-12).all()
    assert corrected(p, "none").tolist() == p


def test_what_is_not_known_is_not_counted() -> None:
    found = corrected([0.01, math.nan, 0.04])
    assert math.isnan(found[1])
    assert found[[0, 2]] == pytest.approx([0.02, 0.04])


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        corrected([1.5])
    with pytest.raises(ValueError, match="no correction 'bonferoni'"):
        corrected([0.5], "bonferoni")
    with pytest.raises(ValueError, match="one dimension"):
        corrected([[0.5]])


def test_holm_keeps_false_findings_rare(full_size: bool) -> None:
    cases = 20_000 if full_size else 3000
    rng = np.random.default_rng(41)
    false = sum((corrected(rng.uniform(size=10)) <= 0.05).any() for _ in range(cases))
    assert false / cases == pytest.approx(0.05, abs=0.015)
    plain = sum((rng.uniform(size=10) <= 0.05).any() for _ in range(cases))
    assert plain / cases > 0.35
