"""Tasks that tell subjects apart: constructed, adapted or selected, and how much each tells of who is who.

"Evaluation of General-Purpose Artificial Intelligence: Why, What & How" (Bieger, Thórisson et al.), section 5, asks for
tasks to be constructed, adapted or selected by what one wants to know. Ours is which of several subjects it was: the
task with the largest mutual information of subject and outcome tells most.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.core.abilities import (
    horizon,
    idle_parameters,
    make,
    operators,
    presets,
    task_files,
    task_parameter,
    values,
)
from mensura.core.contract import World
from mensura.core.registry import WORLDS
from mensura.statistics.interval import Estimate
from mensura.statistics.sample import Sample
from mensura.studies.conditions import conditions
from mensura.studies.perturbing import AROUND
from mensura.studies.study import Study, study_from_plain

Manner: TypeAlias = Literal["construct", "adapt", "select"]
About: TypeAlias = Literal["performance", "robustness", "learning"]
ABOUT: tuple[About, ...] = ("performance", "robustness", "learning")

STRENGTH = 0.3
"""Of perturbations."""
USUAL_OPERATOR = "observation-noise"
"""By which robustness is asked where the candidate itself perturbs nothing."""


@dataclass(frozen=True)
class Candidate:
    """A task that may tell subjects apart."""

    manner: Manner
    name: str
    parameters: Mapping[str, Any]
    """Of the world."""
    preset: str | None = None
    operator: str | None = None
    """By which it is perturbed."""


@dataclass(frozen=True)
class Told:
    """What a candidate tells."""

    candidate: Candidate
    bits: Estimate
    """Mutual information of subject and outcome, of one outcome."""
    seconds: float
    """That one outcome took, on the average over subjects."""
    means: Mapping[str, float]
    """The mean outcome of each subject."""

    @property
    def bits_per_minute(self) -> float:
        """How much is learned in a minute of asking; it depends on the machine."""
        return 60.0 * self.bits.value / self.seconds if self.seconds > 0.0 else 0.0


def candidates(
    world: World, given: Mapping[str, Any], most: int, about: About = "performance"
) -> list[Candidate]:
    """The world as it is, and tasks that are constructed, adapted and selected from it, in turn, so many at most.

    ``given``: the parameters of the world that are not as usual. About robustness, the world as it is and the world
    under the usual operator are the same candidate, which comes once.
    """
    first = Candidate("select", "as it is", given)
    adapted = [
        one
        for one in _adapted(world, given)
        if about != "robustness" or one.operator != USUAL_OPERATOR
    ]
    groups = (_selected(world, given), adapted, _constructed(world, given))
    mixed = chain.from_iterable(zip_longest(*groups))
    return [first, *[one for one in mixed if one is not None]][:most]


def _selected(world: World, given: Mapping[str, Any]) -> Iterator[Candidate]:
    """The samples of the world, and its presets."""
    kind = WORLDS.load(world.id)
    files, parameter = task_files(kind), task_parameter(kind)
    if files is not None and parameter is not None:
        for name in files.samples():
            if name != values(world)[parameter]:
                yield Candidate("select", f"{parameter}={name}", {**given, parameter: name})
    for name in list(presets(kind))[1:]:
        yield Candidate("select", f"preset {name}", given, preset=name)


def _adapted(world: World, given: Mapping[str, Any]) -> Iterator[Candidate]:
    """The world with each perturbation that can act in it."""
    kind = WORLDS.load(AROUND + world.id)
    for name in operators(kind):
        with suppress(Exception):  # one that cannot act here
            kind(**values(world), **{name.replace("-", "_"): STRENGTH})
            yield Candidate("adapt", f"{name} {STRENGTH:g}", given, operator=name)


def _constructed(world: World, given: Mapping[str, Any]) -> Iterator[Candidate]:
    """The world with a parameter halved or doubled, where that changes its environments."""
    kind = WORLDS.load(world.id)
    before = json.dumps(world.sample(0).to_json(), sort_keys=True)
    own = dict(values(world))
    if own.get("horizon", 0) is None:
        own["horizon"] = horizon(world) or world.build(world.sample(0)).horizon
    for name, value in own.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not value:
            continue
        if name in ("subjects", *idle_parameters(world)):
            continue
        for factor in (2, 0.5):
            changed = type(value)(value * factor)
            with suppress(Exception):  # out of range
                made = make(kind, None, **{**values(world), name: changed})
                if json.dumps(made.sample(0).to_json(), sort_keys=True) != before:
                    yield Candidate("construct", f"{name}={changed:g}", {**given, name: changed})


def candidate_study(
    plain: Mapping[str, Any],
    world: str,
    one: Candidate,
    about: About,
    assessment: Mapping[str, Any],
    training: int,
) -> Study:
    """The study that plays a candidate; ``assessment``: parameters of its battery."""
    entry: dict[str, Any] = {"world": world, "name": world, "parameters": dict(one.parameters)}
    if one.preset is not None:
        entry["preset"] = one.preset
    assessments = [{"assessment": "battery", "name": "battery", "parameters": dict(assessment)}]
    if about == "robustness":
        entry["perturb"] = [{one.operator or USUAL_OPERATOR: [0.0, STRENGTH]}]
    elif one.operator is not None:
        entry["perturb"] = [{one.operator: STRENGTH}]
    if about == "learning":
        for number in (0, training):
            parameters = {**assessment, "training": number}
            name = f"training {number}"
            assessments.append({"assessment": "battery", "name": name, "parameters": parameters})
        assessments = assessments[1:]
    return study_from_plain(
        {
            **plain,
            "mensura": 1,
            "worlds": [entry],
            "assessments": assessments,
            "design": "one-at-a-time",
        }
    )


def outcomes(study: Study, samples: Sequence[Sample]) -> dict[str, npt.NDArray[np.float64]]:
    """The outcomes of each subject, environment by environment: scores, or what they gained or lost."""
    by = {(one.condition, one.label): one.score for one in samples}
    texts = [one.text for one in conditions(study)]
    labels = list(dict.fromkeys(one.label for one in samples))
    if len(texts) == 1:
        return {label: by[texts[0], label] for label in labels}
    first, second = texts
    return {label: by[second, label] - by[first, label] for label in labels}
