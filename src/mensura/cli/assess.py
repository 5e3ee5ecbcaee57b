"""``mensura assess``: how general is my agent?"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.cli import options
from mensura.cli.output import Files, say, say_where, score_table
from mensura.core.errors import MensuraError

if TYPE_CHECKING:
    from mensura.core.contract import World
    from mensura.studies.study import Study


def assess(
    subjects: Annotated[
        list[str],
        typer.Argument(
            help="Who is assessed: built-in names (`mensura agents list`), `file.py:Class`, "
            "`package.module:Class`, or a mixed collective as `oracle+local-search*4`."
        ),
    ],
    world: options.WorldName = "lambda-star",
    preset: options.Preset = None,
    grid: options.Grid = None,
    agents: options.Seats = None,
    iterations: options.Iterations = None,
    changes: options.Changes = None,
    assessment: Annotated[
        str,
        typer.Option(
            "--assessment",
            "-a",
            help="How: battery, universal, timed, anytime, adaptive or social (`mensura assessments`).",
        ),
    ] = "battery",
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
    seed: options.Seed = None,
    in_process: options.InProcess = False,
    timeout: options.Timeout = 10.0,
    threads: Annotated[
        int | None, typer.Option(help="Threads for compiled subjects.", show_default="all cores")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write a one-file HTML report here.")
    ] = None,
    json: options.Json = None,
    rows: Annotated[
        Path | None, typer.Option("--rows", help="Write a row per episode to this CSV file.")
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            help="Keep the run in the store under this name, for `mensura runs`, `report` and `compare`.",
            show_default="not kept",
        ),
    ] = "",
    store: options.StoreOption = None,
) -> None:
    """Assess subjects on the same environments and print their scores with 95% intervals.

    The score is the average reward per subject and iteration (Definition 2 of Chmait et al., 2016), averaged over
    environments of equal size and spread complexity (Definition 3). A random subject scores 0, a perfect one
    close to 1. Your own agent is a Python class with a method `act(observation, reward)`.
    """
    from mensura.cli.progress import progress
    from mensura.cli.reporting import check_can_report, placed, write_report
    from mensura.studies import runs
    from mensura.studies.expand import expand

    if training is not None and training < 0:
        raise MensuraError(f"{training} training episodes are impossible; 0 or more are.")
    if threads is not None and threads < 1:
        raise MensuraError(f"{threads} threads cannot do any work; at least 1 is needed.")
    manner = runs.Manner("threads", threads)
    home = options.make_world(world, preset, grid, agents, iterations, changes)
    chosen = options.seed_or_fresh(seed)
    study = _study(
        subjects,
        home,
        {"assessment": assessment, "parameters": _given(assessment, given, episodes, complexity)},
        training,
        repeat,
        in_process,
        timeout,
        chosen,
        name,
    )
    command = shlex.join(["mensura", *sys.argv[1:]])
    if report is not None:
        check_can_report()
    files = Files(report=report, json=json, rows=rows)
    total = sum(cell.sittings for cell in expand(study, chosen))
    if store is None and not name:
        with progress(total, rows) as bar:
            result = runs.run_study(study, manner=manner, watcher=bar, command=command)
        samples = None
    else:
        from mensura.records.store import open_store

        with open_store(store) as records:
            run = runs.begin(records, study, command=command)
            with progress(total, rows, done=records.progress(run).done) as bar:
                result = runs.resume(records, run, manner=manner, watcher=bar)
            samples = records.samples(run)
    (scores,) = result.conditions
    score_table(scores)
    for sentence in placed(result):
        say(sentence)
    print(f"seed {result.seed}, {result.seconds:.1f} s")
    if samples is not None:
        print(f"kept as the run {result.name}: mensura runs show {result.name}")
    files.json(scores.rows())
    if rows is not None:
        say_where("A row per episode", rows)
    if report is not None:
        write_report(result, report, samples or ())


def _study(
    subjects: list[str],
    world: World,
    assessment: dict[str, Any],
    training: int | None,
    repeat: int,
    in_process: bool,
    timeout: float,
    seed: int,
    name: str,
) -> Study:
    """What is assessed, as a study: one world, one assessment."""
    from dataclasses import fields

    from mensura.studies.runner import parameters_of
    from mensura.studies.study import study_from_plain

    if len(set(subjects)) < len(subjects):
        twice = next(one for one in subjects if subjects.count(one) > 1)
        raise MensuraError(f"The subject {twice} is named twice; once is enough.")
    plain = {one.name: one.default for one in fields(world)}  # type: ignore[arg-type]
    changed = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in parameters_of(world).items()
        if value != plain.get(name)
    }
    shown = f"{', '.join(subjects[:3])}{' and others' if len(subjects) > 3 else ''} on {world.id}"
    return study_from_plain(
        {
            "mensura": 1,
            "name": name or f"assess-{seed:016x}",
            "title": shown,
            "seed": seed,
            "repetitions": repeat,
            "subjects": [
                {
                    "subject": one,
                    "in_process": in_process,
                    **({} if training is None else {"training": training}),
                }
                for one in subjects
            ],
            "worlds": [{"world": world.id, "name": world.id, "parameters": changed}],
            "assessments": [assessment],
            "limits": {"seconds_per_action": timeout},
        }
    )


def _given(
    assessment: str, given: list[str] | None, episodes: int | None, complexity: str | None
) -> dict[str, Any]:
    """The parameters of the assessment, as a study file writes them."""
    import yaml

    parameters: dict[str, Any] = {}
    if assessment == "battery":
        parameters["episodes"] = 200 if episodes is None else episodes
        spread = _spread(complexity)
        if spread is not None:
            parameters["spread"] = spread
    elif episodes is not None or complexity is not None:
        raise MensuraError(
            f"--episodes and --complexity are of a battery; what {assessment} can be told is given by --with, as "
            "--with sittings=10."
        )
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals:
            raise MensuraError(f"--with {one!r} is not understood; write NAME=VALUE.")
        try:
            parameters[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            parameters[name.strip()] = value
    return parameters


def _spread(text: str | None) -> Any:
    """The range of complexity as a study file writes it; None is the world's own."""
    if text is None or text == "any":
        return text
    low, colon, high = text.partition(":")
    try:
        return [int(low), int(high if colon else low)]
    except ValueError:
        raise MensuraError(
            f"The complexity {text!r} is not understood; write LOW:HIGH as 2:23, one number, or any."
        ) from None
