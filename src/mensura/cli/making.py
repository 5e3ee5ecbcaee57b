"""Worlds and environments as the options of a command say them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mensura.agent.errors import MensuraError, neighbors
from mensura.cli.values import hint, value_of
from mensura.core.abilities import describe_from_json, make, task_parameter
from mensura.core.abilities import parameters as parameters_of
from mensura.core.registry import WORLDS

if TYPE_CHECKING:
    from mensura.core.contract import World


def make_world(
    name: str,
    preset: str | None = None,
    grid: str | None = None,
    seats: int | None = None,
    iterations: int | None = None,
    changes: list[str] | None = None,
    task: str | None = None,
) -> World:
    """A world from its name and the options of a command; without a preset, under its first."""
    kind = WORLDS.load(name)
    known = parameters_of(kind)
    parameters: dict[str, Any] = {}
    if grid is not None:
        if not {"rows", "cols"} <= set(known):
            raise MensuraError(
                f"The world {name} has no rows and columns, so --grid would be ignored; "
                f"`mensura worlds parameters {name}` lists what can be set."
            )
        match = re.fullmatch(r"\s*(-?\d+)\s*[xX\u00d7]\s*(-?\d+)\s*", grid)
        if match is None:
            raise MensuraError(f"The grid {grid!r} is not understood; write ROWSxCOLS, as 10x10.")
        parameters["rows"], parameters["cols"] = int(match[1]), int(match[2])
    if seats is not None:
        parameters["subjects"] = seats
    if iterations is not None:
        parameters["horizon"] = iterations
    for change in changes or ():
        parameter, equals, value = change.partition("=")
        if not equals:
            raise MensuraError(f"--set {change!r} is not understood; write NAME=VALUE.")
        parameters[parameter.strip()] = value.strip()
    if task is not None:
        told = task_parameter(kind)
        if told is None:
            raise MensuraError(
                f"The world {name} has no tasks to choose from, so --task would be ignored; "
                f"`mensura worlds parameters {name}` lists what can be set."
            )
        if parameters.setdefault(told, task) != task:
            raise MensuraError(f"--task and --set {told}=... contradict each other; say one.")
    for parameter, value in parameters.items():
        if parameter not in known:
            what = neighbors(parameter, list(known)) if known else "it has none."
            raise MensuraError(f"The world {name} has no parameter {parameter!r}; {what}")
        if isinstance(value, str):
            parameters[parameter] = value_of(parameter, value, hint(kind, known[parameter]))
    return make(kind, preset, **parameters)


def interval(world: World, text: str | None) -> tuple[str, float, float] | None:
    """What ``--complexity`` asks for: a measure of the world, the lowest and the highest value."""
    if text is None or text == "any":
        return None
    measure, equals, range_ = text.rpartition("=")
    if not equals:
        measure = next(iter(world.measures), "")
    if measure not in world.measures:
        raise MensuraError(
            f"{world.id} has no complexity {measure!r}; {neighbors(measure, list(world.measures))}"
        )
    low, dots, high = range_.partition(".." if ".." in range_ else ":")
    try:
        least, most = float(low), float(high if dots else low)
    except ValueError:
        raise MensuraError(
            f"The complexity {text!r} is not understood; write a number, LOW..HIGH, or "
            f"MEASURE=LOW..HIGH as {next(iter(world.measures))}=2..23."
        ) from None
    return measure, least, most


def described(world: Any, file: Path | None, complexity: str | None) -> Any:
    """The environment that a JSON file describes, as ``--description`` wrote it; None without a file."""
    if file is None:
        return None
    if complexity is not None:
        raise MensuraError(
            f"{file} describes an environment, which has the complexity that it has; leave out --complexity."
        )
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MensuraError(f"There is no file {file}.") from None
    except ValueError as error:
        raise MensuraError(f"{file} is not JSON: {error}.") from None
    if not isinstance(data, dict):
        raise MensuraError(f"{file} holds no description; it would be an object with named fields.")
    return describe_from_json(world, data)
