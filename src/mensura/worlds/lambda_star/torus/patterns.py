"""The patterns of Good and Evil: drawn by key, within an interval of a complexity, and how complex they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.complexity.entropy import search_space_entropy
from mensura.core.blocks import Drawing
from mensura.core.contract import Measure
from mensura.core.devices import device
from mensura.worlds.lambda_star.torus.kernels.generator import (
    RECURRENT,
    WALK,
    count_door,
    sample_door,
    sample_one,
)
from mensura.worlds.lambda_star.torus.kernels.row import LENGTH, MOVES

MEASURES = {
    "K": Measure("K", "Lempel-Ziv 76 complexity of the cells of Good's pattern over the horizon"),
    "K_normalized": Measure("K_normalized", "K over n / log2 n, n the length of the sequence"),
    "H": Measure("H", "search-space complexity log2((mn)! / (mn - 2)!)", "bits"),
    "combined": Measure("combined", "H plus K log2 n: where things are and how they move", "bits"),
}

SEEN = 64
"""So many environments are drawn to see about how complex they get."""

WORTH_A_LAUNCH = 256
"""So many patterns and more are drawn on a GPU where one plays."""

TRIES = 20_000
"""How many patterns are drawn before a wanted complexity counts as out of reach."""


@dataclass(frozen=True)
class Patterns:
    """Sampled environments in bulk: rows that the kernel reads, and how complex they are."""

    rows: npt.NDArray[np.int64]
    """(count, width)"""
    complexity: npt.NDArray[np.float64]
    """(count,)"""


def pattern_complexity(pattern: npt.NDArray[np.int64], rows: int, cols: int, steps: int) -> int:
    """K of the first so many cells of a pattern."""
    return int(count_door(pattern, rows, cols, steps, np.zeros(steps, np.int64)))


def complexity_of(
    pattern: npt.NDArray[np.int64], rows: int, cols: int, steps: int, measure: str
) -> float:
    """A complexity of the first so many cells of a pattern; K_normalized and combined are functions of K."""
    if measure == "H":
        return search_space_entropy(rows, cols)
    k = pattern_complexity(pattern, rows, cols, steps)
    if measure == "K_normalized":
        return k / _k_scale(steps)
    if measure == "combined":
        return search_space_entropy(rows, cols) + k * _phrase_bits(steps)
    return k


@dataclass(frozen=True)
class PatternDrawer:
    """Draws patterns on a torus."""

    rows: int
    cols: int
    horizon: int
    generator: str
    """"recurrent" or "walk"."""
    segment_complexity: bool
    """Whether K counts the segment that recurs alone."""
    reacts: bool
    """Whether Good or Evil responds to subjects, so that Evil needs moves of its own."""

    @property
    def entropy(self) -> float:
        """H, the same for all environments of this size."""
        return search_space_entropy(self.rows, self.cols)

    @property
    def usual_range(self) -> tuple[int, int] | None:
        """The K over which a battery is spread by default; None of walks, which are taken as they come."""
        return None if self.generator == "walk" else (2, max(2, min(23, self.horizon // 2 - 2)))

    def bounds(self, measure: str) -> tuple[float, float] | None:
        """The complexities between which there are patterns; None of walks, and of what does not follow from K."""
        if self.generator == "walk" or self._by_trial(measure):
            return None
        if measure == "H":
            return self.entropy, self.entropy
        low, high = _reach(self)
        if measure == "K_normalized":
            return low / _k_scale(self.horizon), high / _k_scale(self.horizon)
        if measure == "combined":
            bits = _phrase_bits(self.horizon)
            return self.entropy + low * bits, self.entropy + high * bits
        return float(low), float(high)

    def sample(
        self,
        keys: npt.NDArray[np.uint64],
        measure: str,
        low: npt.NDArray[np.float64],
        high: npt.NDArray[np.float64],
    ) -> Patterns:
        """Draw a pattern for each key, a complexity of it within [low[i], high[i]]."""
        drawn = self._draw(keys, *self._all_k_bounds(measure, low, high))
        if measure == "K":
            return drawn
        rows = drawn.rows
        if self._by_trial(measure):
            for i in np.flatnonzero(np.isfinite(high - low)).tolist():
                rows[i] = self._try(int(keys[i]), measure, float(low[i]), float(high[i]))
        return Patterns(
            rows, np.array([self._complexity(row, measure) for row in rows], np.float64)
        )

    def _complexity(self, pattern: npt.NDArray[np.int64], measure: str) -> float:
        steps = self.horizon
        if self.segment_complexity:
            length = int(pattern[LENGTH])
            steps = min(steps, length // 2 if self.generator == "walk" else length)
        return complexity_of(pattern, self.rows, self.cols, steps, measure)

    def _by_trial(self, measure: str) -> bool:
        """Where K counts the segment only, its length differs, so that other measures do not follow from K."""
        return self.segment_complexity and measure not in ("K", "H")

    def _try(self, key: Key, measure: str, low: float, high: float) -> npt.NDArray[np.int64]:
        """Draw until a complexity lies within [low, high]."""
        anything = np.array([0], np.int64), np.array([2**31], np.int64)
        for attempt in range(TRIES):
            row = self._draw(np.array([fold(key, attempt)], np.uint64), *anything).rows[0]
            if low <= self._complexity(row, measure) <= high:
                return np.asarray(row)
        raise MensuraError(
            f"A complexity {measure} from {low:g} to {high:g} was not found in {TRIES} samples of "
            f"{self.rows}x{self.cols} cells with the generator {self.generator!r}."
        )

    def _draw(
        self,
        keys: npt.NDArray[np.uint64],
        low: npt.NDArray[np.int64],
        high: npt.NDArray[np.int64],
    ) -> Patterns:
        """Draw a pattern for each key, its K within [low[i], high[i]]; a sentence where there is none."""
        drawn = self.tried(keys, low, high)
        failed = np.flatnonzero(drawn.complexity < 0)
        if len(failed):
            wanted = low[failed[0]], high[failed[0]]
            raise MensuraError(self._out_of_reach(*map(int, wanted)))
        return drawn

    def tried(
        self,
        keys: npt.NDArray[np.uint64],
        low: npt.NDArray[np.int64],
        high: npt.NDArray[np.int64],
    ) -> Patterns:
        """A pattern for each key, its K within [low[i], high[i]]; a K of -1 where none was found."""
        if device() == "gpu" and len(keys) >= WORTH_A_LAUNCH:
            from mensura.core.gpu_drawing import draw_there

            drawn = draw_there(self.drawing(), keys, low, high)
            return Patterns(drawn.rows, drawn.complexity.astype(np.float64))
        rows = np.zeros((len(keys), self._width), np.int64)
        complexity = np.zeros(len(keys), np.int64)
        scratch = np.zeros(self.horizon, np.int64)
        low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
        sample_door(rows, keys, low, high, self._settings, scratch, complexity)
        return Patterns(rows, complexity.astype(np.float64))

    @property
    def _width(self) -> int:
        longest = max(self.horizon // 2, 1)
        return MOVES + 2 * (2 * (2 * self.cols - 1) if self.generator == "walk" else longest)

    @property
    def _settings(self) -> npt.NDArray[np.int64]:
        kind = WALK if self.generator == "walk" else RECURRENT
        tries = max(min(TRIES, TRIES * 500 // self.horizon), 1000)
        segment = self.segment_complexity
        return np.array(
            [self.rows, self.cols, self.horizon, kind, segment, tries, self.reacts], np.int64
        )

    def drawing(self) -> Drawing:
        """How a kernel draws patterns: any, or within an interval of what follows from K."""

        def bounds(
            measure: str | None, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
        ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
            wanted = measure or "K"
            if self._by_trial(wanted) and np.isfinite(high - low).any():
                return None
            return self._all_k_bounds(wanted, low, high)

        return Drawing(sample_one, self._settings, self.horizon, self._width, bounds)

    def _all_k_bounds(
        self, measure: str, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The intervals of K that intervals of any measure stand for."""
        pairs, which = intervals(low, high)
        bounds = np.array([self._k_bounds(measure, *pair) for pair in pairs], np.int64)
        least, most = bounds.reshape(-1, 2)[which].T
        return np.ascontiguousarray(least), np.ascontiguousarray(most)

    def _out_of_reach(self, low: int, high: int) -> str:
        anything = np.array([0], np.int64), np.array([2**31], np.int64)
        seen = [
            int(self._draw(np.array([i], np.uint64), *anything).complexity[0])
            for i in range(500 if self.horizon <= 2000 else 20)
        ]
        wanted = f"of {low}" if low == high else f"from {low} to {high}"
        return (
            f"A complexity K {wanted} is out of reach for {self.rows}x{self.cols} cells, "
            f"{self.horizon} interactions and the generator {self.generator!r}; "
            f"{len(seen)} samples lie from {min(seen)} to {max(seen)}."
        )

    def _k_bounds(self, measure: str, low: float, high: float) -> tuple[int, int]:
        """The interval of K that an interval of any measure stands for; all measures grow with K."""
        if self._by_trial(measure) or math.isinf(low - high):
            return 0, 2**31
        if measure == "H":
            if not low <= self.entropy <= high:
                raise MensuraError(
                    f"Every {self.rows}x{self.cols} environment has H = {self.entropy:.3f} bits, "
                    f"which is not within [{low:g}, {high:g}]; another grid would have another H."
                )
            return 0, 2**31
        if measure == "K_normalized":
            low, high = (value * _k_scale(self.horizon) for value in (low, high))
        elif measure == "combined":
            bits = _phrase_bits(self.horizon)
            low, high = ((value - self.entropy) / bits for value in (low, high))
        # A hair's breadth against rounding, where the interval is a single value.
        return max(0, math.ceil(low - 1e-9)), min(2**31, max(-1, math.floor(high + 1e-9)))


