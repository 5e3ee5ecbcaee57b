"""A reasoner for three-pills: it infers from what it heard, its own voice above all."""

from __future__ import annotations

from typing import Any

import numpy as np

from mensura.agent.spaces import Box, Record, default
from mensura.agent.task import Task
from mensura.worlds.pagi.families.three_pills import WORDS
from mensura.worlds.pagi.moves import PARTS


class Reasoner:
    """Says that it does not know which pill it got, hears itself, and concludes that it was the placebo."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Nothing is known yet but the rules: who is dumbed cannot speak."""
        self._idle = default(task.action_space)
        self._seat = task.seat.index
        self._asked = self._spoke = self._concluded = False
        space = task.observation_space
        speaks = isinstance(space, Record) and "heard" in dict(space.fields)
        size = len(PARTS) + len(WORDS)
        self._speaks = (
            speaks and isinstance(task.action_space, Box) and task.action_space.shape == (size,)
        )

    def act(self, observation: Any, reward: float) -> Any:
        """Answer when asked; speak again as soon as hearing oneself says more."""
        if not self._speaks:
            return self._idle
        self._asked = self._asked or bool(observation["asked"][0])
        heard_myself = bool(observation["heard"][self._seat].any())
        if self._spoke and heard_myself and not self._concluded:
            # Who is dumbed cannot speak; I spoke; so I am not dumbed.
            self._concluded = True
            return self._saying("placebo")
        if self._asked and not self._spoke:
            self._spoke = True
            return self._saying("unknown")
        return self._idle

    def _saying(self, word: str) -> Any:
        action = np.array(self._idle)
        action[len(PARTS) + WORDS.index(word)] = 1.0
        return action
