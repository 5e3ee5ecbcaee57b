"""``mensura study``: what concerns the files of studies, before anything is run."""

from __future__ import annotations

import json as json_writer
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.terminal.options import Json
from mensura.terminal.output import Files, console, table, write

if TYPE_CHECKING:
    from mensura.studies.place import Place
    from mensura.studies.study import Study

SHOWN = 12
"""So many conditions are named."""

File = Annotated[
    str, typer.Argument(metavar="FILE", help="A study file, or the name of one that is shipped.")
]


ANY_MODEL = '"openai:MODEL"'
"""What stands in a study over any language model in the place of one."""


def schema(
    words: Annotated[
        bool, typer.Option("--words", help="Print a table of all fields, to read.")
    ] = False,
) -> None:
    """Print the JSON schema of study files, for editors that check a file as you type.

    Save it with `mensura study schema > study.schema.json`; an editor with a YAML language server then checks a file
    that begins with the line `# yaml-language-server: $schema=study.schema.json`.
    """
    from mensura.studies.files import field_table
    from mensura.studies.files import schema as json_schema

    if not words:
        write(json_writer.dumps(json_schema(), indent=2) + "\n")
        return
    lines = field_table()
    for part in dict.fromkeys(line.part for line in lines):
        table(
            f"Each of {part}" if part else "A study",
            [
                ("field", False),
                ("what it holds", False),
                ("if left out", False),
                ("meaning", False),
            ],
            [
                (line.field, line.type, line.default, line.meaning)
                for line in lines
                if line.part == part
            ],
        )


def check(file: File, json: Json = None) -> None:
    """Say what a study will run, or what is wrong with its file.

    Every world, subject and assessment is looked up, every parameter is checked, environments are sampled at the
    ends of the wanted complexity, and subjects of your own are started once. Nothing is played.
    """
    from dataclasses import asdict

    from mensura.studies.expand import places_of
    from mensura.studies.files import open_study
    from mensura.studies.rehearse import forecast, rehearse

    files = Files(json=json)
    opened = open_study(file)
    study = opened.study
    with opened.located():
        made = list(places_of(study))
        rehearse(study, made)
    coming = forecast(made)
    say = console()
    say.print(f"{study.name}: {study.title}" if study.title else study.name)
    for line in _crossed(study):
        say.print(line)
    table(
        "What it will run",
        [("what", False), ("how many", True)],
        [
            ("conditions", f"{coming.conditions:,}"),
            ("subjects", f"{coming.subjects:,}"),
            ("repetitions", f"{study.repetitions:,}"),
            ("cells (a subject in a condition)", f"{coming.cells:,}"),
            ("sittings", f"{coming.sittings:,}"),
            ("episodes, training included", f"{coming.episodes:,}"),
            ("interactions", f"{coming.interactions:,}"),
        ],
    )
    for sentence in _trainings(study, made):
        say.print(sentence)
    names = list(dict.fromkeys(place.cell.condition for place in made))
    say.print("Conditions:")
    for name in names[:SHOWN]:
        say.print(f"  {name}", soft_wrap=True)
    if len(names) > SHOWN:
        say.print(f"  and {len(names) - SHOWN} more")
    own = ", and however long your own code thinks" if coming.own_code else ""
    say.print(f"It takes {_time(coming.seconds)} or so on this machine{own}.")
    seed = "fresh, and recorded" if study.seed is None else str(study.seed)
    say.print(f"The seed is {seed}. Run it with: mensura study run {file}")
    files.json({"name": study.name, **asdict(coming), "condition_names": names})


