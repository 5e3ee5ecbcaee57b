"""Tasks at the size of the tests."""

from __future__ import annotations

from dataclasses import replace

from mensura.worlds.framotec.model.task import Task


def sized(task: Task, full_size: bool, dt: float = 0.002) -> Task:
    """The task, or with longer steps of the simulation, which are most of what schedules cost."""
    return task if full_size else replace(task, dt=dt)
