"""Performance profiles: rliable's shares and bands, falling, and true to environments and runs."""

import numpy as np
import pytest
from tests.heavy import library
from tests.statistics.samples import clustered, sample

from mensura.agent.keys import fold
from mensura.statistics.profiles import profile_of_samples, profile_of_table

pytestmark = pytest.mark.quick

MARKS = np.linspace(0.0, 1.0, 11)


@pytest.mark.thorough
def test_of_a_table_it_is_rliables() -> None:
    table = np.random.default_rng(61).beta(2, 2, (10, 15))
    shares, bands = library.create_performance_profile({"a": table}, MARKS, reps=4000)
    found = profile_of_table(table, MARKS, 3, resamples=4000, expanded=False)
    assert found.share == pytest.approx(shares["a"])
    assert found.low == pytest.approx(bands["a"][0], abs=0.02)
    assert found.high == pytest.approx(bands["a"][1], abs=0.02)


def test_a_score_equal_to_the_threshold_is_not_above_it() -> None:
    found = profile_of_table([[0.5, 0.7]], [0.4, 0.5, 0.7], 1)
    assert found.share.tolist() == [1.0, 0.5, 0.0]
    assert (found.low.tolist(), found.high.tolist()) == ([0.0] * 3, [1.0] * 3)


def test_a_score_that_equals_the_threshold_but_for_rounding_is_not_above_it() -> None:
    assert profile_of_table([[0.1 + 0.2, 0.7]], [0.3], 1).share.tolist() == [0.5]
    assert profile_of_samples([sample([0.1 + 0.2, 0.7])], [0.3]).share.tolist() == [0.5]


def test_of_samples_it_falls_and_lies_within_its_band() -> None:
    rng = np.random.default_rng(62)
    found = profile_of_samples([sample(rng.beta(2, 2, 80)), sample(rng.beta(2, 5, 30))], MARKS)
    assert (np.diff(found.share) <= 1e-12).all()
    assert (found.low <= found.share).all()
    assert (found.share <= found.high).all()
    assert (found.low >= 0).all()
    assert (found.high <= 1).all()


def test_conditions_count_the_same() -> None:
    found = profile_of_samples([sample(np.ones(5)), sample(np.zeros(500))], [0.5])
    assert found.share[0] == pytest.approx(0.5)


def test_bands_hold_the_true_share_where_environments_are_met_again() -> None:
    hits = naive = 0
    for case in range(300):
        one = clustered(
            np.random.default_rng(fold(63, case)), environments=40, sittings=6, by_environment=1.5
        )
        band = profile_of_samples([one], [0.0])
        hits += bool(band.low[0] <= 0.5 <= band.high[0])
        alone = profile_of_samples([sample(one.score)], [0.0])
        naive += bool(alone.low[0] <= 0.5 <= alone.high[0])
    assert hits / 300 > 0.915
    assert naive / 300 < 0.85
