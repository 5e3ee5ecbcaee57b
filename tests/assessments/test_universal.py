"""Universal intelligence by stratified sampling: unbiased, with its error, and sampled where it matters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assessments.ladder import Climber, LadderWorld

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.agent.keys import draw, unit
from mensura.assessments.grades import strata
from mensura.assessments.universal import (
    Drawn,
    Universal,
    allocate,
    shares,
    standard_error,
)
from mensura.core.players import Renewed
from mensura.core.sitting import Sitting, sit
from mensura.core.steps import MASS, PILOT, STRATUM, contributing
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_class.world import Lambda


def estimate(universal: Universal, act: Any, key: int = 1) -> Sitting:
    subject = InProcess("climber", lambda: act())
    return sit(universal, LadderWorld(), Renewed(subject, 1), key, 2)


def drawn(sitting: Sitting) -> list[Drawn]:
    """From what records keep of the episodes."""
    return [
        Drawn(int(e.measures[STRATUM]), e.measures[MASS], bool(e.measures[PILOT]), e.mean_reward)
        for _, e in sitting.episodes
    ]


@pytest.mark.parametrize("level", [0, 1, 3, 99])
def test_the_score_is_the_mass_of_what_a_subject_can_do(level: int) -> None:
    universal = Universal(environments=60)
    sitting = estimate(universal, lambda: Climber(level))
    masses = {one.level: one.mass for one in strata(LadderWorld(), "level", 12)}
    expected = sum(mass if k <= level else -mass for k, mass in masses.items())
    assert sitting.score == pytest.approx(expected)
    assert len(sitting.episodes) == 60
    found = shares(drawn(sitting))
    assert sum(share.contribution for share in found) == pytest.approx(sitting.score)
    assert standard_error(found) == 0.0
    told = {contributing(name): value for name, value in sitting.measures.items()}
    assert told == {share.level: share.contribution for share in found}
    # Half of the score comes from the simplest stratum, as the theory warns.
    assert found[0].mass == pytest.approx(0.5, abs=1e-3)


class Moody:
    """Gets its rewards by luck, which is skewed and differs from level to level."""

    def __init__(self, key: int) -> None:
        self.key, self.n = key, 0

    def act(self, observation: float, reward: float) -> int:
        self.n += 1
        lucky = unit(draw(self.key, int(observation), self.n // 10))
        return 1 if lucky < 0.15 + 0.02 * observation else 0


@pytest.mark.thorough
def test_estimates_are_unbiased_and_their_errors_cover(full_size: bool) -> None:
    """Though the sizes of samples depend on what the pilot found."""
    universal = Universal(environments=40, strata=6, pilot=3, memory="continuous")
    masses = strata(LadderWorld(), "level", 6)
    truth = sum(one.mass * (0.15 + 0.02 * one.level) for one in masses)
    sittings = 400 if full_size else 160
    scores, errors = [], []
    for key in range(sittings):
        sitting = estimate(universal, lambda key=key: Moody(key), key)  # type: ignore[misc]
        scores.append(sitting.score)
        errors.append(standard_error(shares(drawn(sitting))))
    spread = float(np.std(scores, ddof=1))
    assert np.mean(scores) == pytest.approx(truth, abs=4 * spread / math.sqrt(sittings))
    assert math.sqrt(np.mean(np.square(errors))) == pytest.approx(spread, rel=0.2)


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=9
    ),
    st.integers(0, 200),
)
def test_an_allocation_gives_out_everything_and_leaves_nobody_out(
    rewards: list[tuple[float, float, float]], more: int
) -> None:
    pilot = [Drawn(k, 2.0**-k, True, reward) for k, three in enumerate(rewards) for reward in three]
    sizes = allocate(pilot, len(rewards) + more)
    assert sum(sizes) == len(rewards) + more
    assert min(sizes) >= 1


def test_more_is_drawn_where_mass_and_spread_are() -> None:
    pilot = [
        Drawn(k, mass, True, reward)
        for k, (mass, spread) in enumerate([(0.5, 0.0), (0.25, 1.0), (0.25, 0.2)])
        for reward in (-spread, 0.0, spread)
    ]
    sizes = allocate(pilot, 103)
    assert sizes[1] > sizes[0]
    assert sizes[1] > sizes[2]
    equal = [Drawn(k, 2.0**-k, True, 0.0) for k in (1, 2, 2, 1)]
    assert allocate(equal, 8) == [5, 3]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"environments": 20}, "20 environments are too few for 12 strata"),
        ({"pilot": 1}, "pilot is 1; it takes 2 environments"),
        ({"prior": "speed"}, "The speed prior goes by kt_max or kt, and the measure is None"),
        ({"prior": "short"}, "prior is 'short'; it is 'length' or 'speed'"),
        ({"interactions": 0}, "The time in an environment is 0 interactions"),
        ({"sittings": 0}, "sittings is 0"),
    ],
)
def test_what_makes_no_assessment_gets_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Universal(**wrong)


def test_it_goes_by_the_second_door_and_random_subjects_score_nothing() -> None:
    world = Lambda(horizon=30)
    universal = Universal(sittings=6, environments=50)
    subjects = [resolve(name, world) for name in ("random", "oracle")]
    result = run(world, subjects, universal, 3)
    random, oracle = (one.moments for one in result.subjects)
    assert abs(random.mean) < 5 * math.sqrt(random.variance / random.count)
    assert oracle.mean > 0.5
