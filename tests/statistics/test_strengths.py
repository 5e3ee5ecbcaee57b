"""Strong and weak points, properties of tasks, trust, control tasks, and generalization."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mensura.statistics.generalization import generalization
from mensura.statistics.interval import mean_interval
from mensura.statistics.strengths import (
    Point,
    control_tasks,
    halves,
    point,
    strongest,
    trust,
    weakest,
)
from mensura.statistics.transfer import distances


def some_points(values: list[float]) -> list[Point]:
    noise = np.random.default_rng(1).normal(0.0, 0.1, 12)
    found = [point(str(v), "the others", mean_interval(noise - noise.mean() + v)) for v in values]
    return [one for one in found if one is not None]


def test_points_are_told_by_how_sure_they_are() -> None:
    points = some_points([0.01, 0.5, -0.5, 0.1, -0.02])
    assert [one.name for one in strongest(points)] == ["0.5", "0.1", "0.01"]
    assert [one.name for one in weakest(points)] == ["-0.5", "-0.02"]


def test_one_value_is_no_point() -> None:
    assert point("what", "whom", mean_interval([1.0])) is None


def test_halves_find_where_a_subject_is_strong() -> None:
    size = np.arange(40.0)
    chance, best, median = np.zeros(40), np.ones(40), np.full(40, 0.5)
    own = np.where(size < 20, 0.9, 0.1)
    small, large = halves({"size": size, "same": np.ones(40)}, own, chance, best, median, 1)
    assert small.p_star is not None
    assert large.p_star is not None
    assert (round(small.p_star.value, 9), round(large.p_star.value, 9)) == (0.9, 0.1)
    assert small.advantage.value > 0 > large.advantage.value
    assert small.name == "size up to 19.5"


def test_a_model_of_what_matters_is_trusted_and_one_of_noise_is_not() -> None:
    rng = np.random.default_rng(2)
    size, noise = rng.normal(size=80), rng.normal(size=80)
    scores = 0.5 - 0.3 * size + rng.normal(0.0, 0.05, 80)
    found = trust({"size": size, "twice": 2 * size, "same": np.ones(80)}, scores, 1)
    assert found is not None
    assert found.properties == ("size",)
    assert found.is_trusted
    assert found.error < 0.5 * found.error_of_mean
    blind = trust({"noise": noise}, scores, 1)
    assert blind is not None
    assert blind.error > 0.9 * blind.error_of_mean
    assert not blind.is_trusted
    assert trust({"same": np.ones(80)}, scores, 1) is None
    assert trust({"size": size[:7]}, scores[:7], 1) is None


def test_intervals_of_held_out_tasks_hold_as_often_as_they_say(full_size: bool) -> None:
    cases = 400 if full_size else 60
    shares = []
    for case in range(cases):
        rng = np.random.default_rng(case)
        size = rng.normal(size=40)
        found = trust({"size": size}, size + rng.normal(size=40), case)
        assert found is not None
        shares.append(found.coverage)
    assert 0.87 <= np.mean(shares) <= 0.93


def test_control_tasks_are_those_that_the_weakest_reference_solves() -> None:
    table = np.array([[1.0, 0.1, 0.9, 0.8, 1.0, 0.7], [0.2, 1.0, 0.8, 0.9, 0.9, 0.6]])
    assert control_tasks(table, least=3).tolist() == [2, 3, 4]


@given(st.integers(0, 2**32), st.integers(2, 6))
def test_the_fit_of_generalization_falls(seed: int, tasks: int) -> None:
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=(4, tasks, tasks))
    found = generalization(raw, distances(rng.integers(0, 4, (tasks, 2))))
    if found is not None:
        assert (np.diff(found.fit) <= 1e-9).all()
        assert (np.diff(found.distance) >= 0.0).all()
        assert -1.0 <= found.correlation.value <= 1.0


def test_transfer_that_falls_with_distance_is_seen_to_fall() -> None:
    apart = distances(np.arange(5.0)[:, None])
    raw = 0.8 - 0.5 * apart + np.random.default_rng(1).normal(0.0, 0.01, (6, 5, 5))
    found = generalization(raw, apart)
    assert found is not None
    assert found.correlation.high < -0.9
    assert generalization(raw, np.full((5, 5), np.nan)) is None
