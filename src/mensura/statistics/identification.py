"""Who was taken for the person: rates with intervals over judges, tests by name, and how many games would settle them.

Judges differ, and so may the people who are witnesses: games of one judge are not independent. Intervals take judges,
and witnesses where they repeat, as what was replicated (two-way clusters: Cameron, Gelbach and Miller, 2011), with
Wilson's interval for as many games as the error is worth. A right identification counts 1, one that cannot be told 1/2.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mensura.statistics.clusters import Error
from mensura.statistics.improvement import share_interval
from mensura.statistics.interval import Estimate

Floats = npt.NDArray[np.float64]

TURING = 0.70
"""Turing (1950): not more than 70 percent chance of making the right identification after five minutes."""
AROUND_CHANCE = 0.10
"""Indistinguishable: within so much of one half."""
AS_OFTEN = 0.10
"""As often as with people: not more than so much less."""
POWER = 0.80
FEWEST_JUDGES = 2
MOST_GAMES = 100_000
CHUNK = 2_000
"""So many numbers of games are tried at a time."""


@dataclass(frozen=True)
class Identified:
    """How often judges identified rightly."""

    estimate: Estimate
    """The share with its 95% interval."""
    upper: float
    """The upper one-sided 95% bound: Wilson's or Student's, whichever is higher, so that it errs in 5% at most."""
    within: tuple[float, float]
    """The 90% interval."""
    games: int
    judges: int
    icc: float
    """How alike games of one judge are, from 0 to 1 (one-way analysis of variance); nan where nobody played twice."""
    over_judges: bool
    """Whether the interval is over judges; with one judge it is over games, and holds for that judge alone."""


def identified(
    right: Sequence[float], judges: Sequence[Hashable], witnesses: Sequence[Hashable] = ()
) -> Identified:
    """The share of right identifications, shape (games,), by judge and, where they are named, by human witness."""
    values = np.asarray(right, np.float64)
    n = len(values)
    if not n:
        raise ValueError("no games")
    judge = _codes(judges)
    count = int(judge.max()) + 1
    over_judges = count >= FEWEST_JUDGES
    error = _error(values, judge if over_judges else np.arange(n))
    if witnesses and over_judges:
        witness = _codes(witnesses)
        if witness.max() + 1 < n and witness.max() >= 1:
            error = _two_way(values, judge, witness)
    value = float(values.mean())

    def at(level: float) -> Estimate:
        return share_interval(value, error, n, level)

    return Identified(
        at(0.95),
        _upper(at(0.90).high, error.around(value, n, 0.90).high),
        (at(0.90).low, at(0.90).high),
        n,
        count,
        intraclass(values, judge),
        over_judges,
    )


def _upper(wilson: float, student: float) -> float:
    """The higher of two bounds of a share; one that is not known is no bound."""
    return min(1.0, max(wilson, student)) if math.isfinite(student) else wilson


def _codes(labels: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(one, len(known)) for one in labels], np.int64)


def _variance(values: Floats, codes: npt.NDArray[np.int64]) -> tuple[float, int]:
    """The variance of the mean by the sums of clusters, and how many clusters there are."""
    count = int(codes.max()) + 1
    sums = np.bincount(codes, values - values.mean(), count)
    if count < 2:
        return math.nan, count
    return float(count / (count - 1) * (sums**2).sum() / len(values) ** 2), count


def _error(values: Floats, codes: npt.NDArray[np.int64]) -> Error:
    variance, count = _variance(values, codes)
    return Error(variance, count - 1, "environment", count)


def _two_way(values: Floats, judge: npt.NDArray[np.int64], witness: npt.NDArray[np.int64]) -> Error:
    """Judges and witnesses crossed: what both add, minus what single games have; never less than the larger."""
    by_judge, judges = _variance(values, judge)
    by_witness, witnesses = _variance(values, witness)
    alone, _ = _variance(values, np.arange(len(values)))
    variance = max(by_judge, by_witness, by_judge + by_witness - alone)
    fewer = min(judges, witnesses)
    return Error(variance, fewer - 1, "environment", fewer)


def intraclass(values: Floats, codes: npt.NDArray[np.int64]) -> float:
    """The intraclass correlation of a one-way analysis of variance, at least 0; nan where no cluster has two values."""
    n, count = len(values), int(codes.max()) + 1
    sizes = np.bincount(codes, minlength=count).astype(np.float64)
    if count < 2 or n == count:
        return math.nan
    means = np.bincount(codes, values, count) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum() / (count - 1))
    within = float(((values - means[codes]) ** 2).sum() / (n - count))
    size = (n - float((sizes**2).sum()) / n) / (count - 1)
    total = between + (size - 1) * within
    return max(0.0, (between - within) / total) if total > 0 else 0.0


# Tests by name --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """A test by its name."""

    name: str
    met: bool
    sentence: str


def turing_1950(found: Identified) -> Verdict:
    """Met if the upper one-sided 95% bound of right identifications is below 0.70."""
    met = found.upper < TURING
    return Verdict(
        "turing-1950",
        met,
        f"{'Meets' if met else 'Does not meet'} Turing's 1950 criterion: the upper one-sided 95% bound of right "
        f"identifications is {found.upper:.2f}, and it has to be below {TURING:.2f}.",
    )


def indistinguishable(found: Identified) -> Verdict:
    """Met if the 90% interval of right identifications lies within 0.10 of one half."""
    low, high = found.within
    met = low >= 0.5 - AROUND_CHANCE and high <= 0.5 + AROUND_CHANCE
    return Verdict(
        "indistinguishable",
        met,
        f"{'Is' if met else 'Is not shown to be'} indistinguishable from a person: the 90% interval of right "
        f"identifications is [{low:.2f}, {high:.2f}], and it has to lie within [{0.5 - AROUND_CHANCE:.2f}, "
        f"{0.5 + AROUND_CHANCE:.2f}].",
    )


def as_often(machine: Identified, people: Identified) -> Verdict:
    """Turing's own question: do judges err as often with a machine in the game as with a man and a woman?"""
    errors = [1.0 - one.estimate.value for one in (machine, people)]
    spread = math.hypot(*(_one_sided(one) for one in (machine, people)))
    low = errors[0] - errors[1] - spread
    met = low >= -AS_OFTEN
    return Verdict(
        "as-often",
        met,
        f"Judges {'err' if met else 'are not shown to err'} as often as with people: their error rate is "
        f"{errors[0] - errors[1]:+.2f} higher, with a lower one-sided 95% bound of {low:+.2f}, which has to be at "
        f"least -{AS_OFTEN:.2f}.",
    )


