"""``mensura tasks``: tasks of FraMoTEC as files, to look at, check, copy and change."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from mensura.cli import options
from mensura.core.errors import MensuraError, neighbors
from mensura.terminal.options import Json
from mensura.terminal.output import Files, console, say, say_where, table, write

if TYPE_CHECKING:
    from mensura.worlds.framotec.task import Task

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Look at tasks of FraMoTEC, and make your own: YAML files, copied from a sample, changed and checked.",
    epilog="`mensura tasks copy car-race -o mine.yaml`, change it, `mensura tasks check mine.yaml`, then "
    "`mensura assess SUBJECT --world framotec --set task=mine.yaml`.",
)

TaskName = Annotated[
    str, typer.Argument(metavar="TASK", help="A sample task, or a file with a task of your own.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Where the file goes; - prints it.", show_default="-"),
]


@app.command("list")
def list_tasks(json: Json = None) -> None:
    """List the sample tasks of the paper, which come as files."""
    from mensura.worlds.framotec.files import read_task, shipped

    files = Files(json=json)
    rows: list[dict[str, Any]] = []
    for name in shipped():
        task = read_task(name)
        rows.append(
            {
                "task": name,
                "objects": len(task.flat.objects),
                "motors": len(task.exposed),
                "goals": len(task.goals),
                "time": task.limits.time,
                "energy": task.limits.energy,
                "instructions": task.instructions,
            }
        )
    columns = [("task", False), ("objects", True), ("motors", True), ("goals", True)]
    columns += [("s", True), ("J", True), ("what a performer is told", False)]
    table("Sample tasks", columns, [tuple(map(_shown, row.values())) for row in rows])
    files.json(rows)


@app.command("show")
def show(task: TaskName) -> None:
    """Print a task as a YAML file without comments, whatever it was written as."""
    from mensura.worlds.framotec.files import task_to_yaml

    write(task_to_yaml(_read(task)))


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(help="A YAML or JSON file with a task.")],
) -> None:
    """Say what is wrong with a task file, with the line, or what it holds; a few steps of it are run as well."""
    from mensura.worlds.framotec.files import open_task_file
    from mensura.worlds.framotec.simulation import Simulation

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
    say(f"{file} is right: {task.name!r}, {family}: {counts}.")
    if not task.exposed:
        say("No motor is exposed, so that no controller can do anything.")
    if not task.goals:
        say("It has no goals, so that it is never solved.")


@app.command("copy")
def copy(
    name: Annotated[str, typer.Argument(help="A sample task: `mensura tasks list`.")],
    output: Output = None,
) -> None:
    """Copy the file of a sample task, comments and all, to be changed.

    `mensura tasks copy car-race -o mine.yaml`, change what you like, `mensura tasks check mine.yaml`.
    """
    from mensura.worlds.framotec.files import shipped

    known = shipped()
    if name not in known:
        raise MensuraError(f"There is no sample task {name!r}; {neighbors(name, list(known))}")
    _write(known[name].read_text(encoding="utf-8"), output)


@app.command("change")
def change(
    task: TaskName,
    operation: Annotated[
        str, typer.Argument(help="What is done with it: `mensura tasks operations`.")
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE ...]", help="How it is done.")
    ] = None,
    output: Output = None,
) -> None:
    """Change a task by an operation, and write the new one as a file.

    `mensura tasks change car-race add-noise distortion=2 -o foggy.yaml`,
    `mensura tasks change car-race in-sequence with=parking -o both.yaml`,
    `mensura tasks change plotter-2d decompose -o part.yaml`: one file for each part, part-1.yaml and so on.
    """
    from mensura.worlds.framotec.files import task_to_yaml
    from mensura.worlds.framotec.operations import OPERATIONS

    if operation not in OPERATIONS:
        raise MensuraError(
            f"There is no operation {operation!r}; {neighbors(operation, list(OPERATIONS))}"
        )
    function = OPERATIONS[operation]
    made = function(_read(task), **_arguments(operation, function, arguments or []))
    several = isinstance(made, tuple)
    for number, one in enumerate(made if several else (made,), 1):
        place = output
        if several and output is not None and str(output) != "-":
            place = output.with_name(f"{output.stem}-{number}{output.suffix or '.yaml'}")
        elif several:
            say(f"# part {number}")
        _write(task_to_yaml(one), place)


@app.command("operations")
def operations() -> None:
    """List what can be done with tasks: `mensura tasks change TASK OPERATION [NAME=VALUE ...]`."""
    from mensura.worlds.framotec.operations import OPERATIONS

    rows = []
    for name, function in OPERATIONS.items():
        given = [
            word if parameter.default is inspect.Parameter.empty else f"({word})"
            for word, parameter in _parameters(function).items()
        ]
        first = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
        first = first.replace("``", "")
        rows.append((name, " ".join(given), first))
    table(
        "Operations on tasks",
        [("operation", False), ("arguments", False), ("what it gives", False)],
        rows,
    )
    say(
        "Arguments in parentheses may be left out: mensura tasks change car-race add-noise distortion=2 -o foggy.yaml"
    )


@app.command("properties")
def show_properties(
    task: TaskName,
    agents: Annotated[int, typer.Option("--agents", "-n", help="How many controllers.", min=1)] = 1,
    thought: Annotated[
        float | None,
        typer.Option(help="Seconds of thought of a controller, by the simulated clock.", min=0.0),
    ] = None,
    json: Json = None,
) -> None:
    """Print the eleven properties of a task that section 7 of the paper names, and what tunes each."""
    from mensura.worlds.framotec.properties import PROPERTIES, Setting, properties

    files = Files(json=json)
    clock = "interactions" if thought is None else "simulated"
    setting = Setting(agents, clock, () if thought is None else (thought,) * agents)
    found = properties(_read(task), setting)
    table(
        f"Properties of {task}",
        [("property", False), ("value", True), ("what that is", False), ("found", False)],
        [
            (name, f"{value:.4g}", PROPERTIES[name].value, sentence)
            for name, (value, sentence) in found.items()
        ],
    )
    for name, one in PROPERTIES.items():
        console().print(f"{name} is tuned by {one.tuned_by}", soft_wrap=True)
    files.json(
        [
            {"property": name, "value": value, "sentence": sentence}
            for name, (value, sentence) in found.items()
        ]
    )


# Helpers ------------------------------------------------------------------------------


def _read(task: str) -> Task:
    from mensura.worlds.framotec.files import read_task

    return read_task(task)


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)


def _write(text: str, output: Path | None) -> None:
    from mensura.records.results import write_whole

    if output is None or str(output) == "-":
        write(text)
        return
    if output.exists() and not output.is_dir():
        raise MensuraError(f"{output} is there already; write elsewhere with -o FILE.")
    write_whole(output, text)
    say_where("The task file", output)


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """What an operation can be told, beside the task; the other task of two is given as ``with``."""
    _, *rest = inspect.signature(function).parameters.values()
    return {"with" if one.name == "b" else one.name: one for one in rest}


def _arguments(operation: str, function: Callable[..., Any], given: list[str]) -> dict[str, Any]:
    """The arguments of an operation, from NAME=VALUE."""
    known = _parameters(function)
    hints = get_type_hints(function)
    values: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise MensuraError(f"The argument {text!r} is not understood; write NAME=VALUE.")
        if name not in known:
            raise MensuraError(f"{operation} takes no {name!r}; {neighbors(name, list(known))}")
        own = known[name].name
        values[own] = _read(value) if own == "b" else options.value_of(name, value, hints[own])
    for name, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and parameter.name not in values:
            raise MensuraError(f"{operation} needs {name}; write {name}=VALUE.")
    return values
