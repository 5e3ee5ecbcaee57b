"""Item response theory for rewards: who gets how much at which difficulty, and what to ask next.

Environments are items. Nobody meets the same one twice, so an item has no parameters of its own: its difficulty is that
of the band of complexity it lies in, and what is left over is part of the scatter. Where a world has environments of
several kinds, as families of items, every kind has bands of its own: the same complexity may be harder in one of them.
A person, which is any subject, has three parameters:

- ability: where it stands at the mean difficulty, on the scale of the inverse hyperbolic tangent of reward;
- sensitivity: how much of that is lost with difficulty (the slope of its person characteristic curve, Lumsden, 1977);
- scatter: how far single rewards lie from the curve.

The expected reward is tanh(ability * exp(-sensitivity * difficulty)). Ability 0 is acting at random, which is worth 0
at every difficulty of a balanced world, as guessing has its own share in a multiple-choice test; who is worse than
random has an ability below 0. Rewards are taken as normal about the curve, as in the continuous response model of
Mellenbergh (1994), and not as beta variables (Noel and Dauvier, 2007): the mean is what is wanted here, and a normal
quasi-likelihood has it right whatever the shape. On Lambda a beta density misses the mean reward of learners by 0.01 to
0.02, cannot take the rewards of exactly 1 that an oracle gets two times of three, and fits seven of eight reference
subjects no better than a normal one.

No real subject lies on such a curve exactly. Its mean reward in a band may deviate from the curve, about as far as
those of the references do; so the more items of a band were asked, the less the curve counts there, and with many items
everywhere the expected reward is what a battery in strata would give, whether or not the curve is right.

Ability is estimated as the mean of its posterior over a grid (EAP; Bock and Mislevy, 1982), and the next item is the
one that leaves the least variance of the expected reward behind (Owen, 1975; van der Linden, 1998).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.statistics.interval import ROUNDING, Estimate, check_level, finite
from mensura.statistics.quantiles import fisher_f_above, normal

Floats = npt.NDArray[np.float64]

BANDS = 10
"""Into so many bands of complexity a world is cut, where it has as many different ones."""

ABILITIES = 3.0
"""Abilities on the grid go so far on either side: tanh(3) is 0.995."""

LEAST_DEVIATION = 0.02
"""No curve is believed more closely than this."""

REPLICATES = 24
"""So often a calibration is made again from environments drawn anew among its own, to tell its error."""

_REPLICATION = 1979
"""The seed of these draws, so that a calibration is a function of its records."""

_ROUNDS = 25
_FURTHER_ROUNDS = 5
"""From the difficulties of all records those of a replicate are not far."""

_FIT_ABILITIES = np.linspace(-ABILITIES, ABILITIES, 121)
_FIT_SENSITIVITIES = np.linspace(-1.0, 3.0, 81)
_FIT_DIFFICULTIES = np.linspace(-4.0, 4.0, 161)
_LEAST_SENSITIVE = np.abs(_FIT_SENSITIVITIES)[:, None]

_UNLIKELY = 1e-10
"""Persons who are less likely than the likeliest by this do not count when the error of the scale is told."""


@dataclass(frozen=True, slots=True)
class Band:
    """Environments of neighboring complexities, equally difficult as far as complexity tells."""

    low: float
    high: float
    """The lowest and the highest complexity of those that were seen."""
    weight: float
    """The share of environments that lie in it, as the world draws them."""
    difficulty: float
    """Over all bands its mean is 0 and its standard deviation 1, by weight."""
    scatter: float
    """How far rewards scatter in it, as a multiple of a person's own scatter."""
    kind: str = ""
    """Of which kind its environments are; nothing where there is one kind alone."""


@dataclass(frozen=True, slots=True)
class Person:
    """A subject as the model sees it."""

    ability: float
    sensitivity: float
    scatter: float


@dataclass(frozen=True, slots=True)
class Replicate:
    """What a calibration from other environments of the same world might have learned of the same bands."""

    weight: tuple[float, ...]
    difficulty: tuple[float, ...]


