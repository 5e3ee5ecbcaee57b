"""``mensura leaderboard``: a file of scores that many can add to, and its page."""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.core.abilities import default_of, parameters
from mensura.core.registry import ASSESSMENTS, WORLDS, Registry
from mensura.terminal.options import Json
from mensura.terminal.output import Files, note, say, say_where, table, working

if TYPE_CHECKING:
    from mensura.api.leaderboard_entry import Entry
    from mensura.api.leaderboard_verifying import Verdict
    from mensura.api.standings import Board, Standing

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="A file of scores that many can add to: checked when they are added, shown as tables or as a page.",
)

File = Annotated[
    Path,
    typer.Option("--file", "-f", help="The leaderboard, a JSON file; begun where there is none."),
]
DEFAULT = Path("leaderboard.json")


@app.command("add")
def add(
    run: Annotated[str, typer.Argument(help="The run: `mensura runs list`.")],
    file: File = DEFAULT,
    subjects: Annotated[
        list[str] | None,
        typer.Option(
            "--subject", help="Only this subject of the run; may be repeated.", show_default="all"
        ),
    ] = None,
    say_more: Annotated[
        list[str] | None,
        typer.Option(
            "--say",
            metavar="NAME=VALUE",
            help="Something to be said with it, as by=me; may be repeated.",
        ),
    ] = None,
    apart: Annotated[
        bool,
        typer.Option(
            "--apart",
            help="Also take scores of subjects that could have known their environments: not fully isolated, or under "
            "a seed that somebody chose. They are listed in tables of their own, marked, without places.",
        ),
    ] = False,
    store: options.StoreOption = None,
) -> None:
    """Add the scores of a finished run to a leaderboard, if they keep its rules.

    The world must have the present version, the seed must have been drawn for the run, the subject must have been
    fully isolated, there must be enough scores to tell an error, and the subject itself must have chosen its actions.
    Nothing is added where one of them fails.
    """
    from mensura.api import leaderboard_file
    from mensura.api.leaderboard_entry import entries_of
    from mensura.records.store import open_store

    extra = {}
    for pair in say_more or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise MensuraError(f"--say {pair!r} is not understood; write NAME=VALUE.")
        extra[name.strip()] = value
    with open_store(store, create=False) as records:
        found = records.find(run)
        entries = entries_of(records, found, subjects or (), extra, apart=apart)
    everything = leaderboard_file.add(file, entries)
    say_where(f"{len(entries)} added, {len(everything)} in all", file)


