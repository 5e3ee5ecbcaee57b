"""Single options that several commands share; those that belong together are in :mod:`mensura.cli.groups`."""

from __future__ import annotations

from typing import Annotated

import typer

from mensura.agent.errors import MensuraError

DEFAULT_WORLD = "lambda"
"""Where nobody names a world: the one that the universal test was made for."""

WorldName = Annotated[str, typer.Option("--world", "-w", help="The world: `mensura worlds list`.")]
WorldArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[WORLD]", help="The world: `mensura worlds list`.", show_default=DEFAULT_WORLD
    ),
]
WorldAgain = Annotated[
    str | None,
    typer.Option("--world", "-w", help="The same, as other commands take it.", show_default=False),
]
Preset = Annotated[
    str | None,
    typer.Option(
        help="A named set of readings: `mensura worlds parameters WORLD`.",
        show_default="the world's first",
    ),
]
TaskName = Annotated[
    str | None,
    typer.Option(
        "--task",
        help="The task, in a world that has several: `mensura tasks list`, or a file of your own.",
        show_default="as the world says",
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any other parameter of the world, NAME=VALUE; may be repeated."),
]
InProcess = Annotated[
    bool,
    typer.Option(
        "--in-process",
        help="Run your agents inside this process: faster, but they can crash or stop it.",
    ),
]
GraphsOption = Annotated[
    str | None,
    typer.Option(
        "--graphs",
        help="A graph database that keeps skeletons in the store's place: ladybug:PATH or neo4j://HOST.",
        show_default="the store",
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
Width = Annotated[
    float | None,
    typer.Option(
        help="How wide pictures and films are, in pixels.",
        show_default="as large as what is drawn needs",
        min=50,
        max=10_000,
    ),
]


def world_named(argument: str | None, option: str | None) -> str:
    """The world that a command was told, in either of two ways."""
    if argument is not None and option is not None and argument != option:
        raise MensuraError(
            f"Two worlds are named, {argument} and {option}; this command takes one."
        )
    return argument or option or DEFAULT_WORLD
