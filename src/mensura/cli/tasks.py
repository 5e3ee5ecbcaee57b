"""``mensura tasks``: environments of a world as files, to look at, check, copy, make and change."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from mensura.agent.errors import MensuraError, neighbors
from mensura.cli.plugin_commands import Commands
from mensura.cli.values import value_of
from mensura.core import abilities
from mensura.core.registry import WORLDS, Registry
from mensura.terminal.options import Json
from mensura.terminal.output import Files, say, say_where, table, write

if TYPE_CHECKING:
    from mensura.core.task_files import Maker, TaskFiles


class TaskCommands(Commands):
    """What can be done with tasks, in every world and in some."""

    brought: ClassVar[Registry] = Registry("mensura.commands.tasks", "command")


app = typer.Typer(
    cls=TaskCommands,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Look at tasks of a world, and make your own: files, copied from a sample, changed and checked.",
    epilog="`mensura tasks copy car-race -o mine.yaml`, change it, `mensura tasks check mine.yaml`, then "
    "`mensura assess SUBJECT --world framotec --task mine.yaml`.",
)

DEFAULT_WORLD = "framotec"
"""Where nobody names a world."""

World = Annotated[
    str,
    typer.Option("--world", "-w", help="The world whose tasks they are, one that has task files."),
]
WorldOfTask = Annotated[
    str | None,
    typer.Option(
        "--world",
        "-w",
        help="The world whose task it is.",
        show_default=f"{DEFAULT_WORLD}, or another that knows it",
    ),
]
TaskName = Annotated[
    str, typer.Argument(metavar="TASK", help="A sample task, or a file with a task of your own.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Where the file goes; - prints it.", show_default="-"),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="How it is made; may be repeated."),
]


@app.command("list")
def list_tasks(world: World = DEFAULT_WORLD, json: Json = None) -> None:
    """List the sample tasks of a world, which come as files."""
    files = Files(json=json)
    known = _files(world)
    rows = [{"task": name, **known.facts(name)} for name in known.samples()]
    columns = [
        (known.headings.get(fact, fact), any(map(_is_number, (row[fact] for row in rows))))
        for fact in (rows[0] if rows else {"task": ""})
    ]
    table("Sample tasks", columns, [tuple(map(_shown, row.values())) for row in rows])
    files.json(rows)


@app.command("show")
def show(task: TaskName, world: WorldOfTask = None) -> None:
    """Print a task as a file of its world, whatever it was written as."""
    write(_files(world or _world_with(lambda files: task in files.samples())).text(task))


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(help="A file with a task.")],
    world: Annotated[
        str | None,
        typer.Option(
            "--world",
            "-w",
            help="The world whose task it is.",
            show_default=f"one that recognizes it, else {DEFAULT_WORLD}",
        ),
    ] = None,
) -> None:
    """Say what is wrong with a task file, with the line, or what it holds.

    Where the world can, a few steps of it are run, or what is true of it is proven.
    """
    about, *remarks = _check(file) if world is None else _files(world).check(file)
    say(f"{file} is valid: {about}.")
    for remark in remarks:
        say(remark)


@app.command("copy")
def copy(
    name: Annotated[str, typer.Argument(help="A sample task: `mensura tasks list`.")],
    output: Output = None,
    world: WorldOfTask = None,
) -> None:
    """Copy the file of a sample task, comments and all, to be changed.

    `mensura tasks copy car-race -o mine.yaml`, change what you like, `mensura tasks check mine.yaml`.
    """
    world = world or _world_with(lambda files: name in files.samples())
    known = _files(world).samples()
    if name not in known:
        raise MensuraError(f"There is no sample task {name!r}; {neighbors(name, list(known))}")
    _write(world, known[name].read_text(encoding="utf-8"), output)


@app.command("make")
def make(
    kind: Annotated[
        str | None, typer.Argument(help="What makes it.", show_default="list them")
    ] = None,
    settings: Settings = None,
    solvable: Annotated[
        bool | None,
        typer.Option(
            "--solvable/--unsolvable",
            help="Make one that can be solved, or one that certainly cannot.",
            show_default="as it comes",
        ),
    ] = None,
    output: Output = None,
    world: World = DEFAULT_WORLD,
) -> None:
    """Make a task, and write it as a file; without KIND, list what makes tasks.

    `mensura tasks make n-dimensional --set dimensions=3 -o three.yaml`,
    `mensura tasks make add-noise --set task=car-race --set distortion=2 -o foggy.yaml`.
    """
    makers = _makers(world)
    if kind is None:
        _list("What makes tasks", "kind", makers, ())
        return
    if kind not in makers:
        raise MensuraError(f"Nothing called {kind!r} makes tasks; {neighbors(kind, list(makers))}")
    maker = makers[kind]
    known = _parameters(maker)
    given = _arguments(kind, known, settings or [], "--set ")
    if solvable is not None:
        if "solvable" not in known:
            raise MensuraError(
                f"{kind} makes no tasks of which it is known whether they can be solved."
            )
        given["solvable"] = solvable
    _write(world, maker(**given), output)


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
    world: World = DEFAULT_WORLD,
) -> None:
    """Change a task by an operation, and write the new one as a file.

    `mensura tasks change car-race add-noise distortion=2 -o foggy.yaml`,
    `mensura tasks change car-race in-sequence with=parking -o both.yaml`,
    `mensura tasks change plotter-2d decompose -o part.yaml`: one file for each part, part-1.yaml and so on.
    """
    makers = _operations(world)
    if operation not in makers:
        raise MensuraError(
            f"There is no operation {operation!r}; {neighbors(operation, list(makers))}"
        )
    maker = makers[operation]
    known = _parameters(maker)
    del known["task"]
    _write(world, maker(task=task, **_arguments(operation, known, arguments or [])), output)


@app.command("operations")
def operations(world: World = DEFAULT_WORLD) -> None:
    """List what can be done with tasks: `mensura tasks change TASK OPERATION [NAME=VALUE ...]`."""
    _list("Operations on tasks", "operation", _operations(world), ("task",))
    say(
        ": ".join(filter(None, ("Arguments in parentheses may be left out", _files(world).example)))
    )


@app.command("import")
def import_task(
    file: Annotated[Path, typer.Argument(help="A file in another format.")],
    format_: Annotated[
        str | None,
        typer.Option("--format", help="The format.", show_default="as the file's name ends"),
    ] = None,
    settings: Settings = None,
    output: Output = None,
    world: WorldOfTask = None,
) -> None:
    """Make a task of a file in another format, and write it as a file of a world that reads the format."""
    name = format_ or file.suffix.lstrip(".").lower()
    found = world or _world_with(lambda files: name in files.importers())
    importers = _files(found).importers()
    if world is None and name not in importers:
        raise MensuraError(
            f"No world that is installed here reads files of the format {name!r}; `mensura worlds list` lists those "
            "that are, and which of them lack a library."
        )
    world = found
    if not importers:
        raise MensuraError(
            f"{_called(world)} reads no other formats; `mensura tasks check` checks files in its own."
        )
    if name not in importers:
        raise MensuraError(
            f"There is no format {name!r} to import from; {neighbors(name, list(importers))}"
        )
    if not file.is_file():
        raise MensuraError(f"There is no file {file}, or it is a folder.")
    importer = importers[name]
    path, *rest = _parameters(importer).items()
    given = _arguments(name, dict(rest), settings or [], "--set ")
    _write(world, importer(**{path[1].name: file}, **given), output)


# Helpers ------------------------------------------------------------------------------


def _files(world: str) -> TaskFiles:
    known = abilities.task_files(WORLDS.load(world))
    if known is None:
        raise MensuraError(
            f"{_called(world)} has no task files; `mensura worlds parameters {world}` lists what can be set there."
        )
    return known


def _world_with(fits: Callable[[TaskFiles], bool]) -> str:
    """The usual world where its files fit, else another whose files do; the usual one where none does."""
    for name in (DEFAULT_WORLD, *WORLDS.names()):
        try:
            known = abilities.task_files(WORLDS.load(name))
        except MensuraError:  # its libraries are not installed
            continue
        if known is not None and fits(known):
            return name
    return DEFAULT_WORLD


def _check(file: Path) -> Sequence[str]:
    """What the usual world says of a file or, where that finds it wrong, one that recognizes it."""
    try:
        return _files(DEFAULT_WORLD).check(file)
    except MensuraError:
        for world in WORLDS.names():
            try:
                known = abilities.task_files(WORLDS.load(world))
            except MensuraError:
                continue
            if known is not None and known.recognizes(file):
                return known.check(file)
        raise


def _called(world: str) -> str:
    return f"The world {WORLDS.load(world).id}"


def _makers(world: str) -> Mapping[str, Maker]:
    makers = _files(world).makers()
    if not makers:
        raise MensuraError(
            f"{_called(world)} has nothing that makes tasks; `mensura tasks copy` gives a sample to change."
        )
    return makers


def _operations(world: str) -> dict[str, Maker]:
    """Those that make tasks of tasks."""
    found = {name: maker for name, maker in _makers(world).items() if "task" in _parameters(maker)}
    if not found:
        raise MensuraError(
            f"{_called(world)} has no operations on tasks; `mensura tasks make` lists what makes some."
        )
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)


def _list(title: str, heading: str, makers: Mapping[str, Maker], hidden: Sequence[str]) -> None:
    rows = []
    for name, maker in makers.items():
        given = [
            word if parameter.default is inspect.Parameter.empty else f"({word})"
            for word, parameter in _parameters(maker).items()
            if word not in hidden
        ]
        first = " ".join((inspect.getdoc(maker) or "").partition("\n\n")[0].split())
        rows.append((name, " ".join(given), first.replace("``", "")))
    table(title, [(heading, False), ("arguments", False), ("what it gives", False)], rows)


def _write(world: str, made: str | tuple[str, ...], output: Path | None) -> None:
    """Write a text, or several to numbered files; nothing is written where one of them is there already."""
    from mensura.records.results import write_whole

    several = isinstance(made, tuple)
    printed = output is None or str(output) == "-"
    places: list[Path] = []
    texts = made if isinstance(made, tuple) else (made,)
    for number, text in enumerate(texts, 1):
        if output is None or printed:
            if several:
                say(f"# part {number}")
            write(text)
            continue
        place = output
        if several:
            suffix = output.suffix or _files(world).suffixes[0]
            place = output.with_name(f"{output.stem}-{number}{suffix}")
        if place.exists() and not place.is_dir():
            raise MensuraError(f"{place} already exists; write elsewhere with -o FILE.")
        places.append(place)
    for place, text in zip(places, texts, strict=False):
        write_whole(place, text)
        say_where("The task file", place)


def _parameters(maker: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """What a maker can be told, by the names that commands use."""
    known = inspect.signature(maker, eval_str=True).parameters
    return {name.rstrip("_"): one for name, one in known.items()}


def _arguments(
    maker: str, known: Mapping[str, inspect.Parameter], given: Sequence[str], option: str = ""
) -> dict[str, Any]:
    """The arguments of a maker, from NAME=VALUE."""
    values: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise MensuraError(
                f"The argument {text!r} is not understood; write {option}NAME=VALUE."
            )
        if name not in known:
            what = neighbors(name, list(known)) if known else "it takes nothing."
            raise MensuraError(f"{maker} takes no {name!r}; {what}")
        values[known[name].name] = value_of(name, value, known[name].annotation)
    for name, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and parameter.name not in values:
            raise MensuraError(f"{maker} needs {name}; write {option}{name}=VALUE.")
    return values
