"""The social assessment: the same environment with and without company, and what the company does there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mensura.agent.asks import Ask
from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.agent.task import Task
from mensura.assessments.company import COMPANIONS, PopulatedWorld
from mensura.assessments.social import COMPLEXITY, Social
from mensura.core.contract import Episode, Plan
from mensura.core.loop import play
from mensura.core.players import Renewed, drive
from mensura.core.scored import measures_of
from mensura.core.sitting import Sitting, sit
from mensura.core.steps import ALONE, GAIN
from mensura.worlds.lambda_class.world import Lambda

pytestmark = pytest.mark.quick

WORLD = Lambda(cells=3, horizon=60)


def sat(name: str, social: Social, item: int, world: Lambda = WORLD) -> Sitting:
    subject = world.group([(name, {}, 1)])
    host = social.hosting(world.hosting(subject))
    return sit(social, host, Renewed(subject, world.subjects), fold(1, item), fold(2, item))


def reward(sitting: Sitting, together: bool) -> float:
    (episode,) = [e for p, e in sitting.episodes if bool(p.description.company) == together]  # type: ignore[attr-defined]
    return episode.mean_reward


def test_company_changes_nothing_of_the_environment_but_who_is_in_it() -> None:
    populated = PopulatedWorld(WORLD, ("follower", "q-learning"))
    alone, together = populated.alone(5), populated.sample(5)
    assert alone.inner.space == together.inner.space  # type: ignore[attr-defined]
    assert alone.inner.good_and_evil == together.inner.good_and_evil  # type: ignore[attr-defined]
    one, two = populated.build(alone), populated.build(together)
    assert len(one.seats) == len(two.seats) == 1
    first, second = one.reset(9).observations[0], two.reset(9).observations[0]
    for name in ("good", "evil", "cell"):
        assert first[name] == second[name]
    assert second["subjects"].size == 3


def test_each_companion_adds_the_bits_of_its_name() -> None:
    populated = PopulatedWorld(WORLD, ("follower", "q-learning"))
    alone, together = populated.alone(5), populated.sample(5)
    measure = next(iter(WORLD.measures))
    assert populated.complexity(alone, measure) == WORLD.complexity(alone.inner, measure)  # type: ignore[arg-type]
    more = populated.complexity(together, measure) - populated.complexity(alone, measure)
    assert more == pytest.approx(2 * math.log2(len(WORLD.subject_names)))


def test_the_score_is_the_reward_in_company_and_the_gain_a_measure() -> None:
    social = Social(company=("follower",))
    sitting = sat("planner", social, 3)
    assert sitting.score == reward(sitting, True)
    plans = social.sitting(WORLD, fold(1, 3))
    orders = []
    score: float = math.nan
    try:
        plan: Plan = next(plans)
        while True:
            together = bool(plan.description.company)  # type: ignore[attr-defined]
            orders.append(together)
            plan = plans.send(Episode((0.5 if together else 0.2,), (1,), (0,)))
    except StopIteration as stop:
        score = stop.value
    assert sorted(orders) == [False, True]
    assert float(score) == 0.5
    assert measures_of(score)[ALONE] == 0.2
    assert measures_of(score)[GAIN] == pytest.approx(0.3)
    assert measures_of(score)[COMPLEXITY] > 0


def test_alone_the_populated_world_plays_as_the_world_itself() -> None:
    populated = PopulatedWorld(WORLD, ("random",))
    for number in range(4):
        description = populated.alone(number)
        found = [
            drive(
                play(environment, 7, world="lambda-v1", seed=number),
                Renewed(WORLD.group([("q-learning", {}, 1)]), 1),
            ).rewards
            for environment in (populated.build(description), WORLD.build(WORLD.sample(number)))
        ]
        assert found[0] == found[1]


def test_company_plays_as_the_same_subjects_in_one_environment_of_several_seats() -> None:
    """Nobody but the default action at the first seat: all seats of a mixed collective against companions."""
    populated = PopulatedWorld(WORLD, ("follower",))
    environment = populated.build(populated.sample(3))
    place = populated.crowded.build(populated.sample(3).inner)
    companion = WORLD.group([("follower", {}, 1)]).sit(1)
    turn, crowd = environment.reset(4), place.reset(4)
    spaces = place.spaces(1)
    task = Task("lambda-v1", place.seats[1], 2, *spaces, place.horizon)
    companion.answer([Ask("begin", 0, task=task, key=fold(fold(4, COMPANIONS), 0))])
    while turn.ended is None:
        assert turn.due == (0,)
        assert turn.rewards[0] == crowd.rewards[0]
        (answer,) = companion.answer([Ask("act", 0, crowd.observations[1], crowd.rewards[1])])
        turn = environment.step([0], [0.0])
        crowd = place.step([0, answer.value], [0.0, 0.0])
    assert crowd.ended == turn.ended


def test_who_keeps_company_matters_where_rewards_are_shared_and_the_same_key_plays_the_same() -> (
    None
):
    world = Lambda(cells=3, horizon=60, shared=True)
    social = Social(company=("oracle", "oracle"))
    gains = []
    for item in range(12):
        sitting = sat("oracle", social, item, world)
        assert sitting.score == sat("oracle", social, item, world).score
        gains.append(reward(sitting, True) - reward(sitting, False))
    # Three oracles share what one has for itself.
    assert np.mean(gains) < -0.3


def test_an_oracle_may_keep_company_with_what_it_needs() -> None:
    populated = PopulatedWorld(WORLD, ("oracle",))
    environment = populated.build(populated.sample(1))
    environment.reset(2)
    assert "sees_future" in environment.inner.seats[1].rights
    assert "sees_future" not in environment.seats[0].rights


def test_a_snapshot_brings_companions_back() -> None:
    populated = PopulatedWorld(WORLD, ("q-learning",))
    environment = populated.build(populated.sample(1))
    environment.reset(2)
    for _ in range(20):
        environment.step([environment.default(0)], [0.0])
    state = environment.snapshot()
    first = [environment.step([environment.default(0)], [0.0]).rewards[0] for _ in range(20)]
    environment.restore(state)
    assert first == [
        environment.step([environment.default(0)], [0.0]).rewards[0] for _ in range(20)
    ]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Social(sittings=0), "at least 1"),
        (lambda: Social(company=()), "at least one"),
        (lambda: Social(memory="none"), "memory is 'none'"),  # type: ignore[arg-type]
        (lambda: PopulatedWorld(WORLD, ("folower",)), "cannot keep company"),
    ],
)
def test_what_makes_no_sense_gets_a_sentence(make: object, message: str) -> None:
    with pytest.raises(MensuraError, match=message):
        make()  # type: ignore[operator]
