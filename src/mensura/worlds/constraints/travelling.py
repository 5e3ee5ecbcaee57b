"""How far robots travel that act on every value at once (the metric of multi-robot exploration).

Muscalagiu, Popa and Vidal, section 2.3: "the total traveled distance by the robots", which they do not define further.
Here a robot goes from where it stands to the cell to which its value leads after its first turn, and from there to that
of each other value that it takes. Moves are counted by the square of their length, so that sums do not depend on their
order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mensura.worlds.constraints.generators.exploration import DIRECTIONS, STEPS
from mensura.worlds.constraints.problem import Problem

AT_HOME = len(DIRECTIONS)
"""In the place of a direction: where a robot stands at first."""
_CELLS = np.vstack([STEPS, [[0, 0]]])
SQUARES: npt.NDArray[np.int64] = ((_CELLS[:, None, :] - _CELLS[None, :, :]) ** 2).sum(axis=2)
"""(9, 9): the squared length of the way from one cell to another."""
_PLAIN: list[list[int]] = SQUARES.tolist()


def are_robots(problem: Problem) -> bool:
    """Whether the value of every agent is a direction in which to go."""
    one_each = all(len(own) == 1 for own in problem.variables_of)
    return one_each and all(one.values == DIRECTIONS for one in problem.variables)


def no_moves() -> list[int]:
    """By squared length: how many moves there were."""
    return [0] * (int(SQUARES.max()) + 1)


def go(moves: list[int], cell: int, new: int) -> int:
    """Count the move of a robot; where it is then."""
    if cell != new:
        moves[_PLAIN[cell][new]] += 1
    return new


def distance(moves: Sequence[int]) -> float:
    """In cells."""
    return math.fsum(count * math.sqrt(square) for square, count in enumerate(moves))
