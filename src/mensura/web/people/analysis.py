"""The analysis of a study of people, from the store: the flow, scores by condition with and without exclusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np

from mensura.agent.keys import Key, key
from mensura.assessments.references import reference_for_people
from mensura.core.steps import ERROR
from mensura.records.cell import Cell, has_people
from mensura.records.run import Run
from mensura.records.samples import IMMATERIAL
from mensura.reports.number_words import plain
from mensura.reports.people_page import Arm, Group, PeopleReport, Reliability, render_people
from mensura.reports.sentences import study_text
from mensura.statistics.consistency import cronbach_alpha, marginal_reliability
from mensura.statistics.interval import Estimate, mean_interval
from mensura.web.people.devices import participants_table
from mensura.web.people.measured import Measured, measured_of
from mensura.web.people.participants import Participant
from mensura.web.people.studies import People, PeopleStudy

RANGES = 5
"""Into so many ranges of complexity environments are sorted, about equally many in each."""

FEW = 3
"""From fewer people nothing is told of reliability."""


@dataclass(frozen=True)
class Sat:
    """What one person did in one condition."""

    number: int
    score: float
    rewards: Sequence[float]
    """Of each exercise, in order."""
    complexities: Sequence[float]
    error: float | None
    """Of the score, where the test tells its own."""


def report_page(people: People, study: PeopleStudy) -> str:
    """The report of a study as a page that stands alone."""
    run = people.store.find(str(study.id))
    words = (
        "The study file, with the seed of all draws. People are asked by no command; programs take the same test with "
        "`mensura study run` once the file names them as subjects, and each person's sittings are played again by "
        f"`mensura replay {study.name} 0`."
    )
    return render_people(report_of(people, study), words, study_text(run.study))


def report_of(people: People, study: PeopleStudy) -> PeopleReport:
    """All that the report of a study tells; the pilot is in none of it."""
    everybody = [one for one in people.participants(study) if not one.pilot]
    measured = measured_of(people, study)
    run = people.store.find(str(study.id))
    cells = people.store.cells(run)
    groups = [_group(people, study, cell, measured) for cell in cells]
    finished = [one for one in everybody if one.state == "finished"]
    arms = []
    if study.people.design == "between" and len(study.conditions) > 1:
        for i, name in enumerate(study.conditions):
            arms.append(_arm(name, [one for one in everybody if one.course == i], measured))
    late = [m for one in finished if (m := measured[one.number].latency_ms) is not None]
    return PeopleReport(
        name=study.name,
        title=study.title,
        came=len(everybody),
        total=_arm("all", everybody, measured),
        arms=arms,
        groups=groups,
        rules=[
            (
                str(rule),
                rule.because or "",
                sum(str(rule) in measured[one.number].left_out for one in finished),
            )
            for rule in study.people.exclude
        ],
        facts=list(_facts(people, study, finished, measured)),
        latency_ms=(min(late), median(late), max(late)) if late else (),
    )


def _arm(name: str, them: Sequence[Participant], measured: Mapping[int, Measured]) -> Arm:
    states = Counter(one.state for one in them)
    return Arm(
        name=name,
        agreed=sum(one.consented is not None for one in them),
        screened=states["screened"],
        withdrew=sum(one.state == "withdrawn" and one.consented is not None for one in them),
        under_way=states["consented"] + states["playing"],
        finished=states["finished"],
        left_out=sum(
            one.state == "finished" and bool(measured[one.number].left_out) for one in them
        ),
    )


def _facts(
    people: People,
    study: PeopleStudy,
    finished: Sequence[Participant],
    measured: Mapping[int, Measured],
) -> Iterator[tuple[str, str]]:
    if not finished:
        return
    rows = [row for row in participants_table(people, study) if row["state"] == "finished"]
    for heading, column in (
        ("device", "device"),
        ("acted with", "input"),
        ("language", "language"),
        ("wave", "wave"),
    ):
        counts = Counter(str(row[column]) for row in rows if row.get(column))
        if counts:
            yield heading, ", ".join(f"{name} {count}" for name, count in counts.most_common())
    for heading, name, digits in (
        ("minutes, median (range)", "minutes", 1),
        ("response, median of medians (range), ms", "median_response_ms", 0),
        ("left the page, median (range), times", "focus_losses", 0),
    ):
        found = [v for one in finished if (v := measured[one.number].values.get(name)) is not None]
        if found:
            middle, low, high = (plain(v, digits) for v in (median(found), min(found), max(found)))
            yield heading, f"{middle} ({low} to {high})"


# Scores -----------------------------------------------------------------------------------------------


def _group(
    people: People, study: PeopleStudy, cell: Cell, measured: Mapping[int, Measured]
) -> Group:
    run = people.store.find(str(study.id))
    sat = list(_sat(people, run, cell.number))
    if people.places(study.id)[cell.number].asks_questions:
        # Probes are no exercises of one kind, and the score is the least of them.
        sat = [replace(one, rewards=[], complexities=[]) for one in sat]
    out = _left_out(people, study, measured)
    kept = [one.score for one in sat if one.number not in out]
    return Group(
        name=cell.condition,
        everybody=_mean([one.score for one in sat]),
        kept=_mean(kept),
        reliability=_reliability(sat, key(study.seed, "reliability", cell.number)),
        programs=_programs(people, cell),
        by_exercise=_by_exercise(sat),
        by_complexity=_by_complexity(sat),
        measure=str(cell.assessment_parameters.get("measure") or ""),
    )


def _left_out(people: People, study: PeopleStudy, measured: Mapping[int, Measured]) -> set[int]:
    """The sittings that the rules leave out: of a person, or of a room with one of them in it."""
    them = [one for one in people.participants(study) if measured[one.number].left_out]
    if study.people.together is None:
        return {one.number for one in them}
    return {one.room for one in them if one.room is not None}


def _sat(people: People, run: Run, cell: int) -> Iterator[Sat]:
    for batch in people.store.batches(run, cell):
        errors = {row.item: row.value for row in batch.measures if row.name == ERROR}
        episodes = batch.episodes
        for item, score in zip(batch.item.tolist(), batch.score.tolist(), strict=True):
            own = (episodes.item == item) & ~episodes.learning
            yield Sat(
                item,
                score,
                episodes.reward[own].tolist(),
                episodes.complexity[own].tolist(),
                errors.get(item),
            )


def _mean(values: Sequence[float]) -> Estimate | None:
    return mean_interval(values).within(-1.0, 1.0) if values else None


def _reliability(sat: Sequence[Sat], key: Key) -> Reliability | None:
    if len(sat) < FEW:
        return None
    errors = [one.error for one in sat if one.error is not None]
    if len(errors) == len(sat):
        found = marginal_reliability([one.score for one in sat], errors, key)
        return Reliability("marginal reliability", found)
    lengths = {len(one.rewards) for one in sat}
    if len(lengths) > 1 or min(lengths) < 2:
        return None
    return Reliability("Cronbach's alpha", cronbach_alpha([one.rewards for one in sat]))


def _by_exercise(sat: Sequence[Sat]) -> list[tuple[str, Estimate]]:
    """Where everybody took the same number of exercises, and no test chose them."""
    lengths = {len(one.rewards) for one in sat}
    if len(lengths) != 1 or any(one.error is not None for one in sat):
        return []
    return [
        (str(i + 1), mean_interval([one.rewards[i] for one in sat]).within(-1.0, 1.0))
        for i in range(lengths.pop())
    ]


def _by_complexity(sat: Sequence[Sat]) -> list[tuple[str, Estimate]]:
    """Mean rewards in ranges of complexity, each person one value in each."""
    known = np.array([c for one in sat for c in one.complexities if np.isfinite(c)])
    if len(known) == 0:
        return []
    edges = np.unique(np.quantile(known, np.linspace(0.0, 1.0, RANGES + 1)))
    if len(edges) == 1:
        edges = np.array([edges[0], edges[0]])
    found = []
    for i, (low, high) in enumerate(pairwise(edges.tolist())):
        last = i == len(edges) - 2
        values = []
        for one in sat:
            inside = [
                r
                for r, c in zip(one.rewards, one.complexities, strict=True)
                if low <= c < high or (last and c == high)
            ]
            if inside:
                values.append(float(np.mean(inside)))
        if values:
            name = plain(low, 2) if low == high else f"{plain(low, 2)} to {plain(high, 2)}"
            found.append((name, mean_interval(values).within(-1.0, 1.0)))
    return found


def _programs(people: People, cell: Cell) -> list[tuple[str, Estimate]]:
    """Programs that took the same test: the references, and whoever did so in a run of the same store."""
    given = {"name": cell.assessment, **cell.assessment_parameters}
    reference = reference_for_people(cell.world, cell.parameters, given)
    found = {
        name: moments.estimate()
        for name, moments in (reference.scores.items() if reference is not None else ())
    }
    for run in people.store.runs():
        cells = [one for one in people.store.cells(run) if _same_test(one, cell)]
        if cells:
            result = people.store.result(run)
            for condition in result.conditions:
                if condition.title in {one.condition for one in cells}:
                    for subject in condition.subjects:
                        if subject.valid and subject.moments.count:
                            found[f"{subject.subject} ({run.name})"] = subject.moments.estimate()
    return sorted(found.items(), key=lambda pair: -pair[1].value)


def _same_test(one: Cell, cell: Cell) -> bool:
    """Whether programs took the same test; that they may forget between environments is told beside them."""
    return (
        not has_people(one.subject)
        and (one.world, dict(one.parameters), one.assessment)
        == (cell.world, dict(cell.parameters), cell.assessment)
        and _material(one) == _material(cell)
    )


def _material(cell: Cell) -> dict[str, object]:
    without = {*IMMATERIAL, "memory"}
    return {
        name: value for name, value in cell.assessment_parameters.items() if name not in without
    }
