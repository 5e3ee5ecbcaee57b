"""The report of a study: one HTML file that somebody who was not there can read, print and trust.

A study of one condition reads as one experiment. Of several, the subjects are held against each other over all of
them first, each condition counting the same; then come the factors, and the conditions one by one. Where there are
hundreds, tables stand where figures would no longer help.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key
from mensura.records.results import StudyResult
from mensura.reports import (
    company,
    contributions,
    cost_front,
    difficulty_tables,
    figures,
    paths,
    protocols,
    reliability,
    sections,
    sentences,
    units,
    usage,
)
from mensura.reports.drawing import FORMATS, Drawing
from mensura.reports.levels import Effect
from mensura.reports.number_words import (
    listed,
    same_score,
    short,
    some,
)
from mensura.reports.page import Picture, fill
from mensura.reports.protocols import EPISODE
from mensura.reports.standing import SEED, standings
from mensura.reports.study_figures import figures_of
from mensura.reports.view import View
from mensura.statistics.profiles import profile_of_samples
from mensura.statistics.sample import Sample
from mensura.statistics.series import Asked

DRAWN = 12
"""So many conditions at most have figures of their own, and are printed one by one."""
MAPPED = 40
"""So many conditions at most fit a heat map; beyond, a table does."""
SERIES = 12
"""So many subjects at most share one figure of lines."""
THRESHOLDS = 61


def render_study(
    result: StudyResult,
    samples: Sequence[Sample] = (),
    pictures: Sequence[Picture] = (),
    about: Sequence[str] = (),
    asked: Sequence[Asked] = (),
    placed: Sequence[str] = (),
    drawings: Drawings | None = None,
    errors: Sequence[Mapping[str, str]] = (),
) -> str:
    """The report of a study as one HTML page.

    ``samples`` hold single scores, where they are there: intervals then take environments and runs as what was
    replicated. ``pictures`` show what the world looks like and ``about`` says in sentences what it is; whoever knows
    the world gives them. ``asked`` are the figures that the study asks for, and ``placed`` says where subjects stand
    among references. ``drawings`` are the figures of the same study, where they were drawn before. ``errors`` are
    the worst ones of subjects, in words: subject, what was wrong, what was asked, what is right. All else comes from
    the result.
    """
    drawings = drawings or Drawings(result, samples, asked)
    view = drawings.view
    first = view.conditions[0]
    at_random = all(map(protocols.at_random, view.conditions))
    rows = [sections.row(one, view.replication, view.unit) for one in view.standings]
    played = [one.result for one in view.standings]
    valid = [one for one in view.standings if one.valid]
    measure_names, measure_rows = sections.measures(view.standings)
    settled = list(_settled(view))
    together = company.found(view.standings, view.samples, view.replication)
    lines = sections.lines_of(view.standings)
    return fill(
        "study.html",
        _contents(view, drawings, settled=bool(settled), measured=bool(measure_rows)),
        _figures(drawings, pictures),
        title=sentences.title(view),
        meta=sentences.meta(view),
        unfinished=list(sentences.unfinished(result)),
        found=[
            *protocols.first(view.conditions),
            *sections.found(
                view.standings,
                len(view.conditions),
                view.unit,
                at_random,
            ),
            *company.words(together),
            *placed,
            *sentences.moved(view.effects),
            *(told for one in asked for told in difficulty_tables.words(one)),
        ],
        at_random=at_random,
        about=sentences.of_first(view, about),
        assessed=list(sentences.assessed(view)),
        several=view.several,
        printed=len(view.conditions) <= DRAWN,
        settings=view.shared,
        meaning=protocols.meaning(first.world, first.assessment, first.world_parameters),
        rows=rows,
        any_faults=any(one.faults or one.default_share > 0.0 for one in played),
        any_lost=any(one.lost for one in played),
        any_cpu=any(one.cpu > 0 for one in played),
        any_middle=any(one.middle is not None for one in view.standings),
        unit=view.unit,
        published_episodes=sections.PUBLISHED_EPISODES if view.unit is EPISODE else 0,
        spread=list(sections.spread([one.result for one in valid], first.world, view.unit))
        if valid and not view.several
        else [],
        replicated=list(sections.replicated(view.standings, view.replication)),
        units_behind=units.common([part.score[1] for part in view.parts.values()], view.unit),
        complexity_words=list(sections.complexity(view.standings, lines, view.measure, view.unit)),
        pooled=sentences.pooled(view),
        path_words=list(paths.words(valid, first.assessment, view.unit)),
        path_tables=paths.tables(view.standings, first.assessment, view.unit)
        if drawings.paths
        else [],
        contribution_words=list(contributions.words(valid)),
        settled_words=settled,
        company_rows=company.rows(together, view.replication),
        factor_tables=[_factor_table(one, at, view) for at, one in enumerate(view.effects)],
        condition_rows=_condition_rows(view) if view.several else [],
        subjects=view.subjects,
        measure_names=measure_names,
        measure_rows=measure_rows,
        usage_words=usage.used(played),
        bargains=usage.against_cost(played),
        member_usage=usage.by_member(played),
        cost_words=list(cost_front.words(cost_front.priced(view.standings))),
        time_words=sentences.time(view),
        fault_words=list(sections.faults(view.standings)),
        errors=list(errors),
        warnings=list(result.warnings),
        notes=sentences.notes(view),
        again_words=sentences.again(result),
        command=sentences.command(first.command or result.command, result.seed or first.seed),
        provenance=list(sentences.provenance(result, first)),
        study_text=sentences.study_text(result.study),
        glossary=sections.glossary(view.conditions),
    )


def _contents(
    view: View, drawings: Drawings, *, settled: bool, measured: bool
) -> list[tuple[str, str]]:
    """The headings of the page, each with its anchor; those of empty sections are left out."""
    return [
        ("what", "What was run"),
        ("scores", "Scores"),
        *([("factors", "Factors")] if view.effects else []),
        *([("conditions", "Conditions")] if view.several else []),
        ("complexity", "Score and complexity"),
        *([("path", "The path")] if drawings.paths else []),
        *([("contributions", "Where the score comes from")] if drawings.contributions else []),
        *([("learning", "Learning")] if drawings.learning else []),
        ("distribution", "Distribution"),
        *([("settled", "How settled the scores are")] if settled else []),
        *([("measures", "Further measures")] if measured else []),
        *((str(one["anchor"]), str(one["title"])) for one in drawings.asked),
        ("time", "Time"),
        ("faults", "Faults"),
        *([("notes", "Notes")] if sentences.notes(view) else []),
        ("again", "How to reproduce"),
        ("words", "The words"),
    ]


def _figures(drawings: Drawings, pictures: Sequence[Picture]) -> dict[str, Any]:
    """What was drawn, by the names that the page has for it."""
    return {
        "score_figure": drawings.scores or "",
        "distribution_figure": drawings.distributions or "",
        "profile_figure": drawings.profiles or "",
        "map_figure": drawings.map or "",
        "cost_figure": drawings.cost or "",
        "panels": drawings.complexity,
        "learning_panels": drawings.learning,
        "path_panels": drawings.paths,
        "contribution_panels": drawings.contributions,
        "settling_panels": drawings.settling,
        "box_panels": drawings.boxes,
        "factor_panels": drawings.factors,
        "pictures": list(pictures),
        "details": drawings.details,
        "asked": drawings.asked,
    }


def joined(
    runs: Sequence[tuple[StudyResult, Sequence[Sample]]],
) -> tuple[StudyResult, list[Sample]]:
    """Several runs as one study, whose conditions begin with the name of their run."""
    names = [result.name for result, _ in runs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise MensuraError(f"The run {twice} is named twice; once is enough.")
    results = [result for result, _ in runs]
    first = results[0]
    conditions, levels, samples = [], [], []
    for result, own in runs:
        given = [*result.levels, *({} for _ in result.conditions[len(result.levels) :])]
        for condition, level in zip(result.conditions, given, strict=True):
            conditions.append(replace(condition, title=f"{result.name}: {condition.title}"))
            levels.append({"run": result.name, **level})
        samples += [replace(one, condition=f"{result.name}: {one.condition}") for one in own]
    open_ones = [result for result in results if result.status != "finished"]
    behind = f"Not finished: {listed([result.name for result in open_ones])}."
    return replace(
        first,
        name=", ".join(names),
        title=f"{some(len(runs), 'run')}: {listed(names)}",
        status=open_ones[0].status if open_ones else "finished",
        conditions=tuple(conditions),
        levels=tuple(levels),
        source="; ".join(dict.fromkeys(result.source for result in results if result.source)),
        notes=tuple(
            dict.fromkeys(
                [
                    *([behind] if open_ones else []),
                    *(note for result in results for note in result.notes),
                ]
            )
        ),
        study={result.name: result.study for result in results if result.study},
        sittings=sum(result.sittings for result in results),
        done=sum(result.done for result in results),
        commit=", ".join(dict.fromkeys(result.commit for result in results if result.commit)),
        machine="; ".join(dict.fromkeys(result.machine for result in results if result.machine)),
        started=min((result.started for result in results if result.started), default=""),
        ended=max((result.ended for result in results if result.ended), default=""),
        seconds=sum(result.seconds for result in results),
        command="\n".join(
            sentences.command(result.command, result.seed)
            for result in results
            if sentences.repeats(result.command)
        ),
    ), samples


class Drawings:
    """The figures of a report, drawn once for its page and for files of their own."""

    def __init__(
        self, result: StudyResult, samples: Sequence[Sample] = (), asked: Sequence[Asked] = ()
    ) -> None:
        self.view = view = View.of(result, samples)
        ranked = [one for one in view.standings if one.valid]
        self.scores = (
            figures.scores([(one.label, one.score) for one in ranked], unit=view.unit)
            if ranked
            else None
        )
        self.distributions = (
            figures.distributions(
                [(one.label, one.result.histogram, one.result.moments.mean) for one in ranked],
                unit=view.unit,
            )
            if ranked
            else None
        )
        lines = sections.lines_of(ranked)
        self.complexity = sections.complexity_panels(ranked, lines, view.measure)
        self.learning = sections.learning_panels(ranked)
        # What happens within sittings differs from condition to condition, and stands with each.
        alone = not view.several
        self.paths = paths.panels(ranked, view.measure, view.unit) if alone else []
        self.contributions = contributions.panels(ranked, view.measure) if alone else []
        self.settling = (
            reliability.panels(view.ranked_samples(), view.unit, view.replication) if alone else []
        )
        self.cost = cost_front.figure(cost_front.priced(ranked))
        self.profiles = _profiles(view)
        self.map = _map(view)
        self.boxes = _boxes(view)
        self.factors = [_factor_panel(one, view, i) for i, one in enumerate(view.effects)]
        self.details = _details(view)
        self.asked = figures_of(result, asked)

    def all(self) -> list[Drawing]:
        """Every figure, each with a name of its own."""
        single = [self.scores, self.distributions, self.profiles, self.map, self.cost]
        panels = [
            *self.complexity,
            *self.paths,
            *self.contributions,
            *self.learning,
            *self.settling,
            *self.boxes,
            *self.factors,
            *(panel for detail in self.details for panel in detail["panels"]),
            *(panel for one in self.asked for panel in one["panels"]),
        ]
        return [one for one in [*single, *(panel["svg"] for panel in panels)] if one]


def _settled(view: View) -> Iterator[str]:
    """How far the scores are from settled, where single scores are there; of several conditions, the worst."""
    if not view.samples:
        return
    if not view.several:
        yield from reliability.sentences(
            view.ranked_samples(), key(SEED, "reliability"), view.unit, view.replication
        )
        return
    yield from reliability.settled(view.samples, view.unit, view.replication, several=True)


def _profiles(view: View) -> Drawing | None:
    """The share of episodes above each score, where the single scores are there."""
    own: dict[str, list[Sample]] = {}
    for sample in view.samples:
        own.setdefault(sample.label, []).append(sample)
    valid = {one.subject for one in view.standings if one.valid}
    shown = [one for one in view.subjects if one in own and one in valid][:SERIES]
    if not shown:
        return None
    low = min(float(part.score.min()) for name in shown for part in own[name])
    high = max(float(part.score.max()) for name in shown for part in own[name])
    thresholds = np.linspace(low - 0.01, high + 0.01, THRESHOLDS)
    return figures.profiles(
        [
            (name, profile_of_samples(own[name], thresholds, share=view.replication.of(name)))
            for name in shown
        ],
        unit=view.unit,
    )


def _map(view: View) -> Drawing | None:
    if not view.several or len(view.conditions) > MAPPED or len(view.subjects) > SERIES:
        return None
    values = [
        [
            score.value if (score := view.score(condition, subject)) is not None else math.nan
            for subject in view.subjects
        ]
        for condition in view.conditions
    ]
    return figures.score_map([one.title for one in view.conditions], view.subjects, values)


def _boxes(view: View) -> list[dict[str, Any]]:
    """The distribution under each condition, a panel for each subject."""
    if not view.several or len(view.conditions) > 2 * DRAWN or len(view.subjects) > SERIES:
        return []
    panels = []
    for i, subject in enumerate(view.subjects):
        entries = [
            (condition.title, one.histogram)
            for condition in view.conditions
            for one in condition.subjects
            if one.subject == subject and one.moments.count
        ]
        label = f"Distributions of the scores of {short(subject)} under {len(entries)} conditions"
        panels.append(
            {
                "name": subject,
                "svg": figures.boxes(entries, f"boxes-{i}", label, view.unit),
                "caption": "",
            }
        )
    return panels


def _factor_panel(effect: Effect, view: View, i: int) -> dict[str, Any]:
    label = f"Scores at each level of {effect.factor}"
    names = _ranked(effect, view.subjects)
    ranked = {name: effect.scores[name] for name in names}
    if len(effect.scores) > SERIES:
        means = [
            [point.value if point is not None else math.nan for point in points]
            for points in ranked.values()
        ]
        svg = figures.score_map(names, effect.labels, means, f"factor-{i}", ("level", "subject"))
    else:
        svg = figures.levels(
            effect.labels, ranked, _axis(effect.factor, view.result.study), f"factor-{i}", label
        )
    over = some(effect.settings, "setting")
    return {
        "name": effect.factor,
        "svg": svg,
        "caption": f"Each point is the mean over {over} of all else, with its 95% interval."
        if effect.settings > 1
        else "All else is the same at every point. Bars are 95% intervals.",
    }


def _ranked(effect: Effect, subjects: Sequence[str]) -> list[str]:
    """The subjects that met every level, in the order of the report."""
    return sorted(effect.scores, key=lambda name: subjects.index(name) if name in subjects else 0)


def _axis(factor: str, study: Mapping[str, Any]) -> str:
    """The label of a factor's axis, with its unit where the study file tells one."""
    # Of joined runs there are several studies, by name.
    several = [one for one in study.values() if isinstance(one, Mapping)]
    for one in (study, *several):
        for entry in one.get("factors", ()):
            if entry.get("name") == factor:
                return str(entry.get("axis") or factor)
    return factor


