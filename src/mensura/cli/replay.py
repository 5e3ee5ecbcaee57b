"""``mensura replay``: play a recorded sitting again and see whether the rewards are identical."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.cli import options
from mensura.terminal.options import Json
from mensura.terminal.output import Files, console, say, say_where, table, working

if TYPE_CHECKING:
    from mensura.studies.looking import Interaction
    from mensura.studies.replay import Replay


def replay(
    run: Annotated[str, typer.Argument(help="The run: `mensura runs list`.")],
    sittings: Annotated[
        list[int],
        typer.Argument(
            metavar="SITTING...",
            help="Its number in the run, which exports and data frames show as `number`.",
        ),
    ],
    ask_again: Annotated[
        bool,
        typer.Option(
            "--ask-again",
            help="Ask the subject itself again, although its answers were journaled.",
        ),
    ] = False,
    show: Annotated[
        bool,
        typer.Option(
            "--show",
            help="Print every interaction: observation, answer, reward, time; of a language model, prompt and reply.",
        ),
    ] = False,
    first: Annotated[
        int,
        typer.Option(
            help="With --show: only so many interactions of each episode; 0 for all.", min=0
        ),
    ] = 0,
    page: Annotated[
        Path | None,
        typer.Option(
            help="Write an episode of the first sitting as a page to step through (.html), where the world has such a "
            "page."
        ),
    ] = None,
    episode: Annotated[
        int,
        typer.Option(help="With --page: which episode of the sitting, training counted.", min=1),
    ] = 1,
    store: options.StoreOption = None,
    json: Json = None,
) -> None:
    """Play recorded sittings again and say whether the rewards are identical to the bit.

    Built-in subjects are played again from their keys. Of all others every answer was journaled, and the journal is
    played; `--ask-again` asks the subject itself. A sitting has its training episodes, too. `--show`
    prints them step by step; with `--json`, they are in the file.
    Exit status 1 if any reward differs.
    """
    from mensura.records.results import write_whole
    from mensura.records.store import open_store
    from mensura.studies.replay import page_of
    from mensura.studies.replay import replay as play_again

    files = Files(json=json, page=page)
    with open_store(store, create=False) as records:
        found = records.find(run)
        with working("Playing again"):
            replays = [
                play_again(records, found, number, ask_again=ask_again, look=show)
                for number in sittings
            ]
            if page is not None:
                write_whole(page, page_of(records, found, sittings[0], episode - 1))
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
            **({"interactions": [each.to_json() for each in one.interactions]} if show else {}),
        }
        for number, one in zip(sittings, replays, strict=True)
    ]
    if show:
        for number, one in zip(sittings, replays, strict=True):
            for line in _shown(number, one, first):
                say(line)
    _compared(found.name, rows)
    files.json(rows)
    if page is not None:
        say_where("The page", page)
    if not all(row["identical"] for row in rows):
        console().print(
            "Not identical: the subject, the world or Mensura is not what it was when this was recorded.",
        )
        raise typer.Exit(1)


def _compared(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """What was recorded beside what came of it again, as a table."""
    table(
        f"Replay of {name}",
        [
            ("sitting", True),
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


def _shown(number: int, one: Replay, first: int) -> Iterator[str]:
    """A sitting step by step."""
    source = "its journal" if one.from_journal else "its keys; times are those of now"
    yield f"Sitting {number} of {one.cell.name}, from {source}"
    several = any(each.seat for each in one.interactions)
    for episode in one.episodes:
        steps = [each for each in one.interactions if each.sequence == episode.sequence]
        kind = "training" if episode.learning else "assessed"
        yield f"\nEpisode {episode.sequence + 1}, {kind}: mean reward {episode.replayed:+.3f}"
        last = steps[-1].interaction + 1 if steps else 0
        for step in steps:
            if not first or step.interaction < first:
                yield from _step(step, several)
        if first and last > first:
            yield f"  and {last - first} interactions more, shown with --first 0"


def _step(step: Interaction, several: bool) -> Iterator[str]:
    """An interaction of a seat in a few lines."""
    seat = f", seat {step.seat}" if several else ""
    how = f"answered within {step.seconds:.3g} s" if step.asked else "not asked any more"
    yield f"  interaction {step.interaction + 1}{seat}, {how}"
    if step.system:
        yield from _block("told before", step.system)
    if step.prompt:
        yield from _block("prompt", step.prompt)
    else:
        yield f"    observation {_plain(step.observation)}"
        for other, message in step.heard.items():
            yield f"    heard from seat {other}: {_plain(message)}"
    if step.reply:
        yield from _block("reply", step.reply)
    if not step.asked:
        yield f"    played was {_plain(step.action)}"
    elif step.fault is None:
        yield f"    answer {_plain(step.answer)}"
    else:
        kind, detail = step.fault
        yield f"    no answer that could be played ({kind}: {detail}); played was {_plain(step.action)}"
    yield f"    reward {step.reward:+.3f}"


def _block(name: str, text: str) -> Iterator[str]:
    yield f"    {name}:"
    for line in text.splitlines():
        yield f"      {line}"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value, ensure_ascii=False)
