"""``mensura analogy evaluate``: the paper's evaluations, with published and measured values side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

from mensura.cli import options
from mensura.terminal.options import Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, say, say_where, status, table

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Test reading and mapping: clones, triples, translation, plagiarism.",
    epilog="Begin with `mensura analogy evaluate clones`.",
)


@app.command("clones")
def clones(
    count: Annotated[
        int, typer.Option("--count", help="How many skeletons of each kind.", min=1)
    ] = 300,
    nodes: Annotated[int, typer.Option(help="Nodes of each.", min=10, max=2000)] = 300,
    seed: Seed = None,
    json: Json = None,
) -> None:
    """Map skeletons onto clones of themselves, with their words and without: all must be found equal."""
    from mensura.texts.evaluations.clones import clones as mapped

    files = Files(json=json)
    root = seed_or_fresh(seed)
    with status("Mapping clones"):
        found = [mapped(count, nodes, words, root) for words in (True, False)]
    table(
        f"Clones of {nodes} nodes (paper: several hundred nodes, all optimal, under 1 s on average)",
        [("words", False), ("clones", True), ("optimal", True), ("mean", True), ("longest", True)],
        [
            (
                "kept" if one.words else "replaced",
                str(one.mapped),
                str(one.optimal),
                f"{1000 * one.mean_seconds:.1f} ms",
                f"{1000 * one.longest_seconds:.1f} ms",
            )
            for one in found
        ],
    )
    files.json([one._asdict() for one in found])


@app.command("triples")
def triples(json: Json = None) -> None:
    """Say how well triples are read: precision and recall on sentences that the developers annotated."""
    from mensura.texts.evaluations.triples import read_annotated, scored

    files = Files(json=json)
    sentences = read_annotated()
    with status("Reading sentences"):
        found = scored(sentences)
    table(
        f"Triples of {len(sentences)} sentences, annotated by the developers of Mensura",
        [("what", False), ("value", True)],
        [
            ("triples in the annotation", str(found.wanted)),
            ("triples that were read", str(found.said)),
            ("of these in the annotation", str(found.right)),
            ("precision", f"{found.precision:.3f}"),
            ("recall", f"{found.recall:.3f}"),
        ],
    )
    say(
        "The rules were written by the same people, who looked at such sentences: expect less on texts of others."
    )
    files.json({**found._asdict(), "precision": found.precision, "recall": found.recall})


@app.command("plagiarism")
def plagiarism(
    folder: Annotated[
        Path,
        typer.Argument(
            help="The corpus of Clough and Stevenson, or one of that form: file_information.csv and texts."
        ),
    ],
    store: options.StoreOption = None,
    graphs: options.GraphsOption = None,
    report: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write a one-file HTML report here.")
    ] = None,
    seed: Seed = None,
    json: Json = None,
) -> None:
    """Say whether scores fall from near copies to answers of one's own, beside measures by words alone."""
    from mensura.texts.evaluations.plagiarism import LEVELS, scored, trends

    files = Files(json=json, report=report)
    root = seed_or_fresh(seed)
    with opened(store, graphs) as records, status("Reading texts") as tell:
        answers, left_out = scored(folder, tell=tell, store=records)
    with status("Resampling"):
        found = trends(answers, root)
    counts = [sum(one.level == k for one in answers) for k in range(len(LEVELS))]
    names = ("near copy", "light", "heavy", "none")
    table(
        f"Medians of {len(answers)} answers by level (published: S falls from level to level, without numbers)",
        [
            ("score", False),
            *((f"{name} ({n})", True) for name, n in zip(names, counts, strict=True)),
            ("Kendall's tau", True),
            ("95% interval", False),
            ("in order", False),
        ],
        [
            (
                one.score,
                *(f"{value:.2f}" for value in one.medians),
                f"{one.tau:.2f}",
                f"{one.low:.2f} to {one.high:.2f}",
                _falls(one.medians),
            )
            for one in found
        ],
    )
    for name, sentence in left_out.items():
        say(f"Left out: {name}. {sentence}")
    files.json({
        "trends": [one._asdict() for one in found],
        "answers": [one._asdict() for one in answers],
        "left_out": left_out,
    })  # fmt: skip
    if report is not None:
        from mensura.records.results import write_whole
        from mensura.reports.analogy_boxes_page import boxes_page

        groups = {
            score: {name: [one.scores[score] for one in answers if one.level == k]
                    for k, name in enumerate(names)}
            for score in answers[0].scores
        }  # fmt: skip
        sentences = [
            f"{one.score}: Kendall's tau with the level {one.tau:.2f} ({one.low:.2f} to {one.high:.2f})."
            for one in found
        ]
        write_whole(report, boxes_page("Plagiarism", f"{len(answers)} answers", groups, sentences))
        say_where("The report", report)


@app.command("translation")
def translation(
    translators: Annotated[
        list[str],
        typer.Argument(
            metavar="TRANSLATOR...",
            help="apertium:eng-spa, openai:MODEL@French, or cmd:THERE|BACK with two commands that read and write text.",
        ),
    ],
    stories: Annotated[int, typer.Option(help="So many of the 18 stories.", min=1, max=18)] = 18,
    report: Annotated[
        Path | None, typer.Option("--report", "-o", help="Write a one-file HTML report here.")
    ] = None,
    json: Json = None,
) -> None:
    """Translate stories there and back: how much structure is left? The order given is the one that you expect."""
    from mensura.api.translators import translator
    from mensura.texts.evaluations.translation import evaluated, order_found, stories_of

    files = Files(json=json, report=report)
    by_name = {one: translator(one) for one in translators}
    say(f"Expected from the highest to the lowest AS: {', '.join(translators)}.")
    chosen = dict(list(stories_of().items())[:stories])
    with status("Translating") as tell:
        found, left_out = evaluated(chosen, by_name, tell)
    rows = [
        (
            name,
            str(len(values["AS"])),
            *(_median(values[score]) for score in ("AS", "J", "S")),
        )
        for name, values in found.items()
    ]
    table(
        "Stories there and back (published: Spanish, French and German highest, then Russian and Irish, then Arabic "
        "and Amharic; without numbers)",
        [
            ("translator", False),
            ("stories", True),
            ("median AS", True),
            ("median J", True),
            ("median S", True),
        ],
        rows,
    )
    told = [order_found(found)] if order_found(found) else []
    told += [f"Left out: {name}. {sentence}" for name, sentence in left_out.items()]
    for sentence in told:
        say(sentence)
    files.json({"translators": found, "left_out": left_out})
    if report is not None:
        from mensura.records.results import write_whole
        from mensura.reports.analogy_boxes_page import boxes_page

        groups = {
            score: {name: values[score] for name, values in found.items()}
            for score in ("AS", "J", "S")
        }
        sentences = [f"Expected order, stated before the run: {', '.join(translators)}.", *told]
        write_whole(report, boxes_page("Translation", f"{len(chosen)} stories", groups, sentences))
        say_where("The report", report)


def opened(store: str | None, graphs: str | None) -> Any:
    """Where skeletons are kept: a store of records, or a graph database."""
    from mensura.records.store import open_store
    from mensura.texts.graph_stores import open_graphs

    return open_graphs(graphs) if graphs else open_store(store)


def _median(values: list[float]) -> str:
    import statistics

    return f"{statistics.median(values):.2f}" if values else "-"


def _falls(medians: Sequence[float]) -> str:
    """Whether medians fall from level to level; unknown where a level has no answer."""
    if any(one != one for one in medians):
        return "-"
    return "yes" if all(a > b for a, b in pairwise(medians)) else "no"
