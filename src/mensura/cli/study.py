"""``mensura study``: studies as data, run into a store, stopped and resumed at will."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options, study_files
from mensura.cli.groups import SpendingLimits, SpendingOptions, WorkerOptions
from mensura.core.interrupts import interrupt, noticed
from mensura.terminal.option_groups import with_groups
from mensura.terminal.options import Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, say, table

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.records.store import Store
    from mensura.studies.layout import Layout
    from mensura.studies.runs import Manner

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Run studies: subjects by worlds by assessments, as a file. Whatever happens, `resume` completes them.",
    epilog="Begin with `mensura study copy lambda-star-2016 -o my-study.yaml`, change it, `mensura study check "
    "my-study.yaml`, then `mensura study run my-study.yaml`.",
)
app.command("check")(study_files.check)

Events = Annotated[
    bool,
    typer.Option(
        "--json", help="Write progress as events, a JSON object a line, to standard output."
    ),
]
Report = Annotated[
    Path | None,
    typer.Option("--report", "-o", help="Write the HTML report here when it is finished."),
]


@app.command("run")
@with_groups
def run(
    file: study_files.File,
    store: options.StoreOption = None,
    name: Annotated[
        str,
        typer.Option(help="How the run is called in the store.", show_default="the study's name"),
    ] = "",
    seed: Seed = None,
    report: Report = None,
    json: Events = False,
    *,
    computing: WorkerOptions,
    spending: SpendingOptions,
) -> None:
    """Run a study into the store; what was played before is not played again.

    Stop it with Ctrl-C, or let the machine lose its power: `mensura study resume` completes it, every sitting counted
    exactly once. A finished study is not run again; a changed one is refused with what changed. The same seed gives
    the same result to the bit, whoever computes it.
    """
    from mensura.records.store import open_store
    from mensura.studies import runs
    from mensura.studies.files import open_study
    from mensura.studies.layout import lay_out

    manner = computing.manner()
    files = Files(report=report)
    opened = open_study(file)
    with opened.located():
        layout = lay_out(opened.study, None if seed is None else seed_or_fresh(seed))
    spending.allow(layout.places)
    command = shlex.join(["mensura", *sys.argv[1:]])
    with open_store(store) as records:
        begun = runs.begin(records, layout, name=name, command=command)
        go_on(records, begun, manner, report if files.paths else None, json, layout)


@app.command("resume")
@with_groups
def resume(
    name: Annotated[
        str | None,
        typer.Argument(metavar="RUN", help="The run; without a name, the last unfinished one."),
    ] = None,
    store: options.StoreOption = None,
    report: Report = None,
    json: Events = False,
    *,
    computing: WorkerOptions,
    limits: SpendingLimits,
) -> None:
    """Complete a run that was stopped, killed or failed; the study file is not needed."""
    from mensura.api.kept_profile import is_profile
    from mensura.records.store import open_store

    limits.limit()
    manner = computing.manner()
    files = Files(report=report)
    with open_store(store, create=False) as records:
        if name is None:
            unfinished = [one for one in records.runs() if one.status != "finished"]
            if not unfinished:
                raise MensuraError(
                    "Every run of this store is finished; there is nothing to resume."
                )
            found = unfinished[0]
        else:
            found = records.find(name)
        if not is_profile(records, found):
            go_on(records, found, manner, report if files.paths else None, json)
            return
    _go_on_with_profile(found.name, store, manner, report)


def _go_on_with_profile(name: str, store: str | None, manner: Manner, report: Path | None) -> None:
    """Measure the parts of a profile that are missing, and print what came out."""
    from mensura.api.kept_profile import resume_profile
    from mensura.api.profiling import showing_parts
    from mensura.cli.profile import show_profile

    with showing_parts(True) as tell:
        found = resume_profile(store, name, threads=manner.workers, tell=tell)
    show_profile(found, report)


def go_on(
    records: Store,
    found: Run,
    manner: Manner,
    report: Path | None,
    events: bool,
    layout: Layout | None = None,
) -> None:
    """Play what is missing, show how it goes, and print what came out."""
    from mensura.api.progress import Events as Teller
    from mensura.api.progress import Pace, progress
    from mensura.api.running import go_on as play_on

    if report is not None:
        from mensura.api.reporting import check_can_report

        check_can_report()
    before = records.progress(found).done
    teller = Teller(Pace(found.sittings, before)) if events else None
    if teller is not None:
        teller.say(
            "started",
            run=found.name,
            store=records.url,
            done=before,
            total=found.sittings,
            seed=found.seed,
        )
    elif found.status == "finished":
        say(
            f"The run {found.name} is finished; there is nothing left to do. This is what it found:"
        )
    elif before:
        say(f"{found.name}: {before} of {found.sittings} sittings are done; going on.")
    with terminable():
        played = play_on(
            records,
            found,
            manner=manner,
            watch=lambda total, done, spending: progress(
                total, done=done, events=events, spending=spending
            ),
            samples=report is not None,
            layout=layout,
        )
    result = played.details
    if teller is not None:
        teller.say(
            result.status,
            run=result.name,
            done=result.done,
            total=result.sittings,
            seconds=round(result.seconds, 3),
            scores=[
                {"condition": condition.title, **row}
                for condition in result.conditions
                for row in condition.rows()
            ],
        )
    else:
        from mensura.cli.reproduce import show_study

        show_study(result, records.samples(found), figures=False)
        say(f"run {result.name} in {records.url}, seed {result.seed}, {result.seconds:.1f} s")
    if result.status != "finished":
        if teller is None:
            say(f"Go on with:  mensura study resume {result.name}")
        raise typer.Exit(130)
    if report is not None:
        from mensura.api.reporting import own_page
        from mensura.cli.reporting import write_page, write_report

        own = own_page(records, found)
        if own is not None:
            write_page(own, report, quiet=events)
        else:
            write_report(result, report, played.samples, quiet=events)


@app.command("status")
def status(
    name: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The run; without a name, all of them.")
    ] = None,
    store: options.StoreOption = None,
    json: Json = None,
) -> None:
    """Say how far runs are, and whether somebody is working on them now."""
    from mensura.records.facts import facts_of
    from mensura.records.store import open_store
    from mensura.reports.number_words import seconds

    files = Files(json=json)
    with open_store(store, create=False) as records:
        found = records.runs() if name is None else [records.find(name)]
        rows = [facts_of(records, one) for one in found]
    table(
        "Runs",
        [
            ("run", False),
            ("status", False),
            ("done", True),
            ("of", True),
            ("share", True),
            ("faults", True),
            ("took", True),
        ],
        [
            (
                row["run"],
                row["status"],
                str(row["done"]),
                str(row["sittings"]),
                f"{100 * row['done'] / max(1, row['sittings']):.0f}%",
                str(row["faults"]),
                seconds(row["seconds"]),
            )
            for row in rows
        ],
    )
    for row in rows:
        if row["status"] in ("stopped", "failed", "interrupted"):
            say(f"Complete {row['run']} with:  mensura study resume {row['run']}")
    files.json(rows)


app.command("copy")(study_files.copy)
app.command("shipped")(study_files.shipped)
app.command("schema")(study_files.schema)


@contextmanager
def terminable() -> Iterator[None]:
    """A polite end (SIGTERM) leaves a resumable run, as Ctrl-C does."""

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        noticed()
        signal.signal(signal.SIGTERM, before)
