"""How sure an order is, and what further sittings would settle: against a simulation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.statistics.samples import sample

from mensura.statistics.clusters import average, design_of
from mensura.statistics.order import gaps
from mensura.statistics.sample import Sample

pytestmark = pytest.mark.quick

SPREADS = {"Lambda": 0.3, "FraMoTEC": 0.5}


def met(rng: np.random.Generator, count: int, gain: float = 0.1) -> list[Sample]:
    """Two subjects in two worlds, one better than the other by so much on average."""
    found = []
    for world, spread in SPREADS.items():
        hard = rng.normal(0, 0.4, count)
        for name, more in (("one", gain + rng.normal(0, spread, count)), ("two", 0.0)):
            found.append(replace(sample(hard + more, label=name), condition=world))
    return found


def test_the_gap_is_the_mean_over_conditions_with_its_students_interval() -> None:
    samples = met(np.random.default_rng(1), 30)
    (gap,) = gaps(["one", "two"], samples)
    parts = []
    for world in SPREADS:
        one, two = (s for s in samples if s.condition == world)
        own = replace(one, score=one.score - two.score)
        error = design_of(own).error_of_mean(own.score)
        parts.append((error.around(float(own.score.mean()), 30), error))
    expected = average(parts)
    assert gap.difference.value == pytest.approx(expected.value)
    assert (gap.difference.low, gap.difference.high) == pytest.approx((expected.low, expected.high))
    assert gap.reach_after(0) == pytest.approx(gap.difference.half_width)


@pytest.mark.thorough
def test_the_expected_width_is_that_of_experiments_with_more_sittings() -> None:
    rng = np.random.default_rng(2)
    expected, found = [], []
    for _ in range(300):
        (before,) = gaps(["one", "two"], met(rng, 20))
        (after,) = gaps(["one", "two"], met(rng, 60))
        expected.append(before.reach_after(40))
        found.append(after.difference.half_width)
    assert np.mean(expected) == pytest.approx(np.mean(found), rel=0.03)


def test_more_sittings_never_widen_the_interval() -> None:
    (gap,) = gaps(["one", "two"], met(np.random.default_rng(3), 10))
    reaches = [gap.reach_after(more) for more in (0, 1, 10, 100, 10_000)]
    assert reaches == sorted(reaches, reverse=True)


def test_neighbors_are_corrected_together() -> None:
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 0.4, 40)
    scores = {"a": hard + 1 + rng.normal(0, 0.1, 40), "b": hard, "c": hard + rng.normal(0, 0.1, 40)}
    first, second = gaps(list(scores), [sample(one, label=name) for name, one in scores.items()])
    assert (first.verdict, second.verdict) == ("settled", "open")
    assert first.corrected == pytest.approx(2 * first.p)
    assert second.corrected == pytest.approx(second.p)


def test_equals_in_every_environment_are_the_same() -> None:
    some = np.linspace(-1, 1, 10)
    (gap,) = gaps(["a", "b"], [sample(some, label="a"), sample(some, label="b")])
    assert gap.verdict == "same"
    assert gap.reach_after(100) == 0.0


@pytest.mark.parametrize("count", [1, 2])
def test_of_few_sittings_nothing_is_concluded(count: int) -> None:
    rng = np.random.default_rng(5)
    some = [sample(rng.normal(size=count), label=name) for name in "ab"]
    (gap,) = gaps(["a", "b"], some)
    assert gap.verdict == "unknown"
    assert math.isinf(gap.reach_after(10)) == (count == 1)


def test_nobody_and_one_subject_have_no_gaps() -> None:
    assert gaps([], []) == []
    assert gaps(["a"], [sample(np.zeros(5), label="a")]) == []


def test_those_who_never_met_have_no_gap() -> None:
    apart = [
        replace(sample(np.zeros(5), label="a"), condition="x"),
        replace(sample(np.zeros(5), label="b"), condition="y"),
    ]
    assert gaps(["a", "b"], apart) == []