def _factor_table(effect: Effect, at: int, view: View) -> dict[str, Any]:
    """Subjects by levels."""
    return {
        "id": f"factor-table-{at}",
        "factor": effect.factor,
        "levels": effect.labels,
        "note": _averaged(effect),
        "rows": [
            {
                "subject": name,
                "cells": [
                    sections.with_interval(score, view.replication) for score in effect.scores[name]
                ],
            }
            for name in _ranked(effect, view.subjects)
        ],
    }


def _averaged(effect: Effect) -> str:
    over = some(effect.settings, "setting")
    return (
        f"Each score is the mean over {over} of all else."
        if effect.settings > 1
        else "All else is the same at every level."
    )


def _details(view: View) -> list[dict[str, Any]]:
    """Each condition by itself: its table, and its figures where there are not too many."""
    if not view.several:
        return []
    details = []
    for i, condition in enumerate(view.conditions):
        own = standings({at: part for at, part in view.parts.items() if at[0] == condition.title})
        panels: list[dict[str, Any]] = []
        about = list(protocols.assessed(condition, [one.result for one in own]))
        own_unit = protocols.unit_of(condition.assessment)
        if len(view.conditions) <= DRAWN:
            measure = str(condition.assessment.get("measure") or "")
            prefix = f"condition-{i}-"
            panels = [
                *sections.complexity_panels(own, sections.lines_of(own), measure, prefix),
                *paths.panels(own, measure, own_unit, prefix),
                *contributions.panels(own, measure, prefix),
                *sections.learning_panels(own, prefix),
            ]
            about += reliability.sentences(
                view.ranked_samples(condition.title),
                key(SEED, condition.title),
                own_unit,
                view.replication,
            )
        details.append(
            {
                "svg": "",
                "title": condition.title,
                "anchor": f"condition-{i}",
                "about": about,
                "rows": [sections.row(one, view.replication, own_unit) for one in own],
                "any_middle": any(one.middle is not None for one in own),
                "settings": [
                    pair for pair in sections.settings(condition) if pair not in view.shared
                ],
                "panels": panels,
            }
        )
    return details


