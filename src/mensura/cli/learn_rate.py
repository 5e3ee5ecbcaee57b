"""``mensura learn-rate``: how quickly a subject learns, by the complexity of what is learned."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from mensura.cli import options
from mensura.cli.groups import ModelOptions, SpendingOptions, WorldOptions
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Format, Json, Seed
from mensura.terminal.output import Files, console, say, say_where, table, working
from mensura.terminal.paper import TEXT

EXAMPLES = (
    "For example: `mensura learn-rate q-learning --world lambda --level 0.3 --report rate.html`."
)


@dataclass(frozen=True)
class Amount:
    """How much is trained and tested; named as the arguments of ``ms.learn_rate``."""

    panel: ClassVar[str] = "How much"

    tasks: Annotated[
        int, typer.Option(help="How many environments, by their seeds from 1 on; at least 6.")
    ] = 20
    interactions: Annotated[
        int, typer.Option("--interactions", help="Interactions of training in each task.", min=1)
    ] = 2000
    learners: Annotated[
        int, typer.Option(help="Learners in each task, with other draws.", min=1)
    ] = 8
    episodes: Annotated[int, typer.Option(help="Episodes of each test.", min=1)] = 1
    level: Annotated[
        float | None,
        typer.Option(
            help="The performance that is to be reached, in [-1, 1].",
            show_default="halfway from newborns to the trained in each task",
        ),
    ] = None
    measure: Annotated[
        str | None, typer.Option(help="The complexity.", show_default="the world's first")
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(help="How many learners at a time.", min=1, show_default="one for each core"),
    ] = None


@with_groups
def learn_rate(
    subject: Annotated[
        str, typer.Argument(help="Who: a built-in learner, file.py:Class, or openai:MODEL.")
    ],
    world: options.WorldName = options.DEFAULT_WORLD,
    preset: options.Preset = None,
    family: Annotated[
        Path | None,
        typer.Option(
            "--family",
            "-f",
            help="A file with tasks, as of `mensura transfer`, in the place of environments of one world.",
        ),
    ] = None,
    seed: Seed = None,
    in_process: options.InProcess = False,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds that an agent of yours may take for an action.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write an HTML page with figures here.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            help="Keep the run in this SQLite file or PostgreSQL URL, so that it goes on where it was stopped; runs of "
            "language models are always kept.",
            show_default="nowhere",
        ),
    ] = None,
    json: Json = None,
    form: Format = TEXT,
    *,
    amount: Amount,
    setting: WorldOptions,
    models: ModelOptions,
    spending: SpendingOptions,
) -> None:
    """Measure how quickly a subject learns: log T = -r + b c + d log s over tasks of complexity c and size s.

    T is the number of interactions until a level of performance is reached, and r the learn rate. The model is checked
    on tasks that are left out: how far its times are off, and how many are in their intervals.
    """
    from mensura.api.learning import chosen_tasks, learn_rate_in
    from mensura.api.reporting import check_can_report

    if report is not None:
        check_can_report()
    files = Files(page=report, json=json)
    (address,) = models.addresses([subject])
    given = asdict(amount)
    tasks = chosen_tasks(family, setting.make(world, preset), None, given.pop("tasks"))
    found = learn_rate_in(
        {subject: address},
        tasks,
        **given,
        seed=seed,
        in_process=in_process or None,
        timeout=timeout,
        progress=True,
        allow=spending.allow_learners,
        store=store,
        command=shlex.join(["mensura", *sys.argv[1:]]),
    )
    for one in found.tables():
        table(*one)
    for sentence in found.sentences:
        console().print(sentence)
    console().print(f"seed {found.seed}")
    if found.name:
        say(f"kept as the run {found.name}")
    files.json(found.to_json())
    if report is not None:
        with working("Drawing the figures and writing the page"):
            found.report(report, shlex.join(["mensura", *sys.argv[1:]]))
        say_where("The report", report)
