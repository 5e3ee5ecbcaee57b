"""How what parts of a task cost makes what the whole costs: side by side, one after the other, and later.

A part is anything with a least time, a time beyond which its energy falls no further, and the least energy for every
time between. Parts that share nothing run side by side: energies add up, and the whole takes as long as the longest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from mensura.worlds.framotec.analysis.legs import Leg, Numbers


class Part(Protocol):
    """Something to be done, and what it costs at least."""

    @property
    def fastest(self) -> float:
        """The least time."""

    @property
    def slowest(self) -> float:
        """The time beyond which energy falls no further."""

    def energy(self, times: Numbers) -> Numbers:
        """The least energy to be done by these times; infinite where that is too soon."""


@dataclass(frozen=True)
class Together:
    """Parts that share nothing, side by side, all done not before a time."""

    parts: tuple[Part, ...]
    not_before: float = 0.0

    @cached_property
    def fastest(self) -> float:
        """As long as the longest."""
        return max([self.not_before, *(part.fastest for part in self.parts)])

    @cached_property
    def slowest(self) -> float:
        """Until nobody saves any more."""
        return max([self.not_before, *(part.slowest for part in self.parts)])

    def energy(self, times: Numbers) -> Numbers:
        """The sum."""
        times = np.asarray(times, np.float64)
        total = np.where(times >= self.not_before * (1.0 - 1e-12), 0.0, np.inf)
        for part in self.parts:
            total = total + part.energy(times)
        return total


@dataclass(frozen=True)
class Held:
    """A part that has to last for some seconds after it was reached."""

    part: Part
    seconds: float

    @property
    def fastest(self) -> float:
        """The part's, and the seconds."""
        return self.part.fastest + self.seconds

    @property
    def slowest(self) -> float:
        """The part's, and the seconds."""
        return self.part.slowest + self.seconds

    def energy(self, times: Numbers) -> Numbers:
        """The part's, by so much earlier."""
        return self.part.energy(np.asarray(times, np.float64) - self.seconds)


CUTS = 65
"""Ends of power of the second part that are tried, before the neighborhood of the best is tried again."""


@dataclass(frozen=True)
class Handover:
    """Parts of which the first has to be done before the second has passed a place, as where it locks the first.

    Of the second, only the way behind that place comes after the first; how long it takes, and at what energy, follows
    from where its power is cut off. The best such end is searched for.
    """

    first: Part
    second: Leg
    way: float
    """Where the second part waits for the first, counted from its start."""
    slack: float = 0.0
    """Seconds by which the stepped simulation may be quicker."""

    def _behind(self, s: Numbers) -> Numbers:
        """Seconds that the second part needs from the place on."""
        taken = self.second.time_of(s) - self.second.passing(s, self.way)
        return np.maximum(taken - self.slack, 0.0)

    @cached_property
    def fastest(self) -> float:
        """The first part, then the rest of the second; or all of the second, if that takes longer."""
        s = np.array(self.second.range[1])
        return max(self.first.fastest + float(self._behind(s)), self.second.fastest)

    @cached_property
    def slowest(self) -> float:
        """Until nobody saves any more."""
        s = np.array(self.second.range[0])
        return max(self.first.slowest + float(self._behind(s)), self.second.slowest)

    def best(self, times: Numbers) -> tuple[Numbers, Numbers]:
        """The least energy for these times, and where the power of the second part is cut off for it."""
        times = np.asarray(times, np.float64).reshape(-1)
        low, high = (np.full_like(times, end) for end in self.second.range)
        rows = np.arange(len(times))
        while True:
            s = low + (high - low) * np.linspace(0.0, 1.0, CUTS)[:, None]
            late = self.second.time_of(s) > times * (1.0 + 1e-9)
            found = self.first.energy(times * (1.0 + 1e-12) - self._behind(s))
            found = np.where(late, np.inf, found + self.second.energy_of(s))
            at = found.argmin(axis=0)
            if (high - low).max() < 1e-6 * self.second.range[1]:
                return found[at, rows], s[at, rows]
            low = s[np.maximum(at - 1, 0), rows]
            high = s[np.minimum(at + 1, CUTS - 1), rows]

    def energy(self, times: Numbers) -> Numbers:
        """The least energy to be done by these times."""
        times = np.asarray(times, np.float64)
        return self.best(times)[0].reshape(times.shape)
