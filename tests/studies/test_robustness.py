"""The study behind robustness: what it crosses, how it trains, and scores that have to be of the same environments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mensura.agent.errors import MensuraError
from mensura.studies.robustness import Training, breakdowns, robustness_study
from mensura.studies.runs import run_study

WORLD = {"world": "echo", "name": "echo", "parameters": {"longest": 0, "horizon": 8}}
PLAIN = {"name": "robust", "seed": 1, "subjects": ["random", "q-learning"]}


def made(operators: tuple[str, ...] = ("action-noise",), **given: Any) -> Any:
    return robustness_study(
        PLAIN, WORLD, operators, [0.0, 1.0], "battery", {"episodes": 6}, **given
    )


def test_operators_are_factors_that_act_alone() -> None:
    study = made(("action-noise", "reward-noise"))
    assert study.design == "one-at-a-time"
    assert [factor.name for factor in study.factors] == ["action-noise", "reward-noise"]
    assert study.worlds[0].world == "perturbed-echo"
    assert len(run_study(study).conditions) == 3


def test_training_is_calm_and_recovery_is_a_second_assessment_with_more() -> None:
    study = made(training=Training(2, 3))
    assert study.worlds[0].parameters["calm_training"] == 2
    assert [one.parameters["training"] for one in study.assessments] == [2, 5]
    (one,) = breakdowns(study, run_study(study).samples)
    assert len(one.recovery) == 2
    assert "calm_training" not in made().worlds[0].parameters


def test_subjects_are_told_in_the_order_of_operators_and_random_is_left_out() -> None:
    study = made(("reward-noise", "action-noise"))
    found = breakdowns(study, run_study(study).samples)
    assert [(one.subject, one.operator) for one in found] == [
        ("q-learning", "reward-noise"),
        ("q-learning", "action-noise"),
    ]
    assert found[0].scores[0] == found[1].scores[0]  # the one condition without perturbations


@pytest.mark.parametrize("shuffled", [False, True])
def test_scores_of_other_environments_are_refused(shuffled: bool) -> None:
    study = made()
    first, *rest = run_study(study).samples
    order = np.arange(6)[::-1] if shuffled else np.arange(5)
    columns = {
        name: getattr(first, name)[order] for name in ("score", "environment", "run", "complexity")
    }
    with pytest.raises(MensuraError, match="are of other environments"):
        breakdowns(study, [replace(first, **columns), *rest])
