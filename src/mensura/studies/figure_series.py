"""What a study asks to be shown: its figures with their series, and statistics of its samples.

In a mixed collective each member is a series of its own, so that it can be held against itself alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.abilities import (
    frontier,
)
from mensura.core.mixed import reward_of
from mensura.core.registry import WORLDS
from mensura.records.results import StudyResult
from mensura.records.validity import is_valid
from mensura.statistics.attempts import Attempts, Frontier
from mensura.statistics.sample import Sample
from mensura.statistics.scatter import Scatter, scattered
from mensura.statistics.series import Asked, Axis, Series
from mensura.studies.conditions import conditions
from mensura.studies.entries import Factor, FigureEntry
from mensura.studies.study import FACTORS, Study, canonical, study_from_plain

Floats = npt.NDArray[np.float64]


def asks(result: StudyResult) -> bool:
    """Whether a study asks for figures or statistics, or claims something.

    Several runs together do not, since their studies may differ.
    """
    return any(result.study.get(name) for name in ("figures", "statistics", "claims"))


def asked_figures(result: StudyResult, samples: Sequence[Sample]) -> list[Asked]:
    """The figures that a study asks for, with what they show."""
    plain = result.study
    # Of several runs together there are several studies, by name.
    made = any(one.attempts for run in result.conditions for one in run.subjects)
    if "worlds" not in plain or not (plain.get("figures") or plain.get("factors") or made):
        return []
    study = study_from_plain(dict(result.study))
    figures = [*study.figures, *_learning(study)]
    if made and not any(figure.kind == "attempts" for figure in figures):
        figures.append(FigureEntry(kind="attempts", title="Attempts"))
    if not figures:
        return []
    of = {
        name: [one for one in series_of(study, samples, name) if len(one.score)]
        for name in {entry.measure or "" for entry in figures}
    }
    tried = attempts_of(study, result) if any(one.kind == "attempts" for one in figures) else []
    return [
        _asked(study, entry, of[entry.measure or ""], tried)
        if entry.measure is None or of[entry.measure] or not samples
        else _untold(entry, samples)
        for entry in figures
    ]


def _untold(entry: FigureEntry, samples: Sequence[Sample]) -> Asked:
    """A figure of a measure that no sitting has: a sentence that says so."""
    known = sorted({name for sample in samples for name in sample.measures})
    why = f"No sitting tells of {entry.measure!r}; {neighbors(str(entry.measure), known)}"
    return Asked(entry.kind, entry.title, entry.caption, (), untold=why)


def _learning(study: Study) -> Iterator[FigureEntry]:
    """Learning speed, where environments were played over several horizons and no figure of the study is of it."""
    if any(figure.kind == "speed" for figure in study.figures):
        return
    for factor in study.factors:
        values = [level.value for level in factor.levels]
        horizons = [level.world.get("horizon") for level in factor.levels]
        if len(values) > 1 and None not in values and values == horizons:
            yield FigureEntry(kind="speed", title="Learning speed", factors=(factor.name,))


def asked_statistics(result: StudyResult, samples: Sequence[Sample]) -> list[Scatter]:
    """The statistics that a study asks for, over its repetitions."""
    if not result.study.get("statistics"):
        return []
    study = study_from_plain(dict(result.study))
    series = series_of(study, samples)
    rows: list[Scatter] = []
    for entry in study.statistics:
        own = chosen(
            study, series, worlds=entry.worlds, subjects=entry.subjects, levels=entry.levels
        )
        rows += scattered(entry.statistic, own, entry.published, entry.worlds)
    return rows


def _asked(
    study: Study, entry: FigureEntry, series: Sequence[Series], tried: Sequence[Tried]
) -> Asked:
    by_name = {factor.name: factor for factor in study.factors}
    count = FACTORS.get(entry.kind, 0)
    if entry.kind == "interactions":
        count = len(by_name)
    factors = [by_name[name] for name in entry.factors or list(by_name)[:count]]
    free = [factor.name for factor in factors]

    def those(levels: Mapping[str, str], free: Sequence[str]) -> list[Series]:
        return chosen(
            study,
            series,
            worlds=entry.worlds,
            subjects=entry.subjects,
            levels=levels,
            free=free,
        )

    shown = those(entry.levels, free)
    measure = entry.measure or ""
    if entry.less:
        still = [name for name in free if name not in entry.less]
        shown = list(_differences(shown, those({**entry.levels, **entry.less}, still), still))
        base = ", ".join(entry.less.values())
        measure = f"{measure or 'score'}, minus that of: {base}"
    if entry.against is not None:
        shown = list(_gains(shown, entry.against, series))
        measure = f"{measure or 'score'}, gain over {entry.against}"
    return Asked(
        kind=entry.kind,
        title=entry.title,
        caption=entry.caption,
        series=shown,
        axes=[_axis(factor) for factor in factors],
        together=entry.together,
        mark=entry.mark,
        level=entry.level,
        attempts=[
            one.attempts
            for one in chosen(
                study,
                tried if entry.kind == "attempts" else (),
                worlds=entry.worlds,
                subjects=entry.subjects,
                levels=entry.levels,
            )
        ],
        published=entry.published,
        measure=measure,
    )


def _differences(
    series: Sequence[Series], taken: Sequence[Series], free: Sequence[str]
) -> Iterator[Series]:
    """What series have beyond others at the same levels of the free factors, sitting by sitting."""

    def place(one: Series) -> tuple[str, ...]:
        return one.subject, one.world, *(one.levels[name] for name in free)

    others = {place(one): one for one in taken}
    for one in series:
        other = others.get(place(one))
        if other is not None:
            yield one.minus(other)


def _gains(shown: Sequence[Series], against: str, series: Sequence[Series]) -> Iterator[Series]:
    """What subjects have above one of them under the same conditions."""
    base = {(one.world, *one.levels.items()): one for one in series if one.subject == against}
    for one in shown:
        other = base.get((one.world, *one.levels.items()))
        if other is not None and one.subject != against:
            yield one.minus(other)


def _axis(factor: Factor) -> Axis:
    """The levels of a factor where their values are, or one after another."""
    return Axis(
        factor.name,
        factor.axis or factor.name,
        {
            level.label: float(i) if level.value is None else level.value
            for i, level in enumerate(factor.levels)
        },
        factor.levels[factor.base].label,
        all(level.value is None for level in factor.levels),
    )


def series_of(study: Study, samples: Sequence[Sample], measure: str = "") -> list[Series]:
    """All series of a study, by condition and then in the order of subjects: of scores, or of a further measure.

    Those of subjects without a valid score are left out.
    """
    by_condition: dict[str, list[Sample]] = {}
    for sample in samples:
        if is_valid(sample.default_share):
            by_condition.setdefault(sample.condition, []).append(sample)
    found = []
    for condition in conditions(study):
        for sample in by_condition.get(condition.text, ()):
            for name, score in _measured(sample, measure) if measure else _members(sample):
                one = Series(
                    name,
                    condition.world_name,
                    condition.labels,
                    score,
                    sample.complexity,
                    sample.run,
                    sample.environment,
                    sample.measures,
                )
                found.append(one.where(np.isfinite(score)) if measure else one)
    return found


def _measured(sample: Sample, measure: str) -> Iterator[tuple[str, Floats]]:
    """The subject with a further measure; nan where it is not told of a sitting."""
    if measure in sample.measures:
        yield sample.label, sample.measures[measure]


def _members(sample: Sample) -> Iterator[tuple[str, Floats]]:
    """The subject, or each member of a mixed collective."""
    start = reward_of("")
    members = {
        name.removeprefix(start): values
        for name, values in sample.measures.items()
        if name.startswith(start)
    }
    yield from members.items() if members else [(sample.label, sample.score)]


class Tried(NamedTuple):
    """The attempts of a subject under one condition."""

    subject: str
    world: str
    levels: Mapping[str, str]
    """The level of each factor, by label."""
    attempts: Attempts


def attempts_of(study: Study, result: StudyResult) -> list[Tried]:
    """All attempts of a study at the tasks of its worlds, by condition and then in the order of subjects."""
    by_title = {one.title: one for one in result.conditions}
    every = conditions(study)
    own_names = Counter((one.names[0], one.levels) for one in every)
    found = []
    for condition in every:
        run = by_title.get(condition.text)
        # A world that is met under one assessment goes by its own name.
        alone = own_names[condition.names[0], condition.levels] == 1
        world = condition.names[0] if alone else condition.world_name
        for one in run.subjects if run is not None else ():
            # A sitting that was stopped has fewer.
            length = min((len(own.solved) for own in one.attempts), default=0)
            if run is not None and length and one.valid:
                made = Attempts(
                    one.subject,
                    world,
                    np.array([own.solved[:length] for own in one.attempts], np.bool_),
                    np.array([own.time[:length] for own in one.attempts], np.float64),
                    np.array([own.energy[:length] for own in one.attempts], np.float64),
                    one.training,
                    _frontier(run.world, canonical(dict(run.world_parameters))),
                )
                found.append(Tried(one.subject, world, condition.labels, made))
    return found


@lru_cache(maxsize=64)
def _frontier(world: str, parameters: str) -> Frontier | None:
    """The front of a world's tasks, where it tells one; None also where the world is gone."""
    values = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in json.loads(parameters).items()
    }
    try:
        made = WORLDS.load(world)(**values)
    except (MensuraError, TypeError):
        return None
    found: Frontier | None = frontier(made)
    return found


Choice = TypeVar("Choice", Series, Tried)


def chosen(
    study: Study,
    series: Sequence[Choice],
    *,
    worlds: Sequence[str] = (),
    subjects: Sequence[str] = (),
    levels: Mapping[str, str] | None = None,
    free: Sequence[str] = (),
) -> list[Choice]:
    """The series in these worlds of these subjects, all where none are named, in the order of the names.

    Factors stand at the levels given, or at their baseline, but for those that are free.
    """
    wanted = {
        factor.name: (levels or {}).get(factor.name, factor.levels[factor.base].label)
        for factor in study.factors
        if factor.name not in free
    }
    found = [
        one
        for one in series
        if (not worlds or one.world in worlds)
        and (not subjects or one.subject in subjects)
        and all(one.levels[factor] == label for factor, label in wanted.items())
    ]
    if subjects:
        found.sort(key=lambda one: subjects.index(one.subject))
    if worlds:
        found.sort(key=lambda one: worlds.index(one.world))
    return found
