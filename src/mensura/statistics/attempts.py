"""Attempts at a task: how many of a subject's were solved, what they cost, and whether it got better at it.

The cost of an attempt is the time and the energy that it took (5.2 of Thorarensen et al., 2016). Attempts of one
sitting depend on each other, so that intervals come from the scatter between sittings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mensura.statistics.clusters import Error
from mensura.statistics.improvement import share_interval
from mensura.statistics.interval import Estimate, mean_interval

Floats = npt.NDArray[np.float64]

PART = 0.25
"""Early attempts are this share of all, and late ones as many."""


@dataclass(frozen=True, eq=False)
class Frontier:
    """The least energy for every time that a task may take, and what may be spent."""

    times: Floats
    """Seconds, rising."""
    energies: Floats
    """Joules, falling."""
    watts: float
    """What motors use at full power: so much energy can be spent each second at most."""
    how: str
    """Where the numbers come from, in a sentence."""
    time_limit: float | None = None
    energy_limit: float | None = None


@dataclass(frozen=True, eq=False)
class Attempts:
    """The attempts of one subject in one world: (sittings, attempts), in the order in which they were made."""

    subject: str
    world: str
    solved: npt.NDArray[np.bool_]
    time: Floats
    """Seconds."""
    energy: Floats
    """Joules."""
    training: int = 0
    """Episodes of training before them."""
    frontier: Frontier | None = None

    def __len__(self) -> int:
        """How many sittings there are."""
        return len(self.solved)

    def share(self) -> Estimate:
        """The share of attempts that were solved; its interval ends at 0 and 1.

        Where all sittings have the same share, as that of who solves everything, they have no scatter to tell an error
        by: then each counts as one observation, in Wilson's interval.
        """
        found = _over_sittings(self.solved.mean(axis=1))
        if found.standard_error == 0.0:
            return share_interval(
                found.value, Error(0.0, found.n - 1, "sitting", found.n), found.n, found.level
            )
        return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))

    def cost(self, of: Floats) -> Estimate:
        """The mean cost, a time or an energy, of attempts that were solved; sittings without any are left out.

        Nothing costs less than 0, where the interval ends.
        """
        found = _over_sittings(_means(of, self.solved))
        return replace(found, low=max(found.low, 0.0)) if np.isfinite(found.low) else found

    def spread(self, of: Floats) -> Estimate:
        """The standard deviation of the costs of solved attempts within a sitting."""
        found = [
            float(row[own].std(ddof=1))
            for row, own in zip(of, self.solved, strict=True)
            if own.sum() > 1
        ]
        return _over_sittings(np.array(found))

    def change(self, of: Callable[[Attempts], Floats]) -> Estimate:
        """How much more it is in late attempts than in early ones, of each sitting; nan where one had none.

        One attempt is not early and late, so that it tells no change.
        """
        if self.solved.shape[1] < 2:
            return _over_sittings(np.empty(0))
        early, late = self.parts()
        return _over_sittings(of(late) - of(early))

    def parts(self) -> tuple[Attempts, Attempts]:
        """Early and late attempts."""
        count = max(1, math.floor(PART * self.solved.shape[1]))
        return self._cut(slice(None, count)), self._cut(slice(-count, None))

    def _cut(self, columns: slice) -> Attempts:
        return Attempts(
            self.subject,
            self.world,
            self.solved[:, columns],
            self.time[:, columns],
            self.energy[:, columns],
            self.training,
            self.frontier,
        )

    def until_solved(self, of: Floats) -> Floats:
        """What was spent in all until an attempt was solved for the first time (5.2); nan where none was."""
        spent = np.cumsum(of, axis=1)
        first = self.solved.argmax(axis=1)
        found = spent[np.arange(len(of)), first]
        return np.where(self.solved.any(axis=1), found, np.nan)


def solved_share(attempts: Attempts) -> Floats:
    """Of each sitting."""
    return np.asarray(attempts.solved.mean(axis=1), np.float64)


def mean_time(attempts: Attempts) -> Floats:
    """Of the solved attempts of each sitting."""
    return _means(attempts.time, attempts.solved)


def mean_energy(attempts: Attempts) -> Floats:
    """Of the solved attempts of each sitting."""
    return _means(attempts.energy, attempts.solved)


def ratio(of: Callable[[Attempts], Floats], one: Attempts, other: Attempts) -> Estimate:
    """How many times as much the other has; by the delta method, as sittings of the two are independent.

    It rests on as many sittings as the one has that has fewer.
    """
    a, b = (_over_sittings(of(attempts)) for attempts in (one, other))
    value = b.value / a.value if a.value else math.nan
    far, error = (
        abs(value) * math.hypot(*(x / e.value if e.value else math.nan for x, e in both))
        for both in (
            [(e.half_width, e) for e in (a, b)],
            [(e.standard_error, e) for e in (a, b)],
        )
    )
    return Estimate(value, value - far, value + far, a.level, min(a.n, b.n), error)


def _means(of: Floats, solved: npt.NDArray[np.bool_]) -> Floats:
    count = solved.sum(axis=1)
    total = np.where(solved, of, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _over_sittings(values: Floats) -> Estimate:
    """The mean over sittings that have one, with the interval of Student's t."""
    known = values[np.isfinite(values)]
    if not len(known):
        return Estimate(math.nan, -math.inf, math.inf, 0.95, 0, math.nan)
    return mean_interval(known)
