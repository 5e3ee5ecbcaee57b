"""What was measured of one subject for its profile, in one place: for pages, data and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from mensura.statistics.degradation import Breakdown
from mensura.statistics.generalization import Generalization
from mensura.statistics.interval import Estimate, Floats, mean_interval
from mensura.statistics.learn_rate import LearnRate
from mensura.statistics.strengths import Half, Point, Trust
from mensura.statistics.transfer import forgetting, split_of_budget
from mensura.statistics.transfer_table import Pair, TransferTable
from mensura.statistics.understanding import Understanding

LARGE = 0.5
"""An action that costs this much of the rewards to be had is a large deviation from the best."""
NEARLY = 1e-9
"""A cost below this is none, but for rounding."""


@dataclass(frozen=True)
class Performance:
    """How a subject does in the same environments as all references; arrays have shape (environments,)."""

    own: Floats
    """P of the subject."""
    chance: Floats
    """P of acting at random."""
    best: Floats
    """P of the best reference."""
    median: Floats
    """P of the median reference, or of acting at random where there is none."""
    best_name: str
    """Who the best reference is; empty where there is none but random."""
    p_star: Estimate | None
    measures: Mapping[str, Estimate] = field(default_factory=dict)
    """Accuracy, and time and energy where the world has them."""

    @property
    def score(self) -> Estimate:
        """P with its interval."""
        return mean_interval(self.own)


@dataclass(frozen=True)
class Wanted:
    """Whether a subject is good enough at this."""

    level: float
    """The performance that is wanted."""
    is_given: bool
    """Whether somebody named it; else it is halfway from acting at random to the best reference."""
    score: Estimate
    probability: float
    """That performance is above the level."""


@dataclass(frozen=True)
class Motivation:
    """Whether a subject tries: how it does in tasks that everybody who tries solves."""

    tasks: int
    advantage: Estimate
    """Over acting at random, in these tasks."""

    @property
    def tried(self) -> bool:
        """Whether it is surely above acting at random there."""
        return self.advantage.low > 0.0


@dataclass(frozen=True)
class Deviation:
    """The first action of an episode that costs much."""

    environment: int
    interaction: int
    """From 0 on."""
    cost: float
    strip: tuple[tuple[str, str], ...] = ()
    """Moments about it as SVG, each with a caption."""


@dataclass(frozen=True)
class Behavior:
    """What actions cost against the exact optimum, V*(s) - Q*(s, a), or how far they are from a known schedule."""

    costs: Floats
    """(episodes, interactions)"""
    first: Deviation | None
    """None where no action cost much."""
    kind: Literal["optimum", "schedule"] = "optimum"
    """What actions are held against; distances to a schedule are in [0, 1]."""

    @property
    def mean_cost(self) -> Estimate:
        """Of an action, with an interval over episodes."""
        return mean_interval(self.costs.mean(axis=1))

    @property
    def best_share(self) -> Estimate:
        """The share of actions that are as good as any."""
        return mean_interval((self.costs < NEARLY).mean(axis=1)).within(0.0, 1.0)


@dataclass(frozen=True)
class Shared:
    """A budget that is split between X and Y, over all pairs of tasks."""

    shares: tuple[float, ...]
    """In X: 0, those that were tried, and 1."""
    gained: tuple[Estimate, ...]
    """B(m), against all of the budget in Y; B(0) = 0."""


def shared_budget(table: TransferTable) -> Shared | None:
    """The split-budget curve, mean over pairs, with intervals over learners; None where it was not measured."""
    many = len(table.tasks)
    off = [(x, y) for x in range(many) for y in range(many) if x != y]
    used = [(x, y) for x, y in off if np.isfinite(table.splits[:, x, y]).all()]
    if not table.shares or not used:
        return None

    def mean(of: list[Floats]) -> Floats:
        return np.asarray(np.mean(of, axis=0), np.float64)

    alone = mean([table.raw[:, y, y] for _, y in used])
    tried = [mean([table.splits[:, x, y, i] for x, y in used]) for i in range(len(table.shares))]
    ends = alone, mean([table.raw[:, x, y] for x, y in used])
    return Shared(
        (0.0, *table.shares, 1.0),
        tuple(split_of_budget(one, alone) for one in (ends[0], *tried, ends[1])),
    )


@dataclass(frozen=True)
class Forgotten:
    """What is lost of a task by training in another, mean over the others."""

    task: str
    lost: Estimate
    control: Estimate
    """The same with more training in the task itself."""


def forgotten(table: TransferTable) -> list[Forgotten]:
    """Forgetting of each task, with intervals over learners; none where it was not measured."""
    found = []
    for x, name in enumerate(table.tasks):
        others = [y for y in range(len(table.tasks)) if table.has_pair(x, y)]
        if others:
            before = table.raw[:, x, x]
            after = np.mean([table.back[:, x, y] for y in others], axis=0)
            found.append(
                Forgotten(name, forgetting(before, after), forgetting(before, table.more[:, x]))
            )
    return found


@dataclass(frozen=True)
class SubjectProfile:
    """All that was measured of a subject; what is None, or empty, is in ``missing`` with the reason."""

    subject: str
    performance: Performance
    wanted: Wanted
    halves: tuple[Half, ...]
    trust: Trust | None
    motivation: Motivation | None
    points: tuple[Point, ...]
    table: TransferTable | None = None
    pairs: tuple[Pair, ...] = ()
    losses: tuple[Estimate | None, ...] = ()
    """The loss of transfer in P*, of each pair; None where it is undefined."""
    generalization: Generalization | None = None
    rate: LearnRate | None = None
    rate_sentences: tuple[str, ...] = ()
    breakdowns: tuple[Breakdown, ...] = ()
    understanding: Understanding | None = None
    behavior: Behavior | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    """Parts that were not measured, by name, each with a sentence that says why."""
