"""What pages may ask for: no files of the server, and problems that it can draw while somebody waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.core.abilities import bounded
from mensura.worlds.constraints.family_parameters import shared_parameters
from mensura.worlds.constraints.task_files import ConstraintFiles

MOST_AGENTS = 1200
"""Agents, variables, nodes and the like of problems that pages draw."""
MOST_OTHERS = 20_000
"""What else is counted in a family, as links."""
AGENTS = ("n", "nodes", "agents", "most")


def check_given(given: Mapping[str, Any]) -> None:
    """Raise if a problem is named by a path, which would be one on the server, or would be too large to draw."""
    task = given.get("task") or ""
    if not is_text(task) and task not in ConstraintFiles().samples():
        samples = ", ".join(ConstraintFiles().samples())
        raise MensuraError(
            f"There is no sample {task[:60]!r}; there are {samples}. A problem of your own is given as its text."
        )
    for name in shared_parameters():
        if given.get(name) is not None:
            bounded(name, given[name], MOST_AGENTS if name in AGENTS else MOST_OTHERS)


def is_text(task: str) -> bool:
    """Whether a problem is given as its text, or not at all: files are named on one line."""
    return not task or "\n" in task
