"""From the powers that a controller wants to an action, whichever actions the world has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mensura.agent.spaces import Box, Discrete, Space
from mensura.worlds.framotec.play.description import LEVELS


class Hands:
    """Sets motors to shares of their most, from -1 to 1.

    Where an action sets one motor at a time, it is the one that is farthest from what is wanted, to the nearest level;
    the others keep what they have until their turn comes.
    """

    def __init__(self, space: Space, motors: int) -> None:
        assert isinstance(space, Box | Discrete)
        self._levels: tuple[float, ...] = ()
        if isinstance(space, Discrete):
            self._levels = next(own for own in LEVELS.values() if len(own) * motors == space.n)
        self._held = [0.0] * motors

    def action(self, wanted: Sequence[float]) -> Any:
        """The action that brings the motors nearest to these shares."""
        shares = [min(max(share, -1.0), 1.0) for share in wanted]
        if not self._levels:
            return np.array(shares)
        levels = self._levels
        nearest = [min(levels, key=lambda own: (abs(own - share), -own)) for share in shares]
        gaps = [abs(own - held) for own, held in zip(nearest, self._held, strict=True)]
        motor = gaps.index(max(gaps))
        self._held[motor] = nearest[motor]
        return motor * len(levels) + levels.index(nearest[motor])
