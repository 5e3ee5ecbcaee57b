"""What a profile says of a subject: strong and weak points, by properties of tasks, and whether it is to be trusted.

The three reports of section 3 of Evaluation of General-Purpose Artificial Intelligence: Why, What & How (Bieger and
others, 2016): good enough at this, strengths and weaknesses, and trust. The paper names no formulas; these are ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mensura.agent.keys import Key
from mensura.statistics.interval import Estimate, Floats, difference
from mensura.statistics.performance import normalized, probability_above
from mensura.statistics.quantiles import student_t

LEAST_TASKS = 8
"""Fewer tasks tell nothing of whether a model of them is to be trusted."""
COVERED = 0.9
"""The level of the intervals that a model tells of held-out tasks."""
WORST = 3
"""So many of the tasks that a model tells worst are named."""


@dataclass(frozen=True)
class Point:
    """One thing that a subject does, against something that it is compared with."""

    name: str
    """What, as a phrase: "performance under action-noise"."""
    against: str
    """What it is compared with, as "the median reference"."""
    estimate: Estimate
    """By how much it is better."""
    probability: float
    """That it is better at all."""


def point(name: str, against: str, estimate: Estimate) -> Point | None:
    """A point of an estimated advantage; None where its error is not known."""
    probability = probability_above(estimate, 0.0)
    return None if math.isnan(probability) else Point(name, against, estimate, probability)


def strongest(points: Sequence[Point], count: int = 3) -> list[Point]:
    """The surest advantages, the surest first; those that are more likely none are left out."""
    found = [one for one in points if one.probability > 0.5]
    return sorted(found, key=lambda one: (-one.probability, -one.estimate.value))[:count]


def weakest(points: Sequence[Point], count: int = 3) -> list[Point]:
    """The surest disadvantages, the surest first."""
    found = [one for one in points if one.probability < 0.5]
    return sorted(found, key=lambda one: (one.probability, one.estimate.value))[:count]


# By property ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Half:
    """Half of the tasks, by a property."""

    name: str
    """The property, and which half: "kt up to 181"."""
    tasks: int
    p_star: Estimate | None
    """None where it is undefined."""
    advantage: Estimate
    """Over the median reference."""


def halves(
    properties: Mapping[str, Floats],
    own: Floats,
    chance: Floats,
    best: Floats,
    median: Floats,
    key: Key,
) -> list[Half]:
    """P* by property of tasks: each property cuts the tasks in two at its median; all arrays have shape (tasks,)."""
    found = []
    for name, values in properties.items():
        middle = float(np.median(values))
        low = values <= middle
        if not 2 <= low.sum() <= len(values) - 2:
            continue
        for which, rows in (("up to", low), ("above", ~low)):
            found.append(
                Half(
                    f"{name} {which} {middle:.4g}",
                    int(rows.sum()),
                    normalized(own[rows], chance[rows], best[rows], key),
                    difference(own[rows], median[rows], paired=True),
                )
            )
    return found


# Trust ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trust:
    """Whether a model of performance from properties of tasks, fitted on half of them, tells the other half."""

    properties: tuple[str, ...]
    """What the model knows of tasks."""
    error: float
    """The mean absolute error in held-out tasks."""
    error_of_mean: float
    """The same where every task is told the mean of the fitted half."""
    coverage: float
    """The share of held-out tasks in their 90% interval."""
    fitted: int
    held_out: int
    worst: tuple[tuple[int, float, float], ...]
    """The tasks that are told worst: number, performance, and what the model tells."""

    @property
    def is_trusted(self) -> bool:
        """Whether it tells more than the mean does, and its intervals hold about as often as they say."""
        slack = 2.0 * math.sqrt(COVERED * (1.0 - COVERED) / self.held_out)
        return self.error < self.error_of_mean and self.coverage >= COVERED - slack


def trust(properties: Mapping[str, Floats], scores: Floats, key: Key) -> Trust | None:
    """Fit a straight line in the properties to half of the tasks, drawn by the key, and judge it on the other.

    Properties that say the same as others, or nothing, are left out. None where there are fewer than eight tasks, or no
    property differs between them.
    """
    many = len(scores)
    if many < LEAST_TASKS:
        return None
    order = np.random.default_rng(key).permutation(many)
    train, test = np.sort(order[: many // 2]), np.sort(order[many // 2 :])
    names, columns = _independent(properties, train, most=len(train) // 4)
    if not names:
        return None
    design = np.column_stack([np.ones(many), *columns])
    x, y = design[train], scores[train]
    beta, *_ = np.linalg.lstsq(x, y, rcond=None)
    told = design[test] @ beta
    df = len(train) - design.shape[1]
    noise = float(((y - x @ beta) ** 2).sum()) / df
    inverse = np.linalg.inv(x.T @ x)
    spread = np.einsum("ij,jk,ik->i", design[test], inverse, design[test])
    reach = student_t((1.0 + COVERED) / 2.0, df) * np.sqrt(noise * (1.0 + spread))
    gaps = np.abs(scores[test] - told)
    worst = np.argsort(-gaps, kind="stable")[:WORST]
    return Trust(
        tuple(names),
        float(gaps.mean()),
        float(np.abs(scores[test] - y.mean()).mean()),
        float((gaps <= reach).mean()),
        len(train),
        len(test),
        tuple((int(test[i]), float(scores[test[i]]), float(told[i])) for i in worst),
    )


def _independent(
    properties: Mapping[str, Floats], rows: np.ndarray, most: int
) -> tuple[list[str], list[Floats]]:
    """Properties, scaled, each of which adds to those before it, no more than so many."""
    names: list[str] = []
    columns: list[Floats] = []
    for name, values in properties.items():
        spread = float(np.ptp(values[rows])) if np.isfinite(values).all() else 0.0
        if spread == 0.0 or len(names) == most:
            continue
        scaled = (values - values[rows].mean()) / spread
        design = np.column_stack([np.ones(len(rows)), *(one[rows] for one in (*columns, scaled))])
        if np.linalg.matrix_rank(design, tol=1e-6) == design.shape[1]:
            names.append(name)
            columns.append(scaled)
    return names, columns


# Motivation ------------------------------------------------------------------------------


def control_tasks(references: Floats, share: float = 0.2, least: int = 5) -> np.ndarray:
    """The tasks that everybody who tries solves: those in which the weakest reference does best.

    ``references``, shape (subjects, tasks), has no subject that acts at random and not the one that is judged: so
    nothing of the judgement has a part in the choice.
    """
    floor = references.min(axis=0)
    count = min(max(least, round(share * len(floor))), len(floor))
    return np.sort(np.argsort(-floor, kind="stable")[:count])