@dataclass(frozen=True)
class Scale:
    """What a calibration learned: the bands of a world, and the persons that were met there."""

    bands: tuple[Band, ...]
    references: Mapping[str, Person]
    deviation: float = 0.02
    """How far the mean rewards of the references in the bands lie from their curves: a standard deviation."""
    replicates: tuple[Replicate, ...] = ()
    """How the scale scatters by its own error; none where it is taken as known."""

    def __hash__(self) -> int:
        return hash((self.bands, tuple(self.references.items()), self.deviation, self.replicates))

    @cached_property
    def difficulty(self) -> Floats:
        """Of each band."""
        return np.array([band.difficulty for band in self.bands])

    @cached_property
    def weight(self) -> Floats:
        """Of each band."""
        return np.array([band.weight for band in self.bands])

    @cached_property
    def sensitivities(self) -> tuple[float, float]:
        """The range of sensitivity that is believed beforehand: that of the references who have one, and some more."""
        seen = [one.sensitivity for one in self.references.values() if abs(one.ability) > 0.1] or [
            0.0,
            1.0,
        ]
        return min(0.0, *seen) - 0.25, max(0.0, *seen) + 0.5

    @cached_property
    def scatters(self) -> tuple[float, float]:
        """The range of scatter that is believed beforehand, likewise."""
        seen = [one.scatter for one in self.references.values()] or [0.05, 0.5]
        return max(min(seen) / 2, 0.01), min(2 * max(seen), 1.0)

    def expected(self, person: Person) -> Floats:
        """The expected reward of a person in each band."""
        return curve(person.ability, person.sensitivity, self.difficulty)

    def to_json(self) -> dict[str, Any]:
        """The scale as plain data."""
        return {
            "bands": [
                {name: value for name, value in asdict(band).items() if name != "kind" or value}
                for band in self.bands
            ],
            "references": {name: asdict(one) for name, one in self.references.items()},
            "deviation": self.deviation,
            "replicates": [asdict(one) for one in self.replicates],
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Scale:
        """The scale that :meth:`to_json` wrote."""
        return Scale(
            tuple(Band(**band) for band in data["bands"]),
            {name: Person(**one) for name, one in data["references"].items()},
            data["deviation"],
            tuple(
                Replicate(tuple(one["weight"]), tuple(one["difficulty"]))
                for one in data["replicates"]
            ),
        )


def curve(ability: ArrayLike, sensitivity: ArrayLike, difficulty: ArrayLike) -> Floats:
    """The expected reward: the person characteristic curve of this model."""
    left = np.exp(-np.asarray(sensitivity) * np.asarray(difficulty))
    reward: Floats = np.tanh(np.asarray(ability) * left)
    return reward


# Calibration ----------------------------------------------------------------------------------


def cut(complexity: ArrayLike, bands: int = BANDS) -> list[npt.NDArray[np.bool_]]:
    """Which of n complexities, shape (n,), lie in which band: bands of about equal numbers, equal ones together."""
    values = finite(complexity)
    ranks = np.searchsorted(np.sort(values), values, side="left")
    places = ranks * bands // values.size
    return [places == place for place in np.unique(places)]


def calibrate(
    complexity: ArrayLike,
    rewards: Mapping[str, ArrayLike],
    bands: int = BANDS,
    kinds: Sequence[str] = (),
) -> Scale:
    """The scale of a world from records: the complexity of n environments, and the rewards of each reference there.

    Difficulties of bands and curves of references are fitted in turn, by least squares weighted with the scatter.
    Difficulty rises with complexity or stays: what seems to fall is taken as chance. The error of all this is told by
    replicates: the same from n environments drawn among these with replacement (the bootstrap; Efron, 1979).
    With the ``kinds`` of the environments, each kind is cut into its own bands, and only within it difficulty has to
    rise.
    """
    values = finite(complexity)
    table = np.array([finite(one) for one in rewards.values()])
    if table.ndim != 2 or table.shape[1] != values.size:
        raise ValueError("every reference has one reward in each environment")
    members, names = _cut_by_kind(values, kinds, bands)
    if len(members) < 2:
        raise ValueError(
            "all environments have the same complexity: there is no difficulty to learn"
        )
    groups = [np.array([one == name for one in names]) for name in dict.fromkeys(names)]
    count = np.array([own.sum() for own in members])
    weight = count / count.sum()
    means = np.array([table[:, own].mean(axis=1) for own in members]).T
    spread = np.array([table[:, own].std(axis=1) for own in members]).T
    own_scatter = np.maximum(np.sqrt((spread**2 * weight).sum(axis=1)), 1e-3)
    relative = np.sqrt(((spread / own_scatter[:, None]) ** 2).mean(axis=0))
    relative = np.maximum(relative / math.sqrt(float((relative**2 * weight).sum())), 0.1)

    precision = count / (own_scatter[:, None] * relative) ** 2
    places = np.zeros(len(members))
    for own in groups:
        places[own] = np.arange(own.sum())
    start = _standard(places, weight)
    difficulty = _difficulties(means, precision, weight, start, _ROUNDS, groups)
    curves = _fit_all(means, difficulty, precision)
    deviation = _deviation(means, curve(curves[:, :1], curves[:, 1:], difficulty), precision)
    return Scale(
        tuple(
            Band(
                float(values[own].min()),
                float(values[own].max()),
                float(weight[b]),
                round(float(difficulty[b]), 6),
                round(float(relative[b]), 6),
                names[b],
            )
            for b, own in enumerate(members)
        ),
        {
            name: Person(
                round(float(ability), 6), round(float(sensitivity), 6), round(float(scatter), 6)
            )
            for name, (ability, sensitivity), scatter in zip(
                rewards, curves, own_scatter, strict=True
            )
        },
        round(deviation, 6),
        _replicates(table, members, own_scatter[:, None] * relative, difficulty, deviation, groups),
    )


def _cut_by_kind(
    values: Floats, kinds: Sequence[str], bands: int
) -> tuple[list[npt.NDArray[np.bool_]], list[str]]:
    """Which environments lie in which band, and the kind of each band."""
    every = sorted(set(kinds))
    if len(every) < 2:
        members = cut(values, bands)
        return members, [""] * len(members)
    each = max(2, bands // len(every) + 1)
    found, names = [], []
    for name in every:
        (own,) = np.nonzero(np.array([one == name for one in kinds]))
        for inside in cut(values[own], each):
            band = np.zeros(values.size, np.bool_)
            band[own[inside]] = True
            found.append(band)
            names.append(name)
    return found, names


def _difficulties(
    means: Floats,
    precision: Floats,
    weight: Floats,
    start: Floats,
    rounds: int,
    groups: Sequence[npt.NDArray[np.bool_]],
) -> Floats:
    """Of each band, from the mean rewards of references there; ``groups`` are the bands of each kind."""
    difficulty = start
    for _ in range(rounds):
        curves = _fit_all(means, difficulty, precision)
        at = curve(curves[:, :1], curves[:, 1:], _FIT_DIFFICULTIES)
        gaps = (means[:, :, None] - at[:, None, :]) ** 2 * precision[:, :, None]
        best = _FIT_DIFFICULTIES[gaps.sum(axis=0).argmin(axis=1)]
        for own in groups:
            best[own] = _rising(best[own], weight[own])
        difficulty = _standard(best, weight)
    return difficulty


def _replicates(
    table: Floats,
    members: list[npt.NDArray[np.bool_]],
    scatter: Floats,
    difficulty: Floats,
    deviation: float,
    groups: Sequence[npt.NDArray[np.bool_]],
) -> tuple[Replicate, ...]:
    """Weights and difficulties from environments drawn with replacement, in the same bands.

    Other references would deviate otherwise from their curves, so that deviations are drawn too.
    """
    rng = np.random.default_rng(_REPLICATION)
    n = table.shape[1]
    found = []
    for _ in range(REPLICATES):
        often = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        count = np.array([often[own].sum() for own in members])
        if not count.all():
            continue
        means = np.array([table[:, own] @ often[own] for own in members]).T / count
        means += rng.normal(0.0, deviation, means.shape)
        weight = count / n
        start = _standard(difficulty, weight)
        own = _difficulties(means, count / scatter**2, weight, start, _FURTHER_ROUNDS, groups)
        found.append(
            Replicate(
                tuple(round(one, 6) for one in weight.tolist()),
                tuple(round(one, 4) for one in own.tolist()),
            )
        )
    return tuple(found)


def _deviation(means: Floats, fitted: Floats, precision: Floats) -> float:
    """What the gaps between means and curves leave over beyond the error of the means (DerSimonian and Laird, 1986)."""
    references, bands = means.shape
    df = max(references * bands - 2 * references - bands, 1)
    excess = float((precision * (means - fitted) ** 2).sum()) - df
    room = float(precision.sum()) - float((precision**2).sum()) / float(precision.sum())
    return math.sqrt(max(excess / room, LEAST_DEVIATION**2))


def _rising(values: Floats, weight: Floats) -> Floats:
    """The closest values that never fall: neighbors that do are averaged (Ayer et al., 1955)."""
    blocks: list[list[float]] = []
    for value, own in zip(values.tolist(), weight.tolist(), strict=True):
        blocks.append([value, own, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            last, before = blocks.pop(), blocks.pop()
            both = last[1] + before[1]
            mean = (last[0] * last[1] + before[0] * before[1]) / both
            blocks.append([mean, both, last[2] + before[2]])
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])


def _standard(difficulty: Floats, weight: Floats) -> Floats:
    centered = difficulty - (difficulty * weight).sum()
    size = math.sqrt(float((centered**2 * weight).sum()))
    standard: Floats = centered / size if size > 0 else np.linspace(-1.0, 1.0, len(difficulty))
    return standard


def _fit_all(means: Floats, difficulty: Floats, precision: Floats) -> Floats:
    """The abilities and sensitivities that come closest to the mean rewards of references in the bands.

    Shape (references, 2); of equals the least sensitive: who acts at random has no sensitivity, any would do, and 0
    says so.
    """
    at = curve(_FIT_ABILITIES[:, None, None], _FIT_SENSITIVITIES[:, None], difficulty)
    gap = at**2 @ precision.T - 2 * at @ (precision * means).T + 1e-6 * _LEAST_SENSITIVE
    best = gap.reshape(-1, len(means)).argmin(axis=0)
    ability, sensitivity = np.divmod(best, len(_FIT_SENSITIVITIES))
    return np.stack([_FIT_ABILITIES[ability], _FIT_SENSITIVITIES[sensitivity]], axis=1)


# One person ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a person's mean rewards in the bands lie on a curve of the model."""

    f: float
    """The mean square of the gaps over that of the scatter within bands; nan where too few bands were met."""
    df: int
    error_df: int
    p: float
    """How likely a misfit as large is for a person of the model; nan where too few bands were met."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a person after so many items."""

    ability: Estimate
    expected: Estimate
    """The reward to be expected in an environment as the world draws them: what a battery would estimate."""
    sensitivity: Estimate
    scatter: Estimate
    fit: Fit
    shared: float
    """The part of the error of the expected reward that all tests by this scale share: that of its calibration, and of
    the curve. It is not part of `expected`, and more tests do not lessen it."""


class Examination:
    """An adaptive test under way: the posterior of one person over a grid."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        self.asked: list[tuple[int, float]] = []
        """The band and the reward of each item so far."""
        # Beforehand every reward at the mean difficulty is as likely as any other.
        most = math.tanh(ABILITIES)
        abilities = np.arctanh(np.linspace(-most, most, 121))
        sensitivities = np.linspace(*scale.sensitivities, 9)
        scatters = np.geomspace(*scale.scatters, 9)
        grid = np.meshgrid(abilities, sensitivities, scatters, indexing="ij")
        self._ability, self._sensitivity, self._scatter = (axis.ravel() for axis in grid)
        self._at = curve(self._ability[:, None], self._sensitivity[:, None], scale.difficulty)
        self._relative = np.array([band.scatter for band in scale.bands])
        self._noise = (self._scatter[:, None] * self._relative) ** 2
        bands = len(scale.bands)
        self._count, self._own, self._squares = (np.zeros(bands) for _ in range(3))
        self._log = np.zeros(self._at.shape)
        self._mean = self._at.copy()
        self._left = np.full(self._at.shape, scale.deviation**2)
        self._settle()

    def take(self, band: int, reward: float) -> None:
        """Learn from the reward in an environment of a band."""
        self.asked.append((band, reward))
        before = self._own[band]
        self._count[band] += 1
        self._own[band] += (reward - before) / self._count[band]
        n, own = self._count[band], self._own[band]
        self._squares[band] += (reward - before) * (reward - own)
        noise, deviation = self._noise[:, band], self.scale.deviation**2
        gap = own - self._at[:, band]
        spread = deviation + noise / n
        # Of the mean in the band, and of the rewards about their mean.
        self._log[:, band] = -0.5 * (gap**2 / spread + np.log(spread)) - 0.5 * (
            self._squares[band] / noise + (n - 1) * np.log(noise)
        )
        # The person's deviation from its curve in this band, given the curve.
        self._mean[:, band] = self._at[:, band] + gap * deviation / spread
        self._left[:, band] = deviation * (noise / n) / spread
        self._settle()

    def _settle(self) -> None:
        log = self._log.sum(axis=1)
        weights = np.exp(log - log.max())
        self._posterior = weights / weights.sum()
        self._target = self._mean @ self.scale.weight
        self._target_left = self._left @ self.scale.weight**2

    def gain(self) -> Floats:
        """By how much an item of each band is expected to lessen the variance of the expected reward."""
        p = self._posterior
        target = self._target - p @ self._target
        mean = self._mean - p @ self._mean
        shared = (p * target) @ mean + (p @ self._left) * self.scale.weight
        gain: Floats = shared**2 / (p @ mean**2 + p @ (self._left + self._noise))
        return gain

    def next(self) -> int:
        """The band whose items tell most now; the easier of equals."""
        return int(self.gain().argmax())

    def over(self, *, error: float, most: int, least: int) -> bool:
        """Whether enough is known: the error is as small as wanted after the least items, or the most were asked."""
        asked = len(self.asked)
        return asked >= most or (asked >= least and self.error <= error)

    @property
    def expected(self) -> Estimate:
        """The expected reward, as far as it is known now."""
        return self._expected(0.95)

    @property
    def error(self) -> float:
        """The standard error of the expected reward."""
        return self.expected.standard_error

    def standing(self, level: float = 0.95) -> Standing:
        """What is known now."""
        check_level(level)
        return Standing(
            ability=self._estimate(self._ability, level),
            expected=self._expected(level),
            sensitivity=self._estimate(self._sensitivity, level),
            scatter=self._estimate(self._scatter, level),
            fit=self._fit(),
            shared=self.shared_error(),
        )

    def shared_error(self) -> float:
        """The standard error of the expected reward that all tests by this scale have in common.

        How it scatters over calibrations from other environments, the answers being the same; and how far each test
        draws it, the same way, towards the curve and towards what was believed beforehand. Of a normal variable whose
        variance is t beforehand and v now, the latter is v^2 / t on average over persons.
        """
        calibration = 0.0
        if len(self.scale.replicates) > 1:
            calibration = float(np.var(self._expected_by_replicates(), ddof=1))
        deviation = self.scale.deviation**2
        # 1 where nothing was asked, 0 where the curve no longer counts.
        drawn = self._left / deviation
        curves = float(self._posterior @ (drawn**2 @ self.scale.weight**2)) * deviation
        believed = 0.0
        target = self._target - self._posterior @ self._target
        for own in (np.tanh(self._ability), self._sensitivity):
            beforehand = float(own.var())
            if beforehand > 0.0:
                believed += float(self._posterior @ (own * target)) ** 2 / beforehand
        return math.sqrt(calibration + curves + believed)

    def _expected_by_replicates(self) -> list[float]:
        """The expected reward, had the calibration learned other weights and difficulties."""
        likely = self._posterior > _UNLIKELY * self._posterior.max()
        met = self._count > 0
        n, noise = self._count[met], self._noise[np.ix_(likely, met)]
        deviation = self.scale.deviation**2
        spread = deviation + noise / n
        scatter = np.log(spread) + self._squares[met] / noise + (n - 1) * np.log(noise)
        ability, sensitivity = self._ability[likely, None], self._sensitivity[likely, None]
        values = []
        for one in self.scale.replicates:
            at = curve(ability, sensitivity, one.difficulty)
            gap = self._own[met] - at[:, met]
            log = -0.5 * (gap**2 / spread + scatter).sum(axis=1)
            at[:, met] += gap * deviation / spread
            weights = np.exp(log - log.max())
            values.append(float(weights @ (at @ np.array(one.weight)) / weights.sum()))
        return values

    def _moments(self, values: Floats) -> tuple[float, float]:
        mean = float(self._posterior @ values)
        return mean, math.sqrt(max(float(self._posterior @ (values - mean) ** 2), 0.0))

    def _estimate(self, values: Floats, level: float) -> Estimate:
        mean, error = self._moments(values)
        order = np.argsort(values, kind="stable")
        below = np.cumsum(self._posterior[order])
        low, high = (
            float(values[order[min(int(np.searchsorted(below, share - ROUNDING)), len(order) - 1)]])
            for share in ((1 - level) / 2, (1 + level) / 2)
        )
        return Estimate(mean, min(low, mean), max(high, mean), level, len(self.asked), error)

    def _expected(self, level: float) -> Estimate:
        """Normal, since what is left of deviations in many bands adds up."""
        mean, error = self._moments(self._target)
        error = math.sqrt(error**2 + float(self._posterior @ self._target_left))
        reach = normal((1 + level) / 2) * error
        return Estimate(mean, mean - reach, mean + reach, level, len(self.asked), error)

    def _fit(self) -> Fit:
        """The mean rewards in the bands against the best curve, two parameters of which were fitted.

        Deviations as large as those of the references are no misfit. The scatter is estimated from the differences
        within bands, so that a wrong curve does not excuse itself.
        """
        met = self._count > 0
        df = int(met.sum()) - 2
        within_df = len(self.asked) - int(met.sum())
        if df < 1 or within_df < 1:
            return Fit(math.nan, max(df, 0), max(within_df, 0), math.nan)
        n, relative = self._count[met], self._relative[met] ** 2
        within = float((self._squares[met] / relative).sum())
        believed = self._moments(self._scatter)[0] ** 2  # counts as one reward
        noise = (within + believed) / (within_df + 1) * relative
        gaps = self._own[met] - self._at[:, met]
        least = float((gaps**2 / (self.scale.deviation**2 + noise / n)).sum(axis=1).min())
        f = least / df
        return Fit(f, df, within_df + 1, fisher_f_above(f, df, within_df + 1))


def examine(
    scale: Scale,
    answer: Callable[[int], float],
    *,
    error: float,
    most: int,
    least: int = 10,
) -> Examination:
    """A whole adaptive test of somebody whose ``answer(band)`` gives a reward."""
    examination = Examination(scale)
    while not examination.over(error=error, most=most, least=least):
        band = examination.next()
        examination.take(band, answer(band))
    return examination
