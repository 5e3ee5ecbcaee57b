"""Options that several commands share, and how they become a world."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import typer

from mensura.core.abilities import (
    describe_from_json,
    make,
    task_parameter,
)
from mensura.core.abilities import (
    parameters as parameters_of,
)
from mensura.core.errors import MensuraError, neighbors
from mensura.core.registry import WORLDS

if TYPE_CHECKING:
    from mensura.core.contract import World

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
Grid = Annotated[
    str | None,
    typer.Option(
        help="ROWSxCOLS, of a world that is a grid or a torus.", show_default="as the world says"
    ),
]
Seats = Annotated[
    int | None,
    typer.Option("--agents", "-n", help="How many seats.", show_default="as the world says"),
]
Iterations = Annotated[
    int | None,
    typer.Option(
        "--iterations",
        "-i",
        help="Interactions of an episode.",
        show_default="as the world says",
    ),
]
Complexity = Annotated[
    str | None,
    typer.Option(
        "--complexity",
        "-k",
        help="The wanted complexity: a number, LOW..HIGH, or of another measure MEASURE=LOW..HIGH.",
        show_default="any",
    ),
]
FromFile = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="The environment that this JSON file describes; `worlds show` writes such files.",
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
Width = Annotated[
    float | None,
    typer.Option(
        help="How wide pictures and films are, in pixels.",
        show_default="as large as what is drawn needs",
        min=50,
        max=10_000,
    ),
]
InProcess = Annotated[
    bool,
    typer.Option(
        "--in-process",
        help="Run your agents inside this process: faster, but they can crash or stop it.",
    ),
]
AllowNetwork = Annotated[
    bool,
    typer.Option("--allow-network", help="Let your agents and programs use the network."),
]
AllowRead = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-read",
        metavar="PATH",
        help="A file or folder that your agents and programs may read beside their own; may be repeated.",
    ),
]
PassEnv = Annotated[
    list[str] | None,
    typer.Option(
        "--pass-env",
        metavar="NAME",
        help="A variable of the environment that your agents and programs see; may be repeated.",
    ),
]
MemoryMb = Annotated[
    int | None,
    typer.Option(
        "--memory-mb",
        help="Megabytes of memory that an agent or program of yours may take.",
        min=1,
        show_default="8192",
    ),
]
NoIsolation = Annotated[
    bool,
    typer.Option(
        "--no-isolation",
        help="Let your agents and programs read your files and use the network and your devices, as if you had "
        "started them by hand: for code that you trust.",
    ),
]
StrictIsolation = Annotated[
    bool,
    typer.Option(
        "--strict-isolation",
        help="Play one sitting at a time and empty the machine's caches before each, so that your agents and programs "
        "find nothing there of other sittings.",
    ),
]
Listen = Annotated[
    str | None,
    typer.Option(
        "--listen",
        help="Assess a program that connects to us, at this PORT of this machine, or at HOST:PORT.",
        show_default="nobody connects",
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        "--token",
        help="With `--listen`: the word that programs have to know. Off this machine there is always one.",
        show_default="MENSURA_TOKEN; else made where it is needed, and printed",
    ),
]
Patience = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        help="Seconds that an agent of yours may take for an action.",
        show_default="10; 120 where a language model is assessed",
        min=0.001,
    ),
]

_MODELS = "Language models"
BaseUrl = Annotated[
    str | None,
    typer.Option(
        help="Of `openai:MODEL`: where its service is, as http://127.0.0.1:8080/v1.",
        show_default="OPENAI_BASE_URL, else OpenAI",
        rich_help_panel=_MODELS,
    ),
]
Prompt = Annotated[
    str | None,
    typer.Option(
        help="Of `openai:MODEL`: a folder of prompts, or a file in place of system.txt.",
        show_default="ours",
        rich_help_panel=_MODELS,
    ),
]
AnswerManner = Annotated[
    str | None,
    typer.Option(
        "--answer",
        help="Of `openai:MODEL`: whether it answers by a function call (tool), in words (text), or to a schema (json).",
        show_default="tool",
        rich_help_panel=_MODELS,
    ),
]
Context = Annotated[
    int | None,
    typer.Option(
        help="Of `openai:MODEL`: how many tokens of its conversation it is sent; older turns are left out.",
        show_default="8000",
        rich_help_panel=_MODELS,
    ),
]
PriceIn = Annotated[
    float | None,
    typer.Option(
        help="Of `openai:MODEL`: the price of a million tokens that it reads.",
        show_default="unknown",
        rich_help_panel=_MODELS,
    ),
]
PriceOut = Annotated[
    float | None,
    typer.Option(
        help="Of `openai:MODEL`: the price of a million tokens that it writes.",
        show_default="unknown",
        rich_help_panel=_MODELS,
    ),
]
TokensPerMinute = Annotated[
    float | None,
    typer.Option(
        help="Of `openai:MODEL`: so many tokens in any minute, all sittings together.",
        show_default="no limit",
        rich_help_panel=_MODELS,
    ),
]
RequestsPerMinute = Annotated[
    float | None,
    typer.Option(
        help="Of `openai:MODEL`: so many requests in any minute, all sittings together.",
        show_default="no limit",
        rich_help_panel=_MODELS,
    ),
]


def models_told(subjects: Sequence[str], **told: str | float | None) -> list[str]:
    """The addresses, those of language models with what options say of them; an address that says it itself is right.

    A sentence where an option is given and no subject is a language model.
    """
    from mensura.agents.address import Part, parse

    given = {name: _plain(value) for name, value in told.items() if value is not None}
    if not given:
        return list(subjects)
    addresses, found = [], False
    for subject in subjects:
        parts = []
        for part in parse(subject):
            if part.scheme == "openai":
                found = True
                part = Part(part.name, {**given, **part.parameters}, part.count)
            parts.append(str(part))
        addresses.append("+".join(parts))
    if not found:
        name = next(iter(given)).replace("_", "-")
        raise MensuraError(
            f"--{name} is of language models, and none is assessed; name one as openai:MODEL."
        )
    return addresses


def _plain(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.12g}"


def limits_of(
    timeout: float,
    allow_network: bool,
    allow_read: list[str] | None,
    pass_env: list[str] | None,
    memory_mb: int | None,
    no_isolation: bool,
    strict_isolation: bool,
) -> dict[str, Any]:
    """The limits of subjects, as a study file writes them; what is as usual is left out."""
    given = {
        "network": allow_network,
        "readable": list(allow_read or ()),
        "environment": list(pass_env or ()),
        "memory_mb": memory_mb,
    }
    limits: dict[str, Any] = {name: value for name, value in given.items() if value}
    if no_isolation and strict_isolation:
        raise MensuraError("--no-isolation and --strict-isolation contradict each other; say one.")
    if no_isolation or strict_isolation:
        limits["isolation"] = "strict" if strict_isolation else False
    return {"seconds_per_action": timeout, **limits}


def world_named(argument: str | None, option: str | None) -> str:
    """The world that a command was told, in either of two ways."""
    if argument is not None and option is not None and argument != option:
        raise MensuraError(
            f"Two worlds are named, {argument} and {option}; this command takes one."
        )
    return argument or option or DEFAULT_WORLD


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
                f"The world {name} has no rows and columns, so --grid says nothing there; "
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
                f"The world {name} has no tasks to choose from, so --task says nothing there; "
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


# Values of parameters -----------------------------------------------------------


class _MisfitError(Exception):
    """A text that is no value of a type; says what one looks like."""


def hint(kind: Any, field: Any) -> Any:
    """The type of a parameter; that of its default where its annotation cannot be read."""
    try:
        return get_type_hints(kind)[field.name]
    except (NameError, TypeError):
        return type(field.default)


def kinds(wanted: Any) -> list[str]:
    """What values of a type look like, in a few words each."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return [words for one in inner for words in kinds(one)]
    if origin is Literal:
        return list(map(str, inner))
    if origin is tuple:
        if len(inner) == 2 and inner[-1] is Ellipsis:
            return [f"{' or '.join(kinds(inner[0]))}, ..."]
        return [f"({', '.join(' or '.join(kinds(one)) for one in inner)})"]
    names = {bool: "true or false", int: "whole number", float: "number", str: "word"}
    return [names.get(wanted, "none" if wanted is NoneType else str(wanted))]


