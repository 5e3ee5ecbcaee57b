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
from mensura.terminal.output import Files, note, say, say_where, table

if TYPE_CHECKING:
    from mensura.api.leaderboard_file import Entry

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
    store: options.StoreOption = None,
) -> None:
    """Add the scores of a finished run to a leaderboard, if they keep its rules.

    The world must have the present version, the seed must have been drawn for the run, there must be enough scores to
    tell an error, and the subject itself must have chosen its actions. Nothing is added where one of them fails.
    """
    from mensura.api import leaderboard_file
    from mensura.records.store import open_store

    extra = {}
    for pair in say_more or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise MensuraError(f"--say {pair!r} is not understood; write NAME=VALUE.")
        extra[name.strip()] = value
    with open_store(store, create=False) as records:
        found = records.find(run)
        entries = leaderboard_file.entries_of(found, records.result(found), subjects or (), extra)
    everything = leaderboard_file.add(file, entries)
    say_where(f"{len(entries)} added, {len(everything)} in all", file)


@app.command("show")
def show(
    file: File = DEFAULT,
    page: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write it as a one-file HTML page here.")
    ] = None,
    json: Json = None,
) -> None:
    """Show a leaderboard: a table for each test, the best first, with intervals."""
    from mensura.api import leaderboard_file
    from mensura.reports.leaderboard_page import RULES, render_leaderboard

    files = Files(report=page, json=json)
    if page is not None:
        from mensura.api.reporting import check_can_report

        check_can_report()
    entries = leaderboard_file.read(file)
    boards, left_out = leaderboard_file.shown(entries)
    shown = [_board(entries, board) for board in boards]
    columns = ("place", "subject", "score", "interval", "count", "cost", "kind")
    for one in shown:
        table(
            f"{one['title']}: {one['about']}",
            [(name, name not in ("subject", "kind")) for name in columns],
            [[row[name] for name in columns] for row in one["rows"]],
        )
    for sentence in left_out:
        note(sentence)
    say(RULES[1])
    if page is not None:
        from mensura.records.results import write_whole

        write_whole(page, render_leaderboard(shown, left_out))
        say_where("The page", page)
    files.json(shown)


def _board(entries: list[Entry], board: Any) -> dict[str, Any]:
    """A board in words."""
    from mensura.api.leaderboard_file import cost_of
    from mensura.reports.number_words import interval, signed, whole

    told = [
        *_unusual(WORLDS, board.world, board.parameters),
        *_unusual(ASSESSMENTS, board.assessment, board.given),
    ]
    rows = []
    for one in board.standings:
        cost = cost_of(entries, board, one.subject)
        rows.append(
            {
                "place": "-" if one.place is None else str(one.place),
                "subject": one.subject,
                "score": signed(one.score),
                "interval": "-"
                if one.low is None or one.high is None
                else interval(one.low, one.high),
                "count": whole(one.count),
                "cost": "-" if cost is None else f"{cost:,.4g}",
                "kind": one.kind,
            }
        )
    return {
        "title": f"{board.world}, {board.assessment}",
        "about": ", ".join(told) or "all as usual",
        "rows": rows,
    }


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
