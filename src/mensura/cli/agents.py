"""``mensura agents``: which subjects there are, whether one keeps the contract, and how kept ones develop."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.groups import ConnectionOptions, LimitOptions, ModelOptions
from mensura.cli.making import make_world
from mensura.core.abilities import (
    parameters,
    subject_names,
    subject_parameters,
)
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Format, Json
from mensura.terminal.output import Files, console, table
from mensura.terminal.paper import TEXT

app = typer.Typer(
    no_args_is_help=True, help="List subjects, check your own, and see how kept ones develop."
)


@app.command("list")
def list_agents(
    named: options.WorldArgument = None,
    world: options.WorldAgain = None,
    preset: options.Preset = None,
    task: options.TaskName = None,
    changes: options.Changes = None,
    json: Json = None,
) -> None:
    """List the subjects that can be named for a world, with their parameters."""
    from mensura.agent.parameters import parameters_of
    from mensura.core.registry import AGENTS
    from mensura.studies.subjects import first_line

    files = Files(json=json)
    name = options.world_named(named, world)
    home: Any = make_world(name, preset, changes=changes, task=task)
    own = subject_names(home)
    rows: list[dict[str, Any]] = [
        {"subject": name, "about": about, "parameters": dict(subject_parameters(home, name))}
        for name, about in own.items()
    ]
    general = {name: AGENTS.load(name) for name in AGENTS.names() if name not in own}
    rows += [
        {
            "subject": name,
            "about": first_line(agent),
            "parameters": {one.name: one.default for one in parameters_of(agent)},
        }
        for name, agent in general.items()
    ]
    table(
        f"Subjects for {home.id}; write parameters as q-learning?alpha=0.1&training=500",
        [("subject", False), ("what it is", False), ("parameters and defaults", False)],
        [
            (
                row["subject"],
                row["about"],
                ", ".join(f"{name}={value:g}" for name, value in row["parameters"].items()),
            )
            for row in rows
        ],
    )
    meanings = {one.name: one.meaning for agent in general.values() for one in parameters_of(agent)}
    for name, meaning in meanings.items():
        console().print(f"{name}: {meaning}", markup=False, highlight=False)
    console().print(
        "A collective of different members: planner+q-learning*2. Your own: file.py:Class",
    )
    files.json(rows)


@app.command("check")
@with_groups
def check(
    subject: Annotated[
        str | None,
        typer.Argument(
            help="An address of any kind, as for `mensura assess`; none with --listen.",
            show_default=False,
        ),
    ] = None,
    world: options.WorldName = options.DEFAULT_WORLD,
    json: Json = None,
    *,
    connection: ConnectionOptions,
    allowed: LimitOptions,
    models: ModelOptions,
) -> None:
    """Play a subject for a few episodes and say in words what is wrong with it, if anything.

    Whatever can be assessed can be checked: classes, programs, sockets, models. Language models are asked, and paid.
    """
    from mensura.agent.task import Limits
    from mensura.studies.subjects import resolve
    from mensura.testing.agents import check_subject

    files = Files(json=json)
    home: Any = make_world(world)
    if "horizon" in parameters(home):  # a few interactions are enough
        home = make_world(world, iterations=12)
    who, ports = connection.open([subject] if subject else ())
    if len(who) > 1:
        raise MensuraError("One subject is checked at a time: name an address, or say --listen.")
    (address,) = models.addresses(who)
    limits = Limits(**allowed.limits(who))
    (subject,) = who
    try:
        found = check_subject(
            resolve(address, home, in_process=allowed.in_process, limits=limits),
            home,
            limits=limits,
        )
    finally:
        for port in ports:
            port.close()
    for line in found:
        console().print(f"wrong: {line}", soft_wrap=True)
    files.json([{"subject": subject, "problem": line} for line in found])
    if found:
        raise typer.Exit(1)
    console().print(f"{subject} keeps the contract.")


@app.command("ages")
def ages(
    folder: Annotated[Path, typer.Argument(help="What `mensura assess --keep` was given.")],
    json: Json = None,
    form: Format = TEXT,
) -> None:
    """Show how kept subjects develop: their scores at each age, with 95% intervals over their lives.

    The age of a life is the number of interactions behind it when an assessment began.
    """
    from mensura.records.lives import all_lives
    from mensura.reports.number_words import ends, signed
    from mensura.statistics.interval import mean_interval

    files = Files(json=json)
    found: dict[tuple[str, str, str, int], list[float]] = {}
    for life in all_lives(folder):
        for stage in life.stages:
            who = (str(life.about["subject"]), str(life.about["world"]), stage.assessment)
            found.setdefault((*who, stage.age), []).append(stage.score)
    rows: list[dict[str, Any]] = []
    intervals: list[str] = []
    for (subject, world, assessment, age), scores in sorted(found.items()):
        score = mean_interval(scores).within(-1.0, 1.0)
        intervals.append(ends(score))
        rows.append(
            {
                "subject": subject,
                "world": world,
                "assessment": assessment,
                "age": age,
                "lives": len(scores),
                "score": score.value,
                "low": score.low,
                "high": score.high,
            }
        )
    table(
        f"Subjects kept in {folder}",
        [
            ("subject", False),
            ("world", False),
            ("assessment", False),
            ("age", True),
            ("lives", True),
            ("score", True),
        ],
        [
            (
                row["subject"],
                row["world"],
                row["assessment"],
                f"{row['age']:,}",
                str(row["lives"]),
                f"{signed(row['score'])} {intervals[at]}",
            )
            for at, row in enumerate(rows)
        ],
    )
    files.json(rows)


@app.command("isolation")
def isolation(json: Json = None) -> None:
    """Try to cheat from inside a subject's process, and say what holds on this machine and what does not.

    Exit status 1 where something does not hold.
    """
    from dataclasses import asdict

    from mensura.agents.isolation.examination import examine
    from mensura.agents.process import isolation_here

    files = Files(json=json)
    found = examine()
    table(
        "A subject in a process of its own ...",
        [("promise", False), ("holds", False), ("what happened to one that tried", False)],
        [(one.promise, "yes" if one.holds else "NO", one.how) for one in found],
    )
    console().print(f"This machine has {isolation_here()}.")
    broken = sum(not one.holds for one in found)
    console().print(
        f"{broken} of {len(found)} promises do not hold here; the page on isolation says why that may be."
        if broken
        else f"All {len(found)} promises hold here.",
    )
    files.json([asdict(one) for one in found])
    if broken:
        raise typer.Exit(1)
