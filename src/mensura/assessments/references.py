"""Reference subjects that were assessed once, so that others can be placed on their scale.

``references.json`` is made by ``benchmarks/references.py``, which says with which seed. An entry fits a run whose world
has the same parameters and whose assessment is the same but for the number of its sittings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from mensura.core.account import FEWEST
from mensura.records.cell import is_of_people
from mensura.records.results import StudyResult
from mensura.records.samples import IMMATERIAL
from mensura.statistics.moments import Moments
from mensura.statistics.placing import in_words, places


@dataclass(frozen=True)
class Reference:
    """The scores of reference subjects in one world by one assessment."""

    world: str
    parameters: Mapping[str, Any]
    assessment: str
    given: Mapping[str, Any]
    seed: int
    scores: Mapping[str, Moments]

    def fits(
        self, world: str, parameters: Mapping[str, Any], assessment: Mapping[str, Any]
    ) -> bool:
        """Whether a run was of the same kind."""
        given = {name: value for name, value in assessment.items() if name != "name"}
        return (
            world == self.world
            and assessment.get("name") == self.assessment
            and _without(given) == _without(self.given)
            and dict(parameters) == dict(self.parameters)
        )


def _without(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in IMMATERIAL}


@cache
def references() -> tuple[Reference, ...]:
    """All that are shipped."""
    text = files("mensura.assessments").joinpath("references.json").read_text(encoding="utf-8")
    return tuple(
        Reference(
            world=entry["world"],
            parameters=entry["parameters"],
            assessment=entry["assessment"],
            given=entry["given"],
            seed=entry["seed"],
            scores={name: Moments(**moments) for name, moments in entry["scores"].items()},
        )
        for entry in json.loads(text)
    )


def reference_for(
    world: str, parameters: Mapping[str, Any], assessment: Mapping[str, Any]
) -> Reference | None:
    """The reference for a run, if one fits."""
    return next((one for one in references() if one.fits(world, parameters, assessment)), None)


def reference_for_people(
    world: str, parameters: Mapping[str, Any], assessment: Mapping[str, Any]
) -> Reference | None:
    """The reference for a run of people, who cannot forget: programs that start anew in each environment, as in the
    thesis, or else those that go on with what they know, too."""
    return reference_for(world, parameters, {**assessment, "memory": "fresh"}) or reference_for(
        world, parameters, assessment
    )


def placed(result: StudyResult) -> list[str]:
    """Where subjects stand among the references that were assessed the same way, a sentence each; often none."""
    sentences = []
    for condition in result.conditions:
        find = reference_for_people if is_of_people(result.study) else reference_for
        reference = find(condition.world, condition.world_parameters, condition.assessment)
        if reference is None:
            continue
        enough = [one for one in condition.subjects if one.moments.count >= FEWEST]
        scores = {
            one.subject: one.moments
            for one in sorted(enough, key=lambda one: -one.moments.mean)
            if one.valid and one.subject not in reference.scores
        }
        for name, where in places(scores, reference.scores).items():
            if where is not None:
                sentences.append(f"{name} is {in_words(where)}.")
    return sentences
