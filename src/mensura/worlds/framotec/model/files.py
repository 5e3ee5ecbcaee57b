"""Task files: YAML in, a checked task out, and every error with the file and the line; and tasks written as YAML."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from mensura.agent.errors import MensuraError
from mensura.core.task_files import read_file
from mensura.core.visible import visible
from mensura.core.yaml_text import Form, Lines, Misfit, parse_yaml
from mensura.worlds.framotec.model.systems import places
from mensura.worlds.framotec.model.task import Task

FORM = Form("task", "at least an object and a goal", 1_000_000, 100_000)
"""A task is written by people, or by ``task_to_yaml``."""


class TaskFile(NamedTuple):
    """A task with the lines of its file."""

    task: Task
    lines: Lines

    def located(self, trouble: MensuraError) -> MensuraError:
        """What went wrong while the task ran, with its file and line."""
        origin = getattr(trouble, "origin", None)
        misfit = Misfit((), str(trouble))
        if origin is not None:
            kind, name, *field = origin.at
            misfit.where = (*places(self.task)[kind, name], *field)
            misfit.line = origin.place.line
        return self.lines.located(misfit)


def read_task_file(path: Path) -> Task:
    """The task in a file."""
    return open_task_file(path).task


def open_task_file(path: Path) -> TaskFile:
    """The task in a file, with its lines."""
    text = read_file(path, FORM)
    if path.suffix != ".json":
        return _parse(text, str(path))
    try:
        return TaskFile(task_from_json(text), Lines(str(path)))
    except MensuraError as error:
        raise MensuraError(f"{path}: {error}") from None


def parse_task(text: str, place: str = "the task") -> Task:
    """The task in a YAML text; ``place`` is how errors call it."""
    return _parse(text, place).task


def _parse(text: str, place: str) -> TaskFile:
    data, lines = parse_yaml(text, place, FORM)
    try:
        return TaskFile(Task.from_json(data), lines)
    except Misfit as misfit:
        raise lines.located(_hinted(misfit, data)) from None


def _hinted(misfit: Misfit, data: Any) -> Misfit:
    """Say why an assignment within brackets may have been cut at its comma."""
    if len(misfit.where) < 2 or misfit.where[-2] != "assignments":
        return misfit
    value: Any = data
    for step in misfit.where[:-1]:
        value = value[step]
    at = misfit.where[-1]
    if isinstance(value, list) and isinstance(at, int) and at + 1 < len(value):
        source = str(value[at])
        if source.count("(") > source.count(")"):
            hinted = Misfit(
                misfit.where,
                f"{misfit} In [ ] YAML ends it at a comma: put it in quotes, or after '- ' on a line of its own.",
            )
            hinted.line = misfit.line
            return hinted
    return misfit


@lru_cache(maxsize=32)
def task_from_json(text: str) -> Task:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MensuraError(f"The task is not JSON: {error}.") from None
    return Task.from_json(data)


# Writing ------------------------------------------------------------------------------


def canonical(task: Task) -> str:
    """The task as one line of JSON, the same for equal tasks; ``read_task`` takes it."""
    return json.dumps(task.to_json(), sort_keys=True, separators=(",", ":"))


def task_to_yaml(task: Task) -> str:
    """The task as a YAML file, which gives it back; letters that cannot be seen are written as escapes."""
    text = _dumped(task, allow_unicode=True)
    return text if visible(text) == text else _dumped(task, allow_unicode=False)


def _dumped(task: Task, allow_unicode: bool) -> str:
    text: str = yaml.dump(
        task.to_json(),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=allow_unicode,
        default_flow_style=None,
        width=110,
    )
    return text


class _Dumper(yaml.SafeDumper):
    """Writes a part on one line where it fits, whole numbers as such, and nothing as an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _float(dumper: yaml.SafeDumper, value: float) -> yaml.ScalarNode:
    if value == int(value) and abs(value) < 1e15:
        return dumper.represent_int(int(value))
    return dumper.represent_float(value)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    """In double quotes, which escape them, where some characters cannot be seen: YAML folds and bends lines."""
    style = None if value.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(float, _float)
_Dumper.add_representer(str, _text)
