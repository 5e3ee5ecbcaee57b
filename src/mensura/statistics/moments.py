"""Accumulators: what a million scores leave behind, in constant memory, from chunks in any process.

All three are values: `add` and `+` give a new one and change nothing. The sums are those of Chan,
Golub and LeVeque (1983), which keep their digits where the spread is small beside the mean; merged
in another order, results agree to rounding, not to the last bit, so merge in the order of items.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mensura.statistics.interval import (
    ROUNDING,
    Estimate,
    difference_estimate,
    finite,
    mean_estimate,
)


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, mean, spread and range of scores seen so far; an empty one has seen none."""

    count: int = 0
    """How many scores were seen."""
    mean: float = 0.0
    """Their mean; 0 while there is none."""
    squares: float = 0.0
    """The sum of their squared deviations from the mean (M2)."""
    minimum: float = math.inf
    """The smallest score."""
    maximum: float = -math.inf
    """The largest score."""

    def add(self, values: ArrayLike) -> "Moments":
        """With a chunk of scores, shape (n,), n >= 0."""
        array = np.asarray(values, np.float64)
        return self if array.size == 0 else self + Moments.of(array)

    @staticmethod
    def of(values: ArrayLike) -> "Moments":
        """The moments of scores, shape (n,), n >= 1."""
        array = finite(values)
        mean = float(array.mean())
        squares = float(np.square(array - mean).sum())
        return Moments(array.size, mean, squares, float(array.min()), float(array.max()))

    def __add__(self, other: "Moments") -> "Moments":
        if not self.count or not other.count:
            return self if self.count else other
        count = self.count + other.count
        gap, share = other.mean - self.mean, other.count / count
        return Moments(
            count,
            self.mean + gap * share,
            self.squares + other.squares + gap * gap * self.count * share,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
        )

    @property
    def variance(self) -> float:
        """The sample variance, over count - 1; nan for fewer than two scores."""
        return self.squares / (self.count - 1) if self.count > 1 else math.nan

    @property
    def standard_deviation(self) -> float:
        """The root of the sample variance; nan for fewer than two scores."""
        return math.sqrt(self.variance)

    def estimate(self, level: float = 0.95) -> Estimate:
        """The mean with Student's interval, as `mean_interval` gives it."""
        if not self.count:
            raise ValueError("a mean needs at least one score, and none was seen")
        return mean_estimate(self.mean, self.variance, self.count, level)

    def minus(self, other: "Moments", level: float = 0.95) -> Estimate:
        """The difference of the two means with Welch's interval, for independent samples."""
        if not self.count or not other.count:
            raise ValueError("a difference needs at least one score on either side")
        return difference_estimate(
            (self.mean, self.variance, self.count), (other.mean, other.variance, other.count), level
        )


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many scores fell between fixed edges; scores outside are counted, not lost."""

    edges: tuple[float, ...]
    """The b + 1 edges of b bins, rising. A bin holds its left edge; the last holds both."""
    counts: tuple[int, ...] = ()
    """The number of scores in each of the b bins."""
    under: int = 0
    """The number of scores below the first edge."""
    over: int = 0
    """The number of scores above the last edge."""

    def __post_init__(self) -> None:
        if len(self.edges) < 2 or any(
            a >= b for a, b in zip(self.edges, self.edges[1:], strict=False)
        ):
            raise ValueError("a histogram has at least two edges, each above the one before")
        if not self.counts:
            object.__setattr__(self, "counts", (0,) * (len(self.edges) - 1))
        if len(self.counts) != len(self.edges) - 1:
            raise ValueError(f"{len(self.edges)} edges do not bound {len(self.counts)} bins")

    @staticmethod
    def even(low: float, high: float, bins: int) -> "Histogram":
        """An empty histogram with bins of one width."""
        return Histogram(tuple(np.linspace(low, high, bins + 1).tolist()))

    @property
    def total(self) -> int:
        """All scores seen, inside the edges and outside."""
        return sum(self.counts) + self.under + self.over

    def add(self, values: ArrayLike) -> "Histogram":
        """With a chunk of scores, shape (n,), n >= 0."""
        array = np.asarray(values, np.float64)
        if array.size == 0:
            return self
        array = finite(array)
        chunk = np.histogram(array, self.edges)[0].tolist()
        under, over = int((array < self.edges[0]).sum()), int((array > self.edges[-1]).sum())
        return self + Histogram(self.edges, tuple(chunk), under, over)

    def __add__(self, other: "Histogram") -> "Histogram":
        if self.edges != other.edges:
            raise ValueError("only histograms with the same edges can be merged")
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Histogram(self.edges, counts, self.under + other.under, self.over + other.over)

    def quantile(self, p: float) -> float:
        """The score below which a share `p` of all lies, evenly spread within each bin; nan if there are none."""
        if not self.total:
            return math.nan
        wanted = p * self.total - self.under
        for low, high, count in zip(self.edges[:-1], self.edges[1:], self.counts, strict=True):
            if count and wanted <= count + ROUNDING:
                return low + (high - low) * min(max(wanted, 0.0) / count, 1.0)
            wanted -= count
        return self.edges[-1]


@dataclass(frozen=True, slots=True)
class Grouped:
    """Moments of scores by a number, such as the complexity K of the environment."""

    groups: Mapping[float, Moments] = field(default_factory=dict)
    """The moments of each group that was seen, in rising order of groups."""

    def add(self, groups: ArrayLike, values: ArrayLike) -> "Grouped":
        """With a chunk of scores, shape (n,), and the group of each, shape (n,)."""
        labels, array = np.asarray(groups), np.asarray(values, np.float64)
        if labels.shape != array.shape or array.ndim != 1:
            raise ValueError(f"{array.shape} scores do not match {labels.shape} groups")
        if array.size == 0:
            return self
        if labels.dtype.kind not in "iuf" or not np.isfinite(labels).all():
            raise ValueError(f"groups are numbers, not {labels.dtype} or nan")
        array = finite(array)
        order = np.argsort(labels, kind="stable")
        names, starts, counts = np.unique(labels[order], return_index=True, return_counts=True)
        ordered = array[order]
        means = np.add.reduceat(ordered, starts) / counts
        squares = np.add.reduceat(np.square(ordered - np.repeat(means, counts)), starts)
        columns = (
            counts,
            means,
            squares,
            np.minimum.reduceat(ordered, starts),
            np.maximum.reduceat(ordered, starts),
        )
        rows = zip(names.tolist(), *(column.tolist() for column in columns), strict=True)
        return self + Grouped({group: Moments(*moments) for group, *moments in rows})

    def __add__(self, other: "Grouped") -> "Grouped":
        none = Moments()
        names = sorted({*self.groups, *other.groups})
        return Grouped({g: self.groups.get(g, none) + other.groups.get(g, none) for g in names})

    def total(self) -> Moments:
        """The moments of all scores together."""
        return merged(self.groups.values())

    def coarser(self, most: int) -> "Grouped":
        """Neighboring groups together, so that there are at most so many of about as many scores each.

        A group of several stands at the mean of what they stood at.
        """
        if len(self.groups) <= most:
            return self
        total = self.total().count
        parts: dict[int, list[tuple[float, Moments]]] = {}
        seen = 0
        for group, moments in self.groups.items():
            parts.setdefault(most * seen // total, []).append((group, moments))
            seen += moments.count
        together: dict[float, Moments] = {}
        for part in parts.values():
            whole = merged(moments for _, moments in part)
            together[sum(group * moments.count for group, moments in part) / whole.count] = whole
        return Grouped(together)

    def estimates(self, level: float = 0.95) -> dict[float, Estimate]:
        """The mean of each group with its interval."""
        return {group: moments.estimate(level) for group, moments in self.groups.items()}


def rounded(values: ArrayLike) -> NDArray[np.float64]:
    """Numbers to group by: three digits that count, and none beyond the third after the point.

    A measure of complexity may take as many values as there are environments; so it takes 900 for each power of 10.

    >>> rounded([0.12345, 7, 999, 123_456]).tolist()
    [0.123, 7.0, 999.0, 123000.0]
    """
    array = np.asarray(values, np.float64)
    digits = 2 - np.floor(np.log10(np.maximum(np.abs(array), 0.1)))
    unit = 10.0**digits  # not its inverse, which no float is exactly
    return np.asarray(np.rint(array * unit) / unit)


def merged(parts: Iterable[Moments]) -> Moments:
    """All parts together."""
    total = Moments()
    for part in parts:
        total = total + part
    return total
