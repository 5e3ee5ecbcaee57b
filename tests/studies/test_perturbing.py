"""Perturbations in study files."""

from __future__ import annotations

from typing import Any

import pytest

from mensura.core.yaml_text import Misfit
from mensura.studies.study import study_from_plain


def study(*worlds: Any, **more: Any) -> dict[str, Any]:
    return {
        "mensura": 1, "name": "noise", "subjects": ["random"], "worlds": list(worlds),
        "assessments": [{"assessment": "battery", "parameters": {"episodes": 2}}], **more,
    }  # fmt: skip


def test_strengths_become_parameters_and_lists_factors() -> None:
    perturb = [{"observation-noise": [0, 0.3]}, {"action-dropped": 0.1}]
    plain = study({"world": "echo", "parameters": {"symbols": 3}, "perturb": perturb})
    made = study_from_plain(plain)
    (world,) = made.worlds
    assert world.world == "perturbed-echo"
    assert world.parameters == {"symbols": 3, "action_dropped": 0.1}
    (factor,) = made.factors
    assert [(one.label, one.value, one.world) for one in factor.levels] == [
        ("0", 0, {"observation_noise": 0}),
        ("0.3", 0.3, {"observation_noise": 0.3}),
    ]
    assert study_from_plain(made.to_plain()) == made


@pytest.mark.parametrize(
    ("worlds", "sentence"),
    [
        ([{"world": "echo", "perturb": "noise"}], "it is a list"),
        ([{"world": "echo", "perturb": ["noise"]}], "operators with strengths"),
        ([{"world": "echo", "perturb": [{"observation-noise": []}]}], "is empty"),
        ([{"world": "echo", "perturb": [{"reward-noise": 0.1}, {"reward-noise": 1}]}], "twice"),
        (["echo", {"world": "echo", "perturb": [{"reward-noise": [0, 1]}]}], "whole study"),
    ],
)
def test_what_is_no_perturbation_gets_a_sentence(worlds: list[Any], sentence: str) -> None:
    with pytest.raises(Misfit, match=sentence):
        study_from_plain(study(*worlds))
