"""Landscapes drawn by key and written down, how complex they are, and what their cells are worth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core.contract import Measure
from mensura.worlds.lambda_star.games.landscape.kernels.rules import DRIFTED_COL, DRIFTED_ROW
from mensura.worlds.lambda_star.games.landscape.kernels.terrain import (
    PEAK,
    TRIES,
    basin_door,
    optima_door,
    ruggedness_door,
    sample_door,
)
from mensura.worlds.lambda_star.games.landscape.parameters import Parameters, most_peaks, peaks_of
from mensura.worlds.lambda_star.torus.kernels.row import COLS, ROWS
from mensura.worlds.lambda_star.torus.patterns import Patterns

MEASURES = {
    "optima": Measure("optima", "how many cells have no higher neighbor"),
    "ruggedness": Measure(
        "ruggedness", "1 - rho(1), rho the autocorrelation of values along a random walk", "%"
    ),
}


def sample(
    world: Parameters,
    keys: npt.NDArray[np.uint64],
    measure: str,
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> Patterns:
    """Draw a landscape for each key, a complexity of it within [low[i], high[i]]."""
    cells, most = world.rows * world.cols, most_peaks(world.rows, world.cols)
    rows = np.zeros((len(keys), 2 * cells))
    settings = np.array(
        [world.rows, world.cols, peaks_of(world), world.peak_width, world.below_zero, most],
        np.float64,
    )
    complexity = np.zeros(len(keys))
    code = list(MEASURES).index(measure)
    low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
    sample_door(
        rows, keys, code, low, high, settings, np.zeros(cells), np.zeros((most, PEAK)), complexity
    )
    failed = np.flatnonzero(complexity < 0)
    if len(failed):
        ends = float(low[failed[0]]), float(high[failed[0]])
        if math.isinf(ends[0]) and math.isinf(ends[1]):
            raise MensuraError(
                f"{peaks_of(world)} peaks of width {world.peak_width:g} were not placed on {world.rows}x{world.cols} "
                f"cells, {world.below_zero:g} of them below 0, in {TRIES} tries; fewer or narrower peaks are easier."
            )
        raise MensuraError(
            f"A complexity {measure} from {ends[0]:g} to {ends[1]:g} is out of reach for a landscape of "
            f"{world.rows}x{world.cols} cells with peaks of width {world.peak_width:g}; it has 1 to {most} optima."
        )
    return Patterns(rows.view(np.int64), complexity)


def content(world: Parameters, row: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """The landscape of a row: the values of all cells, row by row."""
    return tuple(row.view(np.float64)[: world.rows * world.cols].tolist())


def pattern(description: Parameters) -> npt.NDArray[np.int64]:
    """The values of the cells, and which of them are in the basin of the best."""
    d = description
    cells = d.rows * d.cols
    if not d.drawn_values:
        raise MensuraError("A landscape without content cannot be played; it needs a value a cell.")
    row = np.zeros(2 * cells)
    row[:cells] = d.drawn_values
    basin_door(row[:cells], row[cells:], d.rows, d.cols)
    return row.view(np.int64)


def complexity(description: Parameters, measure: str) -> float:
    """How many optima a landscape has, or how rugged it is."""
    d = description
    field = np.array(d.drawn_values)
    if measure == "optima":
        return float(optima_door(field, d.rows, d.cols))
    return float(ruggedness_door(field, d.rows, d.cols))


def worth(parts: Any) -> npt.NDArray[np.float64]:
    """What the cells of a row are worth where the landscape has drifted to."""
    rows, cols = int(parts.head[ROWS]), int(parts.head[COLS])
    drifted = int(parts.tally[DRIFTED_ROW]), int(parts.tally[DRIFTED_COL])
    return np.roll(np.array(parts.field[: rows * cols]).reshape(rows, cols), drifted, (0, 1))
