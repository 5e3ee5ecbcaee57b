"""The shipped scores of references are those that the program gives."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from mensura.assessments.references import reference_for, references
from mensura.studies.runs import run_study
from mensura.studies.study import study_from_plain

FEW_EXERCISES = {"random": -0.007360544217687072, "q-learning": 0.1981003401360544}
"""The mean of the first ten sittings."""
ROUNDING = 1e-13


def test_the_scale_orders_the_references_as_expected() -> None:
    for one in references():
        means = {name: moments.mean for name, moments in one.scores.items()}
        assert abs(means["random"]) < 0.05
        assert means["random"] < means["follower"]
        assert means["random"] < means["q-learning"] < means["planner"] < 1
        assert means["q-learning"] < means["oracle"] < 1


SLOW = {1, 2, 4, 5, 6, 7, 10, 11}
"""Those that take more than two seconds. The assessments that are left out have tests of their own."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(number, marks=pytest.mark.slow) if number in SLOW else number
        for number in range(len(references()))
    ],
)
def test_the_shipped_scores_are_those_that_a_run_gives(number: int) -> None:
    shipped = references()[number]
    name, given = shipped.assessment, dict(shipped.given)
    plain = {key: value for key, value in given.items() if value is not None}
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "again",
            "seed": shipped.seed,
            "subjects": ["random"],
            "worlds": [shipped.world],
            "assessments": [{"assessment": name, "parameters": plain}],
        }
    )
    (condition,) = run_study(study).conditions
    moments, wanted = condition.subjects[0].moments, shipped.scores["random"]
    if name == "adaptive":
        # It takes exponentials, whose last bit differs between kinds of processors.
        assert asdict(moments) == pytest.approx(asdict(wanted), rel=ROUNDING)
    else:
        assert moments == wanted
    found = reference_for(condition.world, condition.world_parameters, condition.assessment)
    assert found == shipped


def test_a_few_exercises_give_the_scores_of_any_machine() -> None:
    """Of the reference that takes long, the first of its sittings, so that a change is noticed."""
    (shipped,) = (one for one in references() if one.assessment == "exercises")
    given = {key: value for key, value in shipped.given.items() if value is not None}
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "few",
            "seed": shipped.seed,
            "subjects": ["random", "q-learning"],
            "worlds": [shipped.world],
            "assessments": [
                {"assessment": shipped.assessment, "parameters": {**given, "sittings": 10}}
            ],
        }
    )
    (condition,) = run_study(study).conditions
    found = {one.subject: one.score.value for one in condition.subjects}
    assert found == FEW_EXERCISES


def test_another_world_or_another_budget_has_no_reference() -> None:
    first = references()[0]
    same = {"name": first.assessment, **first.given}
    assert reference_for(first.world, first.parameters, same) == first
    assert reference_for(first.world, first.parameters, {**same, "sittings": 3}) == first
    assert reference_for(first.world, {**first.parameters, "cells": 3}, same) is None
    assert reference_for(first.world, first.parameters, {**same, "interactions": 7}) is None
    assert reference_for("lambda-star-v2", first.parameters, same) is None
