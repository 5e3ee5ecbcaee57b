"""Family files: tasks between which transfer is measured, in YAML, with every error's line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from mensura.agent.errors import MensuraError
from mensura.core.abilities import make, values
from mensura.core.contract import World
from mensura.core.registry import WORLDS
from mensura.core.yaml_text import Form, Misfit, Where, parse_yaml, read_text, shown
from mensura.studies.entries import Label, Parameters, Part, Text
from mensura.studies.misfits import misfit
from mensura.studies.parameters import checked_parameters, plain_parameters
from mensura.studies.phases import TrainingTask

FORM = Form("family", "mensura and tasks", 500_000, 50_000)

MOST_TASKS = 100

EXAMPLE = """\
# A family of tasks between which transfer is measured: `mensura transfer q-learning --family family.yaml`.
# A task is one environment of a world, by its seed (`mensura worlds show WORLD --seed 1` shows it), or, without
# `environment`, the world itself, which draws a new environment for each episode.
mensura: 1
tasks:
  - {name: first, world: lambda, parameters: {cells: 4, actions: 3}, environment: 1}
  - {name: second, world: lambda, parameters: {cells: 4, actions: 3}, environment: 2}
  - {name: third, world: lambda, parameters: {cells: 4, actions: 3}, environment: 3}
  - {name: mixed, world: lambda, parameters: {cells: 4, actions: 3}}
"""
"""A file to begin with: tasks of one size, as learners of Lambda remember environments of one size only."""


class TaskEntry(Part):
    """A task of a family."""

    name: Label | None = Field(
        default=None, description="How tables call it; its number where it is left out."
    )
    world: Text | None = Field(
        default=None, description="The world, as `mensura worlds list` names it."
    )
    preset: Text | None = Field(default=None, description="A named set of parameters of the world.")
    parameters: Parameters = Field(
        default_factory=dict, description="Parameters that differ from those of the preset."
    )
    environment: Annotated[int, Field(ge=0, le=2**64 - 1)] | None = Field(
        default=None,
        description="The seed of one environment; left out, a new one is drawn for each episode.",
    )


class FamilyFile(Part):
    """A family of tasks."""

    mensura: Literal[1] = Field(description="The version of the format: 1.")
    tasks: Annotated[
        tuple[TaskEntry, ...], Field(strict=False, min_length=1, max_length=MOST_TASKS)
    ] = Field(description="The tasks, at least 2.")


def read_family(
    path: Path, world: str | World | None = None, preset: str | None = None
) -> tuple[TrainingTask, ...]:
    """The tasks in a file; ``world`` and ``preset`` are those of tasks that name no world."""
    return parse_family(text_of_family(path), str(path), world, preset)


def text_of_family(path: Path) -> str:
    """What a family file holds."""
    if not path.is_file():
        raise MensuraError(
            f"There is no file {path}; `mensura transfer --example` writes one to begin with."
        )
    return read_text(path, FORM)


def parse_family(
    text: str,
    place: str = "the family",
    world: str | World | None = None,
    preset: str | None = None,
) -> tuple[TrainingTask, ...]:
    """The tasks in a text; ``place`` is how errors call it."""
    data, lines = parse_yaml(text, place, FORM)
    try:
        return family_from_plain(data, world, preset)
    except Misfit as error:
        raise lines.located(error) from None


def family_from_plain(
    data: Any, world: str | World | None = None, preset: str | None = None, least: int = 2
) -> tuple[TrainingTask, ...]:
    """The tasks that plain data describes; :class:`Misfit` says in a sentence what is wrong, and where."""
    if not isinstance(data, Mapping):
        raise Misfit((), f"A family is a mapping with mensura and tasks, not {shown(data)}.")
    for field in ("mensura", "tasks"):
        if field not in data:
            needs = (
                "mensura: 1, the version of the format" if field == "mensura" else "a list of tasks"
            )
            raise Misfit((), f"The family has no {field}; write {needs}.")
    try:
        family = FamilyFile.model_validate(data)
    except ValidationError as error:
        raise misfit(error, FamilyFile) from None
    if len(family.tasks) < least:
        raise Misfit(
            ("tasks",), "Transfer is from one task to another; a family has at least 2 tasks."
        )
    return tuple(_named(family.tasks, world, preset))


def _named(
    entries: Sequence[TaskEntry], world: str | World | None, preset: str | None
) -> list[TrainingTask]:
    tasks: list[TrainingTask] = []
    for number, entry in enumerate(entries):
        where: Where = ("tasks", number)
        name = entry.name or str(number + 1)
        if name in [one.name for one in tasks]:
            raise Misfit(
                (*where, "name"), f"Two tasks are called {name}; give each a name of its own."
            )
        try:
            tasks.append(_task(entry, name, where, world, preset))
        except Misfit:
            raise
        except MensuraError as error:
            raise Misfit(where, str(error)) from error
    return tasks


def _task(
    entry: TaskEntry, name: str, where: Where, world: str | World | None, preset: str | None
) -> TrainingTask:
    return TrainingTask(name, task_world(entry, name, where, world, preset), entry.environment)


def task_world(
    entry: TaskEntry,
    name: str,
    where: Where,
    world: str | World | None,
    preset: str | None = None,
) -> World:
    """The world of a task; ``world``, by name or made, is that of a task that names none."""
    own = entry.world or world
    if own is None:
        raise Misfit(where, f"The task {name} names no world; write world: lambda, for example.")
    if not isinstance(own, str):
        noun = f"The world {own.id}"
        varied = checked_parameters(type(own), noun, entry.parameters, (*where, "parameters"))
        if entry.preset is not None:
            return make(type(own), entry.preset, **varied)
        return make(type(own), None, **{**values(own), **varied}) if varied else own
    kind = WORLDS.load(own)
    given = checked_parameters(kind, f"The world {own}", entry.parameters, (*where, "parameters"))
    chosen = entry.preset if entry.world is not None or entry.preset is not None else preset
    return make(kind, chosen, **given)


def family_text(tasks: Sequence[TrainingTask]) -> str:
    """Tasks as the text of a family file, in one line, with all parameters: it gives the same tasks for ever.

    Bounds that are open cannot be written, and are defaults.
    """
    entries = []
    for task in tasks:
        entry: dict[str, Any] = {
            "name": task.name,
            "world": task.world.id,
            "parameters": {
                name: value
                for name, value in plain_parameters(task.world).items()
                if value is not None and not (isinstance(value, list) and None in value)
            },
        }
        if task.environment is not None:
            entry["environment"] = task.environment
        entries.append(entry)
    data = {"mensura": 1, "tasks": entries}
    for task, again in zip(tasks, family_from_plain(data, least=1), strict=True):
        if again.identity != task.identity:
            raise MensuraError(
                f"The task {task.name} was made by hand, so a run of it cannot be kept; take a world as `mensura "
                "worlds list` names it, or keep nothing."
            )
    return json.dumps(data, separators=(",", ":"))


def write_example(path: Path) -> None:
    """Write the example, where there is no file yet."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(EXAMPLE)
    except FileExistsError:
        raise MensuraError(f"{path} is there already; remove it, or name another file.") from None
