"""``mensura profile``: what a subject can do, how it learns, what it carries over, when it breaks."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, cast

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.groups import ModelOptions, SpendingOptions, WorldOptions
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Format, Json, Seed
from mensura.terminal.output import Files, console, say, say_where, table, working
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from mensura.api.profiling import Profile
    from mensura.statistics.transfer import Norm

EXAMPLES = (
    "`mensura profile q-learning --quick -o profile.html`; two side by side: `mensura profile q-learning sarsa --quick "
    "-o both.html`."
)


@dataclass(frozen=True)
class Wishes:
    """Where, how much, and what is wanted of the subjects."""

    panel: ClassVar[str] = "What is measured"

    world: options.WorldName = options.DEFAULT_WORLD
    preset: options.Preset = None
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Measure less: under 2 minutes of processor time for a built-in subject. Without it a trial tells "
            "first how long it will take.",
        ),
    ] = False
    level: Annotated[
        float | None,
        typer.Option(
            help="The performance that is good enough, from -1 to 1.",
            show_default="halfway from acting at random to the best reference",
        ),
    ] = None
    weights: Annotated[
        str,
        typer.Option(
            help="Of accuracy, time and energy in performance, with sum 1; time and energy only where a world has them."
        ),
    ] = "1,0,0"
    references: Annotated[
        str | None,
        typer.Option(
            help="Whom the subjects are compared with, with commas between.",
            show_default="subjects of the world's own",
        ),
    ] = None
    phenomenon: Annotated[
        str | None,
        typer.Option(
            help="What is to be understood: `mensura worlds phenomena WORLD` lists them.",
            show_default="the first of the world",
        ),
    ] = None
    norm: Annotated[
        str,
        typer.Option(
            help="How properties make the distance of tasks: manhattan, euclidean or chebyshev."
        ),
    ] = "manhattan"
    seed: Seed = None
    in_process: options.InProcess = False
    timeout: Annotated[
        float | None, typer.Option(help="Seconds that an agent of yours may take for an action.")
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(help="How many at a time.", min=1, show_default="one for each core"),
    ] = None


@dataclass(frozen=True)
class OutputOptions:
    """Where results go, and how they are written."""

    panel: ClassVar[str] = "Output"

    report: Annotated[
        Path | None,
        typer.Option("--report", "-o", help="Write the profile as a one-file HTML page here."),
    ] = None
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            help="Keep the profile as a run in this file, or URL as postgresql://HOST/DATABASE: the same command goes "
            "on where it was stopped or killed, and `mensura serve` shows it.",
            show_default="not kept",
        ),
    ] = None
    name: Annotated[
        str,
        typer.Option(
            help="Keep the run under this name.", show_default="a name made of what is measured"
        ),
    ] = ""
    json: Json = None
    form: Format = TEXT


@with_groups
def profile(
    subjects: Annotated[
        list[str],
        typer.Argument(
            help="Who: a built-in subject, or file.py:Class; a second one stands beside it.",
            show_default=False,
        ),
    ],
    *,
    chosen: Wishes,
    setting: WorldOptions,
    models: ModelOptions,
    spending: SpendingOptions,
    output: OutputOptions,
) -> None:
    """Tell what a subject can do, how it learns, what it carries over, when it breaks, and what it understands.

    One page: its strongest and weakest points with their probability, performance, learning curves and learn rate,
    transfer, forgetting, robustness, generalization, the four probes of understanding, its behavior against the best,
    whether it is good enough, and whether the profile tells tasks that were held out. What cannot be measured of a
    subject is said, and is never a 0. Profiles of language models are smaller, and always kept.
    """
    from mensura.api.kept_profile import measure_kept, settings_of
    from mensura.api.naming import Named, refuse_twice
    from mensura.api.profile_outlays import expected_outlays
    from mensura.api.profiling import estimated_seconds, measure, set_up, showing_parts, size_of
    from mensura.api.reporting import check_can_report
    from mensura.cli.listening import shown_arguments
    from mensura.reports.number_words import seconds

    if output.report is not None:
        check_can_report()
    refuse_twice(subjects)
    who = [
        Named(label, address, chosen.in_process)
        for label, address in zip(subjects, models.addresses(subjects), strict=True)
    ]
    setup = set_up(
        who,
        setting.make(chosen.world, chosen.preset),
        size_of(who, quick=chosen.quick),
        level=chosen.level,
        weights=_numbers(chosen.weights),
        references=None
        if chosen.references is None
        else [one.strip() for one in chosen.references.split(",") if one.strip()],
        phenomenon=chosen.phenomenon,
        norm=cast("Norm", chosen.norm),  # checked there
        seed=chosen.seed,
        timeout=chosen.timeout,
        threads=chosen.threads,
    )
    files = Files(report=output.report, json=output.json)
    with (
        working("Estimating what language models are going to take")
        if setup.asks
        else nullcontext()
    ):
        outlays = expected_outlays(setup)
    spending.allow_profile(outlays)
    if not chosen.quick and not setup.asks:
        with working("Trying how long it will take"):
            expected = estimated_seconds(setup)
        say(
            f"A full profile takes about {seconds(expected)} here, as a trial tells; --quick takes less."
        )
    command = shlex.join(["mensura", *shown_arguments()])
    with showing_parts(True) as tell:
        if output.store is None and not output.name and not setup.asks:
            found = measure(setup, chosen.level, quick=chosen.quick, tell=tell)
        else:
            found = measure_kept(
                setup,
                settings_of(setup, chosen.level, quick=chosen.quick),
                output.store,
                name=output.name,
                given_seed=chosen.seed,
                tell=tell,
                command=command,
            )
    show_profile(found, output.report, command)
    files.json(found.to_json())


def show_profile(found: Profile, report: Path | None, command: str = "") -> None:
    """Print what was found, and write the page where one is asked for."""
    for one in found.tables():
        table(*one)
    for sentence in found.sentences:
        console().print(sentence, soft_wrap=True, markup=False)
    say(f"seed {found.seed}")
    if found.name:
        say(f"kept as the run {found.name}: mensura report {found.name} writes its page again")
    if report is not None:
        with working("Drawing the figures and writing the page"):
            found.report(report, command)
        say_where("The profile", report)


def _numbers(text: str) -> list[float]:
    """Numbers with commas between."""
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise MensuraError(
            f"--weights has {text!r}; it has three numbers with sum 1, as 0.5,0.25,0.25."
        ) from None
