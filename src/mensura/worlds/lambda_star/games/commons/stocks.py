"""The stocks of a commons: drawn by key and written down, and how much can be harvested for ever."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_star.games.commons.kernels.rules import rotation_door, sample_door
from mensura.worlds.lambda_star.games.commons.parameters import Parameters
from mensura.worlds.lambda_star.torus.kernels.row import COLS, ROWS
from mensura.worlds.lambda_star.torus.patterns import Patterns


def dials(options: Parameters) -> tuple[float, ...]:
    """The numbers of the rules, in the order of their places."""
    return (
        options.renewal,
        options.bite,
        options.threshold,
        options.spread,
        sustainable_maximum(options),
    )


def sustainable_maximum(options: Parameters) -> float:
    """The most that the group can harvest in an interaction for ever, in stocks of full cells: see best_rotation."""
    return _sustainable(
        options.rows * options.cols,
        options.subjects,
        float(options.renewal),
        float(options.bite),
        float(options.threshold),
        float(options.spread),
    )


@lru_cache(maxsize=1000)
def _sustainable(
    cells: int, subjects: int, growth: float, bite: float, threshold: float, spread: float
) -> float:
    return float(rotation_door(cells, subjects, growth, bite, threshold, spread))


def sample(
    world: Parameters,
    keys: npt.NDArray[np.uint64],
    measure: str,
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> Patterns:
    """Draw the stocks of a commons for each key."""
    rows = np.zeros((len(keys), world.rows * world.cols))
    sample_door(rows, keys, float(world.initial_stock))
    return Patterns(rows.view(np.int64), np.full(len(keys), np.nan))


def content(_: Parameters, row: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """The commons of a row: the stocks of all cells, row by row."""
    return tuple(row.view(np.float64).tolist())


def pattern(description: Parameters) -> npt.NDArray[np.int64]:
    """The stocks of the cells."""
    if not description.drawn_values:
        raise MensuraError("A commons without content cannot be played; it needs a stock a cell.")
    return np.array(description.drawn_values).view(np.int64)


def worth(parts: Any) -> npt.NDArray[np.float64]:
    """The stocks of a row."""
    return np.array(parts.field[: int(parts.head[ROWS]) * int(parts.head[COLS])])