@app.command("show")
def show(
    file: File = DEFAULT,
    page: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write it as a one-file HTML page here.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            help="Verify the entries by the runs that this store has: a file, or a URL.",
            show_default="not verified",
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Show a leaderboard: a table for each test, the best first, with intervals, and whom one has to believe."""
    from mensura.api import leaderboard_file
    from mensura.reports.leaderboard_page import RULES, render_leaderboard, trust

    files = Files(report=page, json=json)
    if page is not None:
        from mensura.api.reporting import check_can_report

        check_can_report()
    entries = leaderboard_file.read(file)
    verdicts = _verdicts(entries, store) if store else {}
    boards, left_out = leaderboard_file.shown(entries)
    shown = [_board(entries, board, verdicts) for board in boards]
    for one in shown:
        _print_board(one)
    for sentence in left_out:
        note(sentence)
    trusted = list(trust(sum(one.is_verified for one in verdicts.values()), len(entries)))
    for sentence in (*trusted, RULES[1]):
        say(sentence)
    if page is not None:
        from mensura.records.results import write_whole

        write_whole(page, render_leaderboard(shown, left_out, trusted))
        say_where("The page", page)
    files.json(shown)


@app.command("verify")
def verify(
    file: Annotated[Path, typer.Argument(help="The leaderboard, a JSON file.")] = DEFAULT,
    sample: Annotated[
        int,
        typer.Option(help="How many sittings of each entry are played again.", min=1),
    ] = 3,
    store: options.StoreOption = None,
    json: Json = None,
) -> None:
    """Verify a leaderboard by the records of its runs: make each entry again, and play some of its sittings again.

    An entry is verified if the store has its run, the entry follows from the records to the last digit, and the
    sittings, which are drawn anew each time, give the same rewards to the bit. Exit status 1 if any entry is not.
    """
    from mensura.api import leaderboard_file
    from mensura.api.leaderboard_verifying import verify as verdicts_on
    from mensura.records.store import open_store
    from mensura.reports.leaderboard_page import trust

    files = Files(json=json)
    entries = leaderboard_file.read(file)
    with open_store(store, create=False) as records, working("Playing again"):
        verdicts = verdicts_on(entries, records, sample)
    rows = [
        {
            "subject": one.entry.subject,
            "run": one.entry.run,
            "world": one.entry.world,
            "verified": one.is_verified,
            "contradicted": one.is_contradicted,
            "verdict": one.words,
            "why": one.reason,
        }
        for one in verdicts
    ]
    columns = ("subject", "run", "world", "verdict", "why")
    table(
        f"The entries of {file}",
        [(name, False) for name in columns],
        [[str(row[name]) for name in columns] for row in rows],
    )
    for sentence in trust(sum(one.is_verified for one in verdicts), len(verdicts)):
        say(sentence)
    files.json(rows)
    if not all(one.is_verified for one in verdicts):
        raise typer.Exit(1)


def _verdicts(entries: list[Entry], store: str) -> dict[int, Verdict]:
    """The verdict on each entry by the runs of a store, by the entry's identity in this process."""
    from mensura.api.leaderboard_verifying import verify as verdicts_on
    from mensura.records.store import open_store

    with open_store(store, create=False) as records, working("Playing again"):
        return {id(one.entry): one for one in verdicts_on(entries, records)}


def _print_board(board: dict[str, Any]) -> None:
    """A board as a table, its marks first."""
    for sentence in board["marks"]:
        say(sentence)
    columns = ["place", "subject", "score", "interval", "count", "cost", "kind", "verified"]
    columns += ["isolation"] if board["apart"] else []
    table(
        f"{board['title']}: {board['about']}; environments: {board['content']}",
        [(name, name not in ("subject", "kind", "verified", "isolation")) for name in columns],
        [[row[name] for name in columns] for row in board["rows"]],
    )


def _board(entries: list[Entry], board: Board, verdicts: Mapping[int, Verdict]) -> dict[str, Any]:
    """A board in words."""
    settings = [
        *_unusual(WORLDS, board.world, board.parameters),
        *_unusual(ASSESSMENTS, board.assessment, board.given),
    ]
    return {
        "title": f"{board.world}, {board.assessment}",
        "about": ", ".join(settings) or "all as usual",
        "content": board.content,
        "apart": board.is_apart,
        "ranked": board.is_ranked,
        "marks": list(board.marks),
        "rows": [_row(entries, board, one, verdicts) for one in board.standings],
    }


def _row(
    entries: list[Entry], board: Board, one: Standing, verdicts: Mapping[int, Verdict]
) -> dict[str, str]:
    """A row of a board in words."""
    from mensura.api.leaderboard_file import cost_of
    from mensura.reports.number_words import interval, signed, whole

    cost = cost_of(entries, board, one.subject)
    return {
        "place": "-" if one.place is None else str(one.place),
        "subject": one.subject,
        "score": signed(one.score),
        "interval": "-" if one.low is None or one.high is None else interval(one.low, one.high),
        "count": whole(one.count),
        "cost": "-" if cost is None else f"{cost:,.4g}",
        "kind": one.kind,
        "isolation": one.isolation,
        "verified": _trusted(entries, board, one, verdicts),
    }


def _trusted(
    entries: list[Entry], board: Board, one: Standing, verdicts: Mapping[int, Verdict]
) -> str:
    """Whether all entries behind a row are verified, in words; a reference is ours, and is no entry."""
    from mensura.api.leaderboard_file import entries_behind
    from mensura.api.leaderboard_verifying import UNVERIFIED, VERIFIED

    if one.kind == "reference":
        return "comes with Mensura"
    behind = entries_behind(entries, board, one.subject)
    verified = [id(each) in verdicts and verdicts[id(each)].is_verified for each in behind]
    return VERIFIED if verified and all(verified) else UNVERIFIED


def _unusual(known: Registry, name: str, given: Mapping[str, Any]) -> list[str]:
    """The parameters that are not as usual; all of them where what is usual is not known."""
    try:
        kind = known.load(name)
    except MensuraError:
        return [f"{one} {value}" for one, value in sorted(given.items())]
    usual = {one: dumps(default_of(field), default=str) for one, field in parameters(kind).items()}
    return [
        f"{one} {value}"
        for one, value in sorted(given.items())
        if value is not None and usual.get(one) != dumps(value, default=str)
    ]
