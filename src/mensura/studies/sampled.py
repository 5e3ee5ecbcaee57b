"""Published statistics of one sample beside the same over our repetitions: how far does a sample of that size scatter?

Each repetition of a study is a sample of the published size. A published value that lies within what most of ours
give is one that chance could have given; how wide that range is says what a sample of that size can tell at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.statistics.anova import repeated_measures
from mensura.statistics.robust import quantile
from mensura.studies.series import Series, chosen, series_of
from mensura.studies.study import StatisticEntry, Study

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
ANOVA = ("subject", "world", "interaction")
"""The effects of an analysis of variance, by the names under which they are published."""


@dataclass(frozen=True)
class Scatter:
    """One statistic of one subject over our samples, and what was published of it."""

    statistic: str
    subject: str
    worlds: tuple[str, ...]
    """Its worlds, where they are not all."""
    published: float | None
    samples: int
    """How many samples told it."""
    middle: float
    """The median over samples; nan where there are none."""
    low: float
    high: float
    """Between these lie 95% of the samples."""
    beyond: float
    """The share of samples at least as far from the middle as the published value, on its side; nan without one."""
    significant: float
    """For an analysis of variance: the share of samples whose p is below 0.05; nan else."""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "worlds": list(self.worlds)}


def scatters(study: Study, samples: Sequence[Any]) -> list[Scatter]:
    """Every statistic of a study over its repetitions."""
    series = series_of(study, samples)
    return [row for entry in study.statistics for row in _rows(study, entry, series)]


def _rows(study: Study, entry: StatisticEntry, series: Sequence[Series]) -> list[Scatter]:
    own = chosen(study, series, worlds=entry.worlds, subjects=entry.subjects, levels=entry.levels)
    if entry.statistic == "anova":
        return _anova(entry, own)
    tell = _STATISTICS[entry.statistic]
    by_subject: dict[str, list[Series]] = {}
    for one in own:
        by_subject.setdefault(one.subject, []).append(one)
    rows = []
    for subject in dict.fromkeys([*by_subject, *entry.published]):
        mine = by_subject.get(subject, [])
        values = np.array([tell([one.of(r) for one in mine]) for r in _repetitions(mine)])
        rows.append(
            _scatter(entry.statistic, subject, entry.worlds, entry.published.get(subject), values)
        )
    return rows


def _repetitions(series: Sequence[Series]) -> list[int]:
    return sorted({int(r) for one in series for r in np.unique(one.repetition)})


def _scatter(
    statistic: str,
    subject: str,
    worlds: Sequence[str],
    published: float | None,
    values: Floats,
    p: Floats | None = None,
) -> Scatter:
    known = values[np.isfinite(values)]
    middle, low, high = (
        quantile(known, at) if len(known) else np.nan
        for at in (0.5, (1 - LEVEL) / 2, (1 + LEVEL) / 2)
    )
    beyond = np.nan
    if published is not None and len(known):
        outer = known >= published if published >= middle else known <= published
        beyond = float(outer.mean())
    return Scatter(
        statistic=statistic,
        subject=subject,
        worlds=tuple(worlds),
        published=published,
        samples=len(known),
        middle=float(middle),
        low=float(low),
        high=float(high),
        beyond=beyond,
        significant=float((p < 1 - LEVEL).mean()) if p is not None and len(p) else np.nan,
    )


# Statistics of a sample ---------------------------------------------------------


def _mean(parts: Sequence[Series]) -> float:
    return float(np.concatenate([one.score for one in parts]).mean())


def _deviation(parts: Sequence[Series]) -> float:
    scores = np.concatenate([one.score for one in parts])
    return float(scores.std(ddof=1)) if len(scores) > 1 else np.nan


def _deviation_of_tests(parts: Sequence[Series]) -> float:
    """Of the means over worlds of the sittings of one number; nan where worlds have different numbers of them."""
    if len({len(one.score) for one in parts}) != 1 or len(parts[0].score) < 2:
        return np.nan
    return float(np.mean([one.score for one in parts], axis=0).std(ddof=1))


def _correlation(parts: Sequence[Series]) -> float:
    """Pearson's correlation of scores with the complexity of their environments; nan where either is constant."""
    score = np.concatenate([one.score for one in parts])
    complexity = np.concatenate([one.complexity for one in parts])
    known = np.isfinite(complexity)
    x, y = complexity[known], score[known]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    return float(np.corrcoef(x, y)[0, 1])


_STATISTICS: Mapping[str, Callable[[Sequence[Series]], float]] = {
    "mean": _mean,
    "standard deviation": _deviation,
    "standard deviation of tests": _deviation_of_tests,
    "correlation": _correlation,
}


def _anova(entry: StatisticEntry, series: Sequence[Series]) -> list[Scatter]:
    """F of subject, world and their interaction, sample by sample; who was measured is the number of the sitting."""
    worlds = list(dict.fromkeys(one.world for one in series))
    at = {(one.subject, one.world): one for one in series}
    f: list[list[float]] = []
    p: list[list[float]] = []
    for repetition in _repetitions(series):
        parts = [
            [at[subject, world].of(repetition).score for world in worlds]
            for subject in entry.subjects
            if all((subject, world) in at for world in worlds)
        ]
        sizes = {len(score) for row in parts for score in row}
        if len(parts) == 2 and len(worlds) > 1 and len(sizes) == 1 and min(sizes) > 1:
            # (subject, world, sitting) to (sitting, subject, world)
            effects = repeated_measures(np.moveaxis(np.array(parts), 2, 0), ANOVA[:2])
            f.append([effect.f for effect in effects])
            p.append([effect.p for effect in effects])
    values, ps = (np.array(one).reshape(-1, len(ANOVA)) for one in (f, p))
    who = " and ".join(entry.subjects)
    return [
        _scatter(
            f"F of {effect}",
            who,
            entry.worlds,
            entry.published.get(effect),
            values[:, i],
            ps[:, i],
        )
        for i, effect in enumerate(ANOVA)
    ]
