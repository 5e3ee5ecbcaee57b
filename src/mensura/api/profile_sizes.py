"""How much is measured for a profile, and about how long that takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

from mensura.api.robustness import STRENGTHS
from mensura.studies.phases import checkpoints


@dataclass(frozen=True)
class Size:
    """How much of each part of a profile."""

    environments: int
    """In which performance is measured."""
    tasks: int
    """Of the family among which transfer is measured."""
    interactions: int
    """Of each phase of training."""
    learners: int
    episodes: int
    """Of each test of a learner."""
    rate_tasks: int
    """For the learn rate."""
    rate_interactions: int
    strengths: tuple[float, ...]
    perturbed: int
    """Environments that are met at every strength."""
    every_operator: bool
    """Whether operators are among those that act, too, that are slow."""
    questions: int
    """Of each kind, about a phenomenon."""
    watched: int
    """Episodes that are compared with the best."""


QUICK = Size(60, 4, 512, 6, 4, 16, 4096, (0.0, 0.25, 0.5, 1.0), 30, False, 4, 10)
FULL = Size(400, 6, 4096, 12, 10, 24, 8192, STRENGTHS, 100, True, 8, 40)
TRIAL = Size(6, 2, 64, 2, 1, 6, 64, (0.0, 1.0), 3, True, 1, 2)
"""From which the time of another is told."""

SLOW_OPERATORS = (
    "observation-distortion",
    "action-distortion",
    "distraction-observations",
    "distraction-actions",
    "distraction-task",
    "scarcity-horizon",
)
"""Those that are not compiled beside the rules of worlds."""


def work(size: Size, operators: int) -> dict[str, float]:
    """About how much there is to do in each part, in its own unit."""
    cuts = len(checkpoints(size.interactions))
    pairs = size.tasks * (size.tasks - 1)
    trained = size.tasks * 2 * size.interactions + pairs * 5 * size.interactions
    tests = size.tasks**2 + size.tasks * cuts + pairs * (cuts + 6)
    rate = size.rate_tasks * size.rate_interactions
    return {
        "performance": size.environments,
        "transfer": size.learners * (trained + 100.0 * size.episodes * tests),
        "learn rate": size.learners * (rate + 100.0 * size.rate_tasks * cuts),
        "robustness": operators * len(size.strengths) * size.perturbed,
        "understanding": 20.0 + size.questions,
        "behavior": size.watched,
    }


def expected_seconds(
    size: Size, operators: int, measure: Callable[[Size], dict[str, float]]
) -> float:
    """About how many seconds a profile takes, from a trial; ``measure`` gives the seconds of each part.

    The trial is run twice, since the first one loads what the second finds.
    """
    measure(replace(TRIAL, every_operator=size.every_operator))
    seconds = measure(replace(TRIAL, every_operator=size.every_operator))
    small, large = work(TRIAL, operators), work(size, operators)
    return sum(seconds[part] * large[part] / small[part] for part in seconds if part in large)


class Stopwatch:
    """How long each part took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._part = ""
        self._since = perf_counter()

    def next(self, part: str) -> None:
        """A part begins, and the last one is over."""
        now = perf_counter()
        if self._part:
            self.seconds[self._part] = self.seconds.get(self._part, 0.0) + now - self._since
        self._part, self._since = part, now
