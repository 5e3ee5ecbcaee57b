"""Coordination: the quality that is reached within budgets of communication."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.assessments.coordination import Coordination
from mensura.core.budgets import BUDGETS, qualities, quality_at
from mensura.core.sitting import sit
from mensura.worlds.constraints.world import Constraints
from mensura.worlds.echo import Echo

WORLD = Constraints(family="coloring", nodes=6, links=8, horizon=20)


def score(name: str, **given: Any) -> float:
    assessment = Coordination(environments=1, **given)
    player = WORLD.group([(name, {}, 1)]).sit(6)
    found = [sit(assessment, WORLD, player, key, key) for key in range(8)]
    return math.fsum(float(getattr(one, "score", one)) for one in found) / len(found)


def test_who_talks_to_the_point_scores_more_than_who_is_silent_or_slow() -> None:
    silent, backtracking, stochastic = score("random"), score("abt"), score("dsa")
    assert stochastic > silent
    assert backtracking > silent


def test_the_score_is_the_mean_over_budgets() -> None:
    sitting = Coordination(environments=1).sitting(WORLD, 3)
    next(sitting)
    measures = {quality_at(one, "messages"): float(at) for at, one in enumerate(BUDGETS)}
    with pytest.raises(StopIteration) as done:
        sitting.send(type("Played", (), {"measures": measures})())  # type: ignore[arg-type]
    assert done.value.value == (len(BUDGETS) - 1) / 2
    assert qualities(measures, "numbers") == []


def test_numbers_cost_whoever_writes_long_letters() -> None:
    assert score("sync-bt", talk="numbers") <= score("sync-bt")


def test_a_world_without_letters_is_refused_in_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"echo-v1 do not tell .* as in constraints\.$"):
        Coordination().check(Echo())


def test_wrong_parameters_are_refused() -> None:
    for given in ({"environments": 0}, {"talk": "letters"}):
        with pytest.raises(MensuraError):
            Coordination(**given)  # type: ignore[arg-type]