def _condition_rows(view: View) -> list[dict[str, Any]]:
    scores = [
        [view.score(condition, subject) for subject in view.subjects]
        for condition in view.conditions
    ]
    rows = []
    for i, (condition, line) in enumerate(zip(view.conditions, scores, strict=True)):
        ranked = [
            score.value
            for subject, score in zip(view.subjects, line, strict=True)
            if score is not None and view.parts[condition.title, subject].result.valid
        ]
        best = max(ranked, default=math.nan)
        told_apart = not all(same_score(value, best) for value in ranked)
        rows.append(
            {
                "title": condition.title,
                "anchor": f"condition-{i}",
                "cells": [
                    {
                        "estimate": sections.with_interval(score, view.replication),
                        "best": told_apart
                        and score is not None
                        and same_score(score.value, best)
                        and view.parts[condition.title, subject].result.valid,
                    }
                    for subject, score in zip(view.subjects, line, strict=True)
                ],
            }
        )
    return rows


def save_figures(
    result: StudyResult,
    samples: Sequence[Sample],
    folder: Path,
    asked: Sequence[Asked] = (),
    formats: Sequence[str] = FORMATS,
    drawings: Drawings | None = None,
) -> list[Path]:
    """Every figure of a study's report as a file of its own, for a paper; the folder is made if it is not there.

    ``drawings`` are the figures of the same study, where they were drawn before.
    """
    unknown = [kind for kind in formats if kind not in FORMATS]
    if unknown:
        raise MensuraError(
            f"Figures are saved as {' or '.join(FORMATS)}, not as {', '.join(unknown)}."
        )
    figures = (drawings or Drawings(result, samples, asked)).all()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MensuraError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    return [path for drawing in figures for path in drawing.save(folder, formats)]
