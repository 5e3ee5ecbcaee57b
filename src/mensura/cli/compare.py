"""``mensura compare``: who is better, by how much, how sure, and what it would take to be surer."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mensura.cli import options
from mensura.core.errors import MensuraError, neighbors
from mensura.terminal.options import Format, Json
from mensura.terminal.output import Files, console, say_where, table, working
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from mensura.statistics.compare import Comparison

SENTENCES = 12
"""Of more comparisons only those that are open are told in sentences, and no more than that."""


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
    from mensura.cli.reporting import check_can_report
    from mensura.records.results import write_whole
    from mensura.records.store import open_store
    from mensura.reports.compare import render_compare
    from mensura.reports.pairing import about, choose, valid_only
    from mensura.statistics.compare import compare_all
    from mensura.statistics.multiple import CORRECTIONS

    if len(runs) > 2:
        raise MensuraError(f"{len(runs)} runs were named; compare takes one or two.")
    if not 0.0 < level < 1.0:
        raise MensuraError(f"The level is {level}; it lies between 0 and 1, as 0.95.")
    if correction not in CORRECTIONS:
        raise MensuraError(
            f"There is no correction {correction!r}; {neighbors(correction, list(CORRECTIONS))}"
        )
    if output is not None:
        check_can_report()
    files = Files(page=output, json=json)
    with working("Reading the records"), open_store(store, create=False) as records:
        found = [records.find(name) for name in runs]
        read = [[one for one in records.samples(run) if len(one)] for run in found]
    names = [run.name for run in found]
    for name, samples in zip(names, read, strict=True):
        if not samples:
            raise MensuraError(f"The run {name} has no scores yet, so nothing can be compared.")
    read, left_out = valid_only(read, subject or ())
    pairs = choose(names, read, subject or [])
    with working("Comparing"):
        comparisons = compare_all(pairs, level, correction, anyway)
    _print(comparisons)
    unfinished = [run.name for run in found if run.status != "finished"]
    sentences = [*about(names, comparisons, unfinished), *left_out]
    for sentence in sentences[1:]:
        console().print(sentence)
    files.json([one.to_json() for one in comparisons])
    if output is not None:
        command = shlex.join(["mensura", *sys.argv[1:]])
        title = f"{names[0]} and {names[1]}" if len(names) == 2 else f"The subjects of {names[0]}"
        with working("Drawing the figures and writing the page"):
            write_whole(output, render_compare(comparisons, title, sentences, command))
        say_where("The comparison", output)


def _print(comparisons: Sequence[Comparison]) -> None:
    from mensura.reports.compare import conclusion, row, several_conditions, summary

    several = several_conditions(comparisons)
    for condition in dict.fromkeys(one.condition for one in comparisons):
        some = [one for one in comparisons if one.condition == condition]
        mixed = len({one.paired for one in some}) > 1
        design = "paired on the same environments" if some[0].paired else "independent samples"
        table(
            f"{condition}: differences of scores (mean reward per subject and iteration)"
            + ("" if mixed else f", {design}"),
            [
                ("pair", False),
                ("n", True),
                ("unit", True),
                *([("design", True)] if mixed else []),
                ("difference", True),
                (f"{100 * some[0].difference.level:g}% interval", True),
                ("effect", True),
                ("p, corrected", True),
                ("better in", True),
            ],
            [
                [
                    line["pair"],
                    line["n"],
                    line["unit"],
                    *([line["paired"]] if mixed else []),
                    line["difference"],
                    line["interval"],
                    line["effect"],
                    line["corrected"],
                    line["improvement"],
                ]
                for line in map(row, some)
            ],
        )
    told = list(comparisons)
    if len(comparisons) > 1 or comparisons[0].differs:
        for sentence in summary(comparisons):
            console().print(sentence)
    if len(comparisons) > SENTENCES:
        told = [one for one in comparisons if one.verdict == "open"][:SENTENCES]
    for one in told:
        console().print(f"- {conclusion(one, several)}")