def intervals(
    low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
) -> tuple[list[tuple[float, float]], npt.NDArray[np.int64]]:
    """Different intervals [low[i], high[i]], and which of them each is; mostly all are the same, seen at once."""
    if len(low) and (low == low[0]).all() and (high == high[0]).all():
        return [(float(low[0]), float(high[0]))], np.zeros(len(low), np.int64)
    ends, which = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    return [(a, b) for a, b in ends.T.tolist()], which


def _k_scale(n: int) -> float:
    """What K is divided by to compare sequences of different lengths: n / log2 n."""
    n = max(n, 2)
    return n / math.log2(n)


def _phrase_bits(n: int) -> float:
    """The bits that point to a place in a sequence of n cells."""
    return math.log2(max(n, 2))


@lru_cache(maxsize=64)
def _reach(drawer: PatternDrawer) -> tuple[int, int]:
    """The lowest and the highest K that recurrent patterns have.

    No K is beyond a phrase for each cell of the longest segment and one for its repetition. How near to that there is
    anything is tried, upwards from what some draws have, in steps that double and then halve.
    """
    low = 1 if drawer.segment_complexity or drawer.horizon == 1 else 2
    most = max(drawer.horizon // 2, 1) + 1

    def highest(least: int, draws: int = 1) -> int:
        keys = np.arange(draws, dtype=np.uint64)
        ends = np.full(draws, least, np.int64), np.full(draws, most, np.int64)
        return int(drawer.tried(keys, *ends).complexity.max())

    known, beyond, step = max(low, highest(low, SEEN)), most + 1, 1
    while beyond - known > 1:
        wanted = min(known + step, (known + beyond) // 2)
        found = highest(wanted)
        known, beyond = max(known, found), beyond if found >= 0 else wanted
        step *= 2
    return low, known
