"""What a page has to know of FraMoTEC: how large a task it can show, and that tasks come by name or as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.abilities import bounded
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.samples import shipped

MOST_OBJECTS = 40
MOST_STEPS = 100_000
"""Steps of dt of a controller step."""


def check_given(given: Mapping[str, Any]) -> None:
    """Raise if a task is named by a path: it would be one on the server, where a browser has no business."""
    task = given.get("task")
    if task is None or task in shipped() or task.lstrip().startswith("{"):
        return
    raise MensuraError(
        f"There is no sample task {task[:60]!r}; there are {', '.join(shipped())}. A task of your own is given as JSON."
    )


def check_size(task: Task) -> None:
    """Raise if a task is too large to be shown."""
    bounded("The number of objects", len(task.flat.objects), MOST_OBJECTS)
    bounded("The number of steps of dt in a controller step", task.steps_per_action, MOST_STEPS)
