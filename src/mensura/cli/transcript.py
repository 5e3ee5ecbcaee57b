"""``mensura transcript``: what language models were sent and what they answered, word for word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mensura.agent.errors import MensuraError
from mensura.cli import options
from mensura.terminal.options import Json
from mensura.terminal.output import Files, say, say_where, table, working

if TYPE_CHECKING:
    from mensura.records.run import Run
    from mensura.studies.looking import Exchange, Interaction
    from mensura.studies.transcripts import Listed, Match, Transcript

LOGS = (".eval", ".json")
"""How the names of Inspect's logs end."""


def transcript(
    run: Annotated[str, typer.Argument(help="The run: `mensura runs list`.")],
    sittings: Annotated[
        list[int] | None,
        typer.Argument(
            metavar="[SITTING]...",
            help="Which, by number; without one, the list of those that have a transcript.",
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(help="Find a text in what was told, answered and reasoned, capitals or not."),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Print every request as it was sent, and not only what was new in it."
        ),
    ] = False,
    first: Annotated[
        int, typer.Option(help="Only so many interactions of each episode; 0 for all.", min=0)
    ] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.jsonl|FILE.eval|FILE.json",
            help="Write the transcripts there, those named, else all: a line of JSON for each interaction, or a log of "
            "Inspect AI with a sample for each sitting.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Write them as one page that stands alone, with a picture of what was seen at each step.",
        ),
    ] = None,
    prompts: Annotated[
        bool,
        typer.Option(
            "--prompts", help="Print the prompts, file by file, that the episodes were made with."
        ),
    ] = False,
    store: options.StoreOption = None,
    json: Json = None,
) -> None:
    """Show what language models were told and what they answered, word for word.

    Messages are those that were sent, replies those that came; with them reasoning where the service shows it, answers
    that had to be repaired, faults, tokens, seconds, and the reward of the step. `mensura transcript RUN` lists the
    sittings, `mensura transcript RUN 0` shows the first one, `--search word` finds a word in all of them,
    `-o said.jsonl` writes them down, `-o said.eval` as a log that Inspect AI shows, and `--html said.html` as a page.
    """
    from mensura.records.store import open_store
    from mensura.studies import transcripts

    files = Files(json=json, output=output, html=html)
    write_log = _writer_of_logs() if output is not None and output.suffix in LOGS else None
    page_of = None if html is None else _maker_of_pages()
    with open_store(store, create=False) as records:
        found = records.find(run)
        if not sittings and search is None and output is None and html is None and not prompts:
            rows = transcripts.listed(records, found)
            _list(found.name, rows)
            files.json([vars(row) for row in rows])
            return
        named = sittings or [row.number for row in transcripts.listed(records, found)]
        if not named:
            raise MensuraError(_none(found.name))
        if prompts:
            texts = {number: transcripts.prompts(records, found, number) for number in named}
            _show_prompts(texts)
            files.json(texts)
            return
        with working("Reading the transcripts"):
            read = [
                transcripts.transcript(records, found, number, pictures=html is not None)
                for number in named
            ]
    if output is not None and write_log is not None:
        write_log(output, found, read)
        say_where(f"A log of Inspect with {len(read)} samples", output)
    elif output is not None:
        _write_lines(output, read)
    if html is not None and page_of is not None:
        html.write_text(page_of(found.name, read, first), encoding="utf-8")
        say_where("The page", html)
    if search is not None:
        matches = list(transcripts.search(read, search))
        _found(search, matches)
        files.json([vars(match) for match in matches])
        return
    if output is None and html is None:
        for one in read:
            for line in _shown(one, first, full):
                say(line)
    files.json([line for one in read for line in one.lines()])


def _write_lines(output: Path, read: list[Transcript]) -> None:
    """A line of JSON for each interaction."""
    lines = [dumps(line, ensure_ascii=False) for one in read for line in one.lines()]
    output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    say_where(f"{len(lines)} interactions", output)


def _none(run: str) -> str:
    return f"The run {run} has no transcripts: no language model has finished a sitting in it."


def _writer_of_logs() -> Callable[[Path, Run, list[Transcript]], None]:
    """Who writes logs of Inspect; known before the work begins whether it is installed."""
    try:
        from mensura.adapters.inspect_log import write_log
    except ImportError as error:
        raise MensuraError(
            f'Logs of Inspect need the extra "inspect" ({error.name} is missing): pip install "mensura[inspect]". '
            "Without it, -o FILE.jsonl writes the same words."
        ) from error
    return write_log


