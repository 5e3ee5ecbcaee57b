"""The sample tasks by name and as files, and any task, wherever it is."""

from __future__ import annotations

from pathlib import Path

from mensura.core.task_files import find
from mensura.worlds.framotec.model.files import read_task_file, task_from_json
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import SAMPLES

FOLDER = Path(__file__).parent / "tasks"
"""The sample tasks as files."""

SUFFIXES = (".yaml", ".yml", ".json")


def shipped() -> dict[str, Path]:
    """The files of the sample tasks, by name."""
    return {name: FOLDER / f"{name}.yaml" for name in SAMPLES}


def read_task(text: str) -> Task:
    """A sample task by name, a task in a YAML or JSON file, or one as JSON text."""
    if text in SAMPLES:
        return SAMPLES[text]()
    if text.lstrip().startswith("{"):
        return task_from_json(text)
    return read_task_file(find(text, shipped(), SUFFIXES))
