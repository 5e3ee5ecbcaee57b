"""Learning speed: how many interactions a subject needs to get a level of reward (chapter 7 of Insa-Cabrera, 2011).

The clock is interactions and not seconds, so that a faster machine is no better learner. It is read from a finished
study in which the same environments were played over several horizons, as the factor "interactions" of the study
insa-2011-ai does; both doors play such studies. An environment in which the level was not reached by the longest
horizon is censored (:mod:`mensura.statistics.survival`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from mensura.statistics.interval import ROUNDING, Estimate, finite
from mensura.statistics.series import Axis, Series
from mensura.statistics.survival import Survival, kaplan_meier

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LearningSpeed:
    """How soon a subject gets a level of reward, over environments."""

    level: float
    """The reward that was to be reached."""
    reached: int
    """In how many environments it was reached."""
    median: Estimate
    """Interactions until it is reached in half of all environments; infinite where it is not in so many."""
    mean: Estimate
    """The mean number of interactions, of which no more than the longest horizon counts for any environment."""
    survival: Survival

    @property
    def environments(self) -> int:
        """In how many environments the subject was."""
        return self.survival.n


def interactions_to_level(
    horizons: ArrayLike, rewards: ArrayLike, level: float, *, lately: bool = False
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The interactions until a level is reached in each of n environments, and whether it was reached at all.

    `horizons`, shape (h,), rise; `rewards`, shape (n, h), are mean rewards over episodes of so many interactions. A
    level counts as reached at the first horizon from which on the reward is never below it: a lucky start is not
    learning. `lately` takes the mean reward since the horizon before in the place of that since the start, which tells
    how the subject acts by then; it supposes that a longer episode begins as the shorter one does. What is reached
    between two horizons is found at the second.
    """
    at = finite(horizons)
    table = finite(rewards, flat=False)
    if at.size < 1 or at[0] <= 0 or (np.diff(at) <= 0).any():
        raise ValueError("horizons are numbers above 0 that rise")
    if table.ndim != 2 or table.shape[1] != at.size:
        raise ValueError(f"rewards of shape {table.shape} do not match {at.size} horizons")
    if lately:
        table = np.diff(table * at, axis=1, prepend=0.0) / np.diff(at, prepend=0.0)
    staying = np.logical_and.accumulate((table >= level - ROUNDING)[:, ::-1], axis=1)[:, ::-1]
    reached = staying[:, -1]
    first = np.where(reached, staying.argmax(axis=1), at.size - 1)
    return at[first], reached


def learning_speed(
    horizons: ArrayLike, rewards: ArrayLike, level: float, *, lately: bool = False
) -> LearningSpeed:
    """The learning speed from mean rewards of n environments over rising horizons, shape (n, h)."""
    times, reached = interactions_to_level(horizons, rewards, level, lately=lately)
    survival = kaplan_meier(times, reached)
    return LearningSpeed(
        level, int(reached.sum()), survival.median(), survival.restricted_mean(), survival
    )


def of_series(
    series: Sequence[Series], axis: Axis, level: float, *, lately: bool = False
) -> LearningSpeed:
    """The learning speed from series of one subject in one world along an axis of interactions.

    Series of a study pair by their order: sitting i of each is in the same environment.
    """
    by_horizon = sorted((axis.at[one.levels[axis.factor]], one.score) for one in series)
    if len({len(score) for _, score in by_horizon}) != 1:
        raise ValueError("series of different lengths are not of the same environments")
    table = np.array([score for _, score in by_horizon]).T
    return learning_speed([at for at, _ in by_horizon], table, level, lately=lately)


@dataclass(frozen=True)
class Learner:
    """How soon one subject gets a level of reward in one world."""

    subject: str
    world: str
    speed: LearningSpeed


def learners(series: Sequence[Series], axis: Axis, level: float | None = None) -> list[Learner]:
    """The learning speed of every subject in every world, along an axis of interactions.

    The level is half of what the best subject of a world has at its longest horizon, unless one is told. A world in
    which nobody gains has no such level, and a subject that was not yet in the same environments over all horizons is
    left out.
    """
    found = []
    for world in dict.fromkeys(one.world for one in series):
        own: dict[str, list[Series]] = {}
        for one in series:
            if one.world == world:
                own.setdefault(one.subject, []).append(one)
        wanted = half_of_the_best(own, axis) if level is None else level
        for subject, along in own.items():
            if wanted is None or len({len(one.score) for one in along}) != 1:
                continue
            found.append(Learner(subject, world, of_series(along, axis, wanted)))
    return found


def half_of_the_best(own: Mapping[str, Sequence[Series]], axis: Axis) -> float | None:
    """Half of the best mean reward at the longest horizon that all have; None where it is not above 0."""
    ends = [
        max(along, key=lambda one: axis.at[one.levels[axis.factor]]).score for along in own.values()
    ]
    best = max((float(score.mean()) for score in ends if len(score)), default=0.0)
    return best / 2 if best > 0.0 else None
