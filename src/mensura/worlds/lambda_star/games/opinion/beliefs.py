"""The beliefs of pluralistic ignorance: how they are drawn and written down, and how divided they are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core.contract import Measure
from mensura.worlds.lambda_star.games.opinion.kernels.rules import BELIEFS, sample_door
from mensura.worlds.lambda_star.games.opinion.parameters import STATES, Parameters
from mensura.worlds.lambda_star.torus.patterns import Patterns

TRIES = 20_000
"""How often beliefs are drawn before a wanted minority counts as out of reach."""

MEASURES = {
    "dissent": Measure("dissent", "how many subjects believe what the minority believes"),
}


def sample(
    world: Parameters,
    keys: npt.NDArray[np.uint64],
    measure: str,
    low: npt.NDArray[np.float64],
    high: npt.NDArray[np.float64],
) -> Patterns:
    """Draw beliefs for each key, so many of the minority's that they lie within [low[i], high[i]]."""
    rows = np.zeros((len(keys), BELIEFS + world.subjects))
    dissent = np.zeros(len(keys))
    low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
    accuracy, state = float(world.accuracy), STATES[world.state]
    sample_door(rows, keys, low, high, accuracy, state, TRIES, dissent)
    failed = np.flatnonzero(dissent < 0)
    if len(failed):
        ends = float(low[failed[0]]), float(high[failed[0]])
        raise MensuraError(
            f"A dissent from {ends[0]:g} to {ends[1]:g} was not found in {TRIES} draws of {world.subjects} beliefs of "
            f"accuracy {world.accuracy:g}; it is from 0 to {world.subjects // 2}."
        )
    return Patterns(rows.view(np.int64), dissent)


def content(_: Parameters, row: npt.NDArray[np.int64]) -> tuple[float, ...]:
    """The beliefs of a row."""
    return tuple(row.view(np.float64).tolist())


def pattern(description: Parameters) -> npt.NDArray[np.int64]:
    """What is so and what each believes, as the kernel reads it."""
    if not description.drawn_values:
        raise MensuraError(
            "An environment of opinions without content cannot be played; it needs what is so, and what each believes."
        )
    return np.array(description.drawn_values, np.float64).view(np.int64)


def complexity(description: Parameters, _: str) -> float:
    """How many believe what the minority believes."""
    yes = sum(belief > 0 for belief in description.drawn_values[BELIEFS:])
    return float(min(yes, description.subjects - yes))
