"""What a study's published values and factors make of its result: comparisons, and effects of factors.

Pure functions of a result: a shipped experiment and a user's own study file get the same tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from itertools import combinations
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.registry import ASSESSMENTS
from mensura.records.results import RunResult, StudyResult, SubjectResult
from mensura.statistics.factorial import TwoWay, two_way
from mensura.statistics.interval import Estimate
from mensura.studies.conditions import Condition, conditions, published_for
from mensura.studies.entries import AssessmentEntry, Factor
from mensura.studies.study import Study, study_from_plain


def with_episodes(study: Study, episodes: int) -> Study:
    """The study with so many episodes in each of its assessments, whatever it says itself.

    Of an assessment whose sittings have many episodes, it is so many sittings.
    """
    if episodes < 2:
        raise MensuraError(f"{episodes} episodes give no interval; at least 2 are needed.")
    assessments = tuple(
        entry.model_copy(update={"parameters": {**entry.parameters, _amount(entry): episodes}})
        for entry in study.assessments
    )
    return study.model_copy(update={"assessments": assessments})


def _amount(entry: AssessmentEntry) -> str:
    """The parameter that says how much is played."""
    kind = ASSESSMENTS.load(entry.assessment)
    known = [field.name for field in fields(kind)] if is_dataclass(kind) else []
    return "episodes" if "episodes" in known or "sittings" not in known else "sittings"


# Published values beside ours -------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One subject of one condition: the published value, where there is one, and ours."""

    name: str
    setting: str
    """The row of the published table: a world."""
    subject: str
    preset: str
    """The column of ours beside it: the levels."""
    published: float | None
    doubt: str
    measured: float
    low: float
    high: float
    episodes: int
    spread: float
    """The standard deviation between identical experiments of this size."""
    settings: dict[str, Any]

    @property
    def off(self) -> float | None:
        """How far ours is from the published value, in standard errors of ours; None where there is none to go by."""
        if self.published is None or not self.spread > 0.0:
            return None
        return (self.measured - self.published) / self.spread

    def to_json(self) -> dict[str, Any]:
        """The row as plain data."""
        return {**asdict(self), "off": self.off}


def comparison(result: StudyResult) -> list[Row]:
    """A row for each subject of each condition with published values; none where the study has no such values."""
    study = study_from_plain(result.study)
    seed = result.seed
    assert seed is not None
    found = [
        (condition, ours, published_for(study, condition))
        for condition, ours in _met(study, result)
    ]
    tables: dict[str, list[dict[str, tuple[float, str]]]] = {}
    for condition, _, published in found:
        tables.setdefault(condition.world_name, []).append(published)
    rows: list[Row] = []
    for condition, ours, published in found:
        if not published:
            continue
        # Values that hold at some levels only stand in a table of their own.
        same = all(table == published for table in tables[condition.world_name])
        entry = study.worlds[condition.world]
        labels = ", ".join(condition.labels.values()) if same else ""
        rows += _rows(
            ours,
            published,
            setting=condition.world_name if same else condition.text,
            preset=labels or entry.preset or entry.world,
            settings={**entry.parameters, **condition.labels},
            seed=seed,
        )
    return rows


def _rows(
    ours: RunResult,
    published: Mapping[str, tuple[float, str]],
    *,
    setting: str,
    preset: str,
    settings: Mapping[str, Any],
    seed: int,
) -> Iterator[Row]:
    for one in ours.subjects:
        if not one.moments.count:
            continue
        value, doubt = published.get(one.subject, (None, ""))
        yield Row(
            name=f"{one.subject}, {setting}, {preset}",
            setting=setting,
            subject=one.subject,
            preset=preset,
            published=value,
            doubt=doubt,
            measured=one.score.value,
            low=one.score.low,
            high=one.score.high,
            episodes=one.moments.count,
            spread=one.spread.value,
            settings={**settings, "training": one.training, "seed": seed},
        )


