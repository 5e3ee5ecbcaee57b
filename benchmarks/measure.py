"""What a benchmark gives: a figure with its goal; and how rates are taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

REPEATS = 5


@dataclass
class Figure:
    """One measured number, and what it should be."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    higher_is_better: bool = True

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.higher_is_better else self.value <= self.goal


def best_rate(
    work: Callable[[], int],
    repeats: int = REPEATS,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The highest number of units a second over some repetitions, by a clock."""
    best = 0.0
    for _ in range(repeats):
        start = clock()
        units = work()
        best = max(best, units / (clock() - start))
    return best