def value_of(name: str, text: str, wanted: Any) -> Any:
    """The value of a parameter of such a type that a text stands for."""
    try:
        return _read(text, wanted)
    except _MisfitError as misfit:
        raise MensuraError(f"{name} is {text!r}; it must be {misfit}.") from None


def _read(text: str, hint: Any) -> Any:
    """A text as a value of a type; of several types, as the first that it fits."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        wanted = []
        for one in inner:
            try:
                # Words are told apart from misspelled ones here, as nobody else knows that they were meant.
                return (
                    _word(text, get_args(one)) if get_origin(one) is Literal else _read(text, one)
                )
            except _MisfitError as misfit:
                wanted.append(str(misfit))
        raise _MisfitError(" or ".join(wanted))
    if hint is bool:
        if text.lower() in ("true", "yes", "1", "on"):
            return True
        if text.lower() in ("false", "no", "0", "off"):
            return False
        raise _MisfitError("true or false")
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            raise _MisfitError("a whole number" if hint is int else "a number") from None
    if hint in (None, NoneType):
        return _word(text, ("none",)) and None
    if origin is tuple or hint is tuple:
        return _several([item.strip() for item in text.split(",") if item.strip()], inner)
    return text  # words and names: the world says which it knows


def _word(text: str, words: Sequence[str]) -> str:
    if text.lower() not in words:
        raise _MisfitError(" or ".join(words))
    return text.lower()


def _several(items: list[str], inner: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values between commas: any number of one type, or one of each type."""
    if not inner or inner[-1] is Ellipsis:
        inner = (inner[0] if inner else int,) * len(items)
    example = "numbers as 0,1,2" if inner in ((), (int,) * len(inner)) else "values as a,b"
    if float in inner:
        example = "numbers as 0.5,0.25"
    if len(inner) == 2 and not all(one is str for one in inner):
        example = "two numbers as 2,9"
    if len(items) != len(inner):
        raise _MisfitError(example)
    try:
        return tuple(_read(item, one) for item, one in zip(items, inner, strict=True))
    except _MisfitError:
        raise _MisfitError(example) from None
