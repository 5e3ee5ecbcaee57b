"""``mensura compare``: who is better, by how much, how sure, and what it would take to be surer."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.terminal.options import Format, Json
from mensura.terminal.output import Files, console, say_where, table, working
from mensura.terminal.paper import TEXT


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="One run, whose subjects are compared with each other, or two, whose conditions and subjects are "
            "matched; by name or number."
        ),
    ],
    subject: Annotated[
        list[str] | None,
        typer.Option(
            "--subject",
            "-s",
            help="Compare this subject only; may be repeated. With two runs, a second one is that of the second run.",
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(help="The level of intervals and conclusions, between 0 and 1.")
    ] = 0.95,
    correction: Annotated[
        str,
        typer.Option(help="For many comparisons: holm, benjamini-hochberg or none."),
    ] = "holm",
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway",
            help="Compare also what more than the subject differs in, as the world; every such line is marked.",
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write an HTML page with figures here.")
    ] = None,
    json: Json = None,
    form: Format = TEXT,
    store: options.StoreOption = None,
) -> None:
    """Compare subjects, or two runs, with intervals, effect sizes and plain conclusions.

    Subjects that met the same environments are paired on them; else Welch's test compares two independent samples.
    The unit is the environment, or the repetition where repetitions differ: one of the two for all comparisons. What is
    not settled is told with the number of episodes, or of repetitions, that would settle it. Scores from other worlds,
    of other parameters or by other assessments are not compared, unless `--anyway` is given.
    """
    from mensura.api.comparing import check_manner, compare_samples
    from mensura.api.reporting import check_can_report
    from mensura.records.store import open_store

    if len(runs) > 2:
        raise MensuraError(f"{len(runs)} runs were named; compare takes one or two.")
    check_manner(level, correction)
    if output is not None:
        check_can_report()
    files = Files(page=output, json=json)
    with working("Reading the records"), open_store(store, create=False) as records:
        found = [records.find(name) for name in runs]
        read = [(run.name, records.samples(run)) for run in found]
    with working("Comparing"):
        compared = compare_samples(
            read,
            [run.name for run in found if run.status != "finished"],
            subjects=subject or (),
            level=level,
            correction=correction,
            anyway=anyway,
        )
    for one in compared.tables():
        table(*one)
    for sentence in compared.summary:
        console().print(sentence)
    for sentence in compared.conclusions:
        console().print(f"- {sentence}")
    for sentence in compared.about[1:]:
        console().print(sentence)
    files.json([one.to_json() for one in compared.comparisons])
    if output is not None:
        with working("Drawing the figures and writing the page"):
            compared.report(output, shlex.join(["mensura", *sys.argv[1:]]))
        say_where("The comparison", output)
