"""``mensura assess``: how general is my agent?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from json import dumps, loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.cli import options
from mensura.cli.scores import score_table
from mensura.core.abilities import parameters, usual_assessment
from mensura.core.errors import MensuraError
from mensura.core.kept import keep
from mensura.core.registry import ASSESSMENTS
from mensura.terminal.options import Format, Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, say, say_where
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from mensura.records.run import Run

BUDGET = 10_000
"""Interactions of a chain of the anytime test: twenty chains take a second for a compiled subject, and 40 seconds
for an agent in a process of its own."""


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
    listen: options.Listen = None,
    token: options.Token = None,
    world: options.WorldName = options.DEFAULT_WORLD,
    preset: options.Preset = None,
    grid: options.Grid = None,
    agents: options.Seats = None,
    iterations: options.Iterations = None,
    task: options.TaskName = None,
    changes: options.Changes = None,
    named: Annotated[
        str | None,
        typer.Option(
            "--assessment",
            "-a",
            help="How: anytime, universal, timed, battery, fixed-battery, adaptive, exercises, social or attempts "
            "(`mensura assessments`).",
            show_default="anytime, or what suits the world",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            "-b",
            help="Of the anytime test: how much a chain has, in interactions as 1000000, or in time as 60s or 10min.",
            show_default=f"{BUDGET} interactions",
        ),
    ] = None,
    sittings: Annotated[
        int | None,
        typer.Option(
            "--sittings",
            "-s",
            help="How many independent sittings, whose scatter is the error: chains of the anytime test, estimates, "
            "tests, pairs.",
            show_default="as the assessment says; 20 chains",
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="A parameter of the assessment, NAME=VALUE, as interactions=100000; may be repeated.",
        ),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            "--episodes",
            "-e",
            help="Of a battery: how many environments, one episode each.",
            show_default="200",
        ),
    ] = None,
    complexity: Annotated[
        str | None,
        typer.Option(
            "--complexity",
            "-k",
            help="Of a battery: spread the complexity over LOW:HIGH, or `any` to take environments as they come.",
            show_default="the range of the world",
        ),
    ] = None,
    given_environments: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            help="The environments that these JSON files describe, as a fixed battery; `worlds show --description` "
            "writes such files, and one may hold a list.",
        ),
    ] = None,
    training: Annotated[
        int | None,
        typer.Option(
            help="Training episodes before each assessed one.", show_default="as the subject asks"
        ),
    ] = None,
    repeat: Annotated[
        int,
        typer.Option(
            help="Run the same experiment so often with other seeds, to see the spread.", min=1
        ),
    ] = 1,
    seed: Seed = None,
    in_process: options.InProcess = False,
    timeout: options.Patience = None,
    allow_network: options.AllowNetwork = False,
    allow_read: options.AllowRead = None,
    pass_env: options.PassEnv = None,
    memory_mb: options.MemoryMb = None,
    no_isolation: options.NoIsolation = False,
    strict_isolation: options.StrictIsolation = False,
    threads: Annotated[
        int | None, typer.Option(help="Threads for compiled subjects.", show_default="all cores")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write a one-file HTML report here.")
    ] = None,
    json: Json = None,
    form: Format = TEXT,
    rows: Annotated[
        Path | None, typer.Option("--rows", help="Write a row per episode to this CSV file.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Keep in this folder what each sitting has learned, and go on from there the next time: "
            "`mensura agents ages FOLDER` shows how a subject develops.",
            show_default="all is forgotten",
        ),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            help="Keep the run in the store under this name, for `mensura runs`, `report` and `compare`.",
            show_default="not kept",
        ),
    ] = "",
    store: options.StoreOption = None,
    base_url: options.BaseUrl = None,
    prompt: options.Prompt = None,
    answer: options.AnswerManner = None,
    context: options.Context = None,
    price_in: options.PriceIn = None,
    price_out: options.PriceOut = None,
    tokens_per_minute: options.TokensPerMinute = None,
    requests_per_minute: options.RequestsPerMinute = None,
) -> None:
    """Assess how intelligent subjects are, and print their scores with 95% intervals.

    By default with the anytime test (Hernandez-Orallo and Dowe, 2010) on Lambda: environments are made on the spot,
    those after a gain more complex and those after a loss simpler, each with more time than the one before. The score
    is the average reward; a random subject scores 0, and 1 is the most. Ctrl-C stops it at any moment with the scores
    so far and the exit status 130. Who is assessed as the reference subjects were is placed among them. Your own agent
    is a Python class with a method `act(observation, reward)`.
    """
    from mensura.api.assessing import assessment_study, seconds_per_action, settings
    from mensura.api.naming import Named, refuse_twice
    from mensura.api.progress import progress
    from mensura.api.reporting import check_can_report
    from mensura.api.running import run_kept, run_study
    from mensura.assessments.references import placed
    from mensura.cli.listening import listening, shown_arguments
    from mensura.cli.reporting import write_report
    from mensura.reports.protocols import unit_of
    from mensura.studies import runs
    from mensura.studies.layout import lay_out
    from mensura.studies.subjects import demonstrated

    if training is not None and training < 0:
        raise MensuraError(f"{training} training episodes are impossible; 0 or more are.")
    if threads is not None and threads < 1:
        raise MensuraError(f"{threads} threads cannot do any work; at least 1 is needed.")
    environments = _environments(given_environments or ())
    manner = runs.Manner("threads", threads)
    home = options.make_world(world, preset, grid, agents, iterations, changes, task)
    assessment = named or usual_assessment(home)
    if environments:
        assessment = "fixed-battery"
    if training is not None:
        _check_setting("--training", "training", assessment)
    chosen = seed_or_fresh(seed)
    if not subjects and listen is None and preset is not None:
        subjects = list(demonstrated(home))
    who, ports = listening(subjects or (), listen, token)
    addresses = options.models_told(
        who,
        base_url=base_url,
        prompt=prompt,
        answer=answer,
        context=context,
        price_in=price_in,
        price_out=price_out,
        tokens_per_minute=tokens_per_minute,
        requests_per_minute=requests_per_minute,
    )
    refuse_twice(who)
    study = assessment_study(
        [Named(label, address, in_process) for label, address in zip(who, addresses, strict=True)],
        home,
        assessment,
        {
            **settings(
                assessment,
                _given(assessment, given, budget, sittings, episodes, complexity),
                lifelong=keep is not None,
            ),
            **({"environments": environments} if environments else {}),
        },
        training=training,
        repetitions=repeat,
        limits=options.limits_of(
            seconds_per_action(who, timeout),
            allow_network,
            allow_read,
            pass_env,
            memory_mb,
            no_isolation,
            strict_isolation,
        ),
        seed=chosen,
        name=name,
        keep=keep,
    )
    command = shlex.join(["mensura", *shown_arguments()])
    if report is not None:
        check_can_report()
    files = Files(report=report, json=json, rows=rows)
    layout = lay_out(study, made={0: home})
    costly = layout.is_costly
    unit = unit_of({"name": assessment}).many

    def watch(total: int, done: int) -> AbstractContextManager[Any]:
        return progress(total, rows, done=done, unit=unit)

    def begun(run: Run) -> None:
        if costly:
            say(
                f"Answers are paid for, so each is kept before it is used, in the run {run.name}. Should it be "
                f"interrupted, go on with:  mensura study resume {run.name}"
            )

    if store is None and not name and not costly:
        found = run_study(layout, manner=manner, watch=watch, command=command)
    else:
        found = run_kept(
            layout,
            store,
            manner=manner,
            watch=watch,
            command=command,
            fresh_seed=seed is None,
            unfinished=not costly,
            begun=begun,
        )
    result = found.details
    for port in ports:
        port.close()
    (scores,) = result.conditions
    if scores.subjects:
        score_table(scores, samples=found.samples)
    if costly and result.status != "finished":
        say(f"Stopped before its end; go on with:  mensura study resume {result.name}")
        raise typer.Exit(130)
    for sentence in placed(result):
        say(sentence)
    say(f"seed {result.seed}, {result.seconds:.1f} s")
    if keep is not None:
        say(f"what was learned is in {keep}: mensura agents ages {shlex.quote(str(keep))}")
    if found.store:
        say(f"kept as the run {result.name}: mensura runs show {result.name}")
    files.json(scores.rows())
    if rows is not None:
        say_where("A row per episode", rows)
    if report is not None:
        write_report(result, report, found.samples)
    if result.status != "finished":
        raise typer.Exit(130)


def _given(
    assessment: str,
    given: list[str] | None,
    budget: str | None,
    sittings: int | None,
    episodes: int | None,
    complexity: str | None,
) -> dict[str, Any]:
    """The parameters of the assessment that options set, as a study file writes them."""
    import yaml

    from mensura.api.assessing import read_budget

    settings: dict[str, Any] = {}
    for option, name, value in (
        ("--episodes", "episodes", episodes),
        ("--complexity", "spread", _spread(complexity)),
        ("--sittings", "sittings", sittings),
    ):
        if value is not None:
            _check_setting(option, name, assessment)
            settings[name] = value
    if budget is not None:
        for name in ("seconds", "interactions"):
            _check_setting("--budget", name, assessment)
        settings |= read_budget(budget)
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals:
            raise MensuraError(f"--with {one!r} is not understood; write NAME=VALUE.")
        try:
            settings[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            settings[name.strip()] = value
    return settings


def _check_setting(option: str, name: str, assessment: str) -> None:
    """Refuse an option that says nothing of this assessment."""
    known = parameters(ASSESSMENTS.load(assessment))
    if name not in known:
        others = [one for one, kind in ASSESSMENTS.all() if name in parameters(kind)]
        raise MensuraError(
            f"{option} is of {', '.join(others)}, and this is {assessment}: add --assessment {others[0]}, or leave it "
            f"out; `mensura assessments {assessment}` lists what --with can set."
        )


def _environments(files: Sequence[Path]) -> list[str]:
    """The environments that files describe, one or a list in each, as JSON."""
    found: list[str] = []
    for file in files:
        keep(file)
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
