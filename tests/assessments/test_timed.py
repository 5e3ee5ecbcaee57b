"""Universal intelligence considering time: nothing is gained by stopping while one is ahead, or by being slow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from tests.assessments.ladder import (
    Climber,
    CoinWorld,
    Gambler,
    LadderWorld,
    Ticking,
    stop_when_ahead,
)

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.assessments.anytime import Anytime
from mensura.assessments.grades import graded_measure, strata
from mensura.assessments.timed import Timed
from mensura.core.players import Renewed
from mensura.core.sitting import sit
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar

SLOT = 100.0
"""An action takes a second."""


def scores(policy: Callable[[int, float, float], float], count: int = 300) -> tuple[Any, Any]:
    """The scores of a policy in so many environments: by the plain average, and with diminishing history."""
    found = []
    for average in ("plain", "diminishing"):
        timed = Timed(1, count, seconds=SLOT, average=average, memory="continuous")  # type: ignore[arg-type]
        gambler = Gambler(policy)
        gambler.clock = Ticking([gambler], 1.0)
        rewards: list[float] = []
        sit(
            timed,
            CoinWorld(),
            gambler.clock,
            1,
            2,
            after=lambda _, e, rewards=rewards: rewards.append(e.diminished_reward),  # type: ignore[misc]
        )
        found.append(np.array(rewards))
    return found[0], found[1]


def mean_and_error(values: Any) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values) / np.sqrt(len(values)))


def stop_when_well_ahead(actions: int, mean: float, now: float) -> float:
    return 1e9 if actions >= 4 and mean >= 0.5 else 0.0


@pytest.mark.thorough
@pytest.mark.parametrize("policy", [stop_when_ahead, stop_when_well_ahead])
def test_stopping_while_one_is_ahead_gains_with_a_plain_average_only(policy: Any) -> None:
    plain, diminishing = (mean_and_error(values) for values in scores(policy))
    assert plain[0] > 5 * plain[1] > 0
    assert diminishing[0] <= 2 * diminishing[1]


def late(actions: int, mean: float, now: float) -> float:
    return SLOT / 2 if actions == 0 else 0.0


def seldom(actions: int, mean: float, now: float) -> float:
    return 9.0


def stopping_anyway(actions: int, mean: float, now: float) -> float:
    return 1e9 if actions == 40 else 0.0


@pytest.mark.thorough
@pytest.mark.parametrize("policy", [late, seldom, stopping_anyway, lambda *_: 0.0])
def test_delaying_and_stopping_anyway_gain_nothing_by_either_average(policy: Any) -> None:
    for values in scores(policy):
        mean, error = mean_and_error(values)
        assert abs(mean) < 4 * error


def last_breath(actions: int, mean: float, now: float) -> float:
    """Rest while ahead, and act once more just before the end, which one has to know."""
    return max(0.0, SLOT - now - 1.5) if actions >= 4 and mean >= 0.5 else 0.0


def slow_when_ahead(actions: int, mean: float, now: float) -> float:
    """Act seldom while ahead, and fast while behind."""
    return 19.0 if actions and mean > 0 else 0.0


@pytest.mark.thorough
@pytest.mark.parametrize("policy", [last_breath, slow_when_ahead])
def test_cleverer_policies_still_gain_as_the_docs_say(policy: Any) -> None:
    """Definition 16 is no more than it is: these would gain as much by the plain average."""
    for values in scores(policy):
        mean, error = mean_and_error(values)
        assert mean > 4 * error


def test_a_subject_that_acts_well_and_then_stops_gains_nothing_by_it() -> None:
    """The same rewards count, only fewer of them; and one who stops before a single one would count has 0."""

    class Stopping(Climber):
        def __init__(self, after: int) -> None:
            super().__init__(99)
            self.after = after

        def act(self, observation: float, reward: float) -> int:
            self.after -= 1
            if self.after < 0:
                clock.now += 1e9
            return 1

    scored = []
    for after in (3, 50, 1000):
        clock = Ticking([Stopping(after)], 1.0)
        timed = Timed(1, seconds=SLOT)
        scored.append(sit(timed, LadderWorld(), clock, 1, 2).score)
    assert scored == [0.0, 1.0, 1.0]


def test_environments_are_drawn_by_the_prior_and_count_the_same() -> None:
    subject = InProcess("climber", lambda: Climber(2))
    sitting = sit(Timed(1, 400, interactions=3), LadderWorld(), Renewed(subject, 1), 1, 2)
    rewards = [episode.mean_reward for _, episode in sitting.episodes]
    assert sitting.score == pytest.approx(np.mean(rewards))
    masses = {one.level: one.mass for one in strata(LadderWorld(), "level", 24)}
    share = np.mean([plan.description.level == 1 for plan, _ in sitting.episodes])  # type: ignore[attr-defined]
    assert share == pytest.approx(masses[1], abs=0.1)
    assert {episode.interactions for _, episode in sitting.episodes} == {(3,)}


def test_complexity_is_kt_max_as_in_the_definition_where_the_world_has_it() -> None:
    assert graded_measure(Timed(), Lambda()) == "kt_max"
    assert graded_measure(Timed(measure="zlib_pattern"), Lambda()) == "zlib_pattern"
    assert graded_measure(Timed(), LambdaStar()) == "K"
    assert graded_measure(Anytime(), Lambda()) == "lempel_ziv"


@pytest.mark.parametrize("kind", [Timed, Anytime])
def test_a_plain_average_in_seconds_is_marked(kind: Any) -> None:
    def warnings(**given: Any) -> list[str]:
        return list(kind.account.warnings(asdict(kind(**given))))

    assert warnings(seconds=1.0) == []
    assert warnings(interactions=10, average="plain") == []
    (sentence,) = warnings(seconds=1.0, average="plain")
    assert "who stops acting once it is ahead keeps its lead" in sentence


def test_compiled_subjects_go_by_the_second_door() -> None:
    world = Lambda(horizon=30)
    timed = Timed(20, interactions=60, measure="lempel_ziv")
    result = run(world, [resolve("oracle", world)], timed, 3)
    assert result.subjects[0].moments.mean > 0.5


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"sittings": 0}, "sittings is 0; it is a whole number from 1 on"),
        ({"interactions": 0}, "The time in an environment is 0 interactions"),
        ({"seconds": -1.0}, "The time in an environment is -1.0 seconds"),
        ({"average": "median"}, "average is 'median'; it is 'plain' or 'diminishing'"),
        ({"memory": "none"}, "memory is 'none'; it is 'fresh' or 'continuous'"),
    ],
)
def test_what_makes_no_assessment_gets_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Timed(**wrong)


def test_without_a_time_it_is_a_second() -> None:
    assert Timed().seconds == 1.0
    assert Timed(interactions=5).seconds is None
