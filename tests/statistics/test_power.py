"""How much data a difference needs: as the published tables say, and as simulation shows."""

import math

import numpy as np
import pytest
from tests.heavy import stats

from mensura.statistics.power import pairs_needed, power_of, scores_needed, smallest_difference

pytestmark = pytest.mark.quick


def test_values_that_stand_in_cohens_tables() -> None:
    assert scores_needed(0.5) == 64
    assert scores_needed(0.2) == 394
    assert scores_needed(0.8) == 26
    assert pairs_needed(0.5) == 34


@pytest.mark.parametrize(("effect", "n"), [(0.3, 50), (1.0, 8), (0.05, 4000)])
def test_power_is_that_of_scipys_noncentral_t(effect: float, n: int) -> None:
    limit = stats.t.ppf(0.975, n - 1)
    shift = effect * math.sqrt(n)
    theirs = stats.nct.sf(limit, n - 1, shift) + stats.nct.cdf(-limit, n - 1, shift)
    assert power_of(effect, n, n - 1) == pytest.approx(theirs, abs=1e-6)


def test_so_many_pairs_find_the_effect_as_often_as_promised() -> None:
    n = pairs_needed(0.4, power=0.9)
    assert n is not None
    rng = np.random.default_rng(51)
    found = stats.ttest_1samp(rng.normal(0.4, 1, (4000, n)), 0.0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.9, abs=0.02)


def test_a_pair_fewer_would_not_do() -> None:
    n = pairs_needed(0.3)
    assert n is not None
    assert power_of(0.3, n, n - 1) >= 0.8 > power_of(0.3, n - 1, n - 2)


def test_what_a_number_can_tell_is_what_that_number_is_needed_for() -> None:
    smallest = smallest_difference(1.0 / math.sqrt(90), 89)
    assert pairs_needed(smallest + 1e-9) == 90
    assert math.isnan(smallest_difference(math.nan, 5))


def test_no_number_settles_a_difference_of_nothing() -> None:
    assert pairs_needed(0.0) is None
    assert pairs_needed(1e-9) is None
    assert scores_needed(math.nan) is None


def test_a_stricter_level_takes_more() -> None:
    strict, usual = pairs_needed(0.3, 0.995), pairs_needed(0.3)
    assert strict is not None
    assert usual is not None
    assert strict > usual
