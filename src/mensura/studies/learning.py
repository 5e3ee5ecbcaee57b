"""The learn rate of a subject: tasks of a world, trained in one by one, and when a level is reached in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.core.abilities import measure_of
from mensura.core.contract import World
from mensura.statistics.learn_rate import LEAST_TASKS, LearnRate, Times, learn_rate, part, predicted
from mensura.statistics.transfer import Floats, jump_start, times_to_level
from mensura.statistics.transfer_table import TransferTable
from mensura.studies.phases import TrainingTask
from mensura.studies.transfer import Transferred, TransferStudy


@dataclass(frozen=True)
class Learned:
    """Learning curves, times, and the learn rate that they give."""

    result: Transferred
    times: Times
    rate: LearnRate | None
    """None where nobody reached the level, or too few tasks have one."""
    level: float | None
    """The performance that is reached; None: halfway from newborns to the trained, in each task."""
    levels: Floats
    """(t,): the same for each task."""
    used: npt.NDArray[np.bool_]
    """(t,): whether a task is among those that the rate is of."""
    told: Floats
    """(t,): the log of the time that the model tells for each task; nan where there is none."""

    @property
    def table(self) -> TransferTable:
        """The learning curves."""
        return self.result.table


def tasks_of(world: World, count: int) -> tuple[TrainingTask, ...]:
    """So many single environments of a world, by their seeds from 1 on."""
    if count < LEAST_TASKS:
        raise MensuraError(
            f"{count} tasks are too few to tell how learning depends on them; {LEAST_TASKS} is the least."
        )
    return tuple(TrainingTask(str(seed), world, seed) for seed in range(1, count + 1))


def check_tasks(study: TransferStudy, measure: str | None) -> None:
    """Raise if tasks are too few, have no single environment, or lack the complexity that is asked for."""
    if len(study.tasks) < LEAST_TASKS:
        raise MensuraError(
            f"{len(study.tasks)} tasks are too few to tell how learning depends on them; {LEAST_TASKS} is the least."
        )
    for task in study.tasks:
        if task.environment is None and task.description is None:
            raise MensuraError(
                f"The task {task.name} has a new environment for each episode, so it has no complexity of its own; "
                "write environment: 1, for example."
            )
        if not task.world.measures:
            raise MensuraError(
                f"The world {task.world.id} tells no complexity, so nothing can depend on it; take another one."
            )
        if measure is not None and measure not in task.world.measures:
            known = ", ".join(task.world.measures)
            raise MensuraError(
                f"The world {task.world.id} has no complexity {measure!r}; it has {known}."
            )


def learned(
    study: TransferStudy, result: Transferred, level: float | None, measure: str | None, seed: Key
) -> Learned:
    """The learn rate that learning curves give.

    Without a level it is halfway from newborns to the trained in each task, and tasks are left out in which the trained
    are not surely better than newborns, as there is no way to go; these choices are ours.
    """
    table, many = result.table, range(len(study.tasks))
    before, after = table.curves[:, :, 0], table.curves[:, :, -1]
    used = np.ones(len(many), np.bool_)
    if level is None:
        levels = (before.mean(axis=0) + after.mean(axis=0)) / 2
        used = np.array([jump_start(after[:, x], before[:, x]).low > 0.0 for x in many])
    else:
        levels = np.full(len(many), level)
    found = [times_to_level(table.checkpoints, table.curves[:, x], levels[x]) for x in many]
    properties = [_properties(task, measure) for task in study.tasks]
    times = Times(
        np.array([one.times for one in found]),
        np.array([one.reached for one in found]),
        np.array([one for one, _ in properties], np.float64),
        np.array([size for _, size in properties], np.float64),
    )
    told: Floats = np.full(len(many), np.nan)
    rate = None
    if used.sum() >= LEAST_TASKS:
        own = part(times, np.flatnonzero(used))
        rate = learn_rate(own, seed % 2**32)
        if rate is not None:
            told[used] = predicted(own)
    return Learned(result, times, rate, level, levels, used, told)


def _properties(task: TrainingTask, measure: str | None) -> tuple[float, float]:
    """The complexity of a task, and its size."""
    description, _ = task.drawing(task.world)(0)
    name = measure or measure_of(None, task.world)
    return float(task.world.complexity(description, name)), _size(task.world, description)


def _size(world: Any, description: Any) -> float:
    """The number of cells, as far as a world tells it by its parameters or measures; nan where it does not."""
    cells = getattr(world, "cells", None)
    if isinstance(cells, int):
        return float(cells)
    rows, cols = getattr(world, "rows", None), getattr(world, "cols", None)
    if isinstance(rows, int) and isinstance(cols, int):
        return float(rows * cols)
    if "dimensions" in world.measures:
        return float(world.complexity(description, "dimensions"))
    return float("nan")
