"""``mensura robustness``: what is left of a subject's performance as perturbations grow, and where it breaks."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.assess import ThreadOptions, check_setting
from mensura.cli.groups import LimitOptions, ModelOptions, SpendingOptions, WorldOptions
from mensura.cli.values import read_settings
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Format, Json, Seed
from mensura.terminal.output import Files, complain, console, say, say_where, table, working
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from mensura.api.live_spending import Spending
    from mensura.api.results import Result
    from mensura.api.robustness import Robustness
    from mensura.studies.layout import Layout

EXAMPLES = """Two subjects of Lambda, with a page of curves: `mensura robustness q-learning planner -w lambda
--perturb observation-noise,action-latency -o robust.html`."""


@dataclass(frozen=True)
class Perturbations:
    """What is perturbed, where, and how subjects are assessed under it."""

    world: options.WorldName = options.DEFAULT_WORLD
    preset: options.Preset = None
    perturb: Annotated[
        list[str] | None,
        typer.Option(
            "--perturb",
            "-p",
            help="Operators, with commas between, or repeated: `mensura worlds perturbations` lists them.",
            show_default="observation-noise,action-noise",
        ),
    ] = None
    strengths: Annotated[
        str | None,
        typer.Option(
            help="Strengths from 0 to 1, with commas between; 0 is always among them.",
            show_default="0,0.1,0.2,0.3,0.5,0.7,1",
        ),
    ] = None
    named: Annotated[
        str,
        typer.Option(
            "--assessment", "-a", help="How subjects are assessed: `mensura assessments`."
        ),
    ] = "battery"
    episodes: Annotated[
        int | None,
        typer.Option(
            "--episodes",
            "-e",
            help="Of a battery: how many environments, each met at every strength.",
            show_default="30; 20 where a language model is assessed",
        ),
    ] = None
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--with", help="Another parameter of the assessment, NAME=VALUE; may be repeated."
        ),
    ] = None
    training: Annotated[
        int | None,
        typer.Option(
            help="Training episodes in each environment before it is perturbed.",
            show_default="perturbed environments only",
        ),
    ] = None
    recovery: Annotated[
        int | None,
        typer.Option(
            help="Also tell what so many further training episodes under the perturbation bring back.",
            show_default="not asked",
        ),
    ] = None
    withdraw: Annotated[
        bool,
        typer.Option(
            "--withdraw",
            help="Grant one more action that ends the episode, which then counts 0, and tell how often it was taken.",
        ),
    ] = False
    repeat: Annotated[
        int, typer.Option(help="Run the same experiment this many times with other seeds.", min=1)
    ] = 1
    seed: Seed = None
    report: Annotated[
        Path | None,
        typer.Option("--report", "-o", help="Write a one-file HTML page with the curves here."),
    ] = None
    name: Annotated[
        str,
        typer.Option(
            help="Keep the run under this name; the same command goes on with it.",
            show_default="one of its own",
        ),
    ] = ""


@dataclass(frozen=True)
class TableOptions:
    """Where else results go, and how they are written."""

    panel: ClassVar[str] = "Output"

    json: Json = None
    form: Format = TEXT
    store: options.StoreOption = None


@with_groups
def robustness(
    subjects: Annotated[
        list[str],
        typer.Argument(
            help="Who: as of `mensura assess`. One that acts at random is always added.",
            show_default=False,
        ),
    ],
    *,
    chosen: Perturbations,
    setting: WorldOptions,
    computing: ThreadOptions,
    limits: LimitOptions,
    models: ModelOptions,
    spending: SpendingOptions,
    output: TableOptions,
) -> None:
    """Measure how robust subjects are: what is left of their advantage over acting at random as a perturbation grows.

    Each operator acts alone, at rising strengths, in the same environments. Told are the area under what is left, the
    strength at which half is lost with its interval, and whether a subject breaks down gracefully or abruptly. All is
    kept in the store: the same command with `--seed` or `--name` goes on with what was interrupted.
    """
    with _stopped_by("Stopped before anything was played."):
        if computing.threads is not None and computing.threads < 1:
            raise MensuraError(
                f"{computing.threads} threads cannot do any work; at least 1 is needed."
            )
        layout = _layout(subjects, chosen, setting, limits, models)
        if chosen.report is not None:
            from mensura.api.reporting import check_can_report

            check_can_report()
        files = Files(report=chosen.report, json=output.json)
        spending.allow(layout.places)
    again = f"the same command with --seed {layout.seed}"
    with _stopped_by(f"Stopped; {again} goes on with what is kept."):
        result = _run(layout, chosen, output, computing.threads)
    with _stopped_by(f"Stopped; all scores are kept, and {again} shows them."):
        from mensura.api.robustness import Robustness

        with working("Measuring"):
            found = Robustness(result)
        _show(found, files, chosen.report)


@contextmanager
def _stopped_by(sentence: str) -> Iterator[None]:
    """Say a sentence where Ctrl-C ends the command here."""
    try:
        yield
    except KeyboardInterrupt:
        complain(sentence)
        raise typer.Exit(130) from None


def _layout(
    subjects: list[str],
    chosen: Perturbations,
    setting: WorldOptions,
    limits: LimitOptions,
    models: ModelOptions,
) -> Layout:
    """What is to be run; whatever cannot be is refused in a sentence."""
    from mensura.api.naming import Named, refuse_twice
    from mensura.api.robustness import PERTURBED, STRENGTHS, study_of
    from mensura.studies.layout import lay_out

    given = read_settings(chosen.given or ())
    if chosen.episodes is not None:
        check_setting("--episodes", "episodes", chosen.named)
        given["episodes"] = chosen.episodes
    refuse_twice(subjects)
    return lay_out(
        study_of(
            [
                Named(label, address, limits.in_process)
                for label, address in zip(subjects, models.addresses(subjects), strict=True)
            ],
            setting.make(chosen.world, chosen.preset),
            PERTURBED if chosen.perturb is None else chosen.perturb,
            strengths=STRENGTHS if chosen.strengths is None else _strengths(chosen.strengths),
            assessment=chosen.named,
            given=given,
            training=chosen.training,
            recovery=chosen.recovery,
            withdraw=chosen.withdraw,
            repetitions=chosen.repeat,
            limits=limits.limits(subjects),
            seed=chosen.seed,
            name=chosen.name,
        )
    )


def _strengths(text: str) -> list[float]:
    """Numbers with commas between."""
    found = []
    for one in text.split(","):
        try:
            found.append(float(one))
        except ValueError:
            raise MensuraError(
                f"--strengths has {one.strip()!r}; it has numbers from 0 to 1, as 0,0.5,1."
            ) from None
    return found


def _run(
    layout: Layout, chosen: Perturbations, output: TableOptions, threads: int | None
) -> Result:
    """Run it into the store, or go on with it."""
    from mensura.api.progress import progress
    from mensura.api.running import run_in_store
    from mensura.cli.listening import shown_arguments
    from mensura.reports.protocols import unit_of
    from mensura.studies.runs import Manner

    unit = unit_of({"name": chosen.named}).many

    def watch(total: int, done: int, spending: Spending) -> AbstractContextManager[Any]:
        return progress(total, done=done, unit=unit, spending=spending)

    return run_in_store(
        layout,
        output.store,
        manner=Manner("threads", threads),
        watch=watch,
        command=shlex.join(["mensura", *shown_arguments()]),
        fresh_seed=chosen.seed is None,
        unfinished=not layout.is_costly,
    )


def _show(found: Robustness, files: Files, report: Path | None) -> None:
    """Print the tables and what they say; a run that was interrupted says how it goes on."""
    details = found.result.details
    if not found.result.finished:
        say(f"Stopped before its end; go on with:  mensura study resume {details.name}")
        say("Then the same command with its --seed or --name shows what was found.")
        raise typer.Exit(130)
    for one in found.tables():
        table(*one)
    for sentence in found.sentences:
        console().print(sentence)
    say(f"seed {details.seed}, {details.seconds:.1f} s")
    say(f"kept as the run {details.name}: mensura runs show {details.name}")
    files.json(found.to_json())
    if report is not None:
        with working("Drawing the figures and writing the page"):
            found.report(report)
        say_where("The page", report)
