"""What commands know of FraMoTEC's task files: samples, a check that runs them, and operations that make new ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from mensura.agent.errors import MensuraError
from mensura.core.task_files import Maker, TaskFiles
from mensura.worlds.framotec.model.files import open_task_file, task_to_yaml
from mensura.worlds.framotec.model.operations import OPERATIONS
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import n_dimensional
from mensura.worlds.framotec.play.simulation import Simulation
from mensura.worlds.framotec.samples import SUFFIXES, read_task, shipped


class FramotecFiles(TaskFiles):
    """Tasks of FraMoTEC as YAML or JSON files."""

    suffixes: ClassVar[tuple[str, ...]] = SUFFIXES
    headings: ClassVar[Mapping[str, str]] = {
        "time": "s",
        "energy": "J",
        "instructions": "what a performer is told",
    }

    example: ClassVar[str] = "mensura tasks change car-race add-noise distortion=2 -o foggy.yaml"

    def samples(self) -> Mapping[str, Path]:
        """The sample tasks of the paper."""
        return shipped()

    def facts(self, name: str) -> Mapping[str, Any]:
        """How many parts a sample has, its limits, and what a performer is told."""
        task = read_task(name)
        return {
            "objects": len(task.flat.objects),
            "motors": len(task.exposed),
            "goals": len(task.goals),
            "time": task.limits.time,
            "energy": task.limits.energy,
            "instructions": task.instructions,
        }

    def check(self, file: Path) -> Sequence[str]:
        """What a file holds, after a few steps of it were run."""
        opened = open_task_file(file)
        task, flat = opened.task, opened.task.flat
        try:
            Simulation(task).tick()
        except MensuraError as error:
            raise opened.located(error) from None
        counts = ", ".join(
            f"{len(parts)} {kind if len(parts) != 1 else kind[:-1]}"
            for kind in ("objects", "motors", "sensors", "transitions", "goals")
            if (parts := getattr(flat, kind)) or kind in ("objects", "goals")
        )
        family = "one task" if task.concrete else "a family of tasks, with ranges"
        remarks = [f"{task.name!r}, {family}: {counts}"]
        if not task.exposed:
            remarks.append("No motor is exposed, so that no controller can do anything.")
        if not task.goals:
            remarks.append("It has no goals, so that it is never solved.")
        return remarks

    def text(self, task: str) -> str:
        """A task as YAML without comments, whatever it was written as."""
        return task_to_yaml(read_task(task))

    def makers(self) -> Mapping[str, Maker]:
        """The operations on tasks, and the family whose size can be chosen."""
        makers = {name: _of_operation(function) for name, function in OPERATIONS.items()}
        return {**makers, "n-dimensional": make_n_dimensional}


def make_n_dimensional(dimensions: int = 10) -> str:
    """The family n-dimensional with so many dimensions."""
    return task_to_yaml(n_dimensional(dimensions))


def _of_operation(operation: Callable[..., Task | tuple[Task, ...]]) -> Maker:
    """An operation that is told tasks by name or file and gives texts; the other task of two is called ``with``."""
    known = inspect.signature(operation, eval_str=True).parameters
    names = dict(zip(known, known, strict=True))
    tasks = [name for name, one in known.items() if one.annotation is Task]
    names.update(zip(tasks, ("task", "with_"), strict=False))

    def make(**given: Any) -> str | tuple[str, ...]:
        values = {
            name: read_task(given[shown]) if name in tasks else given[shown]
            for name, shown in names.items()
            if shown in given
        }
        made = operation(**values)
        if isinstance(made, tuple):
            return tuple(task_to_yaml(one) for one in made)
        return task_to_yaml(made)

    make.__doc__ = operation.__doc__
    parameters = [
        one.replace(name=names[name], annotation=str if name in tasks else one.annotation)
        for name, one in known.items()
    ]
    make.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return make
