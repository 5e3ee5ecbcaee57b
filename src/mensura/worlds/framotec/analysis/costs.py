"""What attempts at tasks cost (5.2): time and energy until a task is solved, over one task or a set of them.

To count what was spent on the way, failures included, measures how well a controller learns rather than how well it
performs. Success and cost over attempts show whether it does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.framotec.play.simulation import Outcomes


@dataclass(frozen=True)
class Attempt:
    """One try at a task."""

    time: float
    """Seconds that it took, in the task's own time."""
    energy: float
    """Joules that it took."""
    solved: bool


@dataclass(frozen=True)
class Cost:
    """What was spent until a task, or a set of tasks, was solved; or in vain."""

    time: float
    energy: float
    attempts: int
    solved: bool
    """Whether it was; else the rest tells what was spent without success."""

    def __add__(self, other: Cost) -> Cost:
        """Of both."""
        return Cost(
            self.time + other.time,
            self.energy + other.energy,
            self.attempts + other.attempts,
            self.solved and other.solved,
        )


NOTHING = Cost(0.0, 0.0, 0, True)


def attempts_of(outcomes: Outcomes | Iterable[Mapping[str, Any]]) -> list[Attempt]:
    """Attempts from what ``simulate`` of :mod:`mensura.worlds.framotec.play.simulation` returns, or from measures."""
    if isinstance(outcomes, Outcomes):
        columns = outcomes.time.tolist(), outcomes.energy.tolist(), outcomes.solved.tolist()
        return [Attempt(*row) for row in zip(*columns, strict=True)]
    return [
        Attempt(float(one["time"]), float(one["energy"]), bool(one["solved"])) for one in outcomes
    ]


def until_solved(attempts: Sequence[Attempt], times: int = 1) -> Cost:
    """All that was spent up to the attempt that solved the task, for the first time or so many times in a row."""
    if times < 1:
        raise MensuraError(f"A task cannot be solved {times} times; 1 or more are possible.")
    spent, row = NOTHING, 0
    for attempt in attempts:
        row = row + 1 if attempt.solved else 0
        spent += Cost(attempt.time, attempt.energy, 1, True)
        if row == times:
            return spent
    return spent + Cost(0.0, 0.0, 0, False)


def until_all_solved(attempts: Mapping[str, Sequence[Attempt]], times: int = 1) -> Cost:
    """The same over a set of tasks, each with its attempts."""
    return sum((until_solved(own, times) for own in attempts.values()), NOTHING)


@dataclass(frozen=True)
class Stretch:
    """Some attempts that follow one another."""

    first: int
    """The number of the first of them, from 1."""
    last: int
    solved: float
    """The share that solved the task."""
    low: float
    high: float
    """The ends of its 95% interval."""
    time: float
    energy: float
    """Medians over those that did; nan where none did."""


def over_attempts(attempts: Sequence[Attempt], stretch: int = 20) -> list[Stretch]:
    """Success and cost over attempts, so many at a time; the last stretch may be shorter."""
    if stretch < 1:
        raise MensuraError(f"A stretch of {stretch} attempts is none; it has 1 or more.")
    found = []
    for first in range(0, len(attempts), stretch):
        own = attempts[first : first + stretch]
        won = [attempt for attempt in own if attempt.solved]
        low, high = share_interval(len(won), len(own))
        found.append(
            Stretch(
                first + 1,
                first + len(own),
                len(won) / len(own),
                low,
                high,
                float(np.median([one.time for one in won])) if won else math.nan,
                float(np.median([one.energy for one in won])) if won else math.nan,
            )
        )
    return found


def share_interval(successes: int, tries: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of Wilson (1927) for a share, which is fit for few tries and for shares of 0 and 1."""
    from scipy.stats import binomtest

    if tries == 0:
        return 0.0, 1.0
    found = binomtest(successes, tries).proportion_ci(level, "wilson")
    return float(found.low), float(found.high)