def _one_sided(one: Identified) -> float:
    """From the estimate to the one-sided 95% bound, half of the 90% interval."""
    return (one.within[1] - one.within[0]) / 2


# How many games -------------------------------------------------------------------------------------


def games_needed(
    p: float, limit: float = TURING, power: float = POWER, level: float = 0.95
) -> int | None:
    """Independent games until `turing-1950` is met with this power if p is the truth, by the exact binomial test.

    None where no number of games is enough: p is not below the limit.
    """
    if not 0.0 <= p < limit:
        return None
    from scipy.stats import binom

    for first in range(1, MOST_GAMES, CHUNK):
        n = np.arange(first, first + CHUNK)
        most = binom.ppf(1 - level, n, limit)
        most = np.where(binom.cdf(most, n, limit) > 1 - level, most - 1, most)
        enough = np.flatnonzero((most >= 0) & (binom.cdf(most, n, p) >= power))
        if enough.size:
            return int(n[enough[0]])
    return None


def design_effect(games_of_a_judge: float, icc: float) -> float:
    """How many games by judges are worth one independent game: 1 + (m - 1) ICC."""
    return 1.0 + max(0.0, games_of_a_judge - 1.0) * (0.0 if math.isnan(icc) else icc)


def more_games(found: Identified) -> int | None:
    """How many more games would settle `turing-1950` with a power of 80% if what was found is the truth."""
    needed = games_needed(found.estimate.value)
    if needed is None:
        return None
    effect = design_effect(found.games / found.judges, found.icc)
    return max(0, math.ceil(needed * effect) - found.games)


# Sensitivity of judges ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sensitivity:
    """Of one judge in two-party games: how well it tells machines from people, and to which side it leans."""

    d_prime: float
    bias: float
    """Above 0: says "machine" too seldom."""


def sensitivity(hits: int, machines: int, false_alarms: int, people: int) -> Sensitivity:
    """D' and the bias c, hits being machines called machines; shrunk by half a game each (log-linear correction)."""
    from statistics import NormalDist

    z = NormalDist().inv_cdf
    hit = z((hits + 0.5) / (machines + 1))
    false = z((false_alarms + 0.5) / (people + 1))
    return Sensitivity(hit - false, -(hit + false) / 2)


def sensitivities(counts: Sequence[Sequence[int]]) -> list[Sensitivity]:
    """D' and bias of several judges, shrunk: each is drawn towards all, the more the fewer games it rests on.

    ``counts`` has hits, machines, false alarms and people of each judge, shape (judges, 4). What chance alone would
    scatter is the variance of the normal scores (Gourevitch and Galanter, 1967); what is left is between judges.
    """
    alone = [sensitivity(*one) for one in counts]
    if len(alone) < FEWEST_JUDGES:
        return alone
    errors = np.array([_score_variances(*one) for one in counts])
    shrunk = []
    for at, name in enumerate(("d_prime", "bias")):
        values = np.array([getattr(one, name) for one in alone])
        error = errors.sum(1) if at == 0 else errors.sum(1) / 4.0
        weights = 1.0 / error
        middle = float((weights * values).sum() / weights.sum())
        between = max(0.0, float(values.var(ddof=1)) - float(error.mean()))
        share = between / (between + error) if between else np.zeros(len(values))
        shrunk.append(middle + share * (values - middle))
    return [Sensitivity(float(d), float(c)) for d, c in zip(*shrunk, strict=True)]


def _score_variances(
    hits: int, machines: int, false_alarms: int, people: int
) -> tuple[float, float]:
    """The variances of the normal scores of hits and of false alarms."""
    from statistics import NormalDist

    normal, found = NormalDist(), []
    for yes, count in ((hits, machines), (false_alarms, people)):
        share = (yes + 0.5) / (count + 1)
        density = normal.pdf(normal.inv_cdf(share))
        found.append(share * (1.0 - share) / ((count + 1) * density**2))
    return found[0], found[1]


# Juries ---------------------------------------------------------------------------------------------


def majority_of_independent(shares: Sequence[float]) -> float:
    """The probability that a majority of independent jurors is right, each with its own; a tie counts one half."""
    chances = np.array([1.0])
    for share in shares:
        chances = np.convolve(chances, [1.0 - share, share])
    n = len(shares)
    right = np.arange(n + 1)
    return float(chances[2 * right > n].sum() + 0.5 * chances[2 * right == n].sum())
