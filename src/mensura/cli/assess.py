"""``mensura assess``: how general is my agent?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from json import dumps, loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.groups import (
    ConnectionOptions,
    LimitOptions,
    ModelOptions,
    SpendingOptions,
    WorldOptions,
)
from mensura.cli.scores import score_table
from mensura.cli.values import read_settings
from mensura.core.abilities import parameters, usual_assessment
from mensura.core.private_files import make_private
from mensura.core.registry import ASSESSMENTS
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Device, Format, Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, complain, say, say_where
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from mensura.api.live_spending import Spending
    from mensura.api.results import Result
    from mensura.records.results import SubjectResult
    from mensura.records.run import Run
    from mensura.studies.layout import Layout
    from mensura.studies.runs import Manner

BUDGET = 10_000
"""Interactions of a chain of the anytime test: twenty chains take a second for a compiled subject, and 40 seconds
for an agent in a process of its own."""


@dataclass(frozen=True)
class Essentials:
    """What most people choose: where, how, how much, and where the result goes."""

    world: options.WorldName = options.DEFAULT_WORLD
    preset: options.Preset = None
    named: Annotated[
        str | None,
        typer.Option(
            "--assessment",
            "-a",
            help="How: anytime, universal, timed, battery, fixed-battery, adaptive, exercises, social, attempts or "
            "human-starts (`mensura assessments`).",
            show_default="anytime, or what suits the world",
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            "-b",
            help="Of the anytime test: how much a chain has, in interactions as 1000000, or in time as 60s or 10min.",
            show_default=f"{BUDGET} interactions; 100 where a language model is assessed",
        ),
    ] = None
    episodes: Annotated[
        int | None,
        typer.Option(
            "--episodes",
            "-e",
            help="Of a battery: how many environments, one episode each.",
            show_default="200; 20 where a language model is assessed",
        ),
    ] = None
    sittings: Annotated[
        int | None,
        typer.Option(
            "--sittings",
            "-s",
            help="How many independent sittings, whose scatter is the error: chains of the anytime test, estimates, "
            "tests, pairs.",
            show_default="as the assessment says; 20 chains",
        ),
    ] = None
    seed: Seed = None
    report: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write a one-file HTML report here.")
    ] = None
    name: Annotated[
        str,
        typer.Option(
            help="Keep the run in the store under this name, for `mensura runs`, `report` and `compare`.",
            show_default="not kept",
        ),
    ] = ""


@dataclass(frozen=True)
class AssessmentOptions:
    """What else can be set of the assessment."""

    panel: ClassVar[str] = "The assessment"

    given: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="A parameter of the assessment, NAME=VALUE, as interactions=100000; may be repeated.",
        ),
    ] = None
    complexity: Annotated[
        str | None,
        typer.Option(
            "--complexity",
            "-k",
            help="Of a battery: spread the complexity over LOW:HIGH, or `any` to take environments as they come.",
            show_default="the range of the world",
        ),
    ] = None
    described: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help="The environments that these JSON files describe, as a fixed battery; `worlds show --description` "
            "writes such files, and one may hold a list.",
        ),
    ] = None
    pool: Annotated[
        Path | None,
        typer.Option(help="Of human-starts: the pool of checkpoints that episodes start from."),
    ] = None
    trained_on: Annotated[
        Path | None,
        typer.Option(
            "--trained-on",
            help="Of human-starts: the pool that subjects were trained on, which must have no episode in common.",
        ),
    ] = None
    training: Annotated[
        int | None,
        typer.Option(
            help="Training episodes before each assessed one.", show_default="as the subject asks"
        ),
    ] = None
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under",
            help="For CI: exit status 1 where a score, as the table has it and without its interval, is below this.",
            show_default="never",
            min=-1.0,
            max=1.0,
        ),
    ] = None
    repeat: Annotated[
        int,
        typer.Option(
            help="Run the same experiment this many times with other seeds, to see the spread.",
            min=1,
        ),
    ] = 1
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Keep in this folder what each sitting has learned, and go on from there the next time: "
            "`mensura agents ages FOLDER` shows how a subject develops.",
            show_default="all is forgotten",
        ),
    ] = None


@dataclass(frozen=True)
class ThreadOptions:
    """How many compute at a time."""

    panel: ClassVar[str] = "The run"

    threads: Annotated[
        int | None, typer.Option(help="Threads for compiled subjects.", show_default="all cores")
    ] = None
    device: Device = None


@dataclass(frozen=True)
class OutputOptions:
    """Where else results go, and how they are written."""

    panel: ClassVar[str] = "Output"

    json: Json = None
    form: Format = TEXT
    rows: Annotated[
        Path | None, typer.Option("--rows", help="Write a row per episode to this CSV file.")
    ] = None
    store: options.StoreOption = None


EXAMPLES = """Assess a class of yours on Lambda, and write a report: `mensura assess my_agent.py:MyAgent -o mine.html`.

