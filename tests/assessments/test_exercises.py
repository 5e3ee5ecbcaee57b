"""The test of chapter 6: table 6.1 to the number, and scores as published for Q-learning."""

import math
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.assessments.exercises import Exercises
from mensura.core.contract import Episode
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar


def test_the_exercises_are_those_of_table_6_1() -> None:
    sitting = Exercises().sitting(Lambda(), 5)
    episode = Episode(rewards=(1.0,), interactions=(2,), scored=(0,))
    plans = [next(sitting), *(sitting.send(episode) for _ in range(6))]
    with pytest.raises(StopIteration) as end:
        sitting.send(episode)
    assert end.value.value == 0.5
    assert not any(plan.fresh for plan in plans)
    found: list[Any] = [plan.description for plan in plans]
    rows = [(one.space.cells, one.horizon) for one in found]
    assert rows == [(3, 20), (4, 30), (5, 40), (6, 50), (7, 60), (8, 70), (9, 80)]
    assert Exercises().expected_interactions(Lambda()) == 350
    assert Exercises().exercises == 7


@pytest.mark.thorough
def test_q_learning_gets_about_what_was_published_and_an_oracle_more(full_size: bool) -> None:
    """The thesis has 0.259 with a standard deviation of 0.122 between 20 tests."""
    world = Lambda()
    subjects = [resolve(name, world) for name in ("random", "q-learning", "oracle")]
    tests = 200 if full_size else 60
    found = run(world, subjects, Exercises(tests, memory="fresh"), seed=3)
    random, learner, oracle = (one.score for one in found.subjects)
    # An interval of 95% misses for one seed in twenty; four standard errors of 200 tests are 0.02.
    assert abs(random.value) < 4 * random.standard_error < 0.025 * math.sqrt(200 / tests)
    assert abs(learner.value - 0.259) < 0.122
    assert learner.high < oracle.low


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sittings": 0}, "sittings is 0"),
        ({"fewest": 9, "most": 3}, "of 9 to 3 cells are impossible"),
        ({"fewest": 1}, "of 1 to 9 cells are impossible"),
        ({"per_cell": 0}, "per_cell is 0"),
        ({"memory": "good"}, "memory is 'good'"),
    ],
)
def test_what_cannot_be_played_gets_a_sentence(given: dict[str, object], words: str) -> None:
    with pytest.raises(MensuraError, match=words):
        Exercises(**given)  # type: ignore[arg-type]


def test_a_world_without_such_spaces_gets_a_sentence() -> None:
    with pytest.raises(MensuraError, match="has no such spaces: take Lambda"):
        next(Exercises().sitting(LambdaStar(), 1))