def _met(study: Study, result: StudyResult) -> Iterator[tuple[Condition, RunResult]]:
    """The conditions of a study with their results."""
    by_title = {one.title: one for one in result.conditions}
    for condition in conditions(study):
        if condition.text in by_title:
            yield condition, by_title[condition.text]


# Factors alone and in pairs ---------------------------------------------------


@dataclass(frozen=True)
class Score:
    """The score at one combination of levels; factors that are not named are at their baseline."""

    factors: tuple[str, ...]
    levels: tuple[str, ...]
    score: Estimate

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {
            "name": ", ".join(f"{f}: {v}" for f, v in zip(self.factors, self.levels, strict=True)),
            "levels": dict(zip(self.factors, self.levels, strict=True)),
            "measured": self.score.value,
            "low": self.score.low,
            "high": self.score.high,
            "episodes": self.score.n,
        }


@dataclass(frozen=True)
class Outcome:
    """What factors did to one subject in one world: each alone, each pair crossed, and the effects."""

    title: str
    """Whom and where, if the study has several."""
    factors: tuple[Factor, ...]
    alone: dict[str, list[Score]]
    pairs: dict[tuple[str, str], list[list[Score]]]
    effects: dict[tuple[str, str], TwoWay]

    def to_json(self) -> list[dict[str, Any]]:
        """Every score as plain data."""
        scores = [score for group in self.alone.values() for score in group]
        scores += [score for grid in self.pairs.values() for row in grid for score in row]
        return [score.to_json() | ({"of": self.title} if self.title else {}) for score in scores]


def outcomes(result: StudyResult) -> list[Outcome]:
    """What the factors of a study did, for each subject in each world; none where it has no factors."""
    study = study_from_plain(result.study)
    if not study.factors:
        return []
    choosing = any(level.subject for factor in study.factors for level in factor.levels)
    scores: dict[tuple[str, str], dict[tuple[int, ...], SubjectResult]] = {}
    for condition, ours in _met(study, result):
        for one in ours.subjects:
            if one.moments.count:
                # Where a factor is who acts, the subject is a level and no subject of its own.
                group = condition.world_name, "" if choosing else one.subject
                scores.setdefault(group, {})[condition.levels] = one
    several = len(scores) > 1
    return [
        _outcome(study.factors, at, ", ".join(filter(None, group)) if several else "")
        for group, at in scores.items()
    ]


def _outcome(
    factors: tuple[Factor, ...], at: Mapping[tuple[int, ...], SubjectResult], title: str
) -> Outcome:
    base = tuple(factor.base for factor in factors)

    def score(changes: dict[int, int]) -> Score | None:
        found = at.get(tuple(changes.get(i, level) for i, level in enumerate(base)))
        if found is None:
            return None
        return Score(
            tuple(factors[i].name for i in changes),
            tuple(factors[i].levels[j].label for i, j in changes.items()),
            found.score,
        )

    alone: dict[str, list[Score]] = {}
    pairs: dict[tuple[str, str], list[list[Score]]] = {}
    effects: dict[tuple[str, str], TwoWay] = {}
    for i, factor in enumerate(factors):
        row = [score({i: j}) for j in range(len(factor.levels))]
        # A run that was stopped lacks some.
        if whole := _whole(row):
            alone[factor.name] = whole
    for (i, one), (j, other) in combinations(enumerate(factors), 2):
        grid = [
            _whole([score({i: a, j: b}) for b in range(len(other.levels))])
            for a in range(len(one.levels))
        ]
        if all(grid) and min(len(one.levels), len(other.levels)) > 1:
            pairs[one.name, other.name] = grid
            effects[one.name, other.name] = two_way(
                [[cell.score.value for cell in row] for row in grid],
                [[cell.score.standard_error for cell in row] for row in grid],
            )
    return Outcome(title, factors, alone, pairs, effects)


def _whole(scores: list[Score | None]) -> list[Score]:
    """All scores of a row, or none where some are missing."""
    known = [score for score in scores if score is not None]
    return known if len(known) == len(scores) else []
