"""``mensura understand``: whether subjects predict, achieve, explain and recreate a phenomenon."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from mensura.cli import options
from mensura.cli.groups import LimitOptions, ModelOptions, SpendingOptions, WorldOptions
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Format, Json, Seed
from mensura.terminal.output import Files, console, say, say_where, table, working
from mensura.terminal.paper import TEXT

EXAMPLES = (
    "`mensura worlds phenomena lambda-star`, then `mensura understand oracle-model correlator --world lambda-star "
    "--phenomenon good`."
)


@dataclass(frozen=True)
class Phenomena:
    """What is to be understood, and how much is asked."""

    panel: ClassVar[str] = "What is asked"

    world: options.WorldName = options.DEFAULT_WORLD
    preset: options.Preset = None
    phenomenon: Annotated[
        str | None,
        typer.Option(
            "--phenomenon",
            "-p",
            help="What: `mensura worlds phenomena WORLD` lists them.",
            show_default="the first of the world",
        ),
    ] = None
    questions: Annotated[
        int, typer.Option(help="How many questions of each kind.", min=1, max=50)
    ] = 8
    training: Annotated[
        int,
        typer.Option(help="Episodes in which a subject may learn before it is asked.", min=0),
    ] = 0
    seed: Seed = None


@dataclass(frozen=True)
class OutputOptions:
    """Where results go, and how they are written."""

    panel: ClassVar[str] = "Output"

    report: Annotated[
        Path | None,
        typer.Option("--report", "-o", help="Write a one-file HTML page with the bars here."),
    ] = None
    store: Annotated[
        str | None,
        typer.Option(
            help="The SQLite file or PostgreSQL URL in which answers of language models are kept, so that nobody is "
            "asked twice.",
            show_default="mensura.db, or MENSURA_STORE",
        ),
    ] = None
    json: Json = None
    form: Format = TEXT


@with_groups
def understand(
    subjects: Annotated[
        list[str],
        typer.Argument(
            help="Who: as of `mensura assess`; oracle-model, which has the rules; or correlator, which knows only what "
            "occurs together.",
            show_default=False,
        ),
    ],
    *,
    chosen: Phenomena,
    setting: WorldOptions,
    limits: LimitOptions,
    models: ModelOptions,
    spending: SpendingOptions,
    output: OutputOptions,
) -> None:
    """Measure what subjects understand of a phenomenon: whether they predict, achieve, explain and recreate it.

    Each probe is from 0 to 1, and all four count for themselves: told is their minimum, never a mean. A subject is
    asked what it has methods for (predict, plan, explain, model); what it has none for is not measured, which is no 0.
    """
    from mensura.api.naming import Named, refuse_twice
    from mensura.api.reporting import check_can_report
    from mensura.api.understanding import understand_named
    from mensura.cli.listening import shown_arguments

    refuse_twice(subjects)
    if output.report is not None:
        check_can_report()
    files = Files(report=output.report, json=output.json)
    found = understand_named(
        [
            Named(label, address, limits.in_process)
            for label, address in zip(subjects, models.addresses(subjects), strict=True)
        ],
        setting.make(chosen.world, chosen.preset),
        chosen.phenomenon,
        questions=chosen.questions,
        training=chosen.training,
        seed=chosen.seed,
        limits=limits.limits(subjects),
        progress=True,
        store=output.store,
        allow=spending.allow_questions,
        command=shlex.join(["mensura", *shown_arguments()]),
    )
    for one in found.tables():
        table(*one)
    for sentence in found.sentences:
        console().print(sentence, soft_wrap=True, markup=False)
    say(f"seed {found.seed}")
    if found.name:
        say(f"answers are kept in the run {found.name}: mensura runs show {found.name}")
    files.json(found.to_json())
    if output.report is not None:
        with working("Drawing the figures and writing the page"):
            found.report(output.report, shlex.join(["mensura", *shown_arguments()]))
        say_where("The page", output.report)
