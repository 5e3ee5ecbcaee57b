"""``mensura runs``: what is in the store, and getting it out or away."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.cli.scores import study_table
from mensura.records.facts import facts_of
from mensura.terminal.options import Format, Json
from mensura.terminal.output import Files, console, say, table, working
from mensura.terminal.paper import TEXT

if TYPE_CHECKING:
    from mensura.records.results import StudyResult
    from mensura.records.run import Run
    from mensura.records.store import Store

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="List, show, export and delete the runs of a store.",
    epilog="Begin with `mensura runs list`; `mensura runs show RUN` prints what a run found, and `mensura runs "
    "export RUN -o FOLDER` hands its rows to other programs.",
)

RunName = Annotated[str, typer.Argument(metavar="RUN", help="The run, by its name or its number.")]
RunNames = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="The runs, by name or number.")
]


@app.command("list")
def list_runs(
    store: options.StoreOption = None,
    json: Json = None,
    form: Format = TEXT,
) -> None:
    """List the runs of a store, the newest first.

    A run that says running is being worked on now; one that says interrupted lost its process, and `mensura study
    resume RUN` completes it.
    """
    from mensura.records.store import open_store
    from mensura.reports.number_words import seconds, when

    files = Files(json=json)
    with open_store(store, create=False) as records:
        rows = [facts_of(records, run) for run in records.runs()]
        where = records.url
    table(
        f"Runs in {where}",
        [
            ("run", False),
            ("title", False),
            ("status", False),
            ("done", True),
            ("episodes", True),
            ("started", False),
            ("took", True),
        ],
        [
            (
                row["run"],
                row["title"],
                row["status"],
                f"{row['done']} of {row['sittings']}",
                str(row["episodes"]),
                when(row["started"]),
                seconds(row["seconds"]),
            )
            for row in rows
        ],
    )
    if not rows:
        say("There are none yet; `mensura study run FILE` makes one.")
    files.json(rows)


@app.command("show")
def show(
    name: RunName,
    store: options.StoreOption = None,
    json: Json = None,
    form: Format = TEXT,
) -> None:
    """Print what a run was, where it came from, and what it found, with 95% intervals.

    A run that is not finished is shown as far as it is. `--json` writes the scores as data.
    """
    from mensura.records.store import open_store

    files = Files(json=json)
    with open_store(store, create=False) as records:
        run = records.find(name)
        facts = facts_of(records, run)
        with working("Reading the records"):
            result, samples = records.result(run), records.samples(run)
    _tell(result, facts)
    table("Where it comes from", [("what", False), ("value", False)], _provenance(run, facts))
    study_table(result, samples)
    if facts["status"] in ("stopped", "failed", "interrupted"):
        say(f"Complete it with:  mensura study resume {run.name}")
    scores = [
        {"condition": condition.title, **row}
        for condition in result.conditions
        for one in condition.subjects
        if one.moments.count
        for row in replace(condition, subjects=(one,)).rows()
    ]
    files.json({**facts, "seed": run.seed, "study": run.study, "scores": scores})


@app.command("export")
def export(
    names: RunNames,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for the files; made if need be.")
    ],
    format: Annotated[
        str, typer.Option("--format", "-f", help="parquet (needs mensura[data]) or csv.")
    ] = "parquet",
    store: options.StoreOption = None,
) -> None:
    """Write the rows of runs to a folder, one file a table: episodes, sittings, faults, measures, cells, runs.

    Rows of several runs follow one another in the same files. All files are written or none; a million rows pass
    through in flat memory.
    """
    from mensura.records.export import export as write
    from mensura.records.store import open_store

    with open_store(store, create=False) as records:
        runs = [records.find(name) for name in dict.fromkeys(names)]
        with working("Writing the rows"):
            paths = write(records, runs, output, format)  # type: ignore[arg-type]
    for path in paths:
        say(f"{path} ({_size(path)})")


@app.command("delete")
def delete(
    names: RunNames,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
    store: options.StoreOption = None,
) -> None:
    """Delete runs with everything that they left behind: rows, journals, traces.

    It cannot be undone, so it asks first; where nobody can be asked, say `--yes`. A run that is being worked on is
    not deleted.
    """
    from mensura.records.store import open_store

    with open_store(store, create=False) as records:
        runs = [records.find(name) for name in dict.fromkeys(names)]
        if not yes:
            _ask(records, runs)
        for run in runs:
            records.delete(run)
            say(f"Deleted {run.name}.")


def _ask(records: Store, runs: list[Run]) -> None:
    if not sys.stdin.isatty():
        raise MensuraError("There is no terminal to ask whether to delete; confirm with --yes.")
    for run in runs:
        facts = facts_of(records, run)
        say(f"{run.name}: {run.title}; {facts['done']} sittings, {facts['episodes']} episodes.")
    if not typer.confirm("Delete for good?"):
        say("Nothing was deleted.")
        raise typer.Exit(1)


def _tell(result: StudyResult, facts: dict[str, Any]) -> None:
    """What it was, in words."""
    from mensura.reports.number_words import listed, some

    console().print(result.title, style="bold")
    if result.source:
        say(f"After {result.source}.")
    subjects = list(
        dict.fromkeys(one.subject for condition in result.conditions for one in condition.subjects)
    )
    say(
        f"{some(len(subjects), 'subject')} ({listed(subjects)}) under "
        f"{some(len(result.conditions), 'condition')}: {facts['done']} of "
        f"{some(facts['sittings'], 'sitting')} done, {some(facts['faults'], 'fault')}."
    )
    of_conditions = (note for condition in result.conditions for note in condition.notes)
    for note in dict.fromkeys((*result.notes, *of_conditions)):
        say(note)


def _provenance(run: Run, facts: dict[str, Any]) -> list[tuple[str, str]]:
    from mensura.reports.number_words import seconds, when

    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    rows = [
        ("run", f"{run.name} (number {run.id})"),
        ("status", facts["status"]),
        ("started", when(run.started)),
        ("ended", when(run.ended)),
        ("took", seconds(run.seconds)),
        ("seed", str(run.seed)),
        ("command", run.command),
        ("commit", run.commit),
        ("versions", versions),
        ("machine", run.machine),
        ("study", run.study_hash),
    ]
    return [(what, value) for what, value in rows if value]


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
