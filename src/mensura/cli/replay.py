"""``mensura replay``: play a recorded sitting again and see whether the rewards are identical."""

from __future__ import annotations

from typing import Annotated

import typer

from mensura.cli import options
from mensura.terminal.options import Json
from mensura.terminal.output import Files, console, table


def replay(
    run: Annotated[str, typer.Argument(help="The run: `mensura runs list`.")],
    sittings: Annotated[
        list[int],
        typer.Argument(
            metavar="EPISODE...",
            help="Which: the number that exports and data frames show as `number`, counted through the whole run.",
        ),
    ],
    ask_again: Annotated[
        bool,
        typer.Option(
            "--ask-again",
            help="Ask the subject itself again, although its answers were journaled.",
        ),
    ] = False,
    store: options.StoreOption = None,
    json: Json = None,
) -> None:
    """Play recorded episodes again and say whether the rewards are identical to the bit.

    Built-in subjects are played again from their keys. Of all others every answer was journaled, and the journal is
    played; `--ask-again` asks the subject itself. An assessed episode comes with the training before it.
    Exit status 1 if any reward differs.
    """
    from mensura.records.store import open_store
    from mensura.studies.replay import replay as play_again

    files = Files(json=json)
    with open_store(store, create=False) as records:
        found = records.find(run)
        replays = [play_again(records, found, number, ask_again=ask_again) for number in sittings]
    rows = [
        {
            "episode": number,
            "subject": one.cell.name,
            "condition": one.cell.condition,
            "item": one.item,
            "from": "journal" if one.from_journal else "keys",
            "recorded": one.recorded,
            "replayed": one.replayed,
            "episodes": len(one.episodes),
            "compared": sum(episode.recorded is not None for episode in one.episodes),
            "identical": one.identical,
        }
        for number, one in zip(sittings, replays, strict=True)
    ]
    table(
        f"Replay of {found.name}",
        [
            ("episode", True),
            ("subject", False),
            ("from", False),
            ("recorded", True),
            ("replayed", True),
            ("rewards compared", True),
            ("verdict", False),
        ],
        [
            (
                str(row["episode"]),
                str(row["subject"]),
                str(row["from"]),
                f"{row['recorded']:+.6f}",
                f"{row['replayed']:+.6f}",
                f"{row['compared']} of {row['episodes']}",
                "identical" if row["identical"] else "DIFFERENT",
            )
            for row in rows
        ],
    )
    files.json(rows)
    if not all(row["identical"] for row in rows):
        console().print(
            "Not identical: the subject, the world or Mensura is not what it was when this was recorded.",
        )
        raise typer.Exit(1)
