"""A planner over skills, which is told the whole task. It solves whole families, and so proves that they can be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mensura.agent.spaces import Box, default
from mensura.agent.task import Task
from mensura.worlds.pagi.seat_state import Forces
from mensura.worlds.pagi.subjects.plans import PLANS
from mensura.worlds.pagi.subjects.skills import Action, Limbs


class Planner:
    """Plans by skills (walk, hop, reach, grip, carry, push) with knowledge of the whole task."""

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Read the task, and make a plan."""
        self._idle = default(task.action_space)
        self._plan: Iterator[Action] | None = None
        self._limbs: Limbs | None = None
        try:
            told: dict[str, Any] = json.loads(task.instructions)
        except ValueError:
            return
        if not isinstance(task.action_space, Box):
            return
        forces = {**Forces()._asdict(), **told.get("forces", {})}
        words = tuple(told.get("words", ()))
        self._limbs = Limbs(forces, words, task.seat.index)
        make: Callable[[Limbs, dict[str, Any]], Iterator[Action]] | None = PLANS.get(
            told.get("family", "")
        )
        if make is not None:
            self._plan = make(self._limbs, told)

    def act(self, observation: Any, reward: float) -> Any:
        """Go on with the plan."""
        if self._limbs is None or self._plan is None:
            return self._idle
        self._limbs.observe(observation)
        action = next(self._plan, None)
        return self._limbs.at_speed(0.0) if action is None else action