def _maker_of_pages() -> Callable[[str, list[Transcript], int], str]:
    try:
        from mensura.web.transcript_readings import shown
        from mensura.web.transcripts import page_alone
    except ImportError as error:
        raise MensuraError(
            f'Pages need the extra "web" ({error.name} is missing): pip install "mensura[web]".'
        ) from error

    def page_of(run: str, read: list[Transcript], first: int) -> str:
        return page_alone(
            [
                shown(
                    one,
                    [each for each in one.interactions if not first or each.interaction < first],
                )
                for one in read
            ],
            run,
        )

    return page_of


def _show_prompts(texts: Mapping[int, Mapping[str, str]]) -> None:
    for number, by_name in texts.items():
        say(f"Prompts of sitting {number}:")
        for name, text in by_name.items():
            for line in _block(f"{name}.txt", text, 2):
                say(line)


def _list(name: str, rows: list[Listed]) -> None:
    if not rows:
        raise MensuraError(_none(name))
    table(
        f"Transcripts of {name}",
        [
            ("sitting", True),
            ("subject", False),
            ("condition", False),
            ("answers", True),
            ("repaired", True),
            ("faults", True),
            ("score", True),
        ],
        [
            (
                str(row.number),
                row.subject,
                row.condition,
                str(row.answers),
                str(row.repaired),
                str(row.faults),
                f"{row.score:+.3f}",
            )
            for row in rows
        ],
    )
    say(f"`mensura transcript {name} {rows[0].number}` shows the first one.")


def _found(text: str, matches: list[Match]) -> None:
    if not matches:
        say(f"{text!r} was not said.")
        return
    table(
        f"Where {text!r} was said",
        [
            ("sitting", True),
            ("episode", True),
            ("interaction", True),
            ("seat", True),
            ("where", False),
            ("words", False),
        ],
        [
            (
                str(one.number),
                str(one.sequence + 1),
                str(one.interaction + 1),
                str(one.seat),
                one.where,
                one.excerpt,
            )
            for one in matches
        ],
    )


# One sitting -----------------------------------------------------------------------


def _shown(one: Transcript, first: int, full: bool) -> Iterator[str]:
    yield f"Sitting {one.number} of {one.subject} in the run {one.run}: score {one.score:+.3f}"
    if not one.identical:
        yield (
            "Not as it was: played again, its answers give other rewards, so what follows may not be what was said. "
            "The world or Mensura is not what it was when this was recorded."
        )
    several = any(each.seat for each in one.interactions)
    for sequence, (training, reward) in enumerate(one.episodes):
        steps = [each for each in one.interactions if each.sequence == sequence]
        kind = "training" if training else "assessed"
        yield f"\nEpisode {sequence + 1}, {kind}: mean reward {reward:+.3f}"
        for step in steps:
            if not first or step.interaction < first:
                yield from _step(step, several, full)
        last = steps[-1].interaction + 1 if steps else 0
        if first and last > first:
            yield f"  and {last - first} interactions more, shown with --first 0"


def _step(step: Interaction, several: bool, full: bool) -> Iterator[str]:
    from mensura.studies.transcripts import blocks

    seat = f", seat {step.seat}" if several else ""
    yield f"  interaction {step.interaction + 1}{seat}"
    if not step.asked:
        yield "    not asked any more"
    for exchange, added in zip(step.exchanges, blocks(step), strict=True):
        if full:
            yield from _requests(exchange)
            added = [(name, text) for name, text in added if name in ("reasoning", "answer")]
        for name, text in added:
            yield from _block(name, text or "(none)")
        yield f"    {_usage(exchange.kept)}"
    if step.fault is not None:
        kind, detail = step.fault
        yield f"    fault: {kind}, {detail}"
    yield f"    played: {_plain(step.action)}"
    yield f"    reward {step.reward:+.3f}"


def _requests(exchange: Exchange) -> Iterator[str]:
    from mensura.studies.transcripts import content_of

    for number, messages in enumerate(exchange.requests):
        yield f"    request {number + 1}:"
        for message in messages:
            yield from _block(str(message["role"]), content_of(message), 6)


def _usage(kept: Mapping[str, Any]) -> str:
    """What the answer took, and what the service says of it."""
    usage = kept.get("usage", {})
    tokens = [usage.get("tokens_in"), usage.get("tokens_out")]
    told = [
        f"{usage.get('request_seconds', 0.0):.3g} s",
        "tokens unknown" if None in tokens else f"{tokens[0]:,} tokens in and {tokens[1]:,} out",
        *(f"{usage[name]} {name}" for name in ("retries", "repairs") if usage.get(name)),
        *(f"{name} {kept[name]}" for name in ("finish", "model", "fingerprint") if kept.get(name)),
    ]
    return ", ".join(told)


def _block(name: str, text: str, indent: int = 4) -> Iterator[str]:
    yield f"{' ' * indent}{name}:"
    for line in text.splitlines():
        yield f"{' ' * (indent + 2)}{line}"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value, ensure_ascii=False)
