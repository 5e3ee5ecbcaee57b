"""The subject that every other one is compared with: it draws its actions evenly, in any world."""

from __future__ import annotations

from typing import Any

import numpy as np

from mensura.agent.task import Task


class RandomAgent:
    """Draws every action evenly from the action space, whatever it observes."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Keep what is needed to draw."""
        self._space = task.action_space
        self._rng = rng

    def act(self, observation: Any, reward: float) -> Any:
        """Any action."""
        return self._space.sample(self._rng)
