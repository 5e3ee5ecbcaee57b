"""Which environments are hard, for whom: who is above guessing where, what solving depends on, and who agrees.

An environment is *solved* by a sitting with the full reward, 1. In a balanced world guessing is worth 0 on average.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mensura.core.steps import is_complexity
from mensura.statistics.clusters import Error
from mensura.statistics.correlation import probability, spearman
from mensura.statistics.improvement import share_interval
from mensura.statistics.interval import ROUNDING, Estimate, Floats, mean_interval
from mensura.statistics.logistic import Logistic, logistic_regression, standardized
from mensura.statistics.multiple import corrected
from mensura.statistics.quantiles import normal_below
from mensura.statistics.series import Series

LEVEL = 0.05
BINS = 8
"""So many points a line along complexity has at most."""
ALL = "all together"
MOST_INFLATED = 10.0
"""A measure whose effect would have more than so many times its variance because of those before it is left out."""


def solved(series: Series) -> Floats:
    """1 for each sitting with the full reward, 0 for others."""
    return np.asarray(series.score >= 1.0 - ROUNDING, np.float64)


def share(success: Floats) -> Estimate:
    """The share of successes, shape (n,), n >= 1, with Wilson's interval."""
    n = len(success)
    value = float(success.mean())
    return share_interval(value, Error(value * (1 - value) / n, n - 1, "environment", n), n)


# Who is above guessing --------------------------------------------------------------


@dataclass(frozen=True)
class Standing:
    """One subject in one world."""

    subject: str
    world: str
    score: Estimate
    solved: Estimate
    above: bool
    """Whether its score is above 0 beyond noise: its interval is, as part of all of these together (Holm)."""
    idea: float
    """The mean of what it tells as `idea`: the share about which it had one; nan where it tells none."""


def standings(series: Sequence[Series]) -> list[Standing]:
    """Every subject in every world, the sittings at all levels of factors together."""
    own = [one for one in joined(series) if len(one.score)]
    scores = [mean_interval(one.score) for one in own]
    p = [_above_zero(one) for one in scores]
    sure = (corrected(p) <= LEVEL).tolist() if p else []
    return [
        Standing(one.subject, one.world, score, share(solved(one)), bool(yes), _idea(one))
        for one, score, yes in zip(own, scores, sure, strict=True)
    ]


def _above_zero(score: Estimate) -> float:
    """How likely the score would be as high if the truth were 0."""
    if not math.isfinite(score.low):
        return 1.0
    if score.standard_error == 0.0:
        return 0.0 if score.value > 0.0 else 1.0
    return normal_below(-score.value / score.standard_error)


def _idea(series: Series) -> float:
    told = series.measures.get("idea", np.empty(0))
    known = told[np.isfinite(told)]
    return float(known.mean()) if len(known) else math.nan


def joined(series: Sequence[Series]) -> list[Series]:
    """The series of each subject in each world as one, at whatever levels of factors; with measures that all have."""
    parts: dict[tuple[str, str], list[Series]] = {}
    for one in series:
        parts.setdefault((one.subject, one.world), []).append(one)
    return [one[0] if len(one) == 1 else _together(one) for one in parts.values()]


def _together(parts: Sequence[Series]) -> Series:
    first = parts[0]
    return Series(
        first.subject,
        first.world,
        {},
        np.concatenate([one.score for one in parts]),
        np.concatenate([one.complexity for one in parts]),
        np.concatenate([one.repetition for one in parts]),
        np.concatenate([one.environment for one in parts]),
        {
            name: np.concatenate([one.measures[name] for one in parts])
            for name in first.measures
            if all(name in one.measures for one in parts)
        },
    )


def telling(series: Sequence[Series]) -> list[Series]:
    """Those of subjects that are above guessing in a world and do not solve everything there."""
    above = {(one.subject, one.world) for one in standings(series) if one.above}
    return [
        one
        for one in joined(series)
        if (one.subject, one.world) in above and 0.0 < solved(one).mean() < 1.0
    ]


# Along complexity -------------------------------------------------------------------


def solved_by_level(series: Series, bins: int = BINS) -> list[tuple[float, Estimate]]:
    """The share solved along complexity, in up to so many bins of about equally many sittings."""
    known = np.isfinite(series.complexity)
    x, success = series.complexity[known], solved(series)[known]
    if not len(x):
        return []
    edges = np.unique(np.quantile(x, np.linspace(0, 1, bins + 1)))
    place = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, max(len(edges) - 2, 0))
    return [
        (float(x[place == one].mean()), share(success[place == one])) for one in np.unique(place)
    ]


# What it depends on -----------------------------------------------------------------


