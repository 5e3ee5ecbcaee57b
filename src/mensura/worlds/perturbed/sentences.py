"""What is seen and can be done beside what distracts, in the words of the world inside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mensura.agent.spaces import Discrete
from mensura.agent.task import Task
from mensura.core.observation_words import Words, counted, is_read_beside, number
from mensura.worlds.perturbed.environment import NOTHING, without_distractions
from mensura.worlds.perturbed.operators import distractions


class DistractedWords:
    """The words of a world, with numbers and actions that mean nothing named beside its own; not what they are."""

    def __init__(self, inside: Words, strengths: dict[str, float], recorded: bool) -> None:
        """``recorded`` is whether an observation of the world inside is a record."""
        self._inside = inside
        self._numbers = distractions(strengths.get("distraction-observations", 0.0))
        self._actions = distractions(strengths.get("distraction-actions", 0.0))
        self._recorded = recorded
        self.beside_picture = is_read_beside(inside)

    def rules(self, task: Task) -> str:
        """Those of the world inside, and what there is beside it."""
        lines = [self._inside.rules(self._task(task))]
        if self._numbers:
            lines.append(f"You also observe {counted(self._numbers, 'number')} from 0 to 1.")
        if self._actions and isinstance(task.action_space, Discrete):
            last = task.action_space.start + task.action_space.n - 1
            lines.append(
                f"You can also play the actions from {last - self._actions + 1} to {last}."
            )
        return " ".join(lines)

    def observation(self, task: Task, observation: Any) -> str:
        """What is observed inside, and the numbers beside it on a line."""
        if not self._numbers:
            return self._inside.observation(self._task(task), observation)
        space = self._task(task).observation_space
        inner = without_distractions(space, observation, self._recorded)
        said = self._inside.observation(self._task(task), inner)
        return f"{said}\n{NOTHING}: {', '.join(map(number, observation[NOTHING]))}"

    def _task(self, task: Task) -> Task:
        """The task as the world inside knows it."""
        seen: Any = task.observation_space
        done = task.action_space
        if self._numbers:
            seen = type(seen)(seen.fields[:-1]) if self._recorded else seen.fields[0][1]
        if self._actions and isinstance(done, Discrete):
            done = Discrete(done.n - self._actions, done.start)
        return replace(task, observation_space=seen, action_space=done)
