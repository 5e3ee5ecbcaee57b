"""What the factors of a study did: the score at each level, over conditions that differ in that factor alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mensura.records.results import RunResult
from mensura.reports.standing import Parts
from mensura.statistics.clusters import average
from mensura.statistics.interval import Estimate, span

Levels = Mapping[str, str]
"""The level of each factor of a condition."""


OWN = "the subject of the condition"
"""Stands for whoever is assessed, where every condition has one subject of its own."""


@dataclass(frozen=True)
class Effect:
    """One factor: the score of every subject at each of its levels."""

    factor: str
    labels: tuple[str, ...]
    scores: Mapping[str, tuple[Estimate | None, ...]]
    """By subject; None where it did not play."""
    settings: int
    """Over so many settings of the other factors the scores are averaged."""

    def reach(self) -> Estimate | None:
        """How far the mean over subjects moves between the lowest and the highest level; None where nobody met all.

        Subjects meet the same environments, so that the error of their mean is taken for no smaller than that of one.
        """
        met = [
            [point for point in points if point is not None]
            for points in self.scores.values()
            if None not in points
        ]
        return span([_mean(points) for points in zip(*met, strict=True)])[0] if met else None


def _mean(points: Sequence[Estimate]) -> Estimate:
    """The mean of estimates that may all be off by the same; it has the mean of their errors, and the least n."""
    value, error = (
        sum(numbers) / len(points)
        for numbers in (
            [one.value for one in points],
            [one.standard_error for one in points],
        )
    )
    n = min(one.n for one in points)
    return Estimate(value, value - error, value + error, points[0].level, n, error)


def effects(
    conditions: Sequence[RunResult], levels: Sequence[Levels], parts: Parts
) -> list[Effect]:
    """Every factor with several levels, the one that moves scores most first.

    Levels are compared over those settings of all else, the world and the assessment included, that have every
    level of the factor: the whole grid where factors are crossed, the baseline where one is varied at a time.
    """
    names = dict.fromkeys(name for one in levels for name in one)
    found = [_effect(name, conditions, levels, parts) for name in names]
    return sorted((one for one in found if one is not None), key=lambda one: -_reached(one))


def _reached(effect: Effect) -> float:
    reach = effect.reach()
    return 0.0 if reach is None else reach.value


def _effect(
    factor: str, conditions: Sequence[RunResult], levels: Sequence[Levels], parts: Parts
) -> Effect | None:
    labels = tuple(dict.fromkeys(one[factor] for one in levels if factor in one))
    if len(labels) < 2:
        return None
    settings: dict[tuple[object, ...], dict[str, RunResult]] = {}
    for condition, own in zip(conditions, levels, strict=True):
        if factor in own:
            rest = tuple(sorted((name, label) for name, label in own.items() if name != factor))
            settings.setdefault((_base(condition, own), rest), {})[own[factor]] = condition
    whole = [group for group in settings.values() if len(group) == len(labels)]
    if not whole:
        return None
    met = [
        [one.subject for one in condition.subjects if (condition.title, one.subject) in parts]
        for group in whole
        for condition in group.values()
    ]
    subjects = dict.fromkeys(name for names in met for name in names)
    if len(subjects) > 1 and all(len(names) == 1 for names in met):
        # The factor, or another, is who acts: every condition has one subject, its own.
        subjects = {OWN: None}
    scores = {
        subject: tuple(_at([group[label] for group in whole], subject, parts) for label in labels)
        for subject in subjects
    }
    kept = {name: points for name, points in scores.items() if any(points)}
    return Effect(factor, labels, kept, len(whole)) if kept else None


def _base(condition: RunResult, own: Levels) -> str:
    """The title of a condition without its levels, which stand at its end, or before it as the name of a run."""
    title = condition.title
    for label in reversed([*own.values()]):
        title = title.removesuffix(f", {label}").removeprefix(f"{label}: ")
    return f"{condition.world} {title}"


def _at(conditions: Sequence[RunResult], subject: str, parts: Parts) -> Estimate | None:
    """The mean score of a subject over conditions, each counting the same; None where it missed one."""
    found = []
    for condition in conditions:
        names = [one.subject for one in condition.subjects if subject in (one.subject, OWN)]
        part = parts.get((condition.title, names[0])) if names else None
        if part is None:
            return None
        found.append(part.score)
    return average(found)
