"""What is best in an environment, exactly: how much each action of an episode costs whoever takes it.

After section 5 of Evaluation of General-Purpose Artificial Intelligence: Why, What & How (Bieger and others, 2016),
which asks how behavior differs from the best. V*(s) is the largest sum of rewards to expect from a state until the end
of the episode, Q*(s, a) the same once an action is taken; V* - Q* is what that action costs. It knows the whole
environment, its pattern too, as no subject does from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.worlds.lambda_class.behaviors import Pattern
from mensura.worlds.lambda_class.description import Description, make_row
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.kernels.decision_process import best_values_door, regrets_door
from mensura.worlds.lambda_class.sieves import has_process, room_for_outcomes

MOST_STEPS = 200_000_000
"""Up to so many steps are taken to compute values."""


class Optimum:
    """The values of one environment, for one subject."""

    def __init__(self, description: Description) -> None:
        self._row = make_row(description)
        self._room = room_for_outcomes(description.space.cells)
        n_c = description.space.cells
        self.values: npt.NDArray[np.float64] = np.zeros((description.horizon + 1, n_c, n_c, n_c))
        """V* by clock, the subject's cell, Good's and Evil's."""
        best_values_door(self._row, self.values, *self._room)

    def moment(self, environment: LambdaEnvironment) -> tuple[int, int, int]:
        """The state of an environment, as values are told for: the cells of the subject, of Good and of Evil."""
        at = environment.positions()
        return at["subjects"][0], at["good"], at["evil"]

    def regrets(
        self, moments: Sequence[tuple[int, int, int]], actions: Sequence[Any]
    ) -> npt.NDArray[np.float64]:
        """V*(s) - Q*(s, a) of each action, from the first one of an episode on; never below 0 but for rounding."""
        out = np.zeros(len(actions))
        regrets_door(
            self._row,
            self.values,
            np.array(moments, np.int64).reshape(-1, 3),
            np.array(actions, np.int64),
            *self._room,
            out,
        )
        return out


def optimum_of(d: Description) -> Optimum | None:
    """The optimum of an environment; None where cells and clock do not say all of it, or it is too large."""
    fixed = d.cycle == "none" or isinstance(d.cycle_length, int)
    if not has_process(d) or d.division != "infinity" or not fixed or d.junk != 0:
        return None
    n_c = d.space.cells
    outcomes = 2 if isinstance(d.good_and_evil, Pattern) else n_c * n_c
    if d.horizon * n_c**3 * d.space.actions * outcomes > MOST_STEPS:
        return None
    return Optimum(d)