@dataclass(frozen=True)
class Dependence:
    """What solving depends on in one world, or in all together."""

    world: str
    measures: tuple[str, ...]
    """Those that vary there and do not follow from the ones before, or nearly so."""
    left_out: tuple[str, ...]
    """Those that do."""
    fitted: Logistic
    corrected: tuple[float, ...]
    """The probability of each effect where there is none, corrected for all of the world (Holm)."""


def dependences(series: Sequence[Series]) -> list[Dependence]:
    """The effect of each complexity on the log-odds of solving, for a standard deviation of it within its world.

    Over subjects that are above guessing in a world and do not solve everything there, each with a constant for each
    world; an environment that several of them met is one draw. First all worlds together, where there are several.
    """
    own = telling(series)
    names = [
        name
        for name in (own[0].measures if own else ())
        if is_complexity(name) and all(_varies(one, name) is not None for one in own)
    ]
    worlds = list(dict.fromkeys(one.world for one in own))
    found = [_dependence(ALL, own, names)] if len(worlds) > 1 else []
    found += [
        _dependence(world, [one for one in own if one.world == world], names) for world in worlds
    ]
    return [one for one in found if one is not None]


def _varies(series: Series, name: str) -> bool | None:
    """Whether a measure takes several values; None where it is not told throughout."""
    told = series.measures.get(name)
    if told is None or not len(told) or not np.isfinite(told).all():
        return None
    return bool(np.ptp(told) > 0.0)


def _dependence(world: str, series: Sequence[Series], names: Sequence[str]) -> Dependence | None:
    """By the measures that vary, each left out that (nearly) follows from those before it."""
    varying = [name for name in names if any(_varies(one, name) for one in series)]
    success = np.concatenate([solved(one) for one in series])
    groups = np.repeat(np.arange(len(series)), [len(one.score) for one in series])
    environments = np.concatenate([one.environment for one in series])
    taken: list[str] = []
    fitted: Logistic | None = None
    for name in varying:
        trial = [*taken, name]
        table = np.vstack([standardized([one.measures[each] for each in trial]) for one in series])
        if _follows(table):
            continue
        found = logistic_regression(table, success, groups, environments)
        if found is not None:
            taken, fitted = trial, found
    if fitted is None:
        return None
    p = [2.0 * normal_below(-abs(_z(one))) for one in fitted.effects]
    return Dependence(
        world,
        tuple(taken),
        tuple(name for name in names if name not in taken),
        fitted,
        tuple(corrected(p).tolist()),
    )


def _follows(table: Floats) -> bool:
    """Whether the last column of a table, shape (n, k), is nearly a combination of those before it."""
    before, last = table[:, :-1], table[:, -1]
    total = float(last @ last)
    if not before.shape[1] or total == 0.0:
        return False
    rest = last - before @ np.linalg.lstsq(before, last, rcond=None)[0]
    return float(rest @ rest) < total / MOST_INFLATED


def _z(effect: Estimate) -> float:
    if not (math.isfinite(effect.standard_error) and effect.standard_error > 0.0):
        return 0.0
    return effect.value / effect.standard_error


# Who agrees ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreement:
    """How far two subjects agree on which environments of a world are hard."""

    one: str
    other: str
    world: str
    correlation: Estimate
    """Of ranks, over environments that both met; n of them."""
    corrected: float
    """The probability of it where there is none, corrected for all pairs (Holm)."""


def agreements(series: Sequence[Series]) -> list[Agreement]:
    """All pairs of subjects that are above guessing in a world and do not solve everything there.

    The score of a subject in an environment is the mean of its sittings there.
    """
    met: dict[str, list[tuple[str, Mapping[int, float]]]] = {}
    for one in telling(series):
        met.setdefault(one.world, []).append((one.subject, _by_environment(one)))
    found = list(_pairs(met))
    p = corrected([probability(one) for *_, one in found]).tolist() if found else []
    return [
        Agreement(one, other, world, correlation, value)
        for (one, other, world, correlation), value in zip(found, p, strict=True)
    ]


def _pairs(
    met: Mapping[str, Sequence[tuple[str, Mapping[int, float]]]],
) -> Iterator[tuple[str, str, str, Estimate]]:
    for world, subjects in met.items():
        for (one, first), (other, second) in combinations(subjects, 2):
            both = [each for each in first if each in second]
            correlation = (
                spearman([first[each] for each in both], [second[each] for each in both])
                if both
                else None
            )
            if correlation is not None and math.isfinite(probability(correlation)):
                yield one, other, world, correlation


def _by_environment(series: Series) -> dict[int, float]:
    scores: dict[int, list[float]] = {}
    for environment, score in zip(series.environment.tolist(), series.score.tolist(), strict=True):
        scores.setdefault(environment, []).append(score)
    return {each: math.fsum(some) / len(some) for each, some in scores.items()}
