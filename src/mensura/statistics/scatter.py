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
from mensura.statistics.correlation import product_moment
from mensura.statistics.series import Series

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


def scattered(
    statistic: str,
    series: Sequence[Series],
    published: Mapping[str, float],
    worlds: Sequence[str] = (),
) -> list[Scatter]:
    """A statistic of each subject over repetitions, its worlds together; who was published but not assessed, too.

    `worlds` are those named, for the reader. An analysis of variance ("anova") is of the two subjects that there are.
    """
    if statistic == "anova":
        return _anova(series, published, worlds)
    tell = STATISTICS[statistic]
    by_subject: dict[str, list[Series]] = {}
    for one in series:
        by_subject.setdefault(one.subject, []).append(one)
    rows = []
    for subject in dict.fromkeys([*by_subject, *published]):
        mine = by_subject.get(subject, [])
        values = np.array([tell([one.of(r) for one in mine]) for r in _repetitions(mine)])
        rows.append(_scatter(statistic, subject, worlds, published.get(subject), values))
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
        np.quantile(known, at) if len(known) else np.nan
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
    return product_moment(x, y) if len(x) > 2 else np.nan


STATISTICS: Mapping[str, Callable[[Sequence[Series]], float]] = {
    "mean": _mean,
    "standard deviation": _deviation,
    "standard deviation of tests": _deviation_of_tests,
    "correlation": _correlation,
}


def _anova(
    series: Sequence[Series], published: Mapping[str, float], named: Sequence[str]
) -> list[Scatter]:
    """F of subject, world and their interaction, sample by sample; who was measured is the number of the sitting."""
    worlds = list(dict.fromkeys(one.world for one in series))
    subjects = list(dict.fromkeys(one.subject for one in series))
    at = {(one.subject, one.world): one for one in series}
    whole = len(subjects) == 2 and len(worlds) > 1 and len(at) == 2 * len(worlds)
    f: list[list[float]] = []
    p: list[list[float]] = []
    for repetition in _repetitions(series) if whole else ():
        parts = [
            [at[subject, world].of(repetition).score for world in worlds] for subject in subjects
        ]
        sizes = {len(score) for row in parts for score in row}
        if len(sizes) == 1 and min(sizes) > 1:
            # (subject, world, sitting) to (sitting, subject, world)
            effects = repeated_measures(np.moveaxis(np.array(parts), 2, 0), ANOVA[:2])
            f.append([effect.f for effect in effects])
            p.append([effect.p for effect in effects])
    values, ps = (np.array(one).reshape(-1, len(ANOVA)) for one in (f, p))
    return [
        _scatter(
            f"F of {effect}",
            " and ".join(subjects),
            named,
            published.get(effect),
            values[:, i],
            ps[:, i],
        )
        for i, effect in enumerate(ANOVA)
    ]
