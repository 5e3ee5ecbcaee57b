"""What the pages of the research view may be told about PAGI World."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.worlds.pagi.families.table import FAMILIES


def check_given(given: Mapping[str, Any]) -> None:
    """Raise if a browser reaches for a file of the server by the name of a task."""
    task = given.get("task")
    if isinstance(task, str) and task not in FAMILIES and not task.lstrip().startswith("{"):
        raise MensuraError(
            f"There is no sample task {task!r:.60}; {neighbors(task, list(FAMILIES))}"
        )
