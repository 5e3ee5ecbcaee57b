"""How much is measured for a profile, and about how long that takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

from mensura.api.robustness import STRENGTHS
from mensura.studies.phases import checkpoints
from mensura.studies.transfer import Measures


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
    operators: tuple[str, ...] = ()
    """Of those that can act, these alone; all where it is empty."""
    measures: Measures = "all"
    """Which measures of transfer."""


QUICK = Size(60, 4, 512, 6, 4, 16, 4096, (0.0, 0.25, 0.5, 1.0), 30, False, 4, 10)
FULL = Size(400, 6, 4096, 12, 10, 24, 8192, STRENGTHS, 100, True, 8, 40)
FEW_OPERATORS = ("observation-noise", "action-noise")
ASKED_QUICK = Size(
    *(8, 2, 8, 2, 1, 0, 0, (0.0, 0.5), 5, False, 2, 4), operators=FEW_OPERATORS, measures="raw"
)
ASKED_FULL = Size(
    *(20, 3, 32, 4, 2, 6, 16, (0.0, 0.25, 0.5, 1.0), 10, False, 4, 10),
    operators=FEW_OPERATORS,
    measures="raw",
)
"""Where a language model is among the subjects, each of whose answers is paid for."""
SLOW_OPERATORS = (
    "observation-distortion",
    "action-distortion",
    "distraction-observations",
    "distraction-actions",
    "distraction-task",
    "scarcity-horizon",
)
"""Those that are not compiled beside the rules of worlds."""


def size_for(quick: bool, asked: bool) -> Size:
    """How much is measured; ``asked``: whether a language model is, whose answers are paid for."""
    if asked:
        return ASKED_QUICK if quick else ASKED_FULL
    return QUICK if quick else FULL


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


def trials(size: Size) -> tuple[Size, Size]:
    """Two smaller ones of the same shape: phases and tests are as long, and there are fewer of them."""
    shape = replace(size, learners=2, strengths=(0.0, 1.0), questions=1)
    return (
        replace(shape, environments=6, tasks=2, rate_tasks=6, perturbed=3, watched=2),
        replace(
            shape, environments=60, tasks=3, rate_tasks=12, perturbed=12, questions=2, watched=8
        ),
    )


def expected_seconds(
    size: Size, operators: int, measure: Callable[[Size], dict[str, float]]
) -> float:
    """About how many seconds a profile takes, from two trials; ``measure`` gives the seconds of each part.

    A part takes some time to begin, and more in proportion to its work. The smaller trial is run twice, since the first
    one loads what the second finds.
    """
    small, larger = trials(size)
    measure(small)
    first, second = measure(small), measure(larger)
    less, more, all_of_it = (work(one, operators) for one in (small, larger, size))
    return sum(
        second[part]
        + max(second[part] - first[part], 0.0)
        * (all_of_it[part] - more[part])
        / (more[part] - less[part])
        for part in second
        if part in more
    )


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
