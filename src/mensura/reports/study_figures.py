"""The figures that a study asks for: their panels, and what stands in numbers below them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mensura.records.results import StudyResult
from mensura.reports import attempt_tables, difficulty_tables, series_figures
from mensura.reports.drawing import Drawing, crowded, score_range
from mensura.reports.experiment_figures import interactions
from mensura.reports.number_words import (
    interval,
    listed,
    measured,
    percent,
    plain,
    signed,
    whole,
)
from mensura.statistics.factorial import TwoWay, two_way
from mensura.statistics.interval import Estimate
from mensura.statistics.learning_speed import LearningSpeed, learners
from mensura.statistics.moments import Moments
from mensura.statistics.regression import Regression, linear_regression
from mensura.statistics.series import Asked, Axis, Series

Panel = dict[str, Any]


def figures_of(result: StudyResult, asked: Sequence[Asked]) -> list[Panel]:
    """The figures that a study asks for, each with its panels."""
    names = dict.fromkeys(one.subject for figure in asked for one in figure.series)
    painter = _Painter(
        {name: i for i, name in enumerate(names)},
        str(result.conditions[0].assessment.get("measure") or ""),
    )
    figures: list[Panel] = []
    for i, figure in enumerate(asked):
        panels = [] if figure.untold else painter.panels(figure, f"figure-{i}")
        told = None if figure.untold else table_of(figure)
        if panels or figure.untold or (told and figure.kind in difficulty_tables.KINDS):
            figures.append(
                {
                    "anchor": f"figure-{i}",
                    "title": figure.title,
                    "caption": figure.untold or figure.caption,
                    "svg": "",
                    "panels": panels,
                    "published": figure.published,
                    "table": told,
                }
            )
    return figures


@dataclass(frozen=True)
class _Painter:
    """What all figures of a page have in common."""

    looks: Mapping[str, int]
    measure: str

    def panels(self, figure: Asked, name: str) -> list[Panel]:
        """The panels of a figure, as its kind says."""
        kinds = {
            "curve": self.curve,
            "map": self.map,
            "complexity": self.complexity,
            "histogram": self.histogram,
            "boxes": self.boxes,
            "speed": self.speed,
            "attempts": attempt_tables.panels,
            "interactions": self.interactions,
            "solved": self.solved,
        }
        return list(kinds[figure.kind](figure, name)) if figure.kind in kinds else []

    def solved(self, entry: Asked, name: str) -> Iterator[Panel]:
        """The share of environments with the full reward along complexity."""
        return difficulty_tables.solved_panels(entry, name, self.looks, self.measure)

    def curve(self, entry: Asked, name: str) -> Iterator[Panel]:
        """The score along a factor: a panel for each world."""
        (axis,) = entry.axes
        lines: dict[str, dict[str, list[tuple[float, Estimate]]]] = {}
        for one in entry.series:
            point = axis.at[one.levels[axis.factor]], Moments.of(one.score).estimate()
            lines.setdefault(one.world, {}).setdefault(one.subject, []).append(point)
        everything = [p for own in lines.values() for points in own.values() for _, p in points]
        for i, (world, own) in enumerate(lines.items()):
            yield panel_of(
                world,
                series_figures.curves(
                    {
                        subject: sorted(points, key=lambda p: p[0])
                        for subject, points in own.items()
                    },
                    self.looks,
                    axis,
                    score_range(everything),
                    f"{name}-{i}",
                    f"{_what(entry)} of {len(own)} subjects along {axis.factor}, {world}",
                    logarithmic=not axis.named and crowded(list(axis.at.values())),
                    **_height(entry),
                ),
                _last_scores(own, measured if entry.measure else signed),
            )

    def map(self, entry: Asked, name: str) -> Iterator[Panel]:
        """The score over two factors: a panel for each subject and world."""
        first, second = entry.axes
        x, y = (dict(sorted(axis.at.items(), key=lambda at: at[1])) for axis in entry.axes)
        tables: dict[tuple[str, str], np.ndarray] = {}
        for one in entry.series:
            table = tables.setdefault((one.subject, one.world), np.full((len(y), len(x)), np.nan))
            place = (
                list(y).index(one.levels[second.factor]),
                list(x).index(one.levels[first.factor]),
            )
            table[place] = one.score.mean()
        for i, ((subject, world), table) in enumerate(tables.items()):
            row, column = np.unravel_index(np.nanargmax(table), table.shape)
            best = list(x)[int(column)], list(y)[int(row)]
            yield panel_of(
                f"{subject}, {world}",
                series_figures.heat_map(
                    list(x.values()),
                    list(y.values()),
                    table,
                    (first.label, second.label),
                    entry.mark,
                    f"{name}-{i}",
                    f"{_what(entry)} of {subject} over {first.factor} and {second.factor}, {world}",
                    names=(list(x) if first.named else [], list(y) if second.named else []),
                    **_height(entry),
                ),
                f"{'Highest' if entry.measure else 'Best'}: {signed(float(np.nanmax(table)))} at "
                f"{first.factor} {best[0]} and {second.factor} {best[1]}."
                + self._marked(entry, table, x, y),
            )

    def _marked(
        self,
        entry: Asked,
        table: np.ndarray,
        x: Mapping[str, float],
        y: Mapping[str, float],
    ) -> str:
        if entry.mark is None:
            return ""
        column = int(np.argmin(np.abs(np.array(list(x.values())) - entry.mark[0])))
        row = int(np.argmin(np.abs(np.array(list(y.values())) - entry.mark[1])))
        return f" At the cross: {signed(float(table[row, column]))}."

    def complexity(self, entry: Asked, name: str) -> Iterator[Panel]:
        """Each sitting by complexity: a panel for each world, and one for all of them together."""
        own = entry.series
        worlds = list(dict.fromkeys(one.world for one in own))
        groups = [(world, [one for one in own if one.world == world]) for world in worlds]
        if entry.together and len(worlds) > 1:
            groups.append(("all together", list(own)))
        y_range = _span([one.score for one in own])
        for i, (world, series) in enumerate(groups):
            points = pooled(series)
            lines = {
                subject: line
                for subject, (x, y) in points.items()
                if (line := line_through(x, y)) is not None
            }
            if not points:
                continue
            yield panel_of(
                world,
                series_figures.by_complexity(
                    points,
                    lines,
                    self.looks,
                    self.measure,
                    y_range,
                    f"{name}-{i}",
                    f"{_what(entry)} of {len(points)} subjects by complexity, {world}",
                    **_height(entry),
                ),
                "Correlation with complexity: " + _correlations(lines) + ".",
            )

    def histogram(self, entry: Asked, name: str) -> Iterator[Panel]:
        """How sittings are spread: a panel for each subject, its worlds together."""
        scores: dict[str, list[np.ndarray]] = {}
        for one in entry.series:
            scores.setdefault(one.subject, []).append(one.score)
        span = _span([score for own in scores.values() for score in own])
        for i, (subject, own) in enumerate(scores.items()):
            together = np.concatenate(own)
            yield panel_of(
                subject,
                series_figures.histogram(
                    together,
                    span,
                    self.looks[subject],
                    f"{name}-{i}",
                    f"How the {_what(entry).lower()} of {subject} are spread",
                    **_height(entry),
                ),
                f"{whole(len(together))} sittings, mean {signed(float(together.mean()))}, standard deviation "
                f"{plain(float(together.std(ddof=1)) if len(together) > 1 else math.nan, 3)}.",
            )

    def boxes(self, entry: Asked, name: str) -> Iterator[Panel]:
        """Sittings as boxes, world by world."""
        groups: dict[str, dict[str, np.ndarray]] = {}
        for one in entry.series:
            groups.setdefault(one.subject, {})[one.world] = one.score
        if groups:
            everything = [scores for own in groups.values() for scores in own.values()]
            yield panel_of(
                "",
                series_figures.boxes(
                    groups,
                    self.looks,
                    _span(everything),
                    name,
                    f"Boxes of the {_what(entry).lower()} of {len(groups)} subjects by world",
                    **_height(entry),
                ),
                "From quartile to quartile, cut at the median; points lie more than one and a half boxes away. Lines "
                "join means.",
            )

    def interactions(self, entry: Asked, name: str) -> Iterator[Panel]:
        """What pairs of factors do beyond the sum of both: a panel for each subject and world."""
        names = [axis.factor for axis in entry.axes]
        found: dict[tuple[str, str], dict[tuple[str, ...], Estimate]] = {}
        for one in entry.series:
            at = tuple(one.levels[factor] for factor in names)
            estimate = Moments.of(one.score).estimate()
            found.setdefault((one.subject, one.world), {})[at] = estimate
        for i, ((subject, world), cells) in enumerate(found.items()):
            shares = {
                (names[a], names[b]): (effect.interaction, effect.significant)
                for a, b in combinations(range(len(names)), 2)
                if (effect := _crossed(entry.axes, a, b, cells)) is not None
            }
            if shares:
                strongest = max(shares, key=lambda pair: shares[pair][0])
                yield panel_of(
                    f"{subject}, {world}",
                    interactions(names, shares, f"{name}-{i}"),
                    f"Strongest: {strongest[0]} and {strongest[1]}, {percent(shares[strongest][0])} of the "
                    "differences. A star is beyond noise (p below 0.001).",
                )

    def speed(self, entry: Asked, name: str) -> Iterator[Panel]:
        """In how many environments a level of reward is not reached yet: a panel for each world."""
        (axis,) = entry.axes
        found = learners(entry.series, axis, entry.level)
        for i, world in enumerate(dict.fromkeys(one.world for one in found)):
            own = {one.subject: one.speed for one in found if one.world == world}
            level = next(iter(own.values())).level
            told = (
                ""
                if entry.level is not None
                else ", half of what the best subject has at the longest horizon"
            )
            yield panel_of(
                world,
                series_figures.survival(
                    {subject: speed.survival for subject, speed in own.items()},
                    self.looks,
                    axis,
                    f"{name}-{i}",
                    f"Where {len(own)} subjects have not reached a mean reward of {level:.2f} yet, {world}",
                ),
                f"The share of environments in which a mean reward of {signed(level)}{told}, is not reached for good "
                "by so many interactions; bands are 95% intervals. The sooner a line falls, the quicker the learner.",
            )


def _crossed(
    axes: Sequence[Axis], a: int, b: int, cells: Mapping[tuple[str, ...], Estimate]
) -> TwoWay | None:
    """The shares of two factors while the others are at their baseline; None where they were not crossed."""
    places = [
        [
            tuple(one if i == a else other if i == b else axis.base for i, axis in enumerate(axes))
            for other in axes[b].at
        ]
        for one in axes[a].at
    ]
    if any(place not in cells for row in places for place in row):
        return None
    return two_way(
        [[cells[place].value for place in row] for row in places],
        [[cells[place].standard_error for place in row] for row in places],
    )


def _what(entry: Asked) -> str:
    """What a figure shows, in a word or a few."""
    return entry.measure or "Scores"


def _height(entry: Asked) -> dict[str, str]:
    """What is written along the axis of a figure that does not show scores."""
    return {"height": entry.measure} if entry.measure else {}


def table_of(entry: Asked) -> dict[str, Any] | None:
    """What stands in numbers below a figure, where its kind has that."""
    kinds = {"curve": curve_table, "speed": speed_table, "attempts": attempt_tables.table}
    if entry.kind in kinds:
        return kinds[entry.kind](entry)
    return difficulty_tables.table(entry)


def curve_table(entry: Asked) -> dict[str, Any]:
    """What a curve shows, with intervals: a row for each subject and world, a column for each level."""
    (axis,) = entry.axes
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for one in entry.series:
        estimate = Moments.of(one.score).estimate()
        value, low, high = map(measured, (estimate.value, estimate.low, estimate.high))
        cell = f"{value} [{low}, {high}]" if math.isfinite(estimate.low) else value
        rows.setdefault((one.world, one.subject), {})[one.levels[axis.factor]] = cell
    several = len({world for world, _ in rows}) > 1
    levels = [label for label in axis.at if any(label in cells for cells in rows.values())]
    return {
        "note": f"Means of: {entry.measure or 'score'}; with 95% intervals, along {axis.label}.",
        "head": [*(["world"] if several else []), "subject", *levels],
        "rows": [
            [*([world] if several else []), subject, *(cells.get(label, "") for label in levels)]
            for (world, subject), cells in rows.items()
        ],
    }


def speed_table(entry: Asked) -> dict[str, Any]:
    """How soon each subject reaches the level in each world."""
    (axis,) = entry.axes
    found = learners(entry.series, axis, entry.level)
    several = len({one.world for one in found}) > 1
    ranked = sorted(found, key=lambda one: one.speed.mean.value)
    return {
        "note": (
            "Interactions until the mean reward since the start is at the level and stays there up to the longest "
            "horizon; what is reached between two horizons is found at the second. Environments in which it is not "
            "reached by the longest are censored: they count as not reached so far, and are not left out. The mean "
            "counts no more than the longest horizon for any environment."
        ),
        "head": [
            *(["world"] if several else []),
            "subject",
            "level",
            "reached in",
            "median of interactions",
            "mean of interactions",
        ],
        "rows": [
            [
                *([one.world] if several else []),
                one.subject,
                signed(one.speed.level),
                f"{whole(one.speed.reached)} of {whole(one.speed.environments)}",
                _median(one.speed),
                f"{whole(one.speed.mean.value)} {_counts(one.speed.mean, one.speed)}",
            ]
            for world in dict.fromkeys(one.world for one in found)
            for one in ranked
            if one.world == world
        ],
    }


def _median(speed: LearningSpeed) -> str:
    if not math.isfinite(speed.median.value):
        return f"not in half of them by {whole(speed.survival.last)}"
    return f"{whole(speed.median.value)} {_counts(speed.median, speed)}"


def _counts(estimate: Estimate, speed: LearningSpeed) -> str:
    if not math.isfinite(estimate.low):
        return ""
    high = (
        whole(estimate.high)
        if math.isfinite(estimate.high)
        else f"beyond {whole(speed.survival.last)}"
    )
    return f"[{whole(estimate.low)}, {high}]"


def panel_of(title: str, svg: Drawing, caption: str) -> Panel:
    return {"name": title, "svg": svg, "caption": caption}


def _span(scores: Sequence[np.ndarray]) -> tuple[float, float]:
    """An axis on which all scores and 0 have room."""
    low = min([0.0, *(float(one.min()) for one in scores)])
    high = max([0.0, *(float(one.max()) for one in scores)])
    margin = 0.04 * (high - low or 1.0)
    return low - margin, high + margin


def pooled(series: Sequence[Series]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Complexities and scores of each subject, of all its series together, where complexity is known."""
    pooled: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for subject in dict.fromkeys(one.subject for one in series):
        own = [one for one in series if one.subject == subject]
        x = np.concatenate([one.complexity for one in own])
        y = np.concatenate([one.score for one in own])
        if np.isfinite(x).any():
            pooled[subject] = x[np.isfinite(x)], y[np.isfinite(x)]
    return pooled


def line_through(x: np.ndarray, y: np.ndarray) -> Regression | None:
    return linear_regression(x, y) if len(x) > 2 and np.ptp(x) > 0 else None


def _correlations(lines: Mapping[str, Regression]) -> str:
    if not lines:
        return "unknown, as all environments are equally complex"
    return listed(
        [
            f"{subject} {signed(line.r.value, 2)} {interval(line.r.low, line.r.high, 2)}"
            for subject, line in lines.items()
        ]
    )


def _last_scores(
    own: Mapping[str, Sequence[tuple[float, Estimate]]], text: Callable[[float], str]
) -> str:
    """The scores at the end of an axis, or what was measured there."""
    last = {subject: max(points, key=lambda point: point[0])[1] for subject, points in own.items()}
    ranked = sorted(last.items(), key=lambda item: -item[1].value)
    return "At the end: " + listed([f"{name} {text(p.value)}" for name, p in ranked], 20) + "."