Compare two subjects in 50 environments of Lambda Star: `mensura assess random q-learning -w lambda-star -a battery
-e 50`."""


@with_groups
def assess(
    subjects: Annotated[
        list[str] | None,
        typer.Argument(
            help="Who is assessed: built-in names (`mensura agents list`), `file.py:Class`, "
            "`package.module:Class`, a program as `cmd:./agent`, `tcp://HOST:PORT` or `ws://HOST:PORT`, a model as "
            "`sb3:model.zip` or `openai:MODEL`, or a mixed collective as `planner+q-learning*2`. Nobody with a preset: "
            "those that show what it asks.",
            show_default=False,
        ),
    ] = None,
    *,
    essentials: Essentials,
    details: AssessmentOptions,
    setting: WorldOptions,
    connection: ConnectionOptions,
    computing: ThreadOptions,
    limits: LimitOptions,
    models: ModelOptions,
    spending: SpendingOptions,
    output: OutputOptions,
) -> None:
    """Assess how intelligent subjects are, and print their scores with 95% intervals.

    By default with the anytime test (Hernandez-Orallo and Dowe, 2010) on Lambda: environments are made on the spot,
    those after a gain more complex and those after a loss simpler, each with more time than the one before. The
    score is the average reward; a random subject scores 0, and 1 is the most. Ctrl-C stops it at any moment with
    the scores so far and the exit status 130; where a subject has no valid score, the exit status is 1. Who is
    assessed as the reference subjects were is placed among them. Your own agent is a Python class with a method
    `act(observation, reward)`.
    """
    from mensura.api.assessing import are_paid, assessment_study, settings
    from mensura.api.naming import Named, refuse_twice
    from mensura.api.reporting import check_can_report
    from mensura.studies.layout import lay_out
    from mensura.studies.runs import Manner
    from mensura.studies.subjects import demonstrated

    if details.training is not None and details.training < 0:
        raise MensuraError(f"{details.training} training episodes are impossible; 0 or more are.")
    if computing.threads is not None and computing.threads < 1:
        raise MensuraError(f"{computing.threads} threads cannot do any work; at least 1 is needed.")
    environments = _environments(details.described or ())
    if _in_one_seat(subjects or (), essentials, setting):
        setting = replace(setting, agents=1)
        say(
            "One seat, since every seat of a language model is a request more; --agents sets another number."
        )
    world = setting.make(essentials.world, essentials.preset)
    assessment = "fixed-battery" if environments else essentials.named or usual_assessment(world)
    if details.training is not None:
        check_setting("--training", "training", assessment)
    seed = seed_or_fresh(essentials.seed)
    if not subjects and connection.listen is None and essentials.preset is not None:
        subjects = list(demonstrated(world))
    who, ports = connection.open(subjects or ())
    addresses = models.addresses(who)
    refuse_twice(who)
    parameters_given = _given(assessment, essentials, details)
    study = assessment_study(
        [
            Named(label, address, limits.in_process)
            for label, address in zip(who, addresses, strict=True)
        ],
        world,
        assessment,
        {
            **settings(
                assessment,
                parameters_given,
                lifelong=details.keep is not None,
                paid=are_paid(who),
            ),
            **({"environments": environments} if environments else {}),
        },
        training=details.training,
        repetitions=details.repeat,
        limits=limits.limits(who),
        seed=seed,
        name=essentials.name,
        keep=details.keep,
    )
    if essentials.report is not None:
        check_can_report()
    files = Files(report=essentials.report, json=output.json, rows=output.rows)
    layout = lay_out(study, made={0: world})
    spending.allow(layout.places)
    result = _run(
        layout,
        assessment,
        essentials,
        output,
        Manner("threads", computing.threads, device=computing.device),
    )
    for port in ports:
        port.close()
    _show(result, layout, files, essentials, output, details.keep)
    _judge(result, details.fail_under)


def _in_one_seat(subjects: Sequence[str], essentials: Essentials, setting: WorldOptions) -> bool:
    """Whether a language model alone is to play in a world of many seats, and nobody says how many."""
    from mensura.agents.address import parse
    from mensura.api.assessing import are_paid
    from mensura.core.abilities import seats
    from mensura.core.registry import WORLDS

    if not are_paid(subjects) or setting.agents is not None or essentials.preset is not None:
        return False
    if any(len(parse(one)) > 1 or parse(one)[0].count is not None for one in subjects):
        return False
    named = any(change.startswith("subjects=") for change in setting.changes or ())
    has_seats = "subjects" in parameters(WORLDS.load(essentials.world))
    return not named and has_seats and seats(setting.make(essentials.world, None)) > 1


def _run(
    layout: Layout, assessment: str, essentials: Essentials, output: OutputOptions, manner: Manner
) -> Result:
    """Run what was asked for: into a store where somebody wants that, or where answers are paid for."""
    from mensura.api.progress import progress
    from mensura.api.running import run_in_store, run_study
    from mensura.cli.listening import shown_arguments
    from mensura.reports.protocols import unit_of

    command = shlex.join(["mensura", *shown_arguments()])
    unit = unit_of({"name": assessment}).many

    def watch(total: int, done: int, spending: Spending) -> AbstractContextManager[Any]:
        return progress(total, output.rows, done=done, unit=unit, spending=spending)

    def begun(run: Run) -> None:
        if layout.is_costly:
            say(
                f"Answers are paid for, so each is kept before it is used, in the run {run.name}. Should it be "
                f"interrupted, go on with:  mensura study resume {run.name}"
            )

    if output.store is None and not essentials.name and not layout.is_costly:
        return run_study(layout, manner=manner, watch=watch, command=command)
    return run_in_store(
        layout,
        output.store,
        manner=manner,
        watch=watch,
        command=command,
        fresh_seed=essentials.seed is None,
        unfinished=not layout.is_costly,
        begun=begun,
    )


def _show(
    result: Result,
    layout: Layout,
    files: Files,
    essentials: Essentials,
    output: OutputOptions,
    keep: Path | None,
) -> None:
    """Print the scores, and write what was asked for; the exit status says whether it came to its end."""
    from mensura.assessments.references import placed
    from mensura.cli.reporting import write_report

    details = result.details
    (scores,) = details.conditions
    if scores.subjects:
        score_table(scores, samples=result.samples)
    if layout.is_costly and details.status != "finished":
        say(f"Stopped before its end; go on with:  mensura study resume {details.name}")
        raise typer.Exit(130)
    for sentence in placed(details):
        say(sentence)
    say(f"seed {details.seed}, {details.seconds:.1f} s")
    if keep is not None:
        say(f"what was learned is in {keep}: mensura agents ages {shlex.quote(str(keep))}")
    if result.store:
        say(f"kept as the run {details.name}: mensura runs show {details.name}")
    files.json(scores.rows())
    if output.rows is not None:
        say_where("A row per episode", output.rows)
    if essentials.report is not None:
        write_report(details, essentials.report, result.samples)
    if details.status != "finished":
        raise typer.Exit(130)


def _judge(result: Result, least: float | None) -> None:
    """End with exit status 1, and a sentence, where a subject has no valid score or one below the least."""
    from mensura.reports.number_words import listed

    (condition,) = result.details.conditions
    failed = [sentence for one in condition.subjects if (sentence := _failure(one, least))]
    if failed:
        complain(f"mensura: {listed(failed, len(failed))}.")
        raise typer.Exit(1)


def _failure(subject: SubjectResult, least: float | None) -> str:
    """In what a subject failed; nothing where it has a score that is high enough."""
    from mensura.reports.number_words import signed

    if not subject.valid:
        return f"{subject.subject} has no valid score ({subject.invalidity})"
    if not subject.moments.count:
        return f"{subject.subject} has no score (none of its sittings came to its end)"
    if least is not None and subject.score.value < least:
        return f"{subject.subject} scored {signed(subject.score.value)}, below {least:g}"
    return ""


def _given(assessment: str, essentials: Essentials, details: AssessmentOptions) -> dict[str, Any]:
    """The parameters of the assessment that options set, as a study file writes them."""
    from mensura.api.assessing import read_budget

    settings: dict[str, Any] = {}
    for option, name, value in (
        ("--episodes", "episodes", essentials.episodes),
        ("--complexity", "spread", _spread(details.complexity)),
        ("--sittings", "sittings", essentials.sittings),
        ("--pool", "pool", None if details.pool is None else str(details.pool)),
        (
            "--trained-on",
            "trained_on",
            None if details.trained_on is None else str(details.trained_on),
        ),
    ):
        if value is not None:
            check_setting(option, name, assessment)
            settings[name] = value
    if essentials.budget is not None:
        for name in ("seconds", "interactions"):
            check_setting("--budget", name, assessment)
        settings |= read_budget(essentials.budget)
    return settings | read_settings(details.given or ())


def check_setting(option: str, name: str, assessment: str) -> None:
    """Raise if the assessment does not have the parameter that an option sets."""
    known = parameters(ASSESSMENTS.load(assessment))
    if name not in known:
        others = [one for one, kind in ASSESSMENTS.all() if name in parameters(kind)]
        raise MensuraError(
            f"{option} belongs to {', '.join(others)}, and this is {assessment}: add --assessment {others[0]}, or "
            f"leave it out; `mensura assessments {assessment}` lists what --with can set."
        )


def _environments(files: Sequence[Path]) -> list[str]:
    """The environments that files describe, one or a list in each, as JSON."""
    found: list[str] = []
    for file in files:
        make_private(file)
        try:
            data = loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise MensuraError(f"There is no file {file}.") from None
        except (ValueError, OSError) as error:
            raise MensuraError(f"{file} is not JSON: {error}.") from None
        for one in data if isinstance(data, list) else [data]:
            if not isinstance(one, dict):
                raise MensuraError(
                    f"{file} holds no description; it would be an object with named fields, or a list of them."
                )
            found.append(dumps(one, separators=(",", ":")))
    return found


def _spread(text: str | None) -> Any:
    """The range of complexity as a study file writes it; None is the world's own."""
    if text is None or text == "any":
        return text
    low, colon, high = text.partition(".." if ".." in text else ":")
    try:
        return [int(low), int(high if colon else low)]
    except ValueError:
        raise MensuraError(
            f"The complexity {text!r} is not understood; write LOW..HIGH as 2..23, one number, or any."
        ) from None
