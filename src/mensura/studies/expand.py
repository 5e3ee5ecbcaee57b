"""From a study to its cells: every combination numbered, with what it is made of, and what contradicts itself found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, key
from mensura.core.abilities import check_may_take, goes_by_number, sittings_of, training_of, trains
from mensura.core.contract import World
from mensura.core.players import Subject
from mensura.core.yaml_text import Misfit, Where
from mensura.records.cell import Cell, repetition_root
from mensura.studies.conditions import (
    assessment_name,
    conditions,
    published_for,
    world_name,
)
from mensura.studies.entries import SubjectEntry
from mensura.studies.misfits import named_place
from mensura.studies.phase_entries import FACTOR, assessed_places
from mensura.studies.place import Place
from mensura.studies.schooling import school_of
from mensura.studies.study import Study
from mensura.studies.subjects import asks_once, parts_of, settled_address, summary
from mensura.studies.transfer_assessment import TransferAssessment
from mensura.studies.understanding_assessment import UnderstandingAssessment
from mensura.studies.workshop import Setting, Workshop


def expand(study: Study, root: Key = 0) -> list[Cell]:
    """The cells of a study, numbered; :class:`Misfit` says what cannot be run, and where it stands.

    ``root``: of all its draws, which whoever only looks at the cells does not need.
    """
    return [place.cell for place in places_of(study, root)]


def places_of(
    study: Study, root: Key = 0, made: Mapping[int, World] | None = None
) -> Iterator[Place]:
    """The cells of a study, one after another, with the worlds, subjects and assessments that they were checked with.

    ``made``: worlds that are there already, by their place in the study.
    """
    _check_somebody(study)
    _check_worlds(study)
    workshop = Workshop(study, made or {})
    met: dict[str, list[str]] = {}
    schools = {one.label: one for one in assessed_places(study.phases)}
    number = 0
    for condition in conditions(study):
        setting = workshop.setting(condition)
        _check_repetitions(study, condition.assessment, setting)
        stream = study.worlds[condition.world].stream
        condition_root = root if stream is None else key(root, "stream", stream)
        names: dict[str, Where] = {}
        phases: Sequence[Mapping[str, Any]] = ()
        if schools:
            _check_can_follow(condition.assessment, setting)
            phases = school_of(schools[condition.labels[FACTOR]], setting.world).to_plain()
        for where, entry in workshop.entries(condition):
            subject, address = workshop.subject(entry, where, setting.world)
            name = entry.name or subject.name
            if name in names:
                raise Misfit(
                    where,
                    f"The subject {name} is already there, as {named_place(names[name])}; "
                    "give one of them another name.",
                )
            names[name] = where
            fixed = settled_address(address, subject)
            if fixed != address:
                subject = workshop.resolved(fixed, entry, setting.world)
            for repetition in range(study.repetitions):
                cell = Cell(
                    number=number,
                    condition=condition.text,
                    world=setting.world.id,
                    parameters=setting.parameters,
                    assessment=study.assessments[condition.assessment].assessment,
                    assessment_parameters=setting.assessment_parameters,
                    subject=fixed,
                    name=name,
                    seed=repetition_root(condition_root, repetition),
                    sittings=sittings_of(setting.assessment, setting.world),
                    training=_training(entry, setting, subject, schooled=bool(phases)),
                    repetition=repetition,
                    levels=condition.labels,
                    limits=workshop.limits,
                    in_process=entry.in_process,
                    ask_once=entry.ask_once or asks_once(subject),
                    keep=entry.keep or "",
                    phases=phases,
                    summary=summary(subject, setting.world),
                    keep_training=study.records.training,
                    traces=study.records.traces,
                )
                number += 1
                place = Place(cell, setting.world, subject, setting.assessment)
                _check_subject(where, place)
                _check_bare(condition.assessment, place)
                yield place
        met[condition.text] = list(names)
    _check_published(study, met)
    _check_against(study, met)


def episodes(cells: Iterable[Cell]) -> int:
    """How many episodes will be played, training included."""
    return sum(cell.sittings * (cell.training + 1) for cell in cells)


def _check_can_follow(assessment: int, setting: Setting) -> None:
    """Raise if an assessment has training of its own kind, which phases cannot come before."""
    if isinstance(setting.assessment, TransferAssessment):
        raise Misfit(
            ("assessments", assessment),
            "Transfer trains newborns, so no phases can come before it; leave out the phases, or take a battery.",
        )
    if isinstance(setting.assessment, UnderstandingAssessment):
        raise Misfit(
            ("assessments", assessment),
            "Understanding is asked of newborns, so no phases can come before it; leave out the phases, and let "
            "subjects learn with training_episodes.",
        )


def _check_repetitions(study: Study, assessment: int, setting: Setting) -> None:
    """Raise if repetitions would count the same source episodes as if they were further ones."""
    if study.repetitions > 1 and goes_by_number(setting.assessment):
        raise Misfit(
            ("repetitions",),
            f"The sittings of {study.assessments[assessment].assessment} are the source episodes of its pool, the same "
            "in each repetition, so that repetitions would say more than was found; ask for more evaluations instead.",
        )


def _check_subject(where: Where, place: Place) -> None:
    """Raise if the assessment cannot be given to the subject."""
    try:
        for subject in parts_of(place.subject):
            check_may_take(place.assessment, subject)
    except MensuraError as error:
        raise Misfit(where, str(error)) from error


def _check_bare(assessment: int, place: Place) -> None:
    """Raise if what acts inside subjects, or their right to withdraw, would come to nothing in an assessment."""
    if place.asks_questions and (place.inside or place.withdraws):
        raise Misfit(
            ("assessments", assessment),
            "Understanding is asked of subjects as they are; leave out operators that act inside them, and withdraw.",
        )


def _training(
    entry: SubjectEntry, setting: Setting, subject: Subject, *, schooled: bool = False
) -> int:
    """As the study says of the subject, or of the assessment, or as the subject asks for; none where there is none.

    Whoever was trained in phases has no further training where nobody asks for it.
    """
    assessed = setting.training
    if not trains(setting.assessment):
        return 0
    if entry.training is not None:
        return entry.training
    if assessed is not None:
        return assessed
    return 0 if schooled else training_of(subject)


# What the parts of a study say of each other -------------------------------------


def _check_somebody(study: Study) -> None:
    """Raise if nobody is assessed but people."""
    if not study.subjects and not any(one.subject for f in study.factors for one in f.levels):
        raise Misfit(
            ("people",) if study.people is not None else (),
            "Only people take part in this study, in `mensura serve`; for programs, name subjects.",
        )


def _check_worlds(study: Study) -> None:
    """Subjects, assessments, figures, statistics and claims name worlds that are there, claims also assessments."""
    worlds = [world_name(entry) for entry in study.worlds]
    named = [
        *((("subjects", i), one.worlds) for i, one in enumerate(study.subjects)),
        *((("assessments", i), one.worlds) for i, one in enumerate(study.assessments)),
        *((("figures", i), one.worlds) for i, one in enumerate(study.figures)),
        *((("statistics", i), one.worlds) for i, one in enumerate(study.statistics)),
        *((("claims", i), one.worlds) for i, one in enumerate(study.claims)),
    ]
    for where, names in named:
        for j, name in enumerate(names):
            if name not in worlds:
                raise Misfit(
                    (*where, "worlds", j),
                    f"There is no world called {name!r} in this study; {neighbors(name, worlds)}",
                )
    for i, name in enumerate(worlds):
        if not any(not one.worlds or name in one.worlds for one in study.assessments):
            raise Misfit(
                ("worlds", i),
                f"No assessment is given in the world {name!r}; name it in the worlds of one, or leave it out.",
            )
    assessments = [assessment_name(entry) for entry in study.assessments]
    for i, claim in enumerate(study.claims):
        for j, name in enumerate(claim.assessments):
            if name not in assessments:
                raise Misfit(
                    ("claims", i, "assessments", j),
                    f"There is no assessment called {name!r} in this study; {neighbors(name, assessments)}",
                )


def _check_against(study: Study, met: Mapping[str, list[str]]) -> None:
    """Raise if a figure shows the gain over a subject that is not assessed."""
    known = sorted({name for names in met.values() for name in names})
    for i, figure in enumerate(study.figures):
        if figure.against is not None and figure.against not in known:
            raise Misfit(
                ("figures", i, "against"),
                f"There is no subject called {figure.against!r} in this study; "
                f"{neighbors(figure.against, known)}",
            )


def _check_published(study: Study, met: Mapping[str, list[str]]) -> None:
    """Every published value must stand beside one of ours, and only one beside each."""
    worlds = [world_name(entry) for entry in study.worlds]
    everything = conditions(study)
    taken: dict[tuple[str, str], int] = {}
    for i, table in enumerate(study.published):
        if table.world is not None and table.world not in worlds:
            raise Misfit(
                ("published", i, "world"),
                f"There is no world called {table.world!r} in this study; {neighbors(table.world, worlds)}",
            )
        alone = study.model_copy(update={"published": (table,)})
        beside = [one for one in everything if published_for(alone, one)]
        names = sorted({name for one in beside for name in met[one.text]})
        for subject in table.values:
            where = ("published", i, "values", subject)
            if subject not in names:
                raise Misfit(
                    where,
                    f"There is no subject called {subject!r} beside these published values; "
                    f"{neighbors(subject, names)}",
                )
            for one in beside:
                other = taken.setdefault((one.text, subject), i)
                if other != i:
                    raise Misfit(
                        where,
                        f"{subject} has a published value for {one.text!r} already, in published[{other}]; "
                        "one is right.",
                    )
