"""The built-in minds of Lambda at the seats of one environment, and the doors to them and to the rules.

Their memory is one row of int64: where the mind of each seat begins and the last one ends, then the minds. That
of seat j is ``memory[memory[j] : memory[j + 1]]``.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import rule
from mensura.core.doors import Minds, doors_of
from mensura.worlds.lambda_class.kernels import memory, minds
from mensura.worlds.lambda_class.kernels.interaction import (
    ACTIONS,
    CELLS,
    OBJECTS,
    RULES,
    SHOWN,
    SUBJECTS,
)


class Seated(NamedTuple):
    """The minds of all seats; a rule returns no bare array."""

    row: np.ndarray


@rule
def open_minds(row):
    """Nothing is to be named: a mind knows the parts of its own memory."""
    return Seated(row)


@rule
def sit(seated, j, r, interactions):
    """Before a sitting: nothing is remembered, and the memory is laid out for this environment."""
    w = seated.row[seated.row[j] : seated.row[j + 1]]
    memory.sit_down(
        w,
        r.head[CELLS],
        r.head[ACTIONS],
        r.head[SUBJECTS],
        r.head[OBJECTS],
        r.head[SHOWN],
        interactions,
    )


@rule
def begin(seated, j, key, learning):
    """Before an episode. Minds learn in every episode."""
    memory.wake_up(seated.row[seated.row[j] : seated.row[j + 1]], key)


@rule
def act(seated, j, o, reward):
    """The action of seat j."""
    return minds.act(seated.row[seated.row[j] : seated.row[j + 1]], o, reward)


@rule
def finish(seated, j, o, reward):
    """After the last interaction."""
    minds.finish(seated.row[seated.row[j] : seated.row[j + 1]], o, reward)


DOORS = doors_of(RULES, Minds(open_minds, begin, act, finish=finish, sit=sit))
