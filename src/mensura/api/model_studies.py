"""Studies of language models: models in the place of scripted ones, and the page of what they cost and are worth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agents.address import Part, parse
from mensura.agents.language_model.schemes import MODEL_SCHEMES
from mensura.records.cell import Cell, is_of_people
from mensura.records.validity import is_valid
from mensura.statistics.sample import Sample
from mensura.statistics.setting import differences
from mensura.studies.study import Study, study_from_plain

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store
    from mensura.reports.known_abilities import Known
    from mensura.reports.models_page import Kinds, ModelStudy

SCRIPTED, USUAL = "scripted", "openai"
"""The schemes of scripted models, and of language models where nobody names another."""

MODELS = frozenset((SCRIPTED, *MODEL_SCHEMES))
"""The schemes of all models."""

PEOPLE = "people"


def has_scripted(study: Study) -> bool:
    """Whether scripted models are among the subjects, in whose place language models can be put.

    Not in a study with claims, which are about the subjects that it has.
    """
    return not study.claims and any(_scheme(one.subject) == SCRIPTED for one in study.subjects)


def with_models(study: Study, models: Sequence[str]) -> Study:
    """The study with these language models in the place of its scripted ones.

    A model is a name, as the service knows it, or an address with parameters: ``NAME?price_in=1&price_out=4``.
    """
    if not has_scripted(study):
        raise MensuraError(
            f"The study {study.name} has no scripted models in whose place others can be put."
        )
    parts = [_part(one) for one in models]
    targets = [part.target for part in parts]
    named = [
        {
            "subject": str(part),
            "name": part.target if targets.count(part.target) == 1 else part.label,
        }
        for part in parts
    ]
    names = [one["name"] for one in named]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise MensuraError(f"The model {twice} is named twice; once is enough.")
    plain = study.to_plain()
    others = [
        one
        for one, entry in zip(plain["subjects"], study.subjects, strict=True)
        if _scheme(entry.subject) != SCRIPTED
    ]
    words = re.sub(r"[^a-z0-9]+", "-", "-".join(targets).lower()).strip("-")
    name = f"{study.name}-{words[:60]}".rstrip("-")
    return study_from_plain({**plain, "name": name, "subjects": [*others, *named]})


def _part(model: str) -> Part:
    """The address of a model, which may be its name alone; a colon in the name is no scheme."""
    known = model.partition(":")[0] in MODELS
    (part, *others) = parse(model if known else f"{USUAL}:{model}")
    if others:
        raise MensuraError(
            f"--model {model!r} names several subjects; name one model at a time, and write a '+' in its name as %2B."
        )
    return part


def _scheme(address: str) -> str:
    return parse(address)[0].scheme


def kinds_of(cells: Sequence[Cell]) -> Kinds:
    """Which subjects of a run are language models, and what is known of scripted ones."""
    from mensura.reports.models_page import Kinds

    models = {cell.name for cell in cells if _scheme(cell.subject) in MODELS}
    known = {
        cell.name: _known(parse(cell.subject)[0])
        for cell in cells
        if _scheme(cell.subject) == SCRIPTED
    }
    return Kinds(frozenset(models), known)


def _known(part: Part) -> Known:
    from mensura.agents.language_model.scripted import read_script
    from mensura.reports.known_abilities import Known

    script = read_script(part)
    rises = script.late_ability is not None and script.late_ability > script.ability
    return Known(script.mean_ability, rises, script.refuses)


def people_of(records: Store, name: str, samples: Sequence[Sample]) -> list[Sample]:
    """The scores of people in another run of the store, under each condition that some of these samples have."""
    run = records.find(name)
    if not is_of_people(run.study):
        raise MensuraError(f"The run {name} is not one of people; --people names one that is.")
    played = [one for one in records.samples(run) if len(one) and is_valid(one.default_share)]
    found = []
    for condition in dict.fromkeys(one.condition for one in samples):
        setting = next(one.setting for one in samples if one.condition == condition)
        same = [one for one in played if not differences(one.setting, setting)]
        if same:
            found.append(_joined(same, condition))
    if not found:
        raise MensuraError(
            f"The people of the run {name} have no score in a world and by an assessment of this study, so they cannot "
            "be shown beside its subjects."
        )
    return found


def _joined(samples: Sequence[Sample], condition: str) -> Sample:
    """The scores of several people as one sample."""
    return replace(
        samples[0],
        label=PEOPLE,
        condition=condition,
        score=np.concatenate([one.score for one in samples]),
        environment=np.concatenate([one.environment for one in samples]),
        run=np.concatenate([one.run for one in samples]),
        complexity=np.concatenate([one.complexity for one in samples]),
        measures={},
        default_share=max(one.default_share for one in samples),
    )


def model_study(
    records: Store, run: Run, *, people: str | None = None, command: str = ""
) -> ModelStudy:
    """A run of language models, with all that its page tells; sittings are played again from what was answered."""
    from mensura.reports.models_page import ModelStudy
    from mensura.studies.within_episode import courses_of

    samples = records.samples(run)
    return ModelStudy(
        result=records.result(run),
        samples=samples,
        kinds=kinds_of(records.cells(run)),
        courses=courses_of(records, run),
        people=[] if people is None else people_of(records, people, samples),
        command=command,
    )
