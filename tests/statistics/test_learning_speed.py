"""Learning speed: the horizon from which on the level is kept, over environments, censored where it never is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.keys import fold_array, numbers
from mensura.statistics.learning_speed import (
    interactions_to_level,
    learners,
    learning_speed,
    of_series,
)
from mensura.statistics.series import Axis, Series
from mensura.worlds.lambda_class.world import Lambda

pytestmark = pytest.mark.quick

HORIZONS = [10, 20, 50]


@pytest.mark.parametrize(
    ("rewards", "time", "reached"),
    [
        ([0.5, 0.5, 0.5], 10, True),
        ([0.0, 0.3, 0.4], 20, True),
        ([0.9, 0.1, 0.4], 50, True),  # a lucky start
        ([0.0, 0.0, 0.3], 50, True),
        ([0.9, 0.9, 0.2], 50, False),
        ([0.0, 0.0, 0.0], 50, False),
    ],
)
def test_a_level_is_reached_when_it_is_kept(
    rewards: list[float], time: float, reached: bool
) -> None:
    times, seen = interactions_to_level(HORIZONS, [rewards], 0.3)
    assert (times[0], bool(seen[0])) == (time, reached)


def test_a_reward_of_exactly_the_level_reaches_it_whatever_was_added_up() -> None:
    for level in (0.1, 0.2, 0.7):
        for lately in (False, True):
            times, reached = interactions_to_level([3, 10, 30], [[level] * 3], level, lately=lately)
            assert (times.tolist(), reached.tolist()) == ([3], [True])


def test_lately_looks_at_the_reward_since_the_horizon_before() -> None:
    # Nothing for 20 interactions, then always 1: the mean since the start is late to tell.
    rewards = [[0.0, 0.0, 0.6]]
    assert interactions_to_level(HORIZONS, rewards, 0.9)[1].tolist() == [False]
    assert interactions_to_level(HORIZONS, rewards, 0.9, lately=True)[0].tolist() == [50]


@given(st.lists(st.lists(st.floats(-1, 1), min_size=3, max_size=3), min_size=1, max_size=20))
def test_a_higher_level_is_never_reached_sooner(rewards: list[list[float]]) -> None:
    low, low_seen = interactions_to_level(HORIZONS, rewards, 0.0)
    high, high_seen = interactions_to_level(HORIZONS, rewards, 0.4)
    assert (low_seen | ~high_seen).all()
    assert (low <= high).all()


def test_series_pair_by_order() -> None:
    rewards = np.array([[0.0, 0.5], [0.5, 0.5], [0.1, 0.1]])
    axis = Axis("interactions", "interactions", {"10": 10.0, "20": 20.0})
    series = [
        Series("s", "w", {"interactions": label}, rewards[:, i], np.zeros(3), np.zeros(3, np.int64))
        for i, label in enumerate(("10", "20"))
    ]
    speed = of_series(series, axis, 0.4)
    assert (speed.reached, speed.environments) == (2, 3)
    assert speed.median.value == 20
    assert speed.mean.value == pytest.approx((10 + 20 + 20) / 3)


@pytest.mark.thorough
def test_on_lambda_the_oracle_needs_no_time_q_learning_some_and_the_random_subject_never_gets_there() -> (
    None
):
    count, horizons = 40, (10, 30, 100, 300, 1000)
    keys = fold_array(3, numbers(0, count))
    speeds = {}
    for name in ("oracle", "q-learning", "random"):
        table = []
        for horizon in horizons:
            world = Lambda(cells=3, horizon=horizon)
            anything = np.full(count, np.inf)
            sampled = world.sample_many(keys, None, -anything, anything)
            group = world.group([(name, {}, 1)])
            table.append(world.rollout(group, sampled, keys, keys, 0)[:, 0, 0] / horizon)
        speeds[name] = learning_speed(horizons, np.transpose(table), 0.3)
    assert speeds["oracle"].median.value == 10
    assert 10 < speeds["q-learning"].median.value <= 1000
    assert speeds["random"].median.value == math.inf
    means = [speeds[name].mean.value for name in ("oracle", "q-learning", "random")]
    assert means == sorted(means)


@pytest.mark.parametrize(
    ("horizons", "rewards", "message"),
    [
        ([10, 10], [[0, 0]], "that rise"),
        ([10, 20], [[0, 0, 0]], "do not match 2 horizons"),
    ],
)
def test_tables_that_do_not_fit_are_refused(
    horizons: list[int], rewards: list[list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        learning_speed(horizons, rewards, 0.5)


AXIS = Axis("interactions", "interactions", {"10": 10.0, "20": 20.0})


def along(subject: str, world: str, *scores: list[float]) -> list[Series]:
    return [
        Series(
            subject,
            world,
            {"interactions": label},
            np.array(score),
            np.zeros(len(score)),
            np.zeros(len(score), np.int64),
        )
        for label, score in zip(AXIS.at, scores, strict=True)
    ]


def test_learners_are_to_reach_half_of_the_best_of_their_world() -> None:
    series = [
        *along("quick", "plain", [0.8, 0.8, 0.0], [0.8, 0.8, 0.8]),
        *along("slow", "plain", [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]),
        *along("quick", "odd", [0.1, 0.1], [0.1, 0.1]),
        *along("lost", "sad", [0.0, 0.0], [-0.1, 0.0]),
    ]
    found = {(one.world, one.subject): one.speed for one in learners(series, AXIS)}
    assert list(found) == [("plain", "quick"), ("plain", "slow"), ("odd", "quick")]
    assert found["plain", "quick"].level == pytest.approx(0.4)
    assert found["odd", "quick"].level == pytest.approx(0.05)
    assert [found["plain", name].reached for name in ("quick", "slow")] == [3, 1]
    assert found["plain", "quick"].median.value == 10
    assert found["plain", "slow"].survival.censored == 2
    told = {(one.world, one.subject): one.speed for one in learners(series, AXIS, 0.7)}
    assert len(told) == 4
    assert told["plain", "slow"].reached == told["odd", "quick"].reached == 0


def test_who_is_not_as_far_over_all_horizons_is_left_out() -> None:
    series = [
        *along("whole", "plain", [0.0, 0.0], [0.5, 0.5]),
        *along("behind", "plain", [0.5, 0.5], [0.5]),
    ]
    assert [one.subject for one in learners(series, AXIS)] == ["whole"]
