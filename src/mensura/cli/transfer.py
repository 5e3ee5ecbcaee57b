"""``mensura transfer``: what a subject takes from one task of a family to the others."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.groups import ModelOptions, SpendingOptions
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Format, Json, Seed
from mensura.terminal.output import Files, console, say_where, table, working
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from mensura.api.transferring import Transfer

EXAMPLES = (
    "Begin with `mensura transfer --example`, which writes family.yaml, then `mensura transfer q-learning --family "
    "family.yaml`."
)


@dataclass(frozen=True)
class Amount:
    """How much is trained and tested, and what is measured; named as the arguments of ``ms.transfer``."""

    panel: ClassVar[str] = "How much"

    interactions: Annotated[
        int, typer.Option("--interactions", help="Interactions of training in each task.", min=1)
    ] = 2000
    measures: Annotated[
        str,
        typer.Option(
            help="raw: the matrix and learning curves. pairs: also train in each task after each other one, for gain, "
            "forgetting and saved time. all: also splits of a budget, training by turns, knowledge in bits."
        ),
    ] = "raw"
    learners: Annotated[
        int, typer.Option(help="Repetitions with other draws; intervals are over them.", min=1)
    ] = 8
    episodes: Annotated[int, typer.Option(help="Episodes of each test.", min=1)] = 10
    level: Annotated[
        float | None,
        typer.Option(
            help="The performance at which times and knowledge are compared.",
            show_default="halfway from newborns to those trained in the task",
        ),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(help="How many learners at a time.", min=1, show_default="one for each core"),
    ] = None


@with_groups
def transfer(
    amount: Amount,
    models: ModelOptions,
    spending: SpendingOptions,
    subject: Annotated[
        str | None,
        typer.Argument(
            help="Who: a built-in learner, file.py:Class, or openai:MODEL; one with save and load is trained once for "
            "each task."
        ),
    ] = None,
    family: Annotated[
        Path | None, typer.Option("--family", "-f", help="A file with the tasks.")
    ] = None,
    world: Annotated[
        str | None,
        typer.Option("--world", "-w", help="The world of tasks in the file that name none."),
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="The preset of that world.", show_default="its first")
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
            help="Keep the run in this file, or URL as postgresql://HOST/DATABASE: the same command goes on where it "
            "was stopped or killed.",
            show_default="not kept; that of MENSURA_STORE, or mensura.db, for a language model",
        ),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            help="Keep the run under this name.", show_default="a name made of what is measured"
        ),
    ] = "",
    json: Json = None,
    form: Format = TEXT,
    example: Annotated[
        bool,
        typer.Option("--example", help="Write a family file to begin with, family.yaml, and stop."),
    ] = False,
) -> None:
    """Measure what a subject takes from one task to another: transfer, jump-start, loss, regret, forgetting.

    Rows of the matrix are tasks that were trained in, columns tasks that were tested. Performance is measured on copies
    of what was learned, so measuring trains nobody, and each task is trained once for its whole row.
    """
    from mensura.studies.family_file import read_family, write_example

    if example:
        path = family or Path("family.yaml")
        write_example(path)
        say_where("The family", path)
        return
    if subject is None:
        raise MensuraError(
            "Nobody is to be trained; name a subject, as mensura transfer q-learning --family family.yaml."
        )
    if family is None:
        raise MensuraError(
            "Transfer is among the tasks of a family; name its file with --family. `mensura transfer --example` writes "
            "one to begin with."
        )
    from mensura.api.reporting import check_can_report
    from mensura.api.transferring import transfer_among
    from mensura.cli.listening import shown_arguments

    if report is not None:
        check_can_report()
    files = Files(page=report, json=json)
    (address,) = models.addresses([subject])
    found = transfer_among(
        {subject: address},
        read_family(family, world, preset),
        **asdict(amount),
        seed=seed,
        in_process=in_process or None,
        timeout=timeout,
        progress=True,
        store=store,
        name=name,
        command=shlex.join(["mensura", *shown_arguments()]),
        allow=spending.allow_learners,
    )
    _tell(found, files, report)


def _tell(found: Transfer, files: Files, report: Path | None) -> None:
    """Print what was found, and write the files that were asked for."""
    for one in found.tables():
        table(*one)
    for sentence in found.sentences:
        console().print(sentence)
    console().print(f"seed {found.seed}")
    if found.name:
        console().print(
            f"kept as the run {found.name}: mensura report {found.name} writes its page again"
        )
    files.json(found.to_json())
    if report is not None:
        with working("Drawing the figures and writing the page"):
            found.report(report, shlex.join(["mensura", *sys.argv[1:]]))
        say_where("The report", report)
