"""Options that several commands share, and how they become a world."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.core.errors import MensuraError, neighbors
from mensura.core.registry import WORLDS

if TYPE_CHECKING:
    from mensura.core.contract import World
    from mensura.core.keys import Key

WorldName = Annotated[str, typer.Option("--world", "-w", help="The world: `mensura worlds list`.")]
Preset = Annotated[
    str, typer.Option(help="A named set of readings: paper, or authors-2016 (their program).")
]
Grid = Annotated[
    str | None, typer.Option(help="Size of the torus, ROWSxCOLS.", show_default="10x10")
]
Seats = Annotated[
    int | None, typer.Option("--agents", "-n", help="How many seats.", show_default="5")
]
Iterations = Annotated[
    int | None,
    typer.Option("--iterations", "-i", help="Interactions of an episode.", show_default="50"),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any other parameter of the world, NAME=VALUE; may be repeated."),
]
Seed = Annotated[
    int | None,
    typer.Option(
        help="The root of all draws; the same seed gives the same result.", show_default="fresh"
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Where runs are kept: a file, or a URL as postgresql://HOST/DATABASE.",
        show_default="MENSURA_STORE, else mensura.db in this folder",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", "-j", help="How many sittings at a time.", show_default="all cores"),
]
ExecutorName = Annotated[
    str,
    typer.Option(
        "--executor",
        help="Who computes: threads, processes, ray, or auto (threads where they are enough). It changes no result.",
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        help="With `--executor ray`: a running cluster, as HOST:PORT or auto.",
        show_default="a local one, started for you",
    ),
]
Json = Annotated[
    Path | None, typer.Option("--json", help="Also write the table as JSON to this file.")
]
InProcess = Annotated[
    bool,
    typer.Option(
        "--in-process",
        help="Run your agents inside this process: faster, but they can crash or stop it.",
    ),
]
Timeout = Annotated[
    float, typer.Option(help="Seconds that an agent of yours may take for an action.", min=0.001)
]


def seed_or_fresh(seed: int | None) -> Key:
    """The seed given, checked, or one that nobody could foresee."""
    from mensura.core.keys import MASK, fresh

    if seed is None:
        return fresh()
    if not 0 <= seed <= MASK:
        raise MensuraError(f"The seed {seed} is out of range; it is from 0 to 2^64 - 1.")
    return seed


def make_world(
    name: str,
    preset: str = "paper",
    grid: str | None = None,
    seats: int | None = None,
    iterations: int | None = None,
    changes: list[str] | None = None,
) -> World:
    """A world from its name and the options of a command."""
    kind = WORLDS.load(name)
    parameters: dict[str, Any] = {}
    if grid is not None:
        match = re.fullmatch(r"\s*(-?\d+)\s*[xX\u00d7]\s*(-?\d+)\s*", grid)
        if match is None:
            raise MensuraError(f"The grid {grid!r} is not understood; write ROWSxCOLS, as 10x10.")
        parameters["rows"], parameters["cols"] = int(match[1]), int(match[2])
    if seats is not None:
        parameters["subjects"] = seats
    if iterations is not None:
        parameters["horizon"] = iterations
    known = {field.name: field for field in fields(kind)}
    for change in changes or ():
        parameter, equals, value = change.partition("=")
        if not equals:
            raise MensuraError(f"--set {change!r} is not understood; write NAME=VALUE.")
        parameters[parameter.strip()] = value.strip()
    for parameter, value in parameters.items():
        if parameter not in known:
            raise MensuraError(
                f"The world {name} has no parameter {parameter!r}; {neighbors(parameter, list(known))}"
            )
        if isinstance(value, str):
            parameters[parameter] = _value(parameter, value, known[parameter].default)
    world: World = kind.preset(preset, **parameters)
    return world


def _value(name: str, text: str, default: Any) -> Any:
    """A value of the type that the parameter's default has."""
    if isinstance(default, bool):
        if text.lower() in ("true", "yes", "1", "on"):
            return True
        if text.lower() in ("false", "no", "0", "off"):
            return False
        raise MensuraError(f"{name} is {text!r}; it must be true or false.")
    if isinstance(default, int):
        try:
            return int(text)
        except ValueError:
            raise MensuraError(f"{name} is {text!r}; it must be a whole number.") from None
    if isinstance(default, tuple):
        try:
            return tuple(int(item) for item in text.split(",") if item)
        except ValueError:
            raise MensuraError(f"{name} is {text!r}; it must be numbers as 0,1,2.") from None
    return text
