"""The learn rate: known coefficients are found again, censored or not, and the check on held-out tasks can fail."""

from __future__ import annotations

import numpy as np
import pytest

from mensura.statistics.learn_rate import Times, learn_rate, predicted


def simulated(
    seed: int,
    *,
    tasks: int = 40,
    learners: int = 4,
    budget: float = 1e9,
    rate: float = -2.0,
    b: float = 0.1,
    d: float = 0.5,
    noise: float = 0.3,
) -> Times:
    rng = np.random.Generator(np.random.PCG64(seed))
    complexity = rng.uniform(5.0, 40.0, tasks)
    size = rng.integers(3, 30, tasks).astype(float)
    mean = -rate + b * complexity + d * np.log(size)
    times = np.exp(mean[:, None] + noise * rng.standard_normal((tasks, learners)))
    reached = times <= budget
    return Times(np.minimum(times, budget), reached, complexity, size)


def test_known_coefficients_are_found_again() -> None:
    found = learn_rate(simulated(1))
    assert found is not None
    assert found.by_complexity is not None
    assert found.by_size is not None
    assert found.rate.low < -2.0 < found.rate.high
    assert found.by_complexity.low < 0.1 < found.by_complexity.high
    assert found.by_size.low < 0.5 < found.by_size.high
    assert found.noise == pytest.approx(0.3, abs=0.04)
    assert found.censored == 0.0


@pytest.mark.thorough
def test_a_third_that_was_not_seen_to_end_moves_no_coefficient_far() -> None:
    whole = simulated(2, tasks=60)
    budget = float(np.quantile(whole.times, 0.67))
    cut = simulated(2, tasks=60, budget=budget)
    found = learn_rate(cut)
    assert found is not None
    assert found.by_complexity is not None
    assert found.censored == pytest.approx(0.33, abs=0.02)
    assert found.rate.value == pytest.approx(-2.0, abs=0.35)
    assert found.by_complexity.value == pytest.approx(0.1, abs=0.01)
    assert found.noise == pytest.approx(0.3, abs=0.05)
    taken_as_seen = Times(cut.times, np.ones_like(cut.reached), cut.complexity, cut.size)
    biased = learn_rate(taken_as_seen)
    assert biased is not None
    assert biased.by_complexity is not None
    assert biased.by_complexity.value < 0.085, "or censoring would make no difference"


@pytest.mark.thorough
def test_intervals_of_held_out_tasks_cover_what_they_should() -> None:
    shares = []
    for seed in range(12):
        found = learn_rate(simulated(seed, tasks=30))
        assert found is not None
        shares.append(found.held_out.coverage)
        assert found.held_out.error < 0.5 * found.held_out.error_of_mean
    assert np.mean(shares) == pytest.approx(0.9, abs=0.03)


def test_where_complexity_tells_nothing_the_model_is_no_better_than_the_mean() -> None:
    found = learn_rate(simulated(3, b=0.0, d=0.0))
    assert found is not None
    assert found.held_out.error > 0.95 * found.held_out.error_of_mean


def test_what_does_not_differ_has_no_coefficient() -> None:
    times = simulated(4)
    same = Times(times.times, times.reached, times.complexity, np.full(40, 9.0))
    found = learn_rate(same)
    assert found is not None
    assert found.by_size is None
    unknown = Times(times.times, times.reached, times.complexity, np.full(40, np.nan))
    other = learn_rate(unknown)
    assert other is not None
    assert other.by_size is None
    assert len(predicted(unknown)) == 40


def test_whoever_knew_it_before_needed_one_interaction_or_less() -> None:
    times = simulated(5)
    known = times.times.copy()
    known[:5] = 0.0
    found = learn_rate(Times(known, times.reached, times.complexity, times.size))
    assert found is not None
    assert np.isfinite(found.rate.value)


def test_without_anybody_at_the_level_there_is_no_rate() -> None:
    times = simulated(6)
    assert learn_rate(Times(times.times, ~times.reached, times.complexity, times.size)) is None


def test_few_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match="5 tasks are too few"):
        learn_rate(simulated(7, tasks=5))
