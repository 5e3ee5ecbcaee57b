"""A problem in words, and answers by name, for whoever reads."""

from __future__ import annotations

import json
from typing import Any

from mensura.agent.spaces import Discrete, Record, to_plain
from mensura.agent.task import Task
from mensura.pictures.scenes import Choice, Controls
from mensura.pictures.view import PlainView


class Sentences:
    """The words of the world."""

    beside_picture = True

    def rules(self, task: Task) -> str:
        """What an action is."""
        if isinstance(task.action_space, Record):
            return "Your action is a record: for each name the number of what corresponds to it."
        assert isinstance(task.action_space, Discrete)
        return f"Your action is the number of your answer, from 1 to {task.action_space.n}."

    def observation(self, task: Task, observation: Any) -> str:
        """The problem and the question; numbers are written by their names."""
        assert isinstance(task.observation_space, Record)
        names = [name for name, _ in task.observation_space.fields]
        if "question" in names:
            return "\n".join(filter(None, (str(observation[name]) for name in names)))
        return "\n".join(f"{name}: {json.dumps(to_plain(observation[name]))}" for name in names)


class AnalogyView(PlainView):
    """The plain view, with answers by name."""

    def controls(self, environment: Any) -> tuple[Controls, ...]:
        """What one chooses among."""
        named = self._world.answers(environment.description)
        if not named:
            return super().controls(environment)
        choices = tuple(Choice(k, f"{k}: {name}") for k, name in enumerate(named, 1))
        return (Controls(choices),)
