"""``mensura assess``: how general is my agent?"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from mensura.cli import options
from mensura.cli.output import Files, progress, say_where, score_table
from mensura.core.errors import MensuraError


def assess(
    subjects: Annotated[
        list[str],
        typer.Argument(
            help="Who is assessed: built-in names (`mensura agents list`), `file.py:Class`, "
            "`package.module:Class`, or a mixed collective as `oracle+local-search*4`."
        ),
    ],
    world: options.WorldName = "lambda-star",
    preset: options.Preset = "paper",
    grid: options.Grid = None,
    agents: options.Seats = None,
    iterations: options.Iterations = None,
    changes: options.Changes = None,
    episodes: Annotated[
        int, typer.Option("--episodes", "-e", help="How many environments, one episode each.")
    ] = 200,
    complexity: Annotated[
        str | None,
        typer.Option(
            "--complexity",
            "-k",
            help="Spread the complexity K over LOW:HIGH, or `any` to take environments as they come.",
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
) -> None:
    """Assess subjects on the same environments and print their scores with 95% intervals.

    The score is the average reward per subject and iteration (Definition 2 of Chmait et al., 2016), averaged over
    environments of equal size and spread complexity (Definition 3). A random subject scores 0, a perfect one
    close to 1. Your own agent is a Python class with a method `act(observation, reward)`.
    """
    from mensura.assessments.battery import Battery
    from mensura.cli.reporting import check_can_report, write_report
    from mensura.core.contract import Limits
    from mensura.studies.runner import repeat as run
    from mensura.studies.subjects import resolve

    home = options.make_world(world, preset, grid, agents, iterations, changes)
    limits = Limits(seconds_per_action=timeout)
    people = [resolve(text, home, in_process=in_process, limits=limits) for text in subjects]
    battery = Battery(episodes, spread=_spread(complexity, home))
    if training is not None and training < 0:
        raise MensuraError(f"{training} training episodes are impossible; 0 or more are.")
    if threads is not None and threads < 1:
        raise MensuraError(f"{threads} threads cannot do any work; at least 1 is needed.")
    if report is not None:
        check_can_report()
    files = Files(report=report, json=json, rows=rows)
    with progress(episodes * len(people) * repeat, rows) as bar:
        result = run(
            home,
            people,
            battery,
            options.seed_or_fresh(seed),
            repeat,
            training=training,
            limits=limits,
            threads=threads,
            watcher=bar,
            command=shlex.join(["mensura", *sys.argv[1:]]),
        )
    score_table(result)
    print(f"seed {result.seed}, {result.seconds:.1f} s")
    files.json(result.rows())
    if rows is not None:
        say_where("A row per episode", rows)
    if report is not None:
        write_report(result, home, report)


def _spread(text: str | None, world: object) -> tuple[int, int] | None:
    """The range of complexity: as given, or the world's own."""
    if text is None:
        own: tuple[int, int] | None = getattr(world, "complexity_range", None)
        return own
    if text == "any":
        return None
    low, colon, high = text.partition(":")
    try:
        return int(low), int(high if colon else low)
    except ValueError:
        raise MensuraError(
            f"The complexity {text!r} is not understood; write LOW:HIGH as 2:23, one number, or any."
        ) from None
