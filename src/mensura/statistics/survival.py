"""Times until something happened, where some had not seen it when the study ended: Kaplan and Meier's (1958) estimate.

Whoever was not there by the last look is censored: all that is known is that it takes longer. Leaving them out, or
taking the last look for their time, would make slow subjects quick.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.statistics.interval import ROUNDING, Estimate, check_level, finite
from mensura.statistics.quantiles import normal

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Survival:
    """The share that has not got there yet, as a falling function of time."""

    time: Floats
    """When somebody got there, rising."""
    share: Floats
    """Who has not got there, right after each of these times."""
    error: Floats
    """Greenwood's (1926) standard error of the share."""
    last: float
    """The latest time that anybody was watched."""
    n: int
    censored: int
    """How many had not got there when they were last seen."""

    def at(self, time: float) -> float:
        """The share that has not got there by a time."""
        passed = int(np.searchsorted(self.time, time, side="right"))
        return float(self.share[passed - 1]) if passed else 1.0

    def median(self, level: float = 0.95) -> Estimate:
        """When half of all are there; infinite where that was not seen.

        The interval is that of Brookmeyer and Crowley (1982) on the scale log(-log(share)): the times at which a share
        of one half is not refuted. Its upper end is infinite where the data do not bound it.
        """
        check_level(level)
        half = np.flatnonzero(self.share <= 0.5 + ROUNDING)
        value = float(self.time[half[0]]) if half.size else math.inf
        z = normal((1 + level) / 2)
        kept = self.time[[_near_half(s, e, z) for s, e in zip(self.share, self.error, strict=True)]]
        surely = self.time[
            [
                s < 0.5 - ROUNDING and not _near_half(s, e, z)
                for s, e in zip(self.share, self.error, strict=True)
            ]
        ]
        low = min(float(kept[0]) if kept.size else value, value)
        high = max(float(surely[0]) if surely.size else math.inf, value)
        return Estimate(value, low, high, level, self.n, math.nan)

    def restricted_mean(self, until: float | None = None, level: float = 0.95) -> Estimate:
        """The mean time, of which no more than `until` counts for anybody: the area under the share.

        `until` is the latest time that anybody was watched, unless an earlier one is told. Its variance is Greenwood's,
        times n / (n - 1), as for any mean.
        """
        check_level(level)
        end = self.last if until is None else until
        if not 0.0 < end <= self.last:
            raise ValueError(
                f"the mean is restricted to a time from 0 to {self.last:g}, not {end:g}"
            )
        inside = self.time < end
        edges = np.concatenate([[0.0], self.time[inside], [end]])
        heights = np.concatenate([[1.0], self.share[inside]])
        areas = np.diff(edges) * heights
        value = float(areas.sum())
        before = np.concatenate([[1.0], self.share[:-1]])[inside]
        after = self.share[inside]
        rest = areas[::-1].cumsum()[::-1][1:]  # the area beyond each time
        with np.errstate(divide="ignore", invalid="ignore"):
            # d / (r (r - d)), from Greenwood's own steps.
            hazard = (self.error / self.share) ** 2
            steps = np.diff(np.concatenate([[0.0], hazard]))[inside]
        terms = np.where((after > 0.0) & (before > 0.0), rest**2 * steps, 0.0)
        if self.n < 2:
            return Estimate(value, -math.inf, math.inf, level, self.n, math.nan)
        error = math.sqrt(float(terms.sum()) * self.n / (self.n - 1))
        reach = normal((1 + level) / 2) * error
        return Estimate(
            value, max(value - reach, 0.0), min(value + reach, end), level, self.n, error
        )


def kaplan_meier(time: ArrayLike, seen: ArrayLike) -> Survival:
    """The share that has not got there yet, from n times > 0, shape (n,), and whether each was seen to get there.

    A time that was not seen is when that one was last looked at; who is censored at a time was still being watched when
    others got there at that time.
    """
    times = finite(time)
    got = np.asarray(seen, np.bool_)
    if got.shape != times.shape:
        raise ValueError(f"{times.size} times do not match {got.size} outcomes")
    if (times <= 0.0).any():
        raise ValueError("a time until something happens is above 0")
    points = np.unique(times[got])
    at_risk = np.array([(times >= point).sum() for point in points], np.float64)
    there = np.array([(got & (times == point)).sum() for point in points], np.float64)
    share: Floats = np.cumprod(1.0 - there / at_risk).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(there / (at_risk * (at_risk - there)))
        error = np.where(share > 0.0, share * np.sqrt(greenwood), 0.0)
    return Survival(points, share, error, float(times.max()), times.size, int((~got).sum()))


def _near_half(share: float, error: float, z: float) -> bool:
    """Whether a share of one half is not refuted, on the scale log(-log(share))."""
    if not 0.0 < share < 1.0:
        return False
    scale = error / (share * abs(math.log(share)))
    gap = math.log(-math.log(share)) - math.log(math.log(2.0))
    return abs(gap) <= z * scale
