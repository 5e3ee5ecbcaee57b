"""The fixed battery: the same environments for everybody, whatever the order."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.assessments.fixed_battery import FixedBattery
from mensura.core.contract import Episode, Plan
from mensura.core.players import Renewed
from mensura.core.sitting import sit
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_class.world import Lambda

WORLD = Lambda(horizon=20)


def described(*seeds: int) -> tuple[str, ...]:
    return tuple(json.dumps(WORLD.sample(seed).to_json()) for seed in seeds)


def played(battery: Any, rewards: list[float]) -> tuple[list[Plan], float]:
    """The plans of a sitting in which these rewards come one after another, and its score."""
    plans: list[Plan] = []
    sitting = battery.sitting(WORLD, 5)
    try:
        plans.append(next(sitting))
        for reward in rewards:
            episode = Episode(rewards=(reward,), interactions=(1,), scored=(0,))
            plans.append(sitting.send(episode))
    except StopIteration as end:
        return plans, end.value
    raise AssertionError("it asked for more")


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6))
@settings(max_examples=30)
def test_the_score_is_the_mean_of_the_mean_rewards(rewards: list[float]) -> None:
    """Definition 3.3.5, and 3.4.2 with one division."""
    battery = FixedBattery(environments=described(*range(len(rewards))))
    assert played(battery, rewards)[1] == pytest.approx(sum(rewards) / len(rewards))


@given(st.permutations(range(5)))
@settings(max_examples=30)
def test_weights_of_complexity_halve_with_each_bit(order: list[int]) -> None:
    battery = FixedBattery(environments=described(*order), weights="complexity")
    items = battery.items_of(WORLD)
    weights = battery.weights_of(WORLD, items)
    assert sum(weights) == pytest.approx(1)
    bits = [WORLD.complexity(one.description, "lempel_ziv") for one in items]
    for i in range(1, len(items)):
        assert weights[i] / weights[0] == pytest.approx(2.0 ** (bits[0] - bits[i]))


def test_the_order_of_environments_makes_no_difference_where_memory_is_fresh() -> None:
    """To the bit for a subject that draws nothing, and learns nothing from one environment for the next."""

    class Fixed:
        """Goes on as long as it gains, and takes the next action where it loses."""

        def __init__(self) -> None:
            self.action = 0

        def act(self, observation: Any, reward: float) -> int:
            self.action += reward < 0
            return self.action % len(observation["ways"])

    battery = FixedBattery(count=6)
    agent = InProcess("fixed", Fixed)
    scores = {
        sit(replace(battery, order=order), WORLD, Renewed(agent, 1), 5, 7).score
        for order in ("given", "drawn")
    }
    assert len(scores) == 1
    orders = {
        tuple(plan.key for plan in played(replace(battery, order=order), [0.0] * 6)[0])
        for order in ("given", "drawn")
    }
    assert len(orders) == 2


def test_everybody_meets_the_same_environments_in_every_sitting() -> None:
    battery = FixedBattery(count=4)
    first, second = ([plan.description for plan in _plans(battery, key)] for key in (5, 6))
    assert first == second
    assert first != [plan.description for plan in _plans(replace(battery, draw=2), 5)]


def _plans(battery: FixedBattery, key: int) -> list[Plan]:
    plans = []
    sitting = battery.sitting(WORLD, key)
    plan = next(sitting)
    while True:
        plans.append(plan)
        try:
            plan = sitting.send(Episode(rewards=(0.0,), interactions=(1,), scored=(0,)))
        except StopIteration:
            return plans


def test_under_the_prior_most_environments_are_simple() -> None:
    battery = FixedBattery(count=60, drawn="prior")
    bits = [WORLD.complexity(one.description, "lempel_ziv") for one in battery.items_of(WORLD)]
    simplest = min(bits)
    assert 18 <= sum(one == simplest for one in bits) <= 42
    plain = FixedBattery(count=60).items_of(WORLD)
    assert sum(bits) < sum(WORLD.complexity(one.description, "lempel_ziv") for one in plain)


@pytest.mark.parametrize("given_ones", [(), described(1, 2, 3)])
@pytest.mark.parametrize("memory", ["fresh", "continuous"])
def test_both_doors_give_the_same_bits(given_ones: tuple[str, ...], memory: Any) -> None:
    battery = FixedBattery(environments=given_ones, count=3, memory=memory)
    subject = resolve("q-learning", WORLD)

    def bits(compiled: bool) -> list[Any]:
        player = Renewed(subject, 1)
        door = None
        if compiled:
            door = lambda plan, seed: WORLD.play_compiled(subject, plan, seed, player.player)  # noqa: E731
        sitting = sit(battery, WORLD, player, 5, 6, compiled=door)
        return [sitting.score, *(episode.rewards for _, episode in sitting.episodes)]

    assert bits(compiled=True) == bits(compiled=False)


def test_an_oracle_keeps_its_rights_in_a_given_environment() -> None:
    battery = FixedBattery(environments=described(1, 2, 3), sittings=2)
    result = run(WORLD, [resolve("oracle", WORLD)], battery, 3)
    assert result.subjects[0].moments.mean > 0.9


@pytest.mark.parametrize(
    ("given_ones", "sentence"),
    [
        ({"environments": ("x",)}, "Environment 1 of the battery is no description"),
        ({"environments": ("[1]",)}, "Environment 1 of the battery is no description"),
        ({"count": 0}, "count is 0; it is a whole number from 1 on"),
        ({"weights": "heavy"}, "weights is 'heavy'; it is 'equal' or 'complexity'"),
        ({"drawn": "lots"}, "drawn is 'lots'"),
        ({"order": "no"}, "order is 'no'"),
        ({"interactions": 0}, "0 interactions"),
    ],
)
def test_what_cannot_be_played_gets_a_sentence(given_ones: Any, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence.replace("[", r"\[")):
        FixedBattery(**given_ones)


def test_seats_that_do_not_fit_are_told() -> None:
    battery = FixedBattery(environments=described(1))
    with pytest.raises(MensuraError, match="has 1 seats, and the world of this study 2"):
        battery.items_of(Lambda(subjects=2))