def _trainings(study: Study, places: Sequence[Place]) -> Iterator[str]:
    """How many trainings phases and transfer take, and how many are saved as shared beginnings are trained once."""
    from mensura.studies.phase_entries import trainings
    from mensura.studies.transfer_assessment import TransferAssessment

    if study.phases:
        each = trainings(study.phases)
        nodes = len(next(one for one in study.factors if one.name == "phases").levels)
        learners = sum(place.cell.sittings for place in places) // nodes
        yield _saved("The phases take", each.shared * learners, each.alone * learners)
    told = [
        (place.assessment.effort(place.world), place.cell.sittings)
        for place in places
        if isinstance(place.assessment, TransferAssessment)
    ]
    if told:
        yield _saved(
            "Transfer takes",
            sum(one.shared.trainings * learners for one, learners in told),
            sum(one.alone.trainings * learners for one, learners in told),
        )


def _saved(what: str, shared: int, alone: int) -> str:
    return (
        f"{what} {shared:,} trainings, and not {alone:,}, as beginnings that several share are trained once: "
        f"{alone - shared:,} are saved. Subjects that cannot be saved take all of them."
    )


def copy(
    name: Annotated[str, typer.Argument(help="A shipped study: `mensura study shipped`.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where the copy goes; - prints it.",
            show_default="NAME.yaml",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of a study over any language model: which one, as NAME for `openai:NAME`, or `anthropic:NAME`.",
        ),
    ] = None,
) -> None:
    """Copy a shipped study file, comments and all, to be changed and run.

    `mensura study copy lambda-star-2016 -o mine.yaml`, change what you like, `mensura study check mine.yaml`, then
    `mensura study run mine.yaml`.
    """
    from mensura.records.results import write_whole
    from mensura.studies.files import STUDIES
    from mensura.terminal.output import say_where

    source: Path = STUDIES.load(name)
    text = source.read_text(encoding="utf-8")
    if model is not None:
        text = _with_model(name, text, model)
    if str(output) == "-":
        write(text)
        return
    place = output if output is not None else Path(f"{name}.yaml")
    if place.exists() and not place.is_dir():
        raise MensuraError(f"{place} already exists; write elsewhere with -o FILE.")
    write_whole(place, text)
    say_where("The study file", place)


def _with_model(name: str, text: str, model: str) -> str:
    """The text of a study over any language model, with one in its place."""
    from mensura.agents.language_model.schemes import MODEL_SCHEMES

    if ANY_MODEL not in text:
        raise MensuraError(
            f"The study {name} is not one over any language model; leave out --model."
        )
    if not model.strip() or not model.isprintable() or set(model) & set('"\\'):
        raise MensuraError(f"{model!r} is not the name of a model.")
    scheme, colon, _ = model.partition(":")
    named = model if colon and scheme in MODEL_SCHEMES else f"openai:{model}"
    return text.replace(ANY_MODEL, f'"{named}"')


def shipped(json: Json = None) -> None:
    """List the studies that come with Mensura and its plug-ins: published experiments, as files."""
    from mensura.studies.files import STUDIES, open_study

    files = Files(json=json)
    rows: list[dict[str, Any]] = []
    for name in STUDIES.names():
        study = open_study(STUDIES.load(name)).study
        rows.append({"name": name, "title": study.title, "source": study.source})
    table(
        "Published experiments",
        [("name", False), ("what it is", False), ("source", False)],
        [tuple(row.values()) for row in rows],
    )
    files.json(rows)


def _crossed(study: Study) -> list[str]:
    """What is crossed with what, in words."""
    lines = []
    for factor in study.factors:
        labels = ", ".join(level.label for level in factor.levels)
        lines.append(f"  {factor.name}: {labels}")
    if lines:
        how = {
            "grid": "every combination of levels",
            "one-at-a-time": "each factor alone, the others at their baseline",
            "pairs": "each factor alone and each pair of them crossed, the others at their baseline",
        }
        lines.insert(0, f"Factors ({how[study.design]}):")
    return lines


def _time(seconds: float) -> str:
    """A rough time."""
    if seconds < 5:
        return "a few seconds"
    for limit, unit, name in ((90, 1, "seconds"), (5400, 60, "minutes"), (172_800, 3600, "hours")):
        if seconds < limit:
            return f"{round(seconds / unit)} {name}"
    return f"{round(seconds / 86_400)} days"
